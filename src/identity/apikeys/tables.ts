import { table } from '../../tenancy/tables/table.ts'
import { apiKey } from './apikey.ts'

export const apiKeys = table(apiKey, {
  placement: 'local',
  audit: { noun: 'api_key' },
  unforked: 'keys of the original',
  counters: { api_keys: 'is_active' },
})

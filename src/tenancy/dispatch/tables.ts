import { table } from '../tables/table.ts'

export const policyUses = table('policy_uses', { audit: 'counts of writes', unforked: 'uses of keys' })

import { table } from '../tables/table.ts'

export const plans = table('plans', { owner: null, placement: 'reference' })

export const storeCounters = table('store_counters', {
  audit: 'sums of rows',
  // A fork does not have the rows that these count.
  replaced: () => ({ webhooks: '0', api_keys: '0', staff: '0' }),
})

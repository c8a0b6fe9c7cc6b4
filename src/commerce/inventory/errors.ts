import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const inventoryFaults = sentences({
  stock_below_zero:  'must not take the stock below zero: there are {count}',
  no_longer:         'is no longer so: it is {now} now',
  stock_above_limit: 'must not take the stock above {limit}: there are {count}',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const inventoryFaults = sentences({
  stock_below_zero:  'must not make stock negative: {count} in stock',
  stock_of_parts:    'is that of the parts of the bundle: change theirs',
  no_longer:         'is out of date: the current value is {now}',
  stock_above_limit: 'must not raise stock above {limit}: {count} in stock',
})

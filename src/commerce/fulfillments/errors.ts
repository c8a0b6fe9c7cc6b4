import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const fulfillmentFaults = sentences({
  nothing_sent_when: 'is {status}: the order can no longer be fulfilled',
  pieces_came_back:  'cannot become cancelled: some items have been returned',
  nothing_left:      'has nothing left to fulfill',
})

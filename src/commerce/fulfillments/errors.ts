import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const fulfillmentFaults = sentences({
  nothing_sent_when: 'is {status}: nothing of the order is sent any more',
  pieces_came_back:  'cannot become cancelled: pieces of it have come back',
  nothing_left:      'has nothing that is left',
})

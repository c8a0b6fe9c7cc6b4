import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const logFaults = sentences({
  events_unknown: 'must be some of {choices}, with commas between',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const logFaults = sentences({
  events_unknown: 'must be a comma-separated list of {choices}',
})

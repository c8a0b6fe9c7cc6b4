import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const forkFaults = sentences({
  either_now:  'cannot be combined with now',
  in_the_past: 'is in the past: time moves forward only',
  too_far:     'is more than five years ahead',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const letterFaults = sentences({
  placeholder_unknown: 'may only name {choices} in braces, not "{name}"',
})

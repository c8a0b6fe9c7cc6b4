import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const letterFaults = sentences({
  placeholder_unknown: 'can only use the placeholders {choices}, not "{name}"',
})

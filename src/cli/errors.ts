import { sentences } from '../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const commandFaults = sentences({
  command_not_rehearsed: 'is not for this command: it {why}',
  no_hours:              'must be two hours, e.g. 9-18',
  scopes_unknown:        '{unknown}: unknown. Known: all, {choices}',
  no_number_between:     'must be a number from {least} to {most}',
})

import { sentences } from '../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const commandFaults = sentences({
  command_not_rehearsed: 'is not supported by this command: it {why}',
  no_hours:              'must be two hours, such as 9-18',
  scopes_unknown:        'contains unknown scopes: {unknown}. Use all, or some of {choices}',
  no_number_between:     'must be a whole number from {least} to {most}',
})

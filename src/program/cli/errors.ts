import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const commandFaults = sentences({
  command_not_rehearsed: 'is not supported by this command: it {why}',
  no_hours:              'must be two hours, such as 9-18',
  scopes_unknown:        'contains unknown scopes: {unknown}. Use all, or some of {choices}',
  no_field:              'contains {typed}: write name=text or name:=JSON',
  no_json:               'must contain JSON',
  no_path:               'must begin with a slash, such as /v1/products',
  placeholder_left:      'still contains {placeholder}: write the ID there',
  no_number_between:     'must be a whole number from {least} to {most}',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const clientFaults = sentences({
  no_host:              '{name} is not a valid host name',
  no_list_of_addresses: 'must be a list of 1 to {limit} addresses',
  no_list_of_texts:     'must be a list of at most {limit} texts',
  no_text:              'must be a text of at most {limit} characters',
  no_absolute_address:  'must only contain absolute addresses',
  no_redirect_address:  'must be https, or http on localhost, 127.0.0.1 or [::1]',
  steers_text:          'must not contain control characters or turn the text around',
  mixes_scripts:        'must not mix Latin, Cyrillic and Greek letters in one word',
  has_credentials:      'must not contain credentials',
  has_fragments:        'must not contain fragments',
  no_host_named:        'must name a host',
  scope_unknown:        'must only contain known scopes, not {scope}',
})

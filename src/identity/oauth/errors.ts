import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const clientFaults = sentences({
  no_host:              '{name} is not a valid host name',
  no_list_of_addresses: 'must be a list of 1 to {limit} URLs',
  no_list_of_texts:     'must be a list of at most {limit} strings',
  no_text:              'must be a string of at most {limit} characters',
  no_absolute_address:  'must contain only absolute URLs',
  no_redirect_address:  'must use https, or http on localhost, 127.0.0.1 or [::1]',
  steers_text:          'must not contain control or bidirectional formatting characters',
  mixes_scripts:        'must not mix Latin, Cyrillic and Greek letters in one word',
  has_credentials:      'must not contain a username or password',
  has_fragments:        'must not contain a # fragment',
  no_host_named:        'must contain a host name',
  scope_unknown:        'contains the unknown scope {scope}',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const addressFaults = sentences({
  url_too_long:        'must be at most {limit} characters long',
  not_https:           'must start with https://',
  url_has_spaces:      'must not contain spaces, control characters or backslashes',
  url_has_credentials: 'must not contain a user name or password',
  url_has_fragment:    'must not contain a fragment',
  no_url:              'must be a valid URL',
  not_public:
    'must be an address on the public internet (an operator may allow networks in WEBHOOK_ALLOWED_NETWORKS)',
})

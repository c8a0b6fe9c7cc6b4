import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const addressFaults = sentences({
  url_too_long:        'must be at most {limit} characters long',
  not_https:           'must start with https://',
  url_has_spaces:      'must not contain spaces, control characters or backslashes',
  url_has_credentials: 'must not contain a username or password',
  url_has_fragment:    'must not contain a # fragment',
  no_url:              'must be a valid URL',
  not_public:
    'must be a public internet address (the operator can allow private networks with WEBHOOK_ALLOWED_NETWORKS)',
})

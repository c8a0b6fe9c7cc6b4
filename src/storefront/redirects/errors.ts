import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const redirectFaults = sentences({
  no_redirect_path:   'must be a path that starts with /, such as /old-page, without a domain, fragment or backslash',
  path_too_long:      'must be at most {limit} bytes long in UTF-8',
  no_redirect_target: 'must be a path in the online store starting with /, or an https URL',
  leads_back:         'leads back to {path}',
})

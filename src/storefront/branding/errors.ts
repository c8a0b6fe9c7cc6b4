import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const brandingFaults = sentences({
  too_faint:
    'has a contrast ratio of only {ratio} on {palette} pages; at least {limit} is required, for example {better}',
  no_link:   'must be a path in the online store starting with /, or start with https://, mailto: or tel:',
})

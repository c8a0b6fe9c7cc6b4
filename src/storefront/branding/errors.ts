import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const brandingFaults = sentences({
  too_faint: 'has a contrast of only {ratio} with the {palette} pages, not {limit}: {better} would do',
  no_link:   'must be a path of the shop that begins with /, or begin with https://, mailto: or tel:',
})

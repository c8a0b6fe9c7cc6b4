import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const storeFaults = sentences({
  name_required:      'is required for a code that is not built in',
  price_required:     'is required unless a product is given',
  variant_required:   'is required: the product has variants',
  variant_foreign:    'is no variant of the product',
  domain_unreachable: 'cannot be looked up now ({failure})',
  domain_unproven:    'has no TXT record {value} at {name}',
  domain_foreign:     'is not the domain of the store: change the store first',
  no_language:        'is no language of shops: those are {choices}',
})

/** A storefront that its merchant or the operator has shut for now. */
export function storeUnavailable(message: string): ApiError {
  return new ApiError(503, 'STORE_UNAVAILABLE', message, { headers: { 'retry-after': '300' } })
}

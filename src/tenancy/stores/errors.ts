import { ApiError, conflict } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const storeFaults = sentences({
  name_required:      'is required when code is not a built-in code',
  price_required:     'is required when product_id is omitted',
  variant_required:   'is required because the product has variants',
  variant_foreign:    'is not a variant of this product',
  domain_unreachable: 'could not be looked up ({failure}); try again later',
  domain_unproven:    'has no TXT record {value} at {name}',
  domain_foreign:     "is not the store's custom_domain; update the store first",
  no_language:        'is not a supported language; use one of {choices}',
})

export function currencyInUse(): ApiError {
  return conflict('currency cannot be changed once the store has orders', 'currency_in_use')
}

/** The merchant or the operator has closed the storefront for now. */
export function storeUnavailable(message: string): ApiError {
  return new ApiError(503, 'STORE_UNAVAILABLE', message, { headers: { 'retry-after': '300' } })
}

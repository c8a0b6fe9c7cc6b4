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
  choices_required:   'is required for the type choice',
  no_choices:         'is only for the type choice',
  staff_only:         'must be staff for a customer',
  no_filter:          'can be filter only for a product and the types choice, boolean, color and text',
  no_date:            'must be a date, such as 2026-01-31',
  no_color:           'must be a color, such as #1a2b3c',
  orders_only:        'is only for fields of orders',
  no_postal_codes:    'must be a postal code, a prefix such as 90*, or an ascending range such as 10000-19999',
  uneven_ends:        'must have a start and an end of the same length, such as 10000-19999',
  countries_required: 'is required for provinces',
  below_other:        'must be at least {minimum}',
  not_asked:          'is not for the types file and product',
  no_language:        'is not a supported language; use one of {choices}',
})

export function currencyInUse(): ApiError {
  return conflict('currency cannot be changed once the store has orders', 'currency_in_use')
}

export function customFieldInUse(): ApiError {
  return conflict('Records have values of this custom field: remove them first, or deactivate the field')
}

/** The merchant or the operator has closed the storefront for now. */
export function storeUnavailable(message: string): ApiError {
  return new ApiError(503, 'STORE_UNAVAILABLE', message, { headers: { 'retry-after': '300' } })
}

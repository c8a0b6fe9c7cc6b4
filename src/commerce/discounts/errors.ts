import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const discountFaults = sentences({
  percentage_range:    'must be greater than 0 and at most 100 for percentage',
  amount_range:        'must be greater than 0 in the smallest unit of {currency} for fixed_amount',
  free_shipping_range: 'must be 0 for free_shipping',
  ends_before_start:   'must be after starts_at',
  code_unknown:        'does not exist',
  code_expired:        'has expired',
  code_inactive:       'is switched off',
  code_early:          'is not valid yet',
  code_used_up:        'has been used up',
  code_minimum:        'needs an order of at least {price}',
  code_not_applicable: 'does not apply to these items',
  code_too_often:      'was tried too often: wait some minutes',
})

import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const discountFaults = sentences({
  percentage_range:    'must be greater than 0 and at most 100 when type is percentage or buy_x_get_y',
  amount_range:        'must round to more than 0 in {currency} when type is fixed_amount',
  free_shipping_range: 'must be 0 when type is free_shipping',
  ends_before_start:   'must be after starts_at',
  code_unknown:        'does not exist',
  code_expired:        'has expired',
  code_inactive:       'is disabled',
  code_early:          'is not valid yet',
  code_used_up:        'has reached its usage limit',
  code_minimum:        'requires an order of at least {price}',
  code_quantity:       'requires more of these items',
  code_not_in_group:   'is for certain customers only',
  code_already_used:   'has already been used by this customer',
  code_automatic:      'applies by itself; leave it out',
  code_not_combined:   'cannot be combined with {other}, which applies',
  code_saves_nothing:  'takes nothing more off',
  too_many_codes:      'exceeds the limit of {limit} codes; remove one first',
  one_code:            'must have at most 1 code with a discount_amount',
  code_saves_less:     'saves less than {code}, which is applied; remove that code first to use this one',
  too_many_automatic:  'exceeds the limit: a store can have at most {limit} active automatic discounts',
  code_not_applicable: 'does not apply to these items',
  code_too_often:      'has been tried too many times; wait a few minutes',
})

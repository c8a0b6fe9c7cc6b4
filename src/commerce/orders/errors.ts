import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const orderFaults = sentences({
  product_required:    'is required when variant_id is given',
  line_incomplete:     'is required when product_id is omitted',
  not_for_sale:        'is not for sale (status: {status})',
  sold_out:            'is sold out',
  only_left:           'exceeds the quantity left ({count})',
  left_with_others:    'exceeds the quantity left, together with other items that share its stock',
  more_than_left:      'exceeds the quantity left',
  too_valuable:        'must not bring the total above {limit}',
  above_subtotal:      'must not exceed the subtotal ({subtotal})',
  no_tax_id:           'is not a valid tax ID for {country}',
  foreign_currency:    "must be {currency}, the store's currency",
  unknown_statuses:    'must be all, or a comma-separated list of {choices}',
  not_an_early_status: 'must be one of {choices} for a new order',
  status_is_final:     'cannot be changed: {from} is final',
  status_not_next:     'cannot change from {from} to {to}; allowed: {choices}',
  part_after_edit:     'cannot be refunded alone: units of its item were refunded before an edit',
  parts_refunded:      'cannot be edited: parts of a bundle were refunded',
  nothing_paid:        'cannot be refunded: no captured payment is left',
  costs_nothing:       'would be 0: these items were free',
  more_than_payment:   'must be at most {limit}, the amount left on a single payment; refund the rest separately',
  refund_under_way:    'cannot be changed while a refund is in progress',
  capture_under_way:   'cannot be changed while a capture is in progress',
  named_twice:         'must name each order once',
  not_cancelled:       'requires the status cancelled or returned',
  not_editable:        'is {status}: such an order cannot be edited',
  units_gone:          'must be at least {limit}: that many were shipped or refunded',
  bundle_changed:      'cannot be raised, as the bundle has changed since: add it as a new item',
  listed_twice:        'is listed twice',
  no_item_left:        'must keep at least one item; cancel the order instead',
  too_many_items:      'must not exceed {limit}',
  shipping_refunded:   'must not go below what was refunded of it ({limit})',
})

/** Why a shipping rate is not offered. */
// prettier-ignore
export const rateFaults = sentences({
  does_not_ship:      'does not ship to {country}',
  not_to_province:    'does not ship to {province}',
  not_to_postal_code: 'does not ship to the postal code {postal_code}',
  too_light:          'requires a weight of at least {limit} g, and the goods weigh {weight} g',
  too_heavy:          'takes at most {limit} g, and the goods weigh {weight} g',
  amount_too_small:   'requires goods for at least {limit}, and they cost {amount}',
  amount_too_large:   'takes goods for at most {limit}, and they cost {amount}',
  not_carried:        'does not carry {product}',
  nothing_to_ship:    'is for goods that are shipped, and these are not',
  goods_to_ship:      'is for what is not shipped, and {product} is',
  quote_declined:     'is not offered for this cart',
  quote_explained:    'is not offered for this cart: {reason}',
  quote_missing:      'has no price at the moment',
})

// Errors of a checkout that is no longer open, and their entries in the API reference.
import { collided, conflict, gone, type ApiError } from '../../kit/values/errors.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { sentences } from '../../kit/values/faults.ts'

export function checkoutExpired(): ApiError {
  return gone('This checkout has expired')
}

export function checkoutCompleted(): ApiError {
  return conflict('This checkout is completed: it cannot be changed any more')
}

export const expiredRefusal: ErrorResponse = {
  name: 'CheckoutExpired',
  description: 'The checkout has expired: begin another.',
  examples: { expired: checkoutExpired() },
}

export const completedRefusal: ErrorResponse = {
  name: 'CheckoutCompleted',
  description:
    'The checkout has become an order and cannot be changed any more; or another request changed it at this moment.',
  examples: { completed: checkoutCompleted(), collided: collided() },
}

// Each completes "<field> …".
// prettier-ignore
export const checkoutFaults = sentences({
  cart_empty:        'must contain at least 1 item',
  contact_required:  'is required, or a phone',
  contact_must_stay: 'must stay, or a phone must be given',
  not_a_quantity:    'must be a quantity',
  not_offered:       'is not offered',
  no_tax_id:         'is not a valid tax number for {country}',
  not_with_rate:     'is not offered with {rate}',
  does_not_ship:     'does not ship to {country}',
  no_shipping_there: 'does not ship there',
  provider_refused:  'cannot be paid by now: choose another',
  provider_away:     'cannot be paid by now: the provider does not answer',
  below_minimum:     'needs an order of at least {price} {currency}: choose another',
  money_returned:    'was paid, but the items are no longer available; the payment is being refunded',
  changed:           'has changed from {from} to {to}',
  total_is:          'is {to}',
})

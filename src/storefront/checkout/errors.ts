// Errors of a checkout that is no longer open, and their entries in the API reference.
import { collided, conflict, gone, type ApiError } from '../../kit/values/errors.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { sentences } from '../../kit/values/faults.ts'

export function checkoutExpired(): ApiError {
  return gone('This checkout has expired')
}

export function checkoutCompleted(): ApiError {
  return conflict('This checkout is completed and can no longer be changed')
}

export const expiredRefusal: ErrorResponse = {
  name: 'CheckoutExpired',
  description: 'The checkout has expired. Create a new one.',
  examples: { expired: checkoutExpired() },
}

export const completedRefusal: ErrorResponse = {
  name: 'CheckoutCompleted',
  description:
    'The checkout is completed and can no longer be changed, or another request changed it at the same time.',
  examples: { completed: checkoutCompleted(), collided: collided() },
}

// Each completes "<field> …".
// prettier-ignore
export const checkoutFaults = sentences({
  cart_empty:        'must contain at least 1 item',
  contact_required:  'is required unless a phone number is given',
  contact_must_stay: 'cannot be removed unless a phone number is given',
  not_a_quantity:    'must be a whole number of 1 or more',
  not_offered:       'is not available',
  not_with_rate:     'is not available with {rate}',
  no_shipping_there: 'does not ship to this address',
  provider_refused:  'is not available right now; choose another',
  provider_away:     'is not available right now: the payment provider is not responding',
  below_minimum:     'requires an order of at least {price} {currency}; choose another',
  money_returned:    'was paid, but the items are no longer available; the payment is being refunded',
  not_ticked:        'must be true',
  nothing_due:       'must be above 0, but nothing is due',
  email_missing:     'requires an email of the customer',
  changed:           'has changed from {from} to {to}',
  total_is:          'is {to}',
})

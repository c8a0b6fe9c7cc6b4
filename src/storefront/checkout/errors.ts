// What is refused of a checkout that is no longer open: the errors, and how the reference shows them.
import { collided, conflict, gone, type ApiError } from '../../kit/values/errors.ts'
import type { Refusal } from '../../kit/declare/refusal.ts'

export function checkoutExpired(): ApiError {
  return gone('This checkout has expired')
}

export function checkoutCompleted(): ApiError {
  return conflict('This checkout is completed: it cannot be changed any more')
}

export const expiredRefusal: Refusal = {
  name: 'CheckoutExpired',
  description: 'The checkout has expired: begin another.',
  examples: { expired: checkoutExpired() },
}

export const completedRefusal: Refusal = {
  name: 'CheckoutCompleted',
  description:
    'The checkout has become an order and cannot be changed any more; or another request changed it at this moment.',
  examples: { completed: checkoutCompleted(), collided: collided() },
}

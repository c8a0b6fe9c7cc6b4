import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const paymentFaults = sentences({
  declined:          'was declined',
  test_payments_off: "requires the store's test_payments to be true",
  nothing_held:      'cannot be captured: no authorized payment',
  hold_asked_for:    'has already been requested; waiting for the provider',
})

/** Nothing was charged, because the shopper has not been redirected yet. */
export function providerAway(why: ErrorOptions = {}): ApiError {
  const error = new ApiError(503, 'UNAVAILABLE', 'The payment provider is not responding. Please try again shortly')
  return Object.assign(error, why)
}

import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const paymentFaults = sentences({
  declined:          'was declined',
  test_payments_off: 'takes no money: set test_payments of the store first',
  nothing_held:      'has nothing to come from: nothing is held for the order',
  hold_asked_for:    'was asked for already, and the provider has not answered yet',
})

/** Nothing was charged: nobody was told yet where to pay. */
export function providerAway(why: ErrorOptions = {}): ApiError {
  const error = new ApiError(503, 'UNAVAILABLE', 'The payment provider does not answer. Please try again shortly')
  return Object.assign(error, why)
}

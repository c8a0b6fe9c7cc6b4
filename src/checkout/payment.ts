// Who settles a payment. Providers decide at once and move no money by themselves.
import type { PaymentProviderName } from '../stores/paymentmethod.ts'
import { reason, type Reason } from '../kit/values/faults.ts'

/** `reference`: under which the provider knows the payment; null when there is nothing to know. */
export type Payment = { status: 'paid' | 'pending'; reference: string | null }

/** Declined, no order is placed; the reason is a fault of payment_method. */
export type PaymentOutcome = Payment | { status: 'declined'; reason: Reason }

/** `checkoutId` is the public one; `pay` is what the shopper asks of the test provider. */
type PaymentRequest = { checkoutId: string; pay?: 'ok' | 'fail' }

export const settle: Record<PaymentProviderName, (request: PaymentRequest) => PaymentOutcome> = {
  // Cash on delivery, bank transfer and the like: the merchant says later that it was paid.
  manual: () => ({ status: 'pending', reference: null }),
  // For trying out a store: `pay=fail` is declined, everything else is paid.
  test: ({ checkoutId, pay = 'ok' }) =>
    pay === 'ok'
      ? { status: 'paid', reference: `test_${checkoutId}` }
      : { status: 'declined', reason: reason('declined') },
}

// Who settles a payment. A provider is a function; what it needs of the outside world it is made with.
import type { Decimal } from '../../kit/values/money.ts'
import type { PaymentProviderName } from '../../stores/paymentmethod.ts'
import { payByHand } from './manual.ts'
import { payAsTold } from './test.ts'

export type PaymentRequest = {
  /** The same for every try at one checkout: a provider takes the money of one key once. */
  idempotencyKey: string
  amount: Decimal
  currency: string
  method: string
  customer: { name: string | null; email: string | null; phone: string | null }
  /** What the shopper asks of the test provider. */
  pay?: 'ok' | 'fail'
}

/** `reference`: under which the provider knows the payment; null when there is nothing to know. */
export type Payment = { status: 'paid' | 'pending'; reference: string | null }

/** Declined, no order is placed; `message` completes "payment_method …". */
export type PaymentOutcome = Payment | { status: 'declined'; message: string }

export type PaymentProvider = {
  /**
   * Asked while only the checkout is locked, before the order takes anything: it must answer within 5 seconds. When the
   * order cannot be placed after all, `cancel` gives the money back; the same key then asks for a new payment.
   */
  pay(request: PaymentRequest): PaymentOutcome | Promise<PaymentOutcome>
  cancel?(reference: string): void | Promise<void>
}

export const providers: Record<PaymentProviderName, PaymentProvider> = {
  manual: { pay: payByHand },
  test: { pay: payAsTold },
}

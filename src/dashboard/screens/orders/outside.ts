// Orders paid outside Stoa: the merchant pays refunds without a provider, and records them.
import type { Payment } from '../../../commerce/payments/payment.ts'
import type { PageContext } from '../../framework/screen.ts'

type Paid = Pick<Payment, 'provider' | 'captured_amount' | 'refunded_amount' | 'capturable_amount'>

/** A refund uses the payment with the most left. */
export function isPaidOutside(payments: readonly Paid[]): boolean {
  const computeRest = (one: Paid) => one.captured_amount - one.refunded_amount
  const [most] = payments
    .filter(({ captured_amount, capturable_amount }) => captured_amount > 0 || capturable_amount > 0)
    .toSorted((a, b) => computeRest(b) - computeRest(a))
  return most === undefined || most.provider === 'manual'
}

type RefundSums = { isOutside: boolean; amount: number | undefined; max: number }

/** The text of a refund button: its total, or the largest one before a total is known. */
export function refundText({ t, price }: PageContext, { isOutside, amount, max }: RefundSums): string {
  if (amount === undefined) return t(isOutside ? 'record_refund_up_to' : 'refund_up_to', { amount: price(max) })
  return t(isOutside ? 'record_refund_of' : 'refund_of', { amount: price(amount) })
}

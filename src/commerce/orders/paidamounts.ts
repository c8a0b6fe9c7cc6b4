// The paid and refunded amounts of an order, and the payment status that follows from them.
import type { Tx } from '../../kit/database/database.ts'
import { Decimal } from '../../kit/values/money.ts'
import { recordManualPayment, type MovedMoney, type PaidOrder } from '../payments/manual.ts'
import type { PaymentStatus } from './states.ts'

type OrderAmounts = {
  total: Decimal.Value
  captured_amount: Decimal.Value
  refunded_amount: Decimal.Value
  refunded_overpayment: Decimal.Value
}

/** The amounts to pay or refund by hand to reach this payment status. */
export function movesToStatus(
  status: PaymentStatus,
  { total, captured_amount, refunded_amount, refunded_overpayment }: OrderAmounts,
): MoneyMoves {
  const rest = (amount: Decimal.Value) => Decimal.max(0, new Decimal(total).plus(refunded_overpayment).minus(amount))
  const isCaptured = status === 'paid' || status === 'refunded'
  return {
    captured: isCaptured ? rest(captured_amount) : new Decimal(0),
    refunded: status === 'refunded' ? rest(refunded_amount) : new Decimal(0),
  }
}

export type MoneyMoves = MovedMoney & {
  /** The overpaid part of `refunded`, if it is known; otherwise the overpayment is refunded first. */
  overpayment?: Decimal
}

/** Records the open amounts as paid or refunded, and returns the order's new amounts. */
export function settleManually(
  tx: Tx,
  storeId: string,
  order: PaidOrder & OrderAmounts,
  status: PaymentStatus,
): Omit<PaidAmounts, 'total'> {
  const moves = movesToStatus(status, order)
  recordManualPayment(tx, storeId, order, moves)
  return amountsAfter(order, moves)
}

/** The order's amounts after these changes. */
export function amountsAfter(
  before: OrderAmounts,
  { captured, refunded, overpayment }: MoneyMoves,
): Omit<PaidAmounts, 'total'> {
  const captured_amount = captured.plus(before.captured_amount)
  const refunded_amount = refunded.plus(before.refunded_amount)
  const rest = captured_amount.minus(before.total).minus(before.refunded_overpayment)
  const unknownRest = Decimal.max(0, Decimal.min(refunded, rest))
  const refunded_overpayment = Decimal.min(
    refunded_amount,
    (overpayment ?? unknownRest).plus(before.refunded_overpayment),
  )
  return { captured_amount, refunded_amount, refunded_overpayment }
}

/** The amounts that a change moves. */
export type MovedAmounts = Partial<Omit<PaidAmounts, 'total'>>

type PaidAmounts = Record<'total' | 'captured_amount' | 'refunded_amount' | 'refunded_overpayment', Decimal>

/**
 * Paid once the total is captured, refunded once everything captured is refunded. No longer refunded if a refund fails
 * later, and no longer paid if an edit leaves something to pay.
 */
export function paymentAfter(
  { payment_status: from, total }: { payment_status: PaymentStatus; total: Decimal },
  {
    captured_amount: capturedAmount,
    refunded_amount: refundedAmount,
    refunded_overpayment,
  }: Omit<PaidAmounts, 'total'>,
): { payment_status?: PaymentStatus } {
  const isRefunded = capturedAmount.greaterThan(0) && refundedAmount.greaterThanOrEqualTo(capturedAmount)
  if (isRefunded) return from === 'paid' ? { payment_status: 'refunded' } : {}
  const isPaid = capturedAmount.minus(refunded_overpayment).greaterThanOrEqualTo(total)
  if (isPaid) return from === 'paid' ? {} : { payment_status: 'paid' }
  return from === 'refunded' || from === 'paid' ? { payment_status: 'pending' } : {}
}

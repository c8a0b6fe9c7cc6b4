// The payments of an order, and the one that a refund uses.
import type { Tx } from '../../../kit/database/database.ts'
import { sql, type Sql } from '../../../kit/database/sql.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { toNumber, withDecimals, type Decimal } from '../../../kit/values/money.ts'
import { fault } from '../../../kit/values/faults.ts'
import type { RefundClaim } from './claim.ts'
import { orderFaults } from '../errors.ts'

export type RefundablePayment = { id: string; provider: string; currency: string; left: Decimal }

/** All changes of amounts lock the payments of an order first, then the order. `order` is its uuid. */
export function lockPayments(storeId: string, order: Sql): Sql {
  return sql`
    select id, provider, currency, captured_amount - refunded_amount - refunding_amount as left
    from payment_sessions
    where store_id = ${storeId}
      and order_id = ${order}
      and (captured_amount > 0 or capturable_amount > 0)
    order by id
    for update`
}

export async function readPayments(tx: Tx, storeId: string, orderId: string): Promise<RefundablePayment[]> {
  const rows = await tx.rows<RefundablePayment>(lockPayments(storeId, sql`${orderId}`))
  return rows.map((row) => withDecimals(row, ['left']))
}

/** The payment with the highest amount left; null if only a manual refund is possible. */
export function choosePayment(
  { amount }: RefundClaim,
  payments: readonly RefundablePayment[],
): RefundablePayment | null {
  const [payment] = payments.toSorted((a, b) => b.left.comparedTo(a.left))
  if (!payment || payment.provider === 'manual') return null
  if (amount.greaterThan(payment.left))
    throw invalid(fault('amount', orderFaults.more_than_payment, { limit: toNumber(payment.left) }))
  return payment
}

// Captures an authorized payment: the amount is reserved here, and the provider is asked after the commit. Conditional
// statements decide between concurrent requests.
import type { Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Create } from '../../kit/declare/field.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { money } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { requestCaptures } from '../../commerce/payments/requests.ts'
import { undoneStatuses, type OrderStatus } from '../../commerce/orders/states.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { payment, type Payment } from '../../commerce/payments/payment.ts'
import { paymentFaults } from '../../commerce/payments/errors.ts'
import { setAsideCaptures } from '../../commerce/orders/capturing.ts'

const fields = {
  amount: money({ above: 0, exact: true }).describe(
    'Amount to capture; defaults to the authorized amount, up to the order total',
  ),
}
type NewCapture = Create<typeof fields>
export const newCapture = createBody(fields)

/** Requests the capture of an order's authorization. */
export async function capturePayment(
  tx: Tx,
  store: Store,
  orderId: string,
  input: NewCapture,
): Promise<RecordOf<Payment>> {
  const [authorizations, order] = await Promise.all([
    lockAuthorizations(tx, store.id, [orderId]),
    lockBalance(tx, store.id, orderId),
  ])
  if (!order) throw notFound('Order')
  const authorization = authorizations.get(orderId)
  const limit = Decimal.min(authorization?.capturable_amount ?? 0, order.open)
  if (!authorization || undoneStatuses.includes(order.status))
    throw invalid(fault('amount', paymentFaults.nothing_held))
  if (authorization.asked_id !== null) throw invalid(fault('amount', paymentFaults.hold_asked_for))
  if (limit.lessThanOrEqualTo(0)) throw invalid(fault('amount', paymentFaults.nothing_held))
  const amount = new Decimal(input.amount ?? limit)
  if (amount.greaterThan(limit)) throw invalid(fault('amount', generalFaults.too_large, { limit: limit.toNumber() }))
  const { id: session_id } = authorization
  await reserveCaptures(tx, store.id, [{ id: newUuid(), order_id: orderId, session_id, amount: amount.toString() }])
  return findRecord(tx, payment, store.id, authorization.id)
}

export type Authorization = { id: string; order_id: string; capturable_amount: string; asked_id: string | null }

/**
 * The first authorized payment of each order. All changes of amounts lock the payments of an order first, and then the
 * order.
 */
export async function lockAuthorizations(
  tx: Tx,
  storeId: string,
  orderIds: readonly string[],
): Promise<Map<string, Authorization>> {
  const rows = await tx.rows<Authorization>(sql`
    select id, order_id, capturable_amount, asked_id
    from payment_sessions
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])
      and capturable_amount > 0
    order by id
    for update`)
  return new Map(rows.reverse().map((row) => [row.order_id, row]))
}

/** `open`: the part of the total that is neither captured nor being captured. */
function lockBalance(
  tx: Tx,
  storeId: string,
  orderId: string,
): Promise<{ status: OrderStatus; open: string } | undefined> {
  return tx.one(sql`
    select status, total + refunded_overpayment - captured_amount - capturing_amount as open
    from orders
    where store_id = ${storeId}
      and id = ${orderId}
    for update`)
}

type Capture = { id: string; order_id: string; session_id: string; amount: string }

/** Reserves the amounts of orders and of their payments. */
export async function reserveCaptures(tx: Tx, storeId: string, captures: readonly Capture[]): Promise<void> {
  const reservation = await Promise.all([
    setAsideCaptures(tx, storeId, captures),
    requestCaptures(tx, storeId, captures),
  ])
  if (reservation.some((count) => count < captures.length)) throw new RetryTransaction()
}

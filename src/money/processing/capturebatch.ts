// Captures the authorized payments of many orders, each up to its total: the amounts are reserved by one statement for
// each table, and the providers are asked after the commit.
import type { Tx } from '../../kit/database/database.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { batchBody, BatchReport, lockOrders, type BatchOrder } from '../../commerce/orders/batch.ts'
import { undoneStatuses } from '../../commerce/orders/states.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { paymentFaults } from '../../commerce/payments/errors.ts'
import { lockAuthorizations, reserveCaptures, type Authorization } from './capture.ts'

export const maxCaptured = 100

type CaptureRow = { id: string }

export const captureBatch = batchBody<CaptureRow>({}, maxCaptured)

export async function captureOrders(tx: Tx, store: Store, rows: readonly CaptureRow[]): Promise<Json<unknown>> {
  const authorizations = await lockAuthorizations(
    tx,
    store.id,
    rows.map(({ id }) => id),
  )
  const orders = await lockOrders(tx, store.id, rows)
  const report = new BatchReport(rows, orders, (order) => getCaptureFault(order, authorizations.get(order.id)))
  const { done } = report
  const captures = rows
    .filter(({ id }) => done.has(id))
    .map(({ id }) => {
      const { id: session_id, capturable_amount } = authorizations.get(id)!
      const amount = Decimal.min(capturable_amount, computeUncapturedAmount(orders.get(id)!))
      return { id: newUuid(), order_id: id, session_id, amount: amount.toString() }
    })
  if (captures.length > 0) await reserveCaptures(tx, store.id, captures)
  return report.json
}

/** The part of the total that is neither captured nor being captured. */
function computeUncapturedAmount({
  total,
  captured_amount,
  capturing_amount,
  refunded_overpayment,
}: BatchOrder): Decimal {
  return total.plus(refunded_overpayment).minus(captured_amount).minus(capturing_amount)
}

function getCaptureFault(order: BatchOrder, authorization: Authorization | undefined): Fault | null {
  if (!authorization || undoneStatuses.includes(order.status)) return fault('amount', paymentFaults.nothing_held)
  if (authorization.asked_id !== null) return fault('amount', paymentFaults.hold_asked_for)
  return computeUncapturedAmount(order).greaterThan(0) ? null : fault('amount', paymentFaults.nothing_held)
}

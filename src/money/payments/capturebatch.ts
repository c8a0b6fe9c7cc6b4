// Captures the authorized payments of many orders, each up to its total: the amounts are reserved by one statement for
// each table, and the providers are asked after the commit.
import type { Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { records, sql } from '../../kit/database/sql.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { batchBody, BatchReport, lockOrders, type BatchOrder } from '../../commerce/orders/batch.ts'
import { requestAfterCommit } from '../../commerce/orders/providerrequests.ts'
import { requestPatienceMs } from '../../commerce/orders/authorizations.ts'
import { undoneStatuses } from '../../commerce/orders/states.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { paymentFaults } from './errors.ts'
import { setAsideCaptures } from '../../commerce/orders/capturing.ts'

export const maxCaptured = 100

type CaptureRow = { id: string }

export const captureBatch = batchBody<CaptureRow>({}, maxCaptured)

export async function captureOrders(tx: Tx, store: Store, requested: readonly CaptureRow[]): Promise<Json<unknown>> {
  const authorizations = await lockAuthorizations(tx, store.id, requested)
  const orders = await lockOrders(tx, store.id, requested)
  const report = new BatchReport(requested, orders, (order) => getCaptureFault(order, authorizations.get(order.id)))
  const { done } = report
  const captures = requested
    .filter(({ id }) => done.has(id))
    .map(({ id }): Capture => {
      const { id: session_id, capturable_amount } = authorizations.get(id)!
      const amount = Decimal.min(capturable_amount, computeUncapturedAmount(orders.get(id)!))
      return { id: newUuid(), order_id: id, session_id, amount: amount.toString() }
    })
  if (captures.length > 0) await reserve(tx, store.id, captures)
  return report.json
}

type HeldPayment = { id: string; order_id: string; capturable_amount: string; asked_id: string | null }

/** As everywhere, payments are locked before their orders. Order → its authorized payment. */
async function lockAuthorizations(
  tx: Tx,
  storeId: string,
  requested: readonly CaptureRow[],
): Promise<Map<string, HeldPayment>> {
  const rows = await tx.rows<HeldPayment>(sql`
    select id, order_id, capturable_amount, asked_id
    from payment_sessions
    where store_id = ${storeId}
      and order_id = any(${requested.map(({ id }) => id)}::uuid[])
      and capturable_amount > 0
    order by id
    for update`)
  return new Map(rows.reverse().map((row) => [row.order_id, row]))
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

function getCaptureFault(order: BatchOrder, authorization: HeldPayment | undefined): Fault | null {
  if (!authorization || undoneStatuses.includes(order.status)) return fault('amount', paymentFaults.nothing_held)
  if (authorization.asked_id !== null) return fault('amount', paymentFaults.hold_asked_for)
  return computeUncapturedAmount(order).greaterThan(0) ? null : fault('amount', paymentFaults.nothing_held)
}

type Capture = { id: string; order_id: string; session_id: string; amount: string }

async function reserve(tx: Tx, storeId: string, captures: readonly Capture[]): Promise<void> {
  const capture = records('capture', { id: 'uuid', session_id: 'uuid', amount: 'numeric' }, captures)
  const ofOrders = setAsideCaptures(tx, storeId, captures)
  const ofPayments = tx.rows(sql`
    update payment_sessions
    set capturing_amount = capture.amount, asked_id = capture.id, asked_at = ${tx.now}, tries = 0,
        updated_at = ${tx.now}, ask_at = ${new Date(tx.now.getTime() + requestPatienceMs)}
    from ${capture}
    where payment_sessions.store_id = ${storeId}
      and payment_sessions.id = capture.session_id
      and asked_id is null
      and capturable_amount >= capture.amount
    returning 1`)
  const noted = tx.rows(sql`
    insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
    select ${storeId}, asked_id, payment_sessions.id, provider, asked_id, 'capture_asked', capturing_amount, currency,
      ${tx.now}::timestamptz
    from payment_sessions
    where payment_sessions.store_id = ${storeId}
      and payment_sessions.id = any(${captures.map(({ session_id }) => session_id)}::uuid[])
    returning 1`)
  const [open, ...rest] = await Promise.all([ofOrders, ofPayments, noted])
  if (open < captures.length || rest.some((rows) => rows.length < captures.length)) throw new RetryTransaction()
  for (const { session_id } of captures) requestAfterCommit(tx, { of: 'hold', storeId, id: session_id }, 'capture')
}

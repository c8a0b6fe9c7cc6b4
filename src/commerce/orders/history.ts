// Orders placed elsewhere before the store moved in. They keep their number and date, move no stock and send no
// notifications.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { findCustomer } from '../customers/matching.ts'
import { countOrder, createCustomer, uncountOrders } from '../customers/operations.ts'
import { keepOrderNumber, moveCounters } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { recordManualPayment } from '../payments/manual.ts'
import type { MoneyMoves } from './paidamounts.ts'
import type { OrderLine } from './lines.ts'
import type { NewOrder } from './order.ts'
import { quoteNewOrder } from './quote.ts'
import { resolveDestination, insertOrder } from './rows.ts'
import type { FulfillmentStatus, OrderStatus } from './states.ts'

export type PastOrder = {
  /** Null: the store's next number, as another order has its own. */
  order_number: number | null
  created_at: Date
  /** Null if the file gives only the time of the order. */
  paid_at: Date | null
  cancelled_at: Date | null
  status: OrderStatus
  fulfillment_status: FulfillmentStatus
  discount_code: string | null
  lines: OrderLine[]
  refunded_amount: number
}

/** `lines` are the sold items at their original prices. Returns the order's uuid. */
export async function recordPastOrder(tx: Tx, store: Store, input: NewOrder, past: PastOrder): Promise<string> {
  const then = tx.at(past.created_at)
  const id = newUuid()
  const customerId = await findOrCreateCustomer(tx, store, input)
  const { quote, faults } = await quoteNewOrder(then, store, input, { lines: past.lines, applied: [], customerId })
  if (faults.length > 0) throw invalid(...faults)
  const { buyer, price } = quote
  const moves = computePastMoneyMoves(input, past, price.total)
  if (buyer.id) {
    const spentAmount = moves.captured.minus(moves.refunded)
    const orders = past.status === 'cancelled' ? 0 : 1
    const place = resolveDestination(store, input)
    countOrder(tx, store.id, buyer.id, { orders, spent: spentAmount, lastOrder: { id, at: past.created_at, place } })
  }
  const { entity } = await insertOrder(then, store, id, input, { ...quote, paid: moves })
  recordManualPayment(past.paid_at ? tx.at(past.paid_at) : then, store.id, { ...entity, id }, moves)
  keepPast(tx, store.id, id, past)
  return id
}

/** A new customer, like its event, is dated today. */
async function findOrCreateCustomer(tx: Tx, store: Store, input: NewOrder): Promise<string | null> {
  const { customer_name: name, customer_email: email = null, customer_phone: phone = null } = input
  if (!email && !phone) return null
  const existing = await findCustomer(tx, store, { email, phone })
  if (existing) return existing
  const record = await createCustomer(tx, store, { name: name ?? email ?? phone!, email, phone })
  return toUuid('cus', record.id)
}

function computePastMoneyMoves(
  { payment_status }: NewOrder,
  { refunded_amount }: PastOrder,
  total: Decimal,
): MoneyMoves {
  const capturedAmount = payment_status === 'paid' || payment_status === 'refunded' ? total : new Decimal(0)
  const refundedAmount = payment_status === 'refunded' ? capturedAmount : Decimal.min(capturedAmount, refunded_amount)
  return { captured: capturedAmount, refunded: refundedAmount }
}

/** The order was inserted with the store's next number, which is free again unless it is the order's own. */
function keepPast(tx: Tx, storeId: string, id: string, past: PastOrder): void {
  if (past.order_number !== null) keepOrderNumber(tx, storeId, past.order_number)
  tx.later(
    sql`
    update orders
    set order_number = coalesce(${past.order_number}::bigint, order_number), status = ${past.status},
        cancelled_at = ${past.cancelled_at}, discount_code = ${past.discount_code},
        fulfillment_status = ${past.fulfillment_status}
    where store_id = ${storeId}
      and id = ${id}`,
    { orders_number: () => conflict(`An order with the number ${past.order_number} already exists`) },
  )
}

/** The orders that were changed after they were recorded: they cannot be removed. */
export async function changedPastOrders(tx: Tx, storeId: string, ids: readonly string[]): Promise<number[]> {
  const rows = await tx.rows<{ order_number: number }>(sql`
    select order_number
    from orders
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])
      and updated_at <> created_at
    order by order_number
    for update`)
  return rows.map(({ order_number }) => order_number)
}

/** Removes recorded orders with all that belongs to them, and takes them out of their customers' totals. */
export async function removePastOrders(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  const removedOrders = await tx.rows<{ customer_id: string | null; status: string; spent: string }>(sql`
    delete from orders
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])
    returning customer_id, status, captured_amount - refunded_amount as spent`)
  if (removedOrders.length === 0) return
  moveCounters(tx, storeId, { orders: -removedOrders.length })
  for (const [customerId, own] of Map.groupBy(removedOrders, ({ customer_id }) => customer_id)) {
    if (customerId === null) continue
    const spentAmount = own.reduce((sum, one) => sum.plus(one.spent), new Decimal(0))
    const orders = own.filter(({ status }) => status !== 'cancelled').length
    uncountOrders(tx, storeId, customerId, { orders, spent: spentAmount })
  }
}

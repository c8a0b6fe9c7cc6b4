// Completes a refund: it succeeds, or it fails and the amount can be refunded in another way.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { withDecimals, type Decimal } from '../../../kit/values/money.ts'
import { countOrder } from '../../customers/operations.ts'
import { parseActor } from '../../inventory/stock.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { recordRefund } from '../../payments/paymentevent.ts'
import { updateFulfillmentStatus } from '../fulfillmentstatus.ts'
import type { ItemPart } from '../item.ts'
import { mailOrder, type MailableOrder } from '../mail.ts'
import { updatedPayload } from '../payload.ts'
import { restockRefunded } from '../restocking.ts'
import { lockPayments } from './payments.ts'
import { refundedPayload, type RefundedItem, type RefundedOrder, type RefundFacts } from './payload.ts'

type PendingRefund = Omit<RefundFacts, 'by_hand'> & {
  session_id: string | null
  overpayment: Decimal
  restock: boolean
  actor: string
}

/** Ends the refund once; later calls do nothing. Locks are taken in the usual order: payments, the order, the rest. */
async function endRefund(tx: Tx, storeId: string, id: string, status: 'succeeded' | 'failed', why: string | null) {
  const orderId = sql`(select order_id from refunds where store_id = ${storeId} and id = ${id})`
  tx.later(lockPayments(storeId, orderId))
  tx.later(sql`select from orders where store_id = ${storeId} and id = ${orderId} for update`)
  const row = await tx.one<PendingRefund>(sql`
    update refunds
    set status = ${status}, failure_reason = ${why}, ask_at = null, updated_at = ${tx.now},
        succeeded_at = ${status === 'succeeded' ? tx.now : null}
    where store_id = ${storeId}
      and id = ${id}
      and status = 'pending'
    returning id, order_id, session_id, amount, shipping, overpayment, tax_amount, shipping_tax_amount, tax_lines,
      reason, restock, actor`)
  return row && withDecimals(row, ['amount', 'shipping', 'overpayment', 'tax_amount', 'shipping_tax_amount'])
}

/** Records the refund as succeeded, and restocks its items if requested. */
export async function completeRefund(tx: Tx, store: Store, id: string): Promise<void> {
  const refund = await endRefund(tx, store.id, id, 'succeeded', null)
  if (!refund) return
  recordProviderRefund(tx, store.id, refund, 'refunded')
  const [order, items] = await Promise.all([
    addRefundedAmount(tx, store.id, refund),
    findRefundedPieces(tx, store.id, id),
  ])
  if (refund.restock) await restockPieces(tx, store.id, refund, items)
  const orderId = publicId('ord', refund.order_id)
  const by_hand = refund.session_id === null
  emit(tx, store, 'order.refunded', orderId, refundedPayload({ ...refund, by_hand }, order, items))
  mailOrder(tx, store, 'order_refunded', order, { order_id: refund.order_id, refund_id: id })
  if (order.customer_id) {
    countOrder(tx, store.id, order.customer_id, { orders: 0, spent: refund.amount.negated() })
  }
  if (!order.is_changed) return
  const { payment_status } = order
  emit(tx, store, 'order.updated', orderId, updatedPayload(orderId, { payment_status }))
}

type RefundTotals = RefundedOrder & MailableOrder & { customer_id: string | null; is_changed: boolean }

/** The order is refunded once everything captured is refunded. */
function addRefundedAmount(
  tx: Tx,
  storeId: string,
  { order_id, amount, overpayment }: PendingRefund,
): Promise<RefundTotals> {
  const isAll = sql`(orders.refunded_amount + ${amount}::numeric >= orders.captured_amount)`
  return tx
    .one<RefundTotals>(sql`
      update orders
      set refunded_amount = orders.refunded_amount + ${amount},
          refunding_amount = orders.refunding_amount - ${amount},
          refunded_overpayment = orders.refunded_overpayment + ${overpayment},
          refunding_overpayment = orders.refunding_overpayment - ${overpayment},
          payment_status = case when ${isAll} then 'refunded' else orders.payment_status end,
          updated_at = ${tx.now}
      from (
        select payment_status from orders where store_id = ${storeId} and id = ${order_id}) as before
      where orders.store_id = ${storeId}
        and orders.id = ${order_id}
      returning orders.order_number, orders.payment_status, orders.currency, orders.total, orders.captured_amount,
        orders.refunded_amount, orders.customer_id, orders.customer_email, orders.locale, orders.notify_customer,
        before.payment_status <> orders.payment_status as is_changed`)
    .then((order) => withDecimals(order!, ['total', 'captured_amount', 'refunded_amount']))
}

/** A refund through a provider was also reserved on its payment. */
function recordProviderRefund(
  tx: Tx,
  storeId: string,
  { id, session_id, amount }: PendingRefund,
  kind: 'refunded' | 'refund_failed',
  reason: string | null = null,
): void {
  if (!session_id) return
  const amounts = { refunding: amount.negated(), refunded: kind === 'refunded' ? amount : 0 }
  recordRefund(tx, storeId, session_id, amounts, [{ kind, amount, key: `${id} ${kind}`, reason }])
}

type RefundedPiece = RefundedItem & { variant_id: string | null; parts: ItemPart[] | null }

async function findRefundedPieces(tx: Tx, storeId: string, id: string): Promise<RefundedPiece[]> {
  const rows = await tx.rows<RefundedPiece>(sql`
    select refund_items.item_id, nullif(refund_items.part, -1) as part, product_id, variant_id, product_name,
      variant_name, parts, refund_items.quantity, refund_items.amount, refund_items.tax_amount
    from refund_items
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = refund_items.order_id
      and order_items.id = refund_items.item_id
    where refund_items.store_id = ${storeId}
      and refund_items.refund_id = ${id}
    order by refund_items.item_id, refund_items.part`)
  return rows.map((row) => withDecimals(row, ['amount', 'tax_amount']))
}

function restockPieces(
  tx: Tx,
  storeId: string,
  { id, order_id, actor }: PendingRefund,
  items: readonly RefundedPiece[],
): Promise<void> {
  const pieces = items.flatMap(({ item_id, part, product_id, variant_id, quantity, parts }) =>
    product_id ? { item_id, part, product_id, variant_id, quantity, parts } : [],
  )
  return restockRefunded(tx, storeId, id, pieces, { reason: 'return', actor: parseActor(actor), order_id })
}

/** Returns the reserved amount and items to the order. The merchant sees `why`. */
export async function failRefund(tx: Tx, store: Store, id: string, why: string): Promise<void> {
  const refund = await endRefund(tx, store.id, id, 'failed', why)
  if (!refund) return
  recordProviderRefund(tx, store.id, refund, 'refund_failed', why)
  tx.later(sql`
    update orders
    set refunding_amount = refunding_amount - ${refund.amount},
        refunding_overpayment = refunding_overpayment - ${refund.overpayment},
        refunded_shipping = refunded_shipping - ${refund.shipping}
    where store_id = ${store.id}
      and id = ${refund.order_id}`)
  await releaseItems(tx, store.id, refund.order_id, [id])
  const orderId = publicId('ord', refund.order_id)
  emit(tx, store, 'order.updated', orderId, updatedPayload(orderId))
}

/** Items of failed refunds can be refunded again. */
export async function releaseItems(tx: Tx, storeId: string, orderId: string, refundIds: string[]): Promise<void> {
  tx.later(sql`
    update order_items
    set refunded_quantity = refunded_quantity - piece.quantity,
        returned_quantity = returned_quantity - piece.returned
    from (
      select item_id, sum(quantity) as quantity, sum(returned) as returned
      from refund_items
      where store_id = ${storeId}
        and refund_id = any(${refundIds}::uuid[])
        and part = -1
      group by item_id) as piece
    where order_items.store_id = ${storeId}
      and order_items.order_id = ${orderId}
      and order_items.id = piece.item_id`)
  await updateFulfillmentStatus(tx, storeId, orderId)
}

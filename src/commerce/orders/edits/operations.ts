// Edits an order that has been placed. Stock, discount uses, tax, totals and the customer's totals follow in the same
// transaction; what is due then is paid by a link, and what was overpaid is refunded.
import type { Tx } from '../../../kit/database/database.ts'
import { RetryTransaction } from '../../../kit/database/errors.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { RecordOf } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import type { Decimal } from '../../../kit/values/money.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { recordUses, returnSomeUses, useDiscounts } from '../../discounts/uses.ts'
import { moveStockOfOrder } from '../../inventory/stock.ts'
import { endPaymentRequests } from '../../payments/requests.ts'
import { updateFulfillmentStatus } from '../fulfillmentstatus.ts'
import { paymentAfter } from '../paidamounts.ts'
import type { AppliedDiscountView } from '../item.ts'
import { completeWhenDone } from '../operations.ts'
import { order, type Order } from '../order.ts'
import { updatedPayload } from '../payload.ts'
import { listDiscountRules } from '../pricing.ts'
import { computeOverpayment } from '../refunds/account.ts'
import { toItemParts } from '../parts.ts'
import { createRefund } from '../refunds/operations.ts'
import { insertItems, jsonOrNull } from '../rows.ts'
import { closeUnits } from '../settled.ts'
import type { PaymentStatus } from '../states.ts'
import { toSoldTaxTerms } from '../taxes.ts'
import { recordDifference, type EditedSums } from './difference.ts'
import { toSaleBuyer } from './discount.ts'
import type { OrderEdit } from './edit.ts'
import { quoteEdit, type EditQuote } from './quote.ts'
import { lockSale, type Sale } from './sale.ts'

export async function editOrder(
  tx: Tx,
  store: Store,
  id: string,
  edit: OrderEdit,
  actor: Actor,
): Promise<RecordOf<Order>> {
  const sale = await lockSale(tx, store.id, id)
  const input = withoutSame(sale, edit)
  const quote = await quoteEdit(tx, store, sale, input)
  if (quote.faults.length > 0) throw invalid(...quote.faults)
  if (hasChanges(sale, quote)) await applyEdit(tx, store, { id, sale, quote, input }, actor)
  const overpaid = computeOverpayment({ ...sale, total: quote.price.total })
  if (input.refund && overpaid.greaterThan(0)) {
    const { reason = null } = input
    await createRefund(tx, store, id, { amount: overpaid.toNumber(), reason, restock: false }, actor)
  }
  return findRecord(tx, order, store.id, id)
}

/** An amount sent back as it was read changes nothing. */
function withoutSame(sale: Sale, { shipping_cost, tax_amount, ...rest }: OrderEdit): OrderEdit {
  return {
    ...rest,
    ...(shipping_cost === undefined || sale.shipping_cost.equals(shipping_cost) ? {} : { shipping_cost }),
    ...(tax_amount === undefined || sale.tax_amount.equals(tax_amount) ? {} : { tax_amount }),
  }
}

function hasChanges(sale: Sale, { items, removed, price, discounts, taxLines }: EditQuote): boolean {
  const amounts = ['subtotal', 'discount_amount', 'shipping_cost', 'tax_amount'] as const
  return (
    removed.length > 0 ||
    discounts.isNew ||
    items.some(({ before, quantity }) => before?.quantity !== quantity) ||
    amounts.some((name) => !price[name].equals(sale[name])) ||
    JSON.stringify(taxLines) !== JSON.stringify(sale.tax_lines)
  )
}

type Edit = { id: string; sale: Sale; quote: EditQuote; input: OrderEdit }

/** Locks are taken as in other changes of an order: payments, order, products, discount, customer. */
async function applyEdit(tx: Tx, store: Store, edit: Edit, actor: Actor): Promise<void> {
  const { id, sale, quote, input } = edit
  const movements = input.restock ? quote.movements : quote.movements.filter(({ quantity }) => quantity < 0)
  const movement = moveStockOfOrder(tx, store.id, movements, { reason: 'order_edit', actor, order_id: id })
  if (!quote.price.total.equals(sale.total)) await endPaymentRequests(tx, store.id, id)
  const moving = moveUses(tx, store, edit)
  const payment_status = paymentStatusAfter(sale, quote)
  writeItems(tx, store.id, edit)
  writeOrder(tx, store.id, edit, payment_status)
  recordDifference(tx, store.id, { id, sold_at: sale.created_at }, sumsBefore(sale), sumsAfter(edit))
  const [rejections, isUsed] = await Promise.all([movement, moving])
  // Another order was faster. The retry sees its changes and reports all faults.
  if (rejections.length > 0 || !isUsed) throw new RetryTransaction()
  const { fulfillment_status } = await updateFulfillmentStatus(tx, store.id, id)
  const orderId = publicId('ord', id)
  emit(tx, store, 'order.updated', orderId, updatedPayload(orderId))
  if (payment_status !== sale.payment_status) {
    emit(tx, store, 'order.updated', orderId, updatedPayload(orderId, { payment_status }))
  }
  await completeWhenDone(tx, store, id, { ...sale, total: quote.price.total, payment_status, fulfillment_status })
}

function sumsBefore(sale: Sale): EditedSums {
  const items = sale.items.map((one) => ({ ...one, total: one.total_price, settled: one.settled_before }))
  return { ...sale, refunded: computeRefundWithinTotal(sale), items }
}

function sumsAfter(edit: Edit): EditedSums {
  const { items, price, discountLines, taxLines } = edit.quote
  return {
    ...price,
    refunded: computeRefundWithinTotal(edit.sale),
    included_tax: price.taxes.included,
    item_count: countUnits(items),
    items: items.map((one) => ({ ...one, refunded_quantity: one.before?.refunded_quantity ?? 0 })),
    discount_code: mainDiscount(edit).code,
    discounts: discountLines,
    tax_lines: taxLines,
  }
}

function computeRefundWithinTotal({ refunded_amount, refunded_overpayment }: Sale): Decimal {
  return refunded_amount.minus(refunded_overpayment)
}

function countUnits(items: EditQuote['items']): number {
  return items.reduce((count, { quantity }) => count + quantity, 0)
}

/** Discounts that came off return their use, and new ones take one. */
function moveUses(tx: Tx, store: Store, edit: Edit): Promise<boolean> {
  const { id, sale, quote } = edit
  const own = sale.discount_id ? [sale.discount_id] : []
  const toDiscountUuids = (lines: readonly AppliedDiscountView[]) => lines.map((one) => toUuid('disc', one.id)!)
  const before = [...new Set([...own, ...toDiscountUuids(sale.discounts)])]
  const after = quote.price.applied.map(({ discount }) => discount)
  const keptIds = [...toDiscountUuids(quote.discountLines), mainDiscount(edit).id]
  const newDiscounts = after.filter((one) => !before.includes(one.id))
  const endedIds = before.filter((one) => !keptIds.includes(one))
  returnSomeUses(tx, store.id, id, endedIds)
  const isUsed = useDiscounts(tx, store, newDiscounts, toSaleBuyer(sale))
  recordUses(tx, store.id, id, newDiscounts)
  return isUsed
}

/** The discount of the first code, otherwise the first automatic one. The code of a deleted discount is kept. */
function mainDiscount({ sale, quote: { price, discounts } }: Edit): { id: string | null; code: string | null } {
  const rows = price.applied.map(({ discount }) => discount)
  const main = rows.find(({ code }) => code === discounts.code) ?? rows.find((one) => !one.is_automatic) ?? rows[0]
  if (main) return main
  return discounts.code === null ? { id: null, code: null } : { id: sale.discount_id, code: discounts.code }
}

/** An order with something to pay is pending again; one that is paid in full is paid. */
function paymentStatusAfter(sale: Sale, { price }: EditQuote): PaymentStatus {
  return paymentAfter({ ...sale, total: price.total }, sale).payment_status ?? sale.payment_status
}

function writeItems(tx: Tx, storeId: string, { id, quote: { items, removed, discounts } }: Edit): void {
  const oldItems = items.filter(({ before }) => before !== null)
  const changedItems = oldItems.filter(
    ({ before, quantity, adjustments, settled }) =>
      before!.quantity !== quantity || before!.adjustments !== adjustments || settled !== null,
  )
  if (removed.length > 0) {
    tx.later(sql`
    delete from order_items
    where store_id = ${storeId}
      and order_id = ${id}
      and id = any(${removed.map((one) => one.id)}::uuid[])`)
  }
  if (changedItems.length > 0) {
    const rows = changedItems.map(({ adjustments, settled: units, ...one }) => {
      const newUnits = units && discounts.isNew ? closeUnits(units) : units
      return { ...one, adjustments: JSON.stringify(adjustments), settled: newUnits && JSON.stringify(newUnits) }
    })
    const types = { id: 'uuid', quantity: 'int', total: 'numeric', adjustments: 'json', settled: 'json' } as const
    tx.later(sql`
    update order_items
    set quantity = changed.quantity, total_price = changed.total, adjustments = changed.adjustments,
        settled = changed.settled
    from ${records('changed', types, rows)}
    where order_items.store_id = ${storeId}
      and order_items.order_id = ${id}
      and order_items.id = changed.id`)
  }
  const adjustmentRows = items.flatMap(({ added: line, id: itemId, adjustments, total }) =>
    line
      ? [
          {
            ...line,
            id: itemId,
            adjustments,
            total_price: total,
            parts: line.parts && toItemParts(line.parts),
            created_at: tx.now,
          },
        ]
      : [],
  )
  if (adjustmentRows.length === 0) return
  tx.later(sql`
    ${insertItems(storeId, id, adjustmentRows)}`)
}

function writeOrder(tx: Tx, storeId: string, edit: Edit, payment_status: PaymentStatus): void {
  const { id, sale, quote, input } = edit
  const { items, price, discountLines, taxLines } = quote
  const main = mainDiscount(edit)
  const isStillFree = sale.free_shipping && input.shipping_cost === undefined && price.shipping_cost.isZero()
  tx.later(sql`
    update orders
    set subtotal = ${price.subtotal}, discount_amount = ${price.discount_amount},
        shipping_cost = ${price.shipping_cost}, tax_amount = ${price.tax_amount}, total = ${price.total},
        included_tax = ${price.taxes.included}, tax_lines = ${JSON.stringify(taxLines)},
        discount_id = ${main.id}, discount_code = ${main.code}, discounts = ${JSON.stringify(discountLines)},
        discount_rules = ${jsonOrNull(listDiscountRules(price))}, tax_terms = ${jsonOrNull(toSoldTaxTerms(price))},
        free_shipping = ${price.free_shipping || isStillFree},
        item_count = ${countUnits(items)},
        payment_status = ${payment_status}, edited_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
}

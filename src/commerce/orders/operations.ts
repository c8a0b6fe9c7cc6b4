import { RetryTransaction } from '../../kit/database/errors.ts'
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { findRecord, loadRecord } from '../../kit/declare/page.ts'
import { assignments, type RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { sql } from '../../kit/database/sql.ts'
import { countOrder, createBuyer, moveLastOrder } from '../customers/operations.ts'
import { recordUses, returnUses, useDiscounts } from '../discounts/uses.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import { moveStock } from '../inventory/stock.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  amountsAfter,
  movesToStatus,
  settleManually,
  paymentAfter,
  type MoneyMoves,
  type MovedAmounts,
} from './paidamounts.ts'
import { buildOrderChanges, lockOrder, type LockedOrder, type OrderChanges } from './changes.ts'
import { recordManualPayment } from '../payments/manual.ts'
import { endPaymentRequests, releaseAuthorizations } from '../payments/requests.ts'
import { resolveDestination, insertOrder } from './rows.ts'
import { listSales } from './lines.ts'
import { labelItems } from './itemlabels.ts'
import { order, type NewOrder, type Order, type OrderPatch } from './order.ts'
import { mailChange, mailOrder } from './mail.ts'
import { createdPayload, statusEvent, updatedPayload } from './payload.ts'
import { toDiscountBuyer, quoteNewOrder, type Precomputed } from './quote.ts'
import { refundRest } from './refunds/operations.ts'
import { restockOrder } from './restocking.ts'
import { nextStatuses, undoneStatuses } from './states.ts'

/**
 * Creates an order with its items, and updates everything that depends on it: stock, discount uses, the customer's
 * totals and the store's order number. Reports all faults at once.
 */
export async function createOrder(
  tx: Tx,
  store: Store,
  input: NewOrder,
  actor: Actor,
  ready?: Precomputed,
): Promise<RecordOf<Order>> {
  const { quote, faults } = await quoteNewOrder(tx, store, input, ready)
  if (faults.length > 0) throw invalid(...faults)
  const { lines, buyer, price } = quote
  // Locks are always taken in this order: products, discounts, customer, and last the store's counters, which all
  // orders share.
  const id = newUuid()
  const stockMoved = moveStock(tx, store.id, lines.flatMap(listSales), { reason: 'sale', actor, order_id: id })
  const discounts = price.applied.map(({ discount }) => discount)
  const discountsUsed = useDiscounts(tx, store, discounts, toDiscountBuyer(input))
  const moves = computeMoneyMoves(input, price.total)
  const spentAmount = moves.captured.minus(moves.refunded)
  const place = resolveDestination(store, input)
  if (buyer.id && buyer.isNew) createBuyer(tx, store, buyer.id, buyer.contact, { id, spent: spentAmount, place })
  else if (buyer.id)
    countOrder(tx, store.id, buyer.id, { orders: 1, spent: spentAmount, lastOrder: { id, at: tx.now, place } })
  const insertion = insertOrder(tx, store, id, input, { ...quote, paid: moves, quotedRate: ready?.quotedRate })
  recordUses(tx, store.id, id, discounts)
  const [rejections, isUsed, record] = await Promise.all([stockMoved, discountsUsed, insertion])
  // Another order was faster. The retry sees its changes and reports all faults.
  if (rejections.length > 0 || !isUsed) throw new RetryTransaction()
  if (input.captured === undefined) recordManualPayment(tx, store.id, { ...record.entity, id }, moves)
  emit(tx, store, 'order.created', publicId('ord', id), createdPayload(record.entity))
  mailOrder(tx, store, 'order_confirmation', record.entity, { order_id: id })
  return record
}

/** The amounts paid for a new order: through a provider, or by hand according to its payment status. */
function computeMoneyMoves({ captured, payment_status }: NewOrder, total: Decimal): MoneyMoves {
  if (captured !== undefined) return { captured, refunded: new Decimal(0) }
  return movesToStatus(payment_status, { ...nothingPaid, total })
}

const nothingPaid = { captured_amount: 0, refunded_amount: 0, refunded_overpayment: 0 }

/** A partial update. Changes of status and payment status each have their own event; other changes share one. */
export async function updateOrder(
  tx: Tx,
  store: Store,
  id: string,
  patch: OrderPatch,
  actor: Actor,
): Promise<RecordOf<Order>> {
  const before = await lockOrder(tx, store.id, id)
  const changes = buildOrderChanges(before, patch, tx.now)
  const isLabeled = patch.items !== undefined && (await labelItems(tx, store.id, id, patch.items))
  await refundIfRequested(tx, store, id, { before, patch, changes }, actor)
  if (Object.keys(changes).length === 0 && !isLabeled) return findRecord(tx, order, store.id, id)
  if (changes.status && undoneStatuses.includes(changes.status)) {
    const reason = changes.status === 'cancelled' ? 'cancellation' : 'return'
    if (patch.restock !== false) await restockOrder(tx, store.id, id, { reason, actor })
    await releaseAuthorizations(tx, store.id, id)
    await endPaymentRequests(tx, store.id, id)
    if (before.discount_id) returnUses(tx, store.id, id)
  }
  if (changes.shipping_address !== undefined && before.customer_id) {
    const { country_code, shipping_address } = { ...before, ...changes }
    const province_code = shipping_address?.province_code ?? null
    moveLastOrder(tx, store.id, before.customer_id, id, { country_code, province_code })
  }
  const amounts = changes.payment_status ? settleManually(tx, store.id, { ...before, id }, changes.payment_status) : {}
  return applyChanges(tx, store, id, before, changes, amounts)
}

/** Adds amounts that a provider has captured or refunded to the order. */
export async function moveMoney(tx: Tx, store: Store, id: string, moves: MoneyMoves): Promise<void> {
  if (moves.captured.isZero() && moves.refunded.isZero()) return
  const before = await lockOrder(tx, store.id, id)
  const amounts = amountsAfter(before, moves)
  await applyChanges(tx, store, id, before, paymentAfter(before, amounts), amounts)
}

/** Completes a locked order if the store wants this and nothing is left to pay or fulfill. */
export async function completeWhenDone(tx: Tx, store: Store, id: string, before: LockedOrder): Promise<void> {
  const changes = buildCompletion(tx, store, before)
  if (changes.status) await applyChanges(tx, store, id, before, changes, {})
}

/** The change that completes an order, if it is due. */
export function buildCompletion(
  tx: Tx,
  store: Store,
  { status, payment_status, fulfillment_status }: LockedOrder,
): OrderChanges {
  const isDone = payment_status === 'paid' && fulfillment_status === 'fulfilled'
  const isOpen = nextStatuses[status].includes('completed')
  return store.auto_complete_orders && isDone && isOpen ? { status: 'completed', completed_at: tx.now } : {}
}

async function applyChanges(
  tx: Tx,
  store: Store,
  id: string,
  before: LockedOrder,
  requested: OrderChanges,
  amounts: MovedAmounts,
): Promise<RecordOf<Order>> {
  const isPaidNow = requested.payment_status === 'paid' && requested.status === undefined
  const changes = isPaidNow
    ? { ...requested, ...buildCompletion(tx, store, { ...before, payment_status: 'paid' }) }
    : requested
  countChange(tx, store.id, before, changes, amounts)
  const [row] = await tx.texts(sql`
    update orders
    set ${assignments(order, changes, { ...amounts, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${order.columns}`)
  const record = await loadRecord(tx, order, store.id, row)
  emitChange(tx, store, record.entity, changes, { hasMoved: Object.keys(amounts).length > 0 })
  mailChange(tx, store, record.entity, before, changes)
  return record
}

type OrderUpdate = { before: LockedOrder; patch: OrderPatch; changes: OrderChanges }

/**
 * Cancelling can include a refund. Setting the payment status to refunded records that the rest was refunded by hand;
 * that refund then changes the payment status and emits the event.
 */
async function refundIfRequested(
  tx: Tx,
  store: Store,
  id: string,
  { before, patch, changes }: OrderUpdate,
  actor: Actor,
): Promise<void> {
  const isUndone = undoneStatuses.includes(changes.status ?? before.status)
  if (patch.refund && isUndone) await refundRest(tx, store, id, { by_hand: false }, actor)
  if (changes.payment_status !== 'refunded') return
  if (await refundRest(tx, store, id, { by_hand: true }, actor)) delete changes.payment_status
}

/** A customer's cancelled orders are not counted; archived ones are. Spent is what is paid and not refunded. */
function countChange(
  tx: Tx,
  storeId: string,
  { customer_id, captured_amount, refunded_amount }: LockedOrder,
  changes: OrderChanges,
  { captured_amount: newCaptured = captured_amount, refunded_amount: newRefunded = refunded_amount }: MovedAmounts,
): void {
  if (changes.is_archived !== undefined) countArchived(tx, storeId, changes.is_archived ? 1 : -1)
  const orders = changes.status === 'cancelled' ? -1 : 0
  const spentAmount = newCaptured.minus(captured_amount).minus(newRefunded.minus(refunded_amount))
  if (customer_id && (orders !== 0 || !spentAmount.isZero()))
    countOrder(tx, storeId, customer_id, { orders, spent: spentAmount })
}

/** The store's counter, from which the totals of lists come. */
export function countArchived(tx: Tx, storeId: string, by: number): void {
  moveCounters(tx, storeId, { orders_archived: by })
}

/** Any change of amounts is a payment change, even if the payment status stays the same. */
function emitChange(
  tx: Tx,
  store: Store,
  order: Order,
  changes: OrderChanges,
  { hasMoved }: { hasMoved: boolean },
): void {
  const { id, payment_status } = order
  const isPayment = hasMoved || changes.payment_status !== undefined
  if (changes.status) {
    const [event, subjectId, payload] = statusEvent(order)
    emit<typeof event>(tx, store, event, subjectId, payload)
  }
  if (isPayment) emit(tx, store, 'order.updated', id, updatedPayload(id, { payment_status }))
  if (!changes.status && !isPayment) emit(tx, store, 'order.updated', id, updatedPayload(id))
}

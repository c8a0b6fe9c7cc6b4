// Applies a payment's new state: places the order or finds it, or marks the money for a refund.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { pick } from '../../../kit/declare/row.ts'
import { hasMoney } from '../../../money/processing/states.ts'
import type { PaymentProblem } from '../../../commerce/payments/payment.ts'
import type { PaymentState } from '../../../commerce/payments/provider.ts'
import type { NewPaymentEvent } from '../../../commerce/payments/paymentevent.ts'
import {
  isUnchanged,
  lockSession,
  type SessionWithSettings,
  type PaymentSession,
} from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { lockCheckout } from '../cart/operations.ts'
import type { CheckoutRow, SettlementDeps } from '../checkout.ts'
import { findOffer, type Offer } from '../offers/offer.ts'
import { isOld, applyProviderState, type PaymentRecord } from './outcome.ts'
import { placeOrder, quoteOrder, type OrderPayment, type QuotedOrder } from './place.ts'
import { orderRow, type OrderSummary } from '../cart/view.ts'

type AppliedPayment = { session: SessionWithSettings; order: OrderSummary | null }
type PaymentUpdate = { state: PaymentState; webhookEvent: string | undefined }

/**
 * Places the order, or marks the money for a refund if the order is rejected. Null if the payment changed since it was
 * read, because the fetched state may be older than the change.
 */
export async function applyPayment(
  db: StoreDatabase,
  store: Store,
  record: PaymentRecord,
  update: PaymentUpdate,
  deps: SettlementDeps,
): Promise<AppliedPayment | null> {
  const needsOrder = record.order_id === null && record.purpose === 'order' && hasMoney(update.state)
  try {
    if (needsOrder) return await db.transaction((tx) => placePaidOrder(tx, store, record, update, deps))
    return await writeIfUnchanged(db, store, record, (tx, session) =>
      recordUpdate(tx, store, session, update, record.order),
    )
  } catch (error) {
    // The job retries collisions. An order with faults, e.g. a sold out item, cannot be placed.
    if (!needsOrder || !(error instanceof ApiError) || error.faults.length === 0) throw error
    return writeIfUnchanged(db, store, record, (tx, session) =>
      markForRefund(tx, store, session, update, 'order_refused'),
    )
  }
}

/** Locks the session. Returns null if it changed since it was read. */
export function writeIfUnchanged<S extends SessionWithSettings, T>(
  db: StoreDatabase,
  store: Store,
  before: S,
  write: (tx: Tx, session: S) => Promise<T>,
): Promise<T | null> {
  return db.transaction(async (tx) => {
    const now = await lockSession(tx, store.id, before.id)
    return now && isUnchanged(before, now) ? write(tx, { ...before, ...now }) : null
  })
}

async function recordUpdate(
  tx: Tx,
  store: Store,
  session: SessionWithSettings,
  { state, webhookEvent }: PaymentUpdate,
  order: OrderSummary | null,
): Promise<AppliedPayment> {
  const isLeft = session.purpose === 'order' && !session.order_id && !hasMoney(state) && isOld(session, tx.now)
  const change = isLeft ? ({ purpose: 'return', trouble: 'expired' } as const) : {}
  return { session: await applyProviderState(tx, store, session, state, { webhookEvent, ...change }), order }
}

async function placePaidOrder(
  tx: Tx,
  store: Store,
  record: PaymentRecord,
  update: PaymentUpdate,
  deps: SettlementDeps,
): Promise<AppliedPayment | null> {
  const offer = findOffer(tx, store)
  const locking = Promise.all([lockCheckout(tx, store.id, record.checkout_id!), lockSession(tx, store.id, record.id)])
  // Pipelined behind the locks, so that it reads once they are held.
  const quoting = record.checkout && requote(tx, store, record, record.checkout, offer, deps)
  quoting?.catch(() => {})
  const [before, now] = await locking
  if (!now || !isUnchanged(record, now)) return null
  const session = { ...record, ...now }
  if (!matchesAmount(session, update.state)) return markForRefund(tx, store, session, update, 'amount_differs')
  if (!before || before.order_id !== null || before.status === 'expired') {
    return markForRefund(tx, store, session, update, 'replaced')
  }
  const isSame = quoting && before.updated_at.getTime() === record.checkout!.updated_at.getTime()
  const ready = await (isSame ? quoting : requote(tx, store, session, before, offer, deps))
  // The paid method need not be offered any more.
  const faults = ready.faults.filter(({ field }) => field !== 'payment_method')
  if (faults.length > 0) return markForRefund(tx, store, session, update, 'order_refused')
  if (!ready.quote.total.equals(session.amount)) return markForRefund(tx, store, session, update, 'total_changed')
  return placeOrderWithPayment(tx, store, { session, ready }, update)
}

/** Quotes at today's prices, with the paid method. */
function requote(
  tx: Tx,
  store: Store,
  { method }: PaymentSession,
  before: CheckoutRow,
  offer: Promise<Offer>,
  deps: SettlementDeps,
): Promise<QuotedOrder> {
  const presets = before.presets.filter((name) => name !== 'payment_method')
  const row = { ...before, payment_method: method, presets, updated_at: tx.now }
  return quoteOrder(tx, store, { before, row }, offer, deps)
}

function matchesAmount({ amount, currency }: PaymentSession, state: PaymentState): boolean {
  const heldAmount = state.captured.greaterThan(0) ? state.captured : state.authorized
  return state.currency === currency && heldAmount.equals(amount)
}

async function placeOrderWithPayment(
  tx: Tx,
  store: Store,
  { session, ready }: { session: SessionWithSettings; ready: QuotedOrder },
  { state, webhookEvent }: PaymentUpdate,
): Promise<AppliedPayment> {
  const isCaptured = state.captured.equals(session.amount)
  let after: Promise<SessionWithSettings> | undefined
  const payment: OrderPayment = {
    status: isCaptured ? 'paid' : 'pending',
    captured: state.captured,
    record: ({ id }) =>
      (after = applyProviderState(tx, store, session, state, { webhookEvent, order_id: toUuid('ord', id)! })),
  }
  const order = await placeOrder(tx, store, ready, payment, actor)
  return { session: (await after)!, order: pick(order, orderRow.names as (keyof OrderSummary)[]) }
}

const actor = { kind: 'system', id: 'payments' } as const

/** Records the decision to refund before the provider is asked. */
async function markForRefund(
  tx: Tx,
  store: Store,
  session: SessionWithSettings,
  { state, webhookEvent }: PaymentUpdate,
  trouble: PaymentProblem,
): Promise<AppliedPayment> {
  const change = { purpose: 'return', trouble, needs_review: true, look_at: retryAt(tx.now) } as const
  return {
    session: await applyProviderState(tx, store, session, state, {
      webhookEvent,
      events: [returnEvent(session, state)],
      ...change,
    }),
    order: null,
  }
}

/** When the job continues if this process ends. */
export function retryAt(now: Date): Date {
  return new Date(now.getTime() + 60_000)
}

/** The idempotency key of the refund. */
export function returnKey({ id }: PaymentSession, { captured }: PaymentState): string {
  return `${publicId('pmt', id)} return ${captured}`
}

export function returnEvent(session: PaymentSession, state: PaymentState): NewPaymentEvent {
  const rest = state.captured.minus(state.refunded)
  const kind = rest.greaterThan(0) ? 'refund_asked' : 'cancel_asked'
  return { kind, amount: rest.greaterThan(0) ? rest : session.amount, key: returnKey(session, state) }
}

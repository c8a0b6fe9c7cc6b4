// Settles a payment: the only way from money to an order. The returning shopper, the provider's webhook and the job all
// call it, concurrently or one after the other.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { cancel, refundOrCancel, fetchState, ProviderUnavailable } from '../../../commerce/payments/providercalls.ts'
import { hasMoney, isClosed } from '../../../money/processing/states.ts'
import { mailMerchant } from '../../../commerce/payments/mail.ts'
import type { PaymentState } from '../../../commerce/payments/provider.ts'
import { recordEvents, type SessionChange } from '../../../commerce/payments/events.ts'
import type { NewPaymentEvent } from '../../../commerce/payments/paymentevent.ts'
import { markReturnShown, type SessionWithSettings } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { SettlementDeps } from '../checkout.ts'
import type { OrderSummary } from '../cart/view.ts'
import { mailFailedPayment } from './mail.ts'
import {
  findPayment,
  isOld,
  getPaymentUrl,
  applyProviderState,
  deriveSettlement,
  type PaymentRecord,
  type Settlement,
} from './outcome.ts'
import { returnEvent, returnKey, retryAt, applyPayment, writeIfUnchanged } from './paymentupdates.ts'

/*
 *                    fetchState()
 *   session ─ nothing paid ─▶ waiting ─ a day later ─▶ cancelled
 *           ─ ended ────────▶ unpaid
 *           ─ paid ─────────▶ order placed, or found placed
 *                         └─▶ no order possible: refunded or cancelled, and reported
 */

/**
 * `webhookEvent`: the id of a webhook's event, which is applied once, in any state of the session.
 * `isRecheck`: asks the provider though nothing is open.
 */
export async function settlePayment(
  db: StoreDatabase,
  store: Store,
  id: string,
  deps: SettlementDeps,
  { webhookEvent, isRecheck = false }: { webhookEvent?: string; isRecheck?: boolean } = {},
): Promise<Settlement> {
  const record = await findPayment(db, store, id, webhookEvent)
  if (!record) return { outcome: 'unpaid' }
  const isSettled = webhookEvent === undefined ? record.look_at === null && !isRecheck : record.is_heard
  if (isSettled || record.reference === null) return expireUnstarted(db, store, record, isSettled)
  const state = await fetchStateIfAvailable(store, record, deps)
  if (!state && isRecheck) return deriveSettlement(record, record.order)
  if (!state) return recordNoAnswer(db, store, record)
  const appliedPayment = await applyPayment(db, store, record, { state, webhookEvent }, deps)
  if (!appliedPayment)
    return settlePayment(db, store, id, deps, { ...(webhookEvent ? { webhookEvent } : {}), isRecheck })
  const { session, order } = appliedPayment
  if (session.purpose === 'return' && !isClosed(session, state)) return refundOrVoid(db, store, session, state, deps)
  if (isAbandonedRequest(session, state, db.clock.now())) return endRequest(db, store, session, order, deps)
  return deriveSettlement(session, order)
}

/** Settles the payment of a shopper who waits for the outcome, and marks a refund as shown to them. */
export async function settleForShopper(
  db: StoreDatabase,
  store: Store,
  id: string,
  deps: SettlementDeps,
): Promise<Settlement> {
  const settlement = await settlePayment(db, store, id, deps)
  if (settlement.outcome === 'returned') await db.transaction(async (tx) => markReturnShown(tx, store.id, id))
  return settlement
}

async function fetchStateIfAvailable(
  store: Store,
  session: SessionWithSettings,
  deps: SettlementDeps,
): Promise<PaymentState | null> {
  try {
    return await fetchState(store, session, deps)
  } catch (error) {
    if (error instanceof ProviderUnavailable) return null
    throw error
  }
}

/** A session without a provider's reference expires after a day: the shopper never got a payment page. */
async function expireUnstarted(
  db: StoreDatabase,
  store: Store,
  record: PaymentRecord,
  isSettled: boolean,
): Promise<Settlement> {
  if (isSettled || !isOld(record, db.clock.now())) return deriveSettlement(record, record.order)
  await db.transaction(async (tx) => {
    const event = { kind: 'expired', amount: record.amount, key: `${record.id} expired` } as const
    recordEvents(tx, store, record, [event], { status: 'expired', look_at: null })
    if (record.purpose === 'order') mailFailedPayment(tx, store, record)
  })
  return { outcome: 'unpaid' }
}

/**
 * The job asks again. After a day without an answer the payment needs review, after a month the job stops. A placed
 * order stays.
 */
async function recordNoAnswer(db: StoreDatabase, store: Store, record: PaymentRecord): Promise<Settlement> {
  const now = db.clock.now()
  const isLost = isOld(record, now) && record.order_id === null
  const change: SessionChange = {
    ...(isLost && record.trouble !== 'unanswered' ? noAnswerChange : {}),
    ...(record.look_at === null ? { look_at: retryAt(now) } : {}),
    ...(isOld(record, now, 30) ? { look_at: null } : {}),
  }
  if (Object.keys(change).length > 0) {
    await writeIfUnchanged(db, store, record, async (tx, session) => recordEvents(tx, store, session, [], change))
  }
  return { outcome: 'waiting', isKnown: false, next: getPaymentUrl(record) }
}

const noAnswerChange = { purpose: 'return', trouble: 'unanswered', needs_review: true } as const

/** The request was replaced or is two days old. */
function isAbandonedRequest(session: SessionWithSettings, state: PaymentState, now: Date): boolean {
  const isAsked = session.order_id !== null && session.purpose === 'order' && !hasMoney(state)
  const isOver = session.trouble === 'replaced' || (isOld(session, now, 2) && state.status !== 'processing')
  return isAsked && !isClosed(session, state) && isOver
}

/** Cancels it at the provider. If the customer was faster, the money counts for the order. */
async function endRequest(
  db: StoreDatabase,
  store: Store,
  session: SessionWithSettings,
  order: OrderSummary | null,
  deps: SettlementDeps,
): Promise<Settlement> {
  const key = `${session.id} cancel`
  await cancel(store, session, key, deps).catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailable)) throw error
  })
  const state = await fetchStateIfAvailable(store, session, deps)
  if (state) await writeIfUnchanged(db, store, session, (tx, session) => applyProviderState(tx, store, session, state))
  return deriveSettlement(session, order)
}

async function refundOrVoid(
  db: StoreDatabase,
  store: Store,
  session: SessionWithSettings,
  state: PaymentState,
  deps: SettlementDeps,
): Promise<Settlement> {
  const answer = await refundOrCancel(store, session, state, returnKey(session, state), deps).catch(
    (error: unknown) => {
      if (error instanceof ProviderUnavailable) return null
      throw error
    },
  )
  const stateAfter = await fetchStateIfAvailable(store, session, deps)
  const after = await writeIfUnchanged(db, store, session, async (tx, lockedSession) => {
    if (answer && 'refused' in answer && hasMoney(stateAfter ?? state)) {
      const key = `${returnKey(session, state)} refused`
      const failure: NewPaymentEvent = { kind: 'refund_failed', amount: state.captured, key, reason: answer.refused }
      recordEvents(tx, store, lockedSession, [failure], { trouble: 'refund_failed', needs_review: true })
      if (lockedSession.trouble !== 'refund_failed') mailMerchant(tx, store, lockedSession, 'refund_failed')
    }
    return stateAfter
      ? applyProviderState(tx, store, lockedSession, stateAfter, { events: [returnEvent(session, state)] })
      : lockedSession
  })
  return deriveSettlement(after ?? session, null)
}

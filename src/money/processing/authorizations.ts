// Sends requests to capture or release an authorization: once after the commit, and again by a job until the answer is
// recorded. No provider is called inside a transaction.
import type { Database, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import {
  cancel,
  capture,
  fetchState,
  ProviderUnavailable,
  type PaymentDeps,
} from '../../commerce/payments/providercalls.ts'
import { hasEnded, applyState } from './states.ts'
import type { PaymentState } from '../../commerce/payments/provider.ts'
import type { SessionChange } from '../../commerce/payments/events.ts'
import type { NewPaymentEvent } from '../../commerce/payments/paymentevent.ts'
import {
  findSession,
  isUnchanged,
  lockSession,
  type PaymentSession,
  type SessionWithSettings,
} from '../../commerce/payments/session.ts'
import { clearRequest } from '../../commerce/payments/requests.ts'
import { releaseCapture } from '../../commerce/orders/capturing.ts'

/** Sends the pending request of one payment and records the answer. */
export async function sendAuthorizationRequest(
  db: Database,
  storeId: string,
  id: string,
  deps: PaymentDeps,
): Promise<void> {
  const [store, session] = await Promise.all([
    loadStore(db, storeId),
    findSession(db, storeId, sql`payment_sessions.id = ${id} and payment_sessions.asked_id is not null`),
  ])
  if (!store || !session) return
  const answer = await executeAuthorizationCall(store, session, deps)
  if (answer === null) return
  const isWritten = await db.ofStore(storeId).transaction((tx) => recordAnswer(tx, store, session, answer))
  if (!isWritten) await sendAuthorizationRequest(db, storeId, id, deps)
}

type AuthorizationAnswer = { refused: string | null; state: PaymentState }

/** Null: the outcome is unknown, and the request is sent again with the same key. */
async function executeAuthorizationCall(
  store: Store,
  session: SessionWithSettings,
  deps: PaymentDeps,
): Promise<AuthorizationAnswer | null> {
  const key = publicId('pev', session.asked_id!)
  const amount = session.capturing_amount
  try {
    const answer = await (isCaptureRequest(session)
      ? capture(store, session, amount, key, deps)
      : cancel(store, session, key, deps))
    return { refused: 'refused' in answer ? answer.refused : null, state: await fetchState(store, session, deps) }
  } catch (error) {
    if (error instanceof ProviderUnavailable) return null
    throw error
  }
}

/** False: the payment was changed meanwhile, so the fetched state may be older than that. */
async function recordAnswer(
  tx: Tx,
  store: Store,
  session: SessionWithSettings,
  { refused, state }: AuthorizationAnswer,
): Promise<boolean> {
  const now = await lockSession(tx, store.id, session.id)
  if (!now || now.asked_id !== session.asked_id) return true
  if (!isUnchanged(session, now)) return false
  const outcome = resolveRequestOutcome(session, state, refused)
  if (outcome === 'pending') return true
  // The payment's row is locked; the order's is from here on.
  clearRequest(tx, store.id, session.id)
  releaseCapture(tx, store.id, session.order_id, session.capturing_amount)
  const isCapture = isCaptureRequest(session)
  const after = isCapture ? { ...session, capturing_amount: new Decimal(0), asked_id: null } : session
  await applyState(tx, store, after, state, outcome === 'failed' ? buildFailureChange(session, refused) : {})
  return true
}

/** A capture has an amount. A release has none. */
function isCaptureRequest({ capturing_amount }: PaymentSession): boolean {
  return capturing_amount.greaterThan(0)
}

/** The provider's state decides: a refused request may have succeeded by an earlier try. */
function resolveRequestOutcome(
  session: SessionWithSettings,
  state: PaymentState,
  reason: string | null,
): 'done' | 'failed' | 'pending' {
  const more = state.captured.minus(session.captured_amount)
  const isGone = hasEnded(state.status) || state.authorized.lessThanOrEqualTo(state.captured)
  const isCapture = isCaptureRequest(session)
  if (isCapture ? more.greaterThanOrEqualTo(session.capturing_amount) : isGone && more.isZero()) return 'done'
  return reason !== null || isGone ? 'failed' : 'pending'
}

function buildFailureChange(
  session: SessionWithSettings,
  reason: string | null,
): SessionChange & { events: NewPaymentEvent[] } {
  const { asked_id, capturing_amount, capturable_amount } = session
  const isCapture = isCaptureRequest(session)
  const kind = isCapture ? 'capture_failed' : 'cancel_failed'
  const amount = isCapture ? capturing_amount : capturable_amount
  return {
    events: [{ kind, amount, key: `${asked_id} failed`, reason }],
    needs_review: true,
    trouble: isCapture ? 'capture_failed' : 'release_failed',
  }
}

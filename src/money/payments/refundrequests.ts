// Sends refunds to their provider: once after the commit, and again by a job until the answer is recorded. No provider
// is called inside a transaction.
import type { Database, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { failRefund, completeRefund } from '../../commerce/orders/refunds/outcome.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import { fetchState, refund, remoteProvider, ProviderUnavailable, type PaymentDeps } from './providercalls.ts'
import { recordEvents, refundTotal } from './events.ts'
import { mailMerchant } from './mail.ts'
import { findSession, type SessionWithSettings } from './session.ts'

type RefundRequest = { id: string; session_id: string; amount: string }

/** Sends one pending refund to its provider and records the answer. */
export async function sendRefundRequest(db: Database, storeId: string, id: string, deps: PaymentDeps): Promise<void> {
  const request = await db.one<RefundRequest>(sql`
    select id, session_id, amount
    from refunds
    where store_id = ${storeId}
      and id = ${id}
      and status = 'pending'`)
  if (!request) return
  const [store, session] = await Promise.all([
    loadStore(db, storeId),
    findSession(db, storeId, sql`payment_sessions.id = ${request.session_id}`),
  ])
  if (!store || !session) return
  const answer = await answerOf(store, session, request, deps)
  if (answer === null) return
  await db.ofStore(storeId).transaction(async (tx) => {
    if ('failed' in answer) {
      await failRefund(tx, store, id, answer.failed)
      if (session.trouble === 'order_ended') reportUnreturned(tx, store, session)
    } else await completeRefund(tx, store, id)
  })
}

/** Nobody asked for this refund, so nobody looks at it. */
function reportUnreturned(tx: Tx, store: Store, session: SessionWithSettings): void {
  recordEvents(tx, store, session, [], { needs_review: true, trouble: 'refund_failed' })
  mailMerchant(tx, store, session, 'refund_failed')
}

/** Null: the outcome is unknown, and the request is sent again. */
async function answerOf(
  store: Store,
  session: SessionWithSettings,
  { id, amount }: RefundRequest,
  deps: PaymentDeps,
): Promise<{ failed: string } | { succeeded: true } | null> {
  // An immediate or manual provider moves no money.
  if (!remoteProvider(session.provider)) return { succeeded: true }
  try {
    const answer = await refund(store, session, new Decimal(amount), publicId('ref', id), deps)
    if ('status' in answer && answer.status === 'done') return { succeeded: true }
    const { refunded } = await fetchState(store, session, deps)
    // A refused request may have succeeded by an earlier try.
    if (refunded.minus(refundTotal(session)).greaterThanOrEqualTo(amount)) return { succeeded: true }
    return 'refused' in answer ? { failed: answer.refused.slice(0, 255) } : null
  } catch (error) {
    if (error instanceof ProviderUnavailable) return null
    throw error
  }
}

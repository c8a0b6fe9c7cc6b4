// Sends committed requests to providers at once. The jobs retry those that are not answered.
import type { Database, Tx } from '../../kit/database/database.ts'
import { doublingBackoff } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { dueJob } from '../../platform/process/duejob.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerRequested, type ProviderRequest } from '../../commerce/payments/requests.ts'
import { requestPatienceMs } from '../../commerce/payments/requests.ts'
import {
  type PaymentDeps,
  fetchState,
  refund,
  remoteProvider,
  ProviderUnavailable,
} from '../../commerce/payments/providercalls.ts'
import { sendAuthorizationRequest } from './authorizations.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { failRefund, completeRefund } from '../../commerce/orders/refunds/outcome.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import { recordEvents, refundTotal } from '../../commerce/payments/events.ts'
import { mailMerchant } from '../../commerce/payments/mail.ts'
import { findSession, type SessionWithSettings } from '../../commerce/payments/session.ts'

type Send = (db: Database, storeId: string, id: string) => Promise<void>

/** `settle` looks at a payment that is not asked for any more. `stop` waits for pending answers. */
export function startProviderRequests({
  db,
  deps,
  log,
  settle,
}: {
  db: Database
  deps: PaymentDeps
  log: Log
  settle: Send
}) {
  const senders: Record<ProviderRequest['of'], Send> = {
    refund: (...request) => sendRefundRequest(...request, deps),
    hold: (...request) => sendAuthorizationRequest(...request, deps),
    payment: settle,
  }
  const underWay = new Set<Promise<void>>()
  const unsubscribe = db.bus.subscribe(providerRequested, ({ of, storeId, id, cause }) => {
    const request = senders[of](db.because(cause), storeId, id)
      .catch((error: unknown) => log.error({ err: error, store: storeId, [of]: id }, 'payment provider request failed'))
      .finally(() => underWay.delete(request))
    underWay.add(request)
  })
  return {
    async stop() {
      unsubscribe()
      await Promise.all(underWay)
    },
  }
}

/** An interrupted or unanswered request is sent again with the same key, so that money moves once. */
export function providerRequestJobs(db: Database, log: Log, deps: PaymentDeps): JobWork[] {
  const again = (name: string, table: string, send: typeof sendRefundRequest): JobWork =>
    dueJob<{ store_id: string; id: string }>(
      { db, log },
      {
        name,
        size: 20,
        queue: {
          table,
          due: 'ask_at',
          claim: (now) => sql`ask_at = ${doublingBackoff(now, backoff)}, tries = tries + 1`,
          returning: `${table}.store_id, ${table}.id`,
          turns: {},
        },
        work: (ofJob, { store_id, id }) => send(ofJob, store_id, id, deps),
      },
    )
  return [
    again('ask for refunds', 'refunds', sendRefundRequest),
    again('ask for captures', 'payment_sessions', sendAuthorizationRequest),
  ]
}

const backoff = { firstSeconds: requestPatienceMs / 1000, maxSeconds: 60 * 60 }

// Sends refunds to their provider: once after the commit, and again by a job until the answer is recorded. No provider
// is called inside a transaction.

type RefundRequest = { id: string; session_id: string; amount: string }

/** Sends one pending refund to its provider and records the answer. */
async function sendRefundRequest(db: Database, storeId: string, id: string, deps: PaymentDeps): Promise<void> {
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

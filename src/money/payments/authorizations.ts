// What was asked of money that is held, to take it or to let it go: the provider is asked once that is committed, and
// again by a job until its answer is written down. Nobody is ever asked inside a transaction.
import type { Database, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import { cancel, capture, look, Unanswered, type PaymentTools } from './providercalls.ts'
import { hasEnded, note } from './states.ts'
import type { Seen } from './provider.ts'
import type { Change, Event } from './events.ts'
import { findSession, isUnchanged, lockSession, type AskedSession } from './session.ts'

/** Asks the provider about one payment, if nobody has written its answer, and writes down what becomes of it. */
export async function askHold(db: Database, storeId: string, id: string, tools: PaymentTools): Promise<void> {
  const [store, session] = await Promise.all([
    loadStore(db, sql`stores.id = ${storeId}`),
    findSession(db, storeId, sql`payment_sessions.id = ${id} and payment_sessions.asked_id is not null`),
  ])
  if (!store || !session) return
  const answer = await answerOf(store, session, tools)
  if (answer === null) return
  const isWritten = await db.ofStore(storeId).transaction((tx) => write(tx, store, session, answer))
  if (!isWritten) await askHold(db, storeId, id, tools)
}

type Answer = { refused: string | null; seen: Seen }

/** Null: nobody knows yet, and it is asked again with the same key. */
async function answerOf(store: Store, session: AskedSession, tools: PaymentTools): Promise<Answer | null> {
  const key = publicId('pev', session.asked_id!)
  const amount = Number(session.capturing_amount)
  try {
    const answer = await (amount > 0 ? capture(store, session, amount, key, tools) : cancel(store, session, key, tools))
    return { refused: 'refused' in answer ? answer.refused : null, seen: await look(store, session, tools) }
  } catch (error) {
    if (error instanceof Unanswered) return null
    throw error
  }
}

/** False: somebody has written to the payment meanwhile, and what was seen of it may be older than that. */
async function write(tx: Tx, store: Store, session: AskedSession, { refused, seen }: Answer): Promise<boolean> {
  const now = await lockSession(tx, store.id, session.id)
  if (!now || now.asked_id !== session.asked_id) return true
  if (!isUnchanged(session, now)) return false
  const outcome = outcomeOf(session, seen, refused)
  if (outcome === 'pending') return true
  await clear(tx, store.id, session)
  const isCapture = Number(session.capturing_amount) > 0
  const ended = isCapture ? { ...session, capturing_amount: '0', asked_id: null } : session
  await note(tx, store, ended, seen, outcome === 'failed' ? failureOf(session, refused) : {})
  return true
}

/** The provider's books decide: refused, it may have been done by an earlier try all the same. */
function outcomeOf(session: AskedSession, seen: Seen, refused: string | null): 'done' | 'failed' | 'pending' {
  const more = new Decimal(seen.captured).minus(session.captured_amount)
  const isGone = hasEnded(seen.status) || seen.authorized <= seen.captured
  const isCapture = Number(session.capturing_amount) > 0
  if (isCapture ? more.greaterThanOrEqualTo(session.capturing_amount) : isGone && more.isZero()) return 'done'
  return refused !== null || isGone ? 'failed' : 'pending'
}

function failureOf(session: AskedSession, reason: string | null): Change & { events: Event[] } {
  const { asked_id, capturing_amount, held_amount } = session
  const isCapture = Number(capturing_amount) > 0
  const kind = isCapture ? 'capture_failed' : 'cancel_failed'
  const amount = isCapture ? capturing_amount : held_amount
  return {
    events: [{ kind, amount, key: `${asked_id} failed`, reason }],
    needs_attention: true,
    trouble: isCapture ? 'capture_failed' : 'not_let_go',
  }
}

/** Nothing is asked any more; the payment's row is locked, and the order's is from here on. */
async function clear(tx: Tx, storeId: string, { id, order_id, capturing_amount }: AskedSession): Promise<void> {
  tx.later(sql`
    update payment_sessions
    set capturing_amount = 0, asked_id = null, asked_at = null, ask_at = null, is_late = false, updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
  tx.later(sql`
    update orders
    set capturing_amount = capturing_amount - ${capturing_amount}
    where store_id = ${storeId}
      and id = ${order_id}`)
}

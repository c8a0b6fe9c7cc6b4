// What has become of a payment: the one way from money to an order, whoever asks. The shopper who comes back, the
// provider's webhook and the job all call it, together or one after the other.
import type { StoreDatabase } from '../kit/database/database.ts'
import { giveBack, look, Unanswered } from '../payments/call.ts'
import type { Seen } from '../payments/provider.ts'
import { record, type Event } from '../payments/record.ts'
import { lockSession, type AskedSession } from '../payments/session.ts'
import type { Store } from '../stores/store.ts'
import type { PayingTools } from './checkout.ts'
import { findPayment, hasMoney, isClosed, isOld, note, outcomeOf, type Found, type Settled } from './outcome.ts'
import { asked, keyOf, takeIn } from './takein.ts'

/*
 *                    look()
 *   session ─ nothing paid ─▶ waiting ─ a day later ─▶ cancelled
 *           ─ ended ────────▶ unpaid
 *           ─ paid ─────────▶ order placed, or found placed
 *                         └─▶ no order to be had: refunded or cancelled, and said
 */

/** `heard`: the id of a webhook's event. Its session is looked at in any case, once. */
export async function settle(
  db: StoreDatabase,
  store: Store,
  id: string,
  tools: PayingTools,
  { heard }: { heard?: string } = {},
): Promise<Settled> {
  const found = await findPayment(db, store, id, heard)
  if (!found) return { outcome: 'unpaid' }
  const isSettled = heard === undefined ? found.look_at === null : found.is_heard
  if (isSettled || found.reference === null) return giveUp(db, store, found, isSettled)
  const seen = await seenOf(store, found, tools)
  if (!seen) return unanswered(db, store, found)
  const { session, order } = await takeIn(db, store, found, { seen, heard }, tools)
  if (session.purpose === 'return' && !isClosed(session, seen)) return returnMoney(db, store, session, seen, tools)
  return outcomeOf(session, order)
}

async function seenOf(store: Store, session: AskedSession, tools: PayingTools): Promise<Seen | null> {
  try {
    return await look(store, session, tools)
  } catch (error) {
    if (error instanceof Unanswered) return null
    throw error
  }
}

/** One that the provider never knew ends after a day: nobody was told where to pay. */
async function giveUp(db: StoreDatabase, store: Store, found: Found, isSettled: boolean): Promise<Settled> {
  if (isSettled || !isOld(found, db.clock.now())) return outcomeOf(found, found.order)
  await db.transaction(async (tx) => {
    const ended = { kind: 'expired', amount: found.amount, key: `${found.id} expired` } as const
    record(tx, store, found, [ended], { status: 'expired', look_at: null })
  })
  return { outcome: 'unpaid' }
}

/** Who has not answered for a day is somebody's to look into; for a month, nobody asks any more. */
async function unanswered(db: StoreDatabase, store: Store, found: Found): Promise<Settled> {
  const now = db.clock.now()
  if (isOld(found, now) && (found.trouble !== 'unanswered' || isOld(found, now, 30))) {
    const change = { purpose: 'return', trouble: 'unanswered', needs_attention: true } as const
    await db.transaction(async (tx) => {
      record(tx, store, found, [], { ...change, ...(isOld(found, now, 30) ? { look_at: null } : {}) })
    })
  }
  return found.order ? outcomeOf(found, found.order) : { outcome: 'waiting', isKnown: false, next: found.redirect_url }
}

async function returnMoney(
  db: StoreDatabase,
  store: Store,
  session: AskedSession,
  seen: Seen,
  tools: PayingTools,
): Promise<Settled> {
  const answer = await giveBack(store, session, seen, keyOf(session, seen), tools).catch((error: unknown) => {
    if (error instanceof Unanswered) return null
    throw error
  })
  const now = await seenOf(store, session, tools)
  const after = await db.transaction(async (tx) => {
    const locked = { ...session, ...(await lockSession(tx, store.id, session.id))! }
    if (answer && 'refused' in answer && hasMoney(now ?? seen)) {
      const key = `${keyOf(session, seen)} refused`
      const refused: Event = { kind: 'refund_failed', amount: seen.captured, key, reason: answer.refused }
      record(tx, store, locked, [refused], { trouble: 'refund_failed', needs_attention: true })
    }
    return now ? note(tx, store, locked, now, { events: [asked(session, seen)] }) : locked
  })
  return outcomeOf(after, null)
}

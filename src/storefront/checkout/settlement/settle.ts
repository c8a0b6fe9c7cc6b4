// What has become of a payment: the one way from money to an order, whoever asks. The shopper who comes back, the
// provider's webhook and the job all call it, together or one after the other.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { giveBack, look, Unanswered } from '../../../money/payments/providercalls.ts'
import { hasMoney, isClosed } from '../../../money/payments/states.ts'
import { mailMerchant } from '../../../money/payments/mail.ts'
import type { Seen } from '../../../money/payments/provider.ts'
import { record, type Change, type Event } from '../../../money/payments/events.ts'
import type { AskedSession } from '../../../money/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { PayingTools } from '../checkout.ts'
import { mailFailedPayment } from './mail.ts'
import { findPayment, isOld, nextOf, noteSeen, outcomeOf, type Found, type Settled } from './outcome.ts'
import { asked, keyOf, soon, takeIn, unlessChanged } from './paymentupdates.ts'

/*
 *                    look()
 *   session ─ nothing paid ─▶ waiting ─ a day later ─▶ cancelled
 *           ─ ended ────────▶ unpaid
 *           ─ paid ─────────▶ order placed, or found placed
 *                         └─▶ no order to be had: refunded or cancelled, and said
 */

/**
 * `heard`: the id of a webhook's event. Its session is looked at in any case, once.
 * `isRecheck`: nothing is open, and the provider is asked all the same.
 */
export async function settle(
  db: StoreDatabase,
  store: Store,
  id: string,
  tools: PayingTools,
  { heard, isRecheck = false }: { heard?: string; isRecheck?: boolean } = {},
): Promise<Settled> {
  const found = await findPayment(db, store, id, heard)
  if (!found) return { outcome: 'unpaid' }
  const isSettled = heard === undefined ? found.look_at === null && !isRecheck : found.is_heard
  if (isSettled || found.reference === null) return giveUp(db, store, found, isSettled)
  const seen = await seenOf(store, found, tools)
  if (!seen && isRecheck) return outcomeOf(found, found.order)
  if (!seen) return unanswered(db, store, found)
  const taken = await takeIn(db, store, found, { seen, heard }, tools)
  if (!taken) return settle(db, store, id, tools, { ...(heard ? { heard } : {}), isRecheck })
  const { session, order } = taken
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
    if (found.purpose === 'order') mailFailedPayment(tx, store, found)
  })
  return { outcome: 'unpaid' }
}

/**
 * The job asks again. Who has not answered for a day is somebody's to look into; for a month, nobody asks any more.
 * What has made its order keeps it: there is only news of it that is not known yet.
 */
async function unanswered(db: StoreDatabase, store: Store, found: Found): Promise<Settled> {
  const now = db.clock.now()
  const isLost = isOld(found, now) && found.order_id === null
  const change: Change = {
    ...(isLost && found.trouble !== 'unanswered' ? lost : {}),
    ...(found.look_at === null ? { look_at: soon(now) } : {}),
    ...(isOld(found, now, 30) ? { look_at: null } : {}),
  }
  if (Object.keys(change).length > 0) {
    await unlessChanged(db, store, found, async (tx, session) => record(tx, store, session, [], change))
  }
  return { outcome: 'waiting', isKnown: false, next: nextOf(found) }
}

const lost = { purpose: 'return', trouble: 'unanswered', needs_attention: true } as const

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
  const after = await unlessChanged(db, store, session, async (tx, locked) => {
    if (answer && 'refused' in answer && hasMoney(now ?? seen)) {
      const key = `${keyOf(session, seen)} refused`
      const refused: Event = { kind: 'refund_failed', amount: seen.captured, key, reason: answer.refused }
      record(tx, store, locked, [refused], { trouble: 'refund_failed', needs_attention: true })
      if (locked.trouble !== 'refund_failed') mailMerchant(tx, store, locked, 'refund_failed')
    }
    return now ? noteSeen(tx, store, locked, now, { events: [asked(session, seen)] }) : locked
  })
  return outcomeOf(after ?? session, null)
}

// What has become of a payment: the one way from money to an order, whoever asks. The shopper who comes back, the
// provider's webhook and the job all call it, together or one after the other.
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { ApiError } from '../kit/values/errors.ts'
import { Decimal } from '../kit/values/money.ts'
import { publicId, uuidOf } from '../kit/values/ids.ts'
import { pick } from '../kit/declare/row.ts'
import { giveBack, look, Unanswered } from '../payments/call.ts'
import type { Trouble } from '../payments/payment.ts'
import type { Seen } from '../payments/provider.ts'
import { record, type Event } from '../payments/record.ts'
import { lockSession, type AskedSession, type Session } from '../payments/session.ts'
import type { Store } from '../stores/store.ts'
import { checkout, type CheckoutRow, type PayingTools } from './checkout.ts'
import { findOffer } from './offer.ts'
import { orderSummary } from './operations.ts'
import { findPayment, hasMoney, isClosed, isOld, note, outcomeOf, type Found, type Settled } from './outcome.ts'
import { placeOrder, quoteOrder, type Paid, type Ready } from './place.ts'
import { orderRow, type OrderSummary } from './view.ts'

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

type Taken = { session: AskedSession; order: OrderSummary | null }
type News = { seen: Seen; heard: string | undefined }

/** Places the order, or finds it; what is refused of it by then is written down as money that has to go back. */
async function takeIn(db: StoreDatabase, store: Store, found: Found, news: News, tools: PayingTools): Promise<Taken> {
  const locked = async (tx: Tx) => ({ ...found, ...(await lockSession(tx, store.id, found.id))! })
  const wantsOrder = found.order_id === null && found.purpose === 'order' && hasMoney(news.seen)
  try {
    return await db.transaction(async (tx) =>
      wantsOrder
        ? await takeOrder(tx, store, found, news, tools)
        : await takeNews(tx, store, await locked(tx), news, found.order),
    )
  } catch (error) {
    if (!wantsOrder || !(error instanceof ApiError) || error.status >= 500) throw error
    // Somebody was faster to the last piece: what was paid for cannot be had.
    return await db.transaction(async (tx) => takeBack(tx, store, await locked(tx), news, 'order_refused'))
  }
}

async function takeNews(
  tx: Tx,
  store: Store,
  session: AskedSession,
  { seen, heard }: News,
  order: OrderSummary | null,
): Promise<Taken> {
  const isLeft = session.purpose === 'order' && !session.order_id && !hasMoney(seen) && isOld(session, tx.now)
  const change = isLeft ? ({ purpose: 'return', trouble: 'expired' } as const) : {}
  return { session: await note(tx, store, session, seen, { heard, ...change }), order }
}

async function takeOrder(tx: Tx, store: Store, found: Found, news: News, tools: PayingTools): Promise<Taken> {
  const offered = findOffer(tx, store)
  const [before, now] = await Promise.all([
    lockCheckout(tx, store, found.checkout_id!),
    lockSession(tx, store.id, found.id),
  ])
  const session = { ...found, ...now! }
  // Another was faster: its order is found again, with what it has written of the payment.
  if (session.order_id !== null || session.purpose === 'return') return takeAgain(tx, store, session, news)
  if (!fits(session, news.seen)) return takeBack(tx, store, session, news, 'amount_differs')
  if (!before || before.order_id !== null || before.status === 'expired') {
    return takeBack(tx, store, session, news, 'replaced')
  }
  const wanted = { ...before, payment_method: session.method, presets: presetsWithout(before), updated_at: tx.now }
  const ready = await quoteOrder(tx, store, { before, wanted }, offered, tools)
  // What has been paid by it need not be offered any more.
  const faults = ready.faults.filter(({ field }) => field !== 'payment_method')
  if (faults.length > 0) return takeBack(tx, store, session, news, 'order_refused')
  if (!ready.quote.total.equals(session.amount)) return takeBack(tx, store, session, news, 'total_changed')
  return takePaid(tx, store, { session, ready }, news, tools)
}

function presetsWithout({ presets }: CheckoutRow): string[] {
  return presets.filter((name) => name !== 'payment_method')
}

function fits({ amount, currency }: Session, seen: Seen): boolean {
  const held = seen.captured > 0 ? seen.captured : seen.authorized
  return seen.currency === currency && new Decimal(held).equals(amount)
}

function lockCheckout(tx: Tx, store: Store, id: string): Promise<CheckoutRow | undefined> {
  return tx.one<CheckoutRow>(sql`
    select ${checkout.row.columns}
    from checkouts
    where store_id = ${store.id}
      and id = ${id}
    for no key update`)
}

async function takeAgain(tx: Tx, store: Store, session: AskedSession, { seen, heard }: News): Promise<Taken> {
  const [order, after] = await Promise.all([
    session.order_id === null ? null : orderSummary(tx, store, session.order_id),
    note(tx, store, session, seen, { heard }),
  ])
  return { session: after, order }
}

async function takePaid(
  tx: Tx,
  store: Store,
  { session, ready }: { session: AskedSession; ready: Ready },
  { seen, heard }: News,
  tools: PayingTools,
): Promise<Taken> {
  const isCaptured = new Decimal(seen.captured).equals(session.amount)
  let after: Promise<AskedSession> | undefined
  const paid: Paid = {
    status: isCaptured ? 'paid' : 'pending',
    captured: seen.captured,
    record: ({ id }) => (after = note(tx, store, session, seen, { heard, order_id: uuidOf('ord', id)! })),
  }
  const order = await placeOrder(tx, store, ready, paid, { tools, actor })
  return { session: (await after)!, order: pick(order, orderRow.names as (keyof OrderSummary)[]) }
}

const actor = { kind: 'system', id: 'payments' } as const

/** Money that came for nothing: that it has to go back is written down before anybody is asked to send it. */
async function takeBack(
  tx: Tx,
  store: Store,
  session: AskedSession,
  { seen, heard }: News,
  trouble: Trouble,
): Promise<Taken> {
  const change = { purpose: 'return', trouble, needs_attention: true, look_at: soon(tx.now) } as const
  return {
    session: await note(tx, store, session, seen, { heard, events: [asked(session, seen)], ...change }),
    order: null,
  }
}

/** When the job goes on with what this process did not come to. */
function soon(now: Date): Date {
  return new Date(now.getTime() + 60_000)
}

/** The key under which it is sent back once, however often that is tried. */
function keyOf({ id }: Session, { captured }: Seen): string {
  return `${publicId('pmt', id)} return ${captured}`
}

function asked(session: Session, seen: Seen): Event {
  const rest = new Decimal(seen.captured).minus(seen.refunded)
  const kind = rest.greaterThan(0) ? 'refund_asked' : 'cancel_asked'
  return { kind, amount: rest.greaterThan(0) ? rest : session.amount, key: keyOf(session, seen) }
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

// What a look at a payment has shown, taken in: the order is placed or found, or the money has to go back.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { publicId, uuidOf } from '../../../kit/values/ids.ts'
import { pick } from '../../../kit/declare/row.ts'
import { hasMoney } from '../../../money/payments/states.ts'
import type { Trouble } from '../../../money/payments/payment.ts'
import type { Seen } from '../../../money/payments/provider.ts'
import type { Event } from '../../../money/payments/events.ts'
import { isUnchanged, lockSession, type AskedSession, type Session } from '../../../money/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkout, type CheckoutRow, type PayingTools } from '../checkout.ts'
import { findOffer, type Offer } from '../offers/offer.ts'
import { isOld, noteSeen, type Found } from './outcome.ts'
import { placeOrder, quoteOrder, type Paid, type Ready } from './place.ts'
import { orderRow, type OrderSummary } from '../cart/view.ts'

type Taken = { session: AskedSession; order: OrderSummary | null }
type News = { seen: Seen; heard: string | undefined }

/**
 * Places the order; what is refused of it by then is written down as money that has to go back. Null: somebody else has
 * written to the payment since it was found, and what was seen of it may be older than that.
 */
export async function takeIn(
  db: StoreDatabase,
  store: Store,
  found: Found,
  news: News,
  tools: PayingTools,
): Promise<Taken | null> {
  const wantsOrder = found.order_id === null && found.purpose === 'order' && hasMoney(news.seen)
  try {
    if (wantsOrder) return await db.transaction((tx) => takeOrder(tx, store, found, news, tools))
    return await unlessChanged(db, store, found, (tx, session) => takeNews(tx, store, session, news, found.order))
  } catch (error) {
    // Whoever only collided with others is tried again by the job; what has faults cannot be had, e.g. the last piece.
    if (!wantsOrder || !(error instanceof ApiError) || error.faults.length === 0) throw error
    return unlessChanged(db, store, found, (tx, session) => takeBack(tx, store, session, news, 'order_refused'))
  }
}

/** With the session locked; null when it is not as it is known. */
export function unlessChanged<S extends AskedSession, T>(
  db: StoreDatabase,
  store: Store,
  known: S,
  write: (tx: Tx, session: S) => Promise<T>,
): Promise<T | null> {
  return db.transaction(async (tx) => {
    const now = await lockSession(tx, store.id, known.id)
    return now && isUnchanged(known, now) ? write(tx, { ...known, ...now }) : null
  })
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
  return { session: await noteSeen(tx, store, session, seen, { heard, ...change }), order }
}

async function takeOrder(tx: Tx, store: Store, found: Found, news: News, tools: PayingTools): Promise<Taken | null> {
  const offered = findOffer(tx, store)
  const locked = Promise.all([lockCheckout(tx, store, found.checkout_id!), lockSession(tx, store.id, found.id)])
  // It travels with the locks: whatever it reads is read when they are held.
  const expected = found.checkout && quoteAgain(tx, store, found, found.checkout, offered, tools)
  expected?.catch(() => {})
  const [before, now] = await locked
  if (!now || !isUnchanged(found, now)) return null
  const session = { ...found, ...now }
  if (!fits(session, news.seen)) return takeBack(tx, store, session, news, 'amount_differs')
  if (!before || before.order_id !== null || before.status === 'expired') {
    return takeBack(tx, store, session, news, 'replaced')
  }
  const isSame = expected && before.updated_at.getTime() === found.checkout!.updated_at.getTime()
  const ready = await (isSame ? expected : quoteAgain(tx, store, session, before, offered, tools))
  // What has been paid by it need not be offered any more.
  const faults = ready.faults.filter(({ field }) => field !== 'payment_method')
  if (faults.length > 0) return takeBack(tx, store, session, news, 'order_refused')
  if (!ready.quote.total.equals(session.amount)) return takeBack(tx, store, session, news, 'total_changed')
  return takePaid(tx, store, { session, ready }, news, tools)
}

/** At today's prices, by the method that was paid with. */
function quoteAgain(
  tx: Tx,
  store: Store,
  { method }: Session,
  before: CheckoutRow,
  offered: Promise<Offer>,
  tools: PayingTools,
): Promise<Ready> {
  const presets = before.presets.filter((name) => name !== 'payment_method')
  const wanted = { ...before, payment_method: method, presets, updated_at: tx.now }
  return quoteOrder(tx, store, { before, wanted }, offered, tools)
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
    record: ({ id }) => (after = noteSeen(tx, store, session, seen, { heard, order_id: uuidOf('ord', id)! })),
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
    session: await noteSeen(tx, store, session, seen, { heard, events: [asked(session, seen)], ...change }),
    order: null,
  }
}

/** When the job goes on with what this process did not come to. */
export function soon(now: Date): Date {
  return new Date(now.getTime() + 60_000)
}

/** The key under which it is sent back once, however often that is tried. */
export function keyOf({ id }: Session, { captured }: Seen): string {
  return `${publicId('pmt', id)} return ${captured}`
}

export function asked(session: Session, seen: Seen): Event {
  const rest = new Decimal(seen.captured).minus(seen.refunded)
  const kind = rest.greaterThan(0) ? 'refund_asked' : 'cancel_asked'
  return { kind, amount: rest.greaterThan(0) ? rest : session.amount, key: keyOf(session, seen) }
}

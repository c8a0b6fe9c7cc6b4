// What is known of a payment, what of it is new, and what that means for whoever asks.
import type { Db, StoreDatabase, Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { together } from '../kit/database/together.ts'
import { jsonObject } from '../kit/declare/row.ts'
import { Decimal } from '../kit/values/money.ts'
import { moveMoney } from '../orders/operations.ts'
import type { Trouble } from '../payments/payment.ts'
import type { Seen } from '../payments/provider.ts'
import { newsOf, record, unaskedRefund, type Change, type Event } from '../payments/record.ts'
import { findSession, type AskedSession, type Session } from '../payments/session.ts'
import type { Store } from '../stores/store.ts'
import { checkout, type CheckoutRow } from './checkout.ts'
import { mailFailedPayment } from './mail.ts'
import { orderRow, summaryOf, type OrderSummary } from './view.ts'

export type Settled =
  | { outcome: 'placed'; order: OrderSummary }
  /** Nobody has paid yet, or nobody knows. `isKnown`: the provider has answered; `next`: where the shopper pays. */
  | { outcome: 'waiting'; isKnown: boolean; next: string | null }
  | { outcome: 'unpaid' }
  /** Money came and no order could be placed. `isBack`: it has gone back already. */
  | { outcome: 'returned'; trouble: Trouble; isBack: boolean }

export type Found = AskedSession & { order: OrderSummary | null; checkout: CheckoutRow | null; is_heard: boolean }

/** With its order and its checkout, in one exchange. `heard`: whether this event of a webhook was taken in before. */
export async function findPayment(db: StoreDatabase, store: Store, id: string, heard = ''): Promise<Found | undefined> {
  const placed = jsonObject({ table: 'orders', fields: {} }, orderRow.names)
  const [row, begun] = await together(db, (tx) =>
    Promise.all([
      findSession<{ placed: any; is_heard: boolean }>(tx, store.id, sql`payment_sessions.id = ${id}`, {
        more: sql`case when orders.id is not null then ${placed} end as placed,
          exists (
            select from payment_events
            where payment_events.store_id = ${store.id}
              and payment_events.provider = payment_sessions.provider
              and key = ${heard}) as is_heard`,
        join: sql`left join orders on orders.store_id = payment_sessions.store_id
          and orders.id = payment_sessions.order_id`,
      }),
      findCheckoutOf(tx, store, id),
    ]),
  )
  return row && { ...row, order: row.placed && summaryOf(row.placed), checkout: begun ?? null }
}

/** Of what is to be an order yet. */
function findCheckoutOf(db: Db, store: Store, id: string): Promise<CheckoutRow | undefined> {
  return db.one<CheckoutRow>(sql`
    select ${checkout.row.columns}
    from checkouts
    where store_id = ${store.id}
      and id = (
        select checkout_id from payment_sessions
        where store_id = ${store.id}
          and id = ${id}
          and order_id is null)`)
}

/** What is known of it, without asking anybody. */
export function outcomeOf(session: Session, order: OrderSummary | null): Settled {
  if (order) return { outcome: 'placed', order }
  const { captured_amount: captured, refunded_amount: refunded, status, purpose, trouble } = session
  if (purpose === 'order') {
    return hasEnded(status) ? { outcome: 'unpaid' } : { outcome: 'waiting', isKnown: true, next: session.redirect_url }
  }
  if (Number(captured) === 0 && Number(session.authorized_amount) === 0) return { outcome: 'unpaid' }
  const isBack = Number(refunded) >= Number(captured) && status !== 'authorized'
  return { outcome: 'returned', trouble: trouble!, isBack }
}

const daySeconds = 24 * 60 * 60

/** A shopper who has not paid for a day does not come back. */
export function isOld({ created_at }: Session, now: Date, days = 1): boolean {
  return now.getTime() - created_at.getTime() > days * daySeconds * 1000
}

function hasEnded(status: Seen['status']): boolean {
  return ['failed', 'canceled', 'expired'].includes(status)
}

export function hasMoney({ status, captured }: Seen): boolean {
  return status === 'authorized' || captured > 0
}

/** Nothing more will come of it by itself: neither money nor its way back. */
export function isClosed(session: Pick<Session, 'purpose' | 'order_id'>, seen: Seen): boolean {
  if (session.order_id !== null) return true
  const isBack = seen.captured > 0 && seen.refunded >= seen.captured && seen.status !== 'authorized'
  const isNothing = hasEnded(seen.status) && seen.captured === seen.refunded
  return session.purpose === 'return' ? isBack || isNothing : isNothing
}

/** Writes down what is new of a session that is locked; answers it as it is then. */
export async function note<S extends Session>(
  tx: Tx,
  store: Store,
  session: S,
  seen: Seen,
  { heard, events = [], ...more }: Change & { heard?: string | undefined; events?: Event[] } = {},
): Promise<S> {
  const news = newsOf(session, seen)
  // What has ended stays so until money says otherwise.
  const status = hasEnded(session.status) && !hasMoney(seen) ? session.status : seen.status
  const after = { ...session, ...more, status, ...sumsOf(session, seen) }
  const isNew = (...kinds: Event['kind'][]) => news.some(({ kind }) => kinds.includes(kind))
  const hasFailed = isNew('failed', 'canceled', 'expired') && !hasMoney(seen)
  if (after.order_id === null && session.purpose === 'order' && (hasFailed || more.trouble === 'expired')) {
    mailFailedPayment(tx, store, session)
  }
  const isAlarming = after.purpose === 'return' && isNew('captured', 'authorized')
  const isLost = session.order_id !== null && seen.captured === 0 && isNew('failed', 'canceled', 'expired')
  const change: Change = {
    ...more,
    status,
    ...(isClosed(after, seen) ? { look_at: null } : {}),
    ...(isAlarming ? { needs_attention: true } : {}),
    ...(isLost ? { needs_attention: true, trouble: 'not_captured' } : {}),
    ...(seen.disputed && session.trouble !== 'disputed' ? { needs_attention: true, trouble: 'disputed' } : {}),
  }
  const isSame =
    news.length + events.length === 0 && status === session.status && !heard && Object.keys(more).length === 0
  if (isSame && !('look_at' in change && session.look_at !== null)) return after
  const heardEvents: Event[] = heard ? [{ kind: 'heard', amount: 0, key: heard }] : []
  record(tx, store, session, [...news, ...events, ...heardEvents], change)
  if (session.order_id) {
    const captured = new Decimal(after.captured_amount).minus(session.captured_amount)
    const refunded = new Decimal(after.refunded_amount).minus(session.refunded_amount)
    await moveMoney(tx, store, session.order_id, { captured, refunded })
  }
  return after
}

/** The provider has the last word; only what was captured once stays captured. */
function sumsOf(session: Session, seen: Seen) {
  const { authorized, captured } = seen
  return {
    authorized_amount: Decimal.max(authorized, session.authorized_amount).toString(),
    captured_amount: Decimal.max(captured, session.captured_amount).toString(),
    refunded_amount: unaskedRefund(session, seen).plus(session.refunded_amount).toString(),
  }
}

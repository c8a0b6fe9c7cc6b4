// What a look at a payment has shown, written down with all that follows from it for the payment and its order.
import type { Tx } from '../../kit/database/database.ts'
import { Decimal } from '../../kit/values/money.ts'
import { moveMoney } from '../../commerce/orders/operations.ts'
import { reverseRefunds } from '../../commerce/orders/refunds/reversal.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { noteDisputes } from './disputes.ts'
import { mailMerchant, mailReturned } from './mail.ts'
import type { Seen } from './provider.ts'
import { keptOf, newsOf, record, refundsOf, unaskedCapture, unaskedRefund, type Change, type Event } from './events.ts'
import type { Session } from './session.ts'

const ends = ['failed', 'canceled', 'expired'] as const

export function hasEnded(status: Seen['status']): boolean {
  return ends.some((end) => end === status)
}

export function hasMoney({ status, captured }: Seen): boolean {
  return status === 'authorized' || captured > 0
}

/** Nothing more will come of it by itself: neither money nor its way back. */
export function isClosed(session: Pick<Session, 'purpose' | 'order_id'>, seen: Seen): boolean {
  // What is held for an order may lapse.
  if (session.order_id !== null) return seen.status !== 'authorized'
  const isBack = seen.captured > 0 && keptOf(seen).isZero() && seen.status !== 'authorized'
  const isNothing = hasEnded(seen.status) && seen.captured === seen.refunded
  return session.purpose === 'return' ? isBack || isNothing : isNothing
}

/** Writes down what is new of a session that is locked; answers it as it is then. */
export async function note<S extends Session>(
  tx: Tx,
  store: Store,
  before: S,
  seen: Seen,
  { heard, events = [], ...more }: Change & { heard?: string | undefined; events?: Event[] } = {},
): Promise<S> {
  const session = await withoutFailedRefunds(tx, store, before, seen)
  const sums = sumsOf(session, seen)
  const disputes = await noteDisputes(tx, store, session, seen, sums)
  const news = [...newsOf(session, seen), ...disputes.events]
  // What has ended stays so until money says otherwise.
  const status = hasEnded(session.status) && !hasMoney(seen) ? session.status : seen.status
  const after = { ...session, ...more, status, ...amountsOf(sums, disputes.lost) }
  const isHeldAsBefore = Number(after.held_amount) === Number(session.held_amount)
  const change: Change = {
    ...more,
    status,
    ...(isHeldAsBefore ? {} : { held_amount: after.held_amount }),
    ...(isClosed(after, seen) ? { look_at: null } : {}),
    ...recheckOf(session, after, tx.now),
    ...disputes.change,
    ...alarmOf(session, after, seen, news),
    ...(session === before ? {} : refundFailed),
  }
  const isSame =
    news.length + events.length === 0 &&
    status === session.status &&
    isHeldAsBefore &&
    !heard &&
    Object.keys(more).length === 0 &&
    Object.keys(disputes.change).length === 0 &&
    session === before
  if (isSame && !('look_at' in change && session.look_at !== null)) return after
  mailNews(tx, store, before, after, { isRefundBack: session !== before, seen, news })
  const heardEvents: Event[] = heard ? [{ kind: 'heard', amount: 0, key: heard }] : []
  record(tx, store, session, [...news, ...events, ...heardEvents], change)
  if (session.order_id) {
    const captured = new Decimal(after.captured_amount).minus(session.captured_amount)
    const refunded = new Decimal(after.refunded_amount).minus(session.refunded_amount)
    await moveMoney(tx, store, session.order_id, { captured, refunded })
  }
  return after
}

type News = { isRefundBack: boolean; seen: Seen; news: Event[] }

/** Of each piece of news once: it is written under the lock of the session. */
function mailNews(tx: Tx, store: Store, before: Session, after: Session, { isRefundBack, seen, news }: News): void {
  const has = (kind: Event['kind']) => news.some((event) => event.kind === kind)
  const hadMoney = Number(before.captured_amount) > 0 || Number(before.authorized_amount) > 0
  const wasReturned = before.purpose === 'return' && hadMoney
  if (after.purpose === 'return' && hasMoney(seen) && !wasReturned) mailReturned(tx, store, after)
  if (isRefundBack || has('refund_reversed')) mailMerchant(tx, store, after, 'refund_failed')
  if (has('disputed')) mailMerchant(tx, store, after, 'dispute_opened')
  if (has('dispute_won') || has('dispute_lost')) mailMerchant(tx, store, after, 'dispute_closed')
}

/** The provider made them and took them back: they are undone, whoever had asked for them. */
async function withoutFailedRefunds<S extends Session>(tx: Tx, store: Store, session: S, seen: Seen): Promise<S> {
  const failed = seen.failed_refunds ?? []
  if (failed.length === 0 || session.order_id === null) return session
  const amount = await reverseRefunds(tx, store, { id: session.id, order_id: session.order_id }, failed)
  if (amount.isZero()) return session
  return { ...session, refunded_amount: new Decimal(session.refunded_amount).minus(amount).toString() }
}

const refundFailed = { needs_attention: true, trouble: 'refund_failed' } as const

/** Money that has come is checked from then on: what happens to it at the provider may never be told. */
function recheckOf({ captured_amount: before }: Session, { captured_amount: now }: Session, at: Date): Change {
  const isFirst = Number(before) === 0 && Number(now) > 0
  return isFirst ? { recheck_at: new Date(at.getTime() + firstRecheckMs) } : {}
}

const firstRecheckMs = 30 * 60 * 1000

/** What of the news somebody should look at. */
function alarmOf(session: Session, after: Session, seen: Seen, news: Event[]): Change {
  const isNew = (...kinds: readonly Event['kind'][]) => news.some(({ kind }) => kinds.includes(kind))
  const isStray = after.purpose === 'return' && isNew('captured', 'authorized')
  // The house itself lets go what is held for an order that is undone.
  const isLetGo = session.asked_id !== null && Number(session.capturing_amount) === 0
  const isLost = session.order_id !== null && seen.captured === 0 && !isLetGo && isNew(...ends)
  return {
    ...(isStray ? { needs_attention: true } : {}),
    ...(isLost ? { needs_attention: true, trouble: 'not_captured' } : {}),
    ...(isNew('refund_reversed') ? refundFailed : {}),
  }
}

/** The provider has the last word; only what was captured once stays captured. */
function sumsOf(session: Session, seen: Seen) {
  const captured = unaskedCapture(session, seen).plus(session.captured_amount)
  const held = hasEnded(seen.status) ? 0 : Decimal.max(0, new Decimal(seen.authorized).minus(captured))
  const authorized = Decimal.max(seen.authorized, session.authorized_amount)
  return { authorized, captured, held, refunded: unaskedRefund(session, seen).plus(refundsOf(session)) }
}

function amountsOf({ authorized, captured, held, refunded }: ReturnType<typeof sumsOf>, lost: Decimal) {
  return {
    authorized_amount: authorized.toString(),
    captured_amount: captured.toString(),
    held_amount: held.toString(),
    refunded_amount: refunded.plus(lost).toString(),
    lost_amount: lost.toString(),
  }
}

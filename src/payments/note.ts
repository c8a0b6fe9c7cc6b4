// What a look at a payment has shown, written down with all that follows from it for the payment and its order.
import type { Tx } from '../kit/database/database.ts'
import { Decimal } from '../kit/values/money.ts'
import { moveMoney } from '../orders/operations.ts'
import type { Store } from '../stores/store.ts'
import type { Seen } from './provider.ts'
import { newsOf, record, unaskedCapture, unaskedRefund, type Change, type Event } from './record.ts'
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
  const isHeldAsBefore = Number(after.held_amount) === Number(session.held_amount)
  const change: Change = {
    ...more,
    status,
    ...(isHeldAsBefore ? {} : { held_amount: after.held_amount }),
    ...(isClosed(after, seen) ? { look_at: null } : {}),
    ...alarmOf(session, after, seen, news),
  }
  const isSame =
    news.length + events.length === 0 &&
    status === session.status &&
    isHeldAsBefore &&
    !heard &&
    Object.keys(more).length === 0
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
    ...(seen.disputed && session.trouble !== 'disputed' ? { needs_attention: true, trouble: 'disputed' } : {}),
  }
}

/** The provider has the last word; only what was captured once stays captured. */
function sumsOf(session: Session, seen: Seen) {
  const captured = unaskedCapture(session, seen).plus(session.captured_amount)
  const held = hasEnded(seen.status) ? 0 : Decimal.max(0, new Decimal(seen.authorized).minus(captured))
  return {
    authorized_amount: Decimal.max(seen.authorized, session.authorized_amount).toString(),
    captured_amount: captured.toString(),
    held_amount: held.toString(),
    refunded_amount: unaskedRefund(session, seen).plus(session.refunded_amount).toString(),
  }
}

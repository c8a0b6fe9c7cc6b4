// Applies the provider's state to a payment and its order.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { Decimal } from '../../kit/values/money.ts'
import { moveMoney } from '../../commerce/orders/operations.ts'
import { releaseAuthorizations } from '../../commerce/payments/requests.ts'
import { refundPayment } from '../../commerce/orders/refunds/operations.ts'
import { undoneStatuses, type OrderStatus } from '../../commerce/orders/states.ts'
import { reverseRefunds } from '../../commerce/orders/refunds/reversal.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { recordDisputes } from '../../commerce/payments/disputes.ts'
import { mailMerchant, mailReturned } from '../../commerce/payments/mail.ts'
import type { PaymentState } from '../../commerce/payments/provider.ts'
import {
  netCaptured,
  newEvents,
  recordEvents,
  refundTotal,
  externalCapture,
  externalRefund,
  type SessionChange,
} from '../../commerce/payments/events.ts'
import type { NewPaymentEvent } from '../../commerce/payments/paymentevent.ts'
import type { PaymentSession } from '../../commerce/payments/session.ts'

const endStatuses = ['failed', 'cancelled', 'expired'] as const

export function hasEnded(status: PaymentState['status']): boolean {
  return endStatuses.some((end) => end === status)
}

export function hasMoney({ status, captured }: PaymentState): boolean {
  return status === 'authorized' || captured.greaterThan(0)
}

/** True if the payment can no longer change by itself. */
export function isClosed(session: Pick<PaymentSession, 'purpose' | 'order_id'>, state: PaymentState): boolean {
  // An order's authorization may lapse, and a payment that was asked of its customer may still be made.
  if (session.order_id !== null)
    return state.captured.greaterThan(0) ? state.status !== 'authorized' : hasEnded(state.status)
  const isBack = state.captured.greaterThan(0) && netCaptured(state).isZero() && state.status !== 'authorized'
  const isNothing = hasEnded(state.status) && state.captured.equals(state.refunded)
  return session.purpose === 'return' ? isBack || isNothing : isNothing
}

/** Records the changes of a locked session, and returns the updated session. */
export async function applyState<S extends PaymentSession>(
  tx: Tx,
  store: Store,
  before: S,
  state: PaymentState,
  {
    webhookEvent,
    events = [],
    ...more
  }: SessionChange & { webhookEvent?: string | undefined; events?: NewPaymentEvent[] } = {},
): Promise<S> {
  const session = await withoutFailedRefunds(tx, store, before, state)
  const sums = computeStateSums(session, state)
  const disputes = await recordDisputes(tx, store, session, state, sums)
  const news = [...newEvents(session, state), ...disputes.events]
  // An ended payment stays ended unless money arrives.
  const status = hasEnded(session.status) && !hasMoney(state) ? session.status : state.status
  const after = { ...session, ...more, status, ...toSessionAmounts(sums, disputes.lost) }
  const isHeldAsBefore = after.capturable_amount.equals(session.capturable_amount)
  const change: SessionChange = {
    ...more,
    status,
    ...(isHeldAsBefore ? {} : { capturable_amount: after.capturable_amount }),
    ...(isClosed(after, state) ? { look_at: null } : {}),
    ...scheduleFirstRecheck(session, after, tx.now),
    ...disputes.change,
    ...buildReviewFlags(session, after, state, news),
    ...(session === before ? {} : refundFailed),
  }
  const isSame =
    news.length + events.length === 0 &&
    status === session.status &&
    isHeldAsBefore &&
    !webhookEvent &&
    Object.keys(more).length === 0 &&
    Object.keys(disputes.change).length === 0 &&
    session === before
  if (isSame && !('look_at' in change && session.look_at !== null)) return after
  mailStateChange(tx, store, before, after, { isRefundBack: session !== before, state, events: news })
  const webhookEvents: NewPaymentEvent[] = webhookEvent ? [{ kind: 'heard', amount: 0, key: webhookEvent }] : []
  recordEvents(tx, store, session, [...news, ...events, ...webhookEvents], change)
  if (session.order_id) {
    const capturedAmount = after.captured_amount.minus(session.captured_amount)
    const refundedAmount = after.refunded_amount.minus(session.refunded_amount)
    await moveMoney(tx, store, session.order_id, { captured: capturedAmount, refunded: refundedAmount })
    const isMoreHeld = after.capturable_amount.greaterThan(session.capturable_amount)
    const late = capturedAmount.minus(refundedAmount)
    if (isMoreHeld || late.greaterThan(0))
      await returnLateMoney(tx, store, { ...after, order_id: session.order_id }, late)
  }
  return after
}

/** Money that arrives after its order has ended is returned, like that of a checkout without an order. */
async function returnLateMoney(
  tx: Tx,
  store: Store,
  session: PaymentSession & { order_id: string },
  amount: Decimal,
): Promise<void> {
  const { id, order_id } = session
  // A cancellation holds the same lock, so one of the two sees the result of the other.
  const order = await tx.one<{ status: OrderStatus }>(sql`
    select status
    from orders
    where store_id = ${store.id}
      and id = ${order_id}
    for update`)
  if (!order || !undoneStatuses.includes(order.status)) return
  if (amount.greaterThan(0)) await refundPayment(tx, store, { id, order_id }, amount, actor)
  await releaseAuthorizations(tx, store.id, order_id)
  recordEvents(tx, store, session, [], { needs_review: true, trouble: 'order_ended' })
  mailMerchant(tx, store, session, 'payment_returned_notice')
}

const actor = { kind: 'system', id: 'payments' } as const

type StateChange = { isRefundBack: boolean; state: PaymentState; events: NewPaymentEvent[] }

/** Sends each email once, since changes are recorded under the session's lock. */
function mailStateChange(
  tx: Tx,
  store: Store,
  before: PaymentSession,
  after: PaymentSession,
  { isRefundBack, state, events }: StateChange,
): void {
  const has = (kind: NewPaymentEvent['kind']) => events.some((event) => event.kind === kind)
  const hadMoney = before.captured_amount.greaterThan(0) || before.authorized_amount.greaterThan(0)
  const wasReturned = before.purpose === 'return' && hadMoney
  if (after.purpose === 'return' && hasMoney(state) && !wasReturned) mailReturned(tx, store, after)
  if (isRefundBack || has('refund_reversed')) mailMerchant(tx, store, after, 'refund_failed')
  if (has('disputed')) mailMerchant(tx, store, after, 'dispute_opened')
  if (has('dispute_won') || has('dispute_lost')) mailMerchant(tx, store, after, 'dispute_closed')
}

/** Reverses refunds that succeeded and failed later. */
async function withoutFailedRefunds<S extends PaymentSession>(
  tx: Tx,
  store: Store,
  session: S,
  state: PaymentState,
): Promise<S> {
  const failures = state.failed_refunds ?? []
  if (failures.length === 0 || session.order_id === null) return session
  const amount = await reverseRefunds(tx, store, { id: session.id, order_id: session.order_id }, failures)
  if (amount.isZero()) return session
  return { ...session, refunded_amount: session.refunded_amount.minus(amount) }
}

const refundFailed = { needs_review: true, trouble: 'refund_failed' } as const

/** Schedules rechecks of captured money: the provider may never report later changes. */
function scheduleFirstRecheck(
  { captured_amount: before }: PaymentSession,
  { captured_amount: now }: PaymentSession,
  at: Date,
): SessionChange {
  const isFirst = before.isZero() && now.greaterThan(0)
  return isFirst ? { recheck_at: new Date(at.getTime() + firstRecheckMs) } : {}
}

const firstRecheckMs = 30 * 60 * 1000

/** Flags changes that a person should review. */
function buildReviewFlags(
  session: PaymentSession,
  after: PaymentSession,
  state: PaymentState,
  events: NewPaymentEvent[],
): SessionChange {
  const isNew = (...kinds: readonly NewPaymentEvent['kind'][]) => events.some(({ kind }) => kinds.includes(kind))
  const isStray = after.purpose === 'return' && isNew('captured', 'authorized')
  // The authorization of a cancelled order is released by this service itself.
  const isReleased = session.asked_id !== null && session.capturing_amount.isZero()
  const wasHeld = session.order_id !== null && session.authorized_amount.greaterThan(0)
  const isLost = wasHeld && state.captured.isZero() && !isReleased && isNew(...endStatuses)
  return {
    ...(isStray ? { needs_review: true } : {}),
    ...(isLost ? { needs_review: true, trouble: 'not_captured' } : {}),
    ...(isNew('refund_reversed') ? refundFailed : {}),
  }
}

/** The provider decides, but captured money stays captured. */
function computeStateSums(session: PaymentSession, state: PaymentState) {
  const capturedAmount = externalCapture(session, state).plus(session.captured_amount)
  const heldAmount = hasEnded(state.status) ? new Decimal(0) : Decimal.max(0, state.authorized.minus(capturedAmount))
  const authorizedAmount = Decimal.max(state.authorized, session.authorized_amount)
  return {
    authorized: authorizedAmount,
    captured: capturedAmount,
    held: heldAmount,
    refunded: externalRefund(session, state).plus(refundTotal(session)),
  }
}

function toSessionAmounts(
  { authorized, captured, held, refunded }: ReturnType<typeof computeStateSums>,
  lostAmount: Decimal,
) {
  return {
    authorized_amount: authorized,
    captured_amount: captured,
    capturable_amount: held,
    refunded_amount: refunded.plus(lostAmount),
    lost_amount: lostAmount,
  }
}

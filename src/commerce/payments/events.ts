// Records the difference between the provider's state and ours as events, under the session's lock, so that each change
// is recorded once. A pending refund of orders/refunds is recorded when it ends.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal, sum } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { PaymentProblem } from './payment.ts'
import { insertEvents, type NewPaymentEvent } from './paymentevent.ts'
import type { PaymentState, ProviderStatus } from './provider.ts'
import type { PaymentSession } from './session.ts'

/** Changes of a session beside its amounts. */
export type SessionChange = Partial<{
  order_id: string
  status: ProviderStatus
  purpose: 'return'
  /** Null clears it. */
  trouble: PaymentProblem | null
  needs_review: boolean
  capturable_amount: Decimal
  /** Null: nothing is open. */
  look_at: Date | null
  recheck_at: Date
}>

/** Lists what happened since the last check of the locked session. */
export function newEvents(session: PaymentSession, state: PaymentState): NewPaymentEvent[] {
  const endStatus = (['failed', 'cancelled', 'expired'] as const).find((status) => status === state.status)
  const refundedAmount = externalRefund(session, state)
  const events: NewPaymentEvent[] = [
    { kind: 'authorized', amount: state.authorized.minus(session.authorized_amount) },
    { kind: 'captured', amount: externalCapture(session, state) },
    { kind: 'refunded', amount: refundedAmount },
    { kind: 'refund_reversed', amount: refundedAmount.negated(), reason: state.failed_refunds?.[0]?.reason ?? null },
  ]
  return [
    ...events.filter(({ amount }) => new Decimal(amount).greaterThan(0)),
    ...(endStatus && endStatus !== session.status
      ? [{ kind: endStatus, amount: session.amount, key: `${session.id} ${endStatus}` }]
      : []),
  ]
}

/** Captures that were made at the provider. Requested captures are recorded with the provider's answer. */
export function externalCapture(session: PaymentSession, state: PaymentState): Decimal {
  return Decimal.max(0, state.captured.minus(session.captured_amount).minus(session.capturing_amount))
}

/** Refunds that were made at the provider, without pending ones. A negative amount was sent back by the bank. */
export function externalRefund(session: PaymentSession, state: PaymentState): Decimal {
  const more = state.refunded.minus(refundTotal(session))
  return more.isNegative() ? more : Decimal.max(0, more.minus(session.refunding_amount))
}

/** The refunded amount without lost disputes. */
export function refundTotal({ refunded_amount, lost_amount }: PaymentSession): Decimal {
  return refunded_amount.minus(lost_amount)
}

/** The captured amount that is neither refunded nor lost in a dispute. */
export function netCaptured({ captured, refunded, disputes }: PaymentState): Decimal {
  const lostAmount = sum(disputes.filter(({ status }) => status === 'lost').map(({ amount }) => amount))
  return Decimal.max(0, captured.minus(refunded).minus(lostAmount))
}

/** Inserts the events, and adds the amounts of those that are new to the session. */
export function recordEvents(
  tx: Tx,
  store: Pick<Store, 'id'>,
  session: PaymentSession,
  events: NewPaymentEvent[],
  change: SessionChange = {},
): void {
  const { order_id, status, purpose, trouble, needs_review, capturable_amount, look_at, recheck_at } = change
  const rows = events.map((event) => ({ ...event, id: newUuid() }))
  if (rows.length > 0)
    tx.later(sql`
      ${insertEvents(tx.now, store.id, sql`payment_sessions.id = ${session.id}`, rows)}
      on conflict (store_id, provider, key) do nothing`)
  tx.later(sql`
    with moved as (
      select coalesce(sum(amount) filter (where kind = 'authorized'), 0) as authorized,
        coalesce(sum(amount) filter (where kind = 'captured'), 0) as captured,
        coalesce(sum(amount) filter (where kind = 'refunded'), 0)
          - coalesce(sum(amount) filter (where kind = 'refund_reversed'), 0) as refunded,
        coalesce(sum(amount) filter (where kind = 'dispute_lost'), 0)
          - coalesce(sum(amount) filter (where kind = 'dispute_reversed'), 0) as lost
      from payment_events
      where store_id = ${store.id}
        and id = any(${rows.map(({ id }) => id)}::uuid[])
    )
    update payment_sessions
    set authorized_amount = authorized_amount + moved.authorized,
        captured_amount = captured_amount + moved.captured,
        refunded_amount = refunded_amount + moved.refunded + moved.lost,
        lost_amount = lost_amount + moved.lost,
        capturable_amount = coalesce(${capturable_amount ?? null}::numeric, capturable_amount),
        status = coalesce(${status ?? null}::text, status),
        order_id = coalesce(${order_id ?? null}::uuid, order_id),
        purpose = coalesce(${purpose ?? null}::text, purpose),
        trouble = case when ${trouble !== undefined}::boolean then ${trouble ?? null}::text else trouble end,
        needs_review = coalesce(${needs_review ?? null}::boolean, needs_review),
        look_at = case when ${look_at !== undefined}::boolean then ${look_at ?? null}::timestamptz else look_at end,
        recheck_at = coalesce(${recheck_at ?? null}::timestamptz, recheck_at),
        updated_at = ${tx.now}
    from moved
    where store_id = ${store.id}
      and payment_sessions.id = ${session.id}`)
}

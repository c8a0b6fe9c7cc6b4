// The events of payments are only ever added, and the amounts of a payment are their sums.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql, type Sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import type { EventKind } from './payment.ts'

export type NewPaymentEvent = { kind: EventKind; amount: Decimal.Value; key?: string; reason?: string | null }

/** Appends the events to each payment of the condition, with its provider and currency. */
export function insertEvents(
  now: Date,
  storeId: string,
  ofPayment: Sql,
  events: readonly (NewPaymentEvent & { id?: string; session_id?: string })[],
): Sql {
  const rows = events.map(({ id = newUuid(), session_id = null, kind, amount, key = id, reason = null }) => {
    return { id, session_id, kind, amount: new Decimal(amount).toString(), key, reason: reason?.slice(0, 500) ?? null }
  })
  const columns = { id: 'uuid', session_id: 'uuid', kind: 'text', amount: 'numeric', key: 'text', reason: 'text' }
  return sql`
      insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, reason, created_at)
      select payment_sessions.store_id, event.id, payment_sessions.id, payment_sessions.provider, event.key, event.kind,
        event.amount, payment_sessions.currency, event.reason, ${now}::timestamptz
      from payment_sessions
      cross join ${records('event', columns, rows)}
      where payment_sessions.store_id = ${storeId}
        and ${ofPayment}`
}

/** Adds to the refunded amounts of a payment, with the events that explain it. */
export function recordRefund(
  tx: Tx,
  storeId: string,
  paymentId: string,
  { refunding = 0, refunded = 0 }: { refunding?: Decimal.Value; refunded?: Decimal.Value },
  events: readonly NewPaymentEvent[],
): void {
  tx.later(sql`
    update payment_sessions
    set refunding_amount = refunding_amount + ${refunding}, refunded_amount = refunded_amount + ${refunded},
        updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${paymentId}`)
  tx.later(insertEvents(tx.now, storeId, sql`payment_sessions.id = ${paymentId}`, events))
}

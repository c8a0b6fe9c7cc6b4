// Releases the authorizations of an order that is cancelled or returned, and ends payments that were asked of its
// customer. The request is recorded here and sent to the provider after the commit.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { requestAfterCommit } from './providerrequests.ts'

/** The time for sending the request after the commit, before the job takes over. */
export const requestPatienceMs = 60_000

/** An order can have several authorized payments: that of its checkout, and those of payment links. */
export async function releaseAuthorizations(tx: Tx, storeId: string, orderId: string): Promise<void> {
  const held = await tx.rows<{ session_id: string }>(sql`
    select id as session_id
    from payment_sessions
    where store_id = ${storeId}
      and order_id = ${orderId}
      and capturable_amount > 0
      and asked_id is null
    order by id
    for update`)
  if (held.length === 0) return
  const requests = held.map(({ session_id }) => ({ session_id, event_id: newUuid() }))
  tx.later(sql`
    update payment_sessions
    set asked_id = request.event_id, asked_at = ${tx.now}, tries = 0, updated_at = ${tx.now},
        ask_at = ${new Date(tx.now.getTime() + requestPatienceMs)}
    from ${records('request', { session_id: 'uuid', event_id: 'uuid' }, requests)}
    where store_id = ${storeId}
      and id = request.session_id`)
  tx.later(sql`
    insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
    select store_id, asked_id, id, provider, asked_id, 'cancel_asked', capturable_amount, currency,
      ${tx.now}::timestamptz
    from payment_sessions
    where store_id = ${storeId}
      and id = any(${held.map(({ session_id }) => session_id)}::uuid[])`)
  for (const { session_id: id } of held) requestAfterCommit(tx, { of: 'hold', storeId, id }, 'release')
}

/**
 * Ends payments that were asked of the customer: the amount has changed, or the order has ended. The provider is asked
 * after the commit. Money that comes nevertheless counts for the order, or goes back if the order has ended.
 */
export async function endPaymentRequests(tx: Tx, storeId: string, orderId: string): Promise<void> {
  const ended = await tx.rows<{ id: string }>(sql`
    update payment_sessions
    set trouble = 'replaced', look_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${storeId}
      and order_id = ${orderId}
      and checkout_id is null
      and provider <> 'manual'
      and trouble is null
      and status in ('pending', 'requires_action', 'processing')
    returning id`)
  for (const { id } of ended) requestAfterCommit(tx, { of: 'payment', storeId, id }, 'cancel')
}

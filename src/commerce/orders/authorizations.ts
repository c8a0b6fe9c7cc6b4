// Releases the authorization of an order that is cancelled or returned. The request is recorded here and sent to the
// provider after the commit.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { requestAfterCommit } from './providerrequests.ts'

/** The time for sending the request after the commit, before the job takes over. */
export const requestPatienceMs = 60_000

/** An order has at most one authorized payment: others of its checkout were replaced. */
export async function releaseAuthorization(tx: Tx, storeId: string, orderId: string): Promise<void> {
  const id = newUuid()
  const [request] = await tx.rows<{ session_id: string }>(sql`
    with asked as (
      update payment_sessions
      set asked_id = ${id}, asked_at = ${tx.now}, tries = 0, updated_at = ${tx.now},
          ask_at = ${new Date(tx.now.getTime() + requestPatienceMs)}
      where store_id = ${storeId}
        and id = (
          select id from payment_sessions
          where store_id = ${storeId}
            and order_id = ${orderId}
            and capturable_amount > 0
          limit 1)
        and asked_id is null
      returning id, store_id, provider, currency, capturable_amount
    )
    insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
    select store_id, ${id}::uuid, id, provider, ${id}, 'cancel_asked', capturable_amount, currency,
      ${tx.now}::timestamptz
    from asked
    returning session_id`)
  if (request) requestAfterCommit(tx, { of: 'hold', storeId, id: request.session_id }, 'release')
}

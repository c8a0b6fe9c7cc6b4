// Money that is held for an order, as a provider that nobody reaches has said: what is asked of it stays asked.
import { sql } from '../src/kit/database/sql.ts'
import { newUuid, toUuid } from '../src/kit/values/ids.ts'
import type { World } from './world.ts'

/** All that the order costs. `orderId`: its public id. */
export async function holdMoney({ app }: World, storeId: string, orderId: string): Promise<void> {
  const id = newUuid()
  await app.db.transaction(async (tx) => {
    tx.later(sql`
      insert into payment_sessions (store_id, id, order_id, method, provider, reference, status, purpose, amount,
        currency, authorized_amount, capturable_amount, created_at, updated_at)
      select store_id, ${id}, id, 'card', 'sandbox', 'cs_' || id, 'authorized', 'order', total, currency,
        total, total, created_at, updated_at
      from orders
      where store_id = ${storeId}
        and id = ${toUuid('ord', orderId)!}`)
    tx.later(sql`
      insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
      select store_id, ${newUuid()}::uuid, id, provider, id || ' authorized', 'authorized', amount, currency, created_at
      from payment_sessions
      where store_id = ${storeId}
        and id = ${id}`)
  })
}

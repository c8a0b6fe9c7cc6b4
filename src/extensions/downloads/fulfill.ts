// What is not shipped is fulfilled once its files and keys are handed out: nobody has to send it.
import type { Tx } from '../../kit/database/database.ts'
import { inStore, sql } from '../../kit/database/sql.ts'
import { createFulfillment } from '../../commerce/fulfillments/operations.ts'
import { fulfillable } from '../../commerce/orders/unsent.ts'
import { undoneStatuses } from '../../commerce/orders/states.ts'
import { requireStore } from '../../tenancy/stores/store.ts'

type GrantedItem = { order_id: string; item_id: string; quantity: number }

/** `orderIds` are uuids. Items that wait for keys stay as they are. */
export async function fulfillGranted(tx: Tx, storeId: string, orderIds: readonly string[]): Promise<void> {
  const granted = sql`
    select order_items.order_id, order_items.id as item_id, ${fulfillable} as quantity
    from order_items
    join orders on orders.store_id = ${storeId}
      and orders.id = order_items.order_id
    where order_items.store_id = ${storeId}
      and order_items.order_id = any(${orderIds}::uuid[])
      and not order_items.requires_shipping
      and ${fulfillable} > 0
      and orders.payment_status = 'paid'
      and orders.status <> all(${undoneStatuses})
      and (
        select bool_and(missing_keys = 0)
        from downloads_grants
        where downloads_grants.store_id = ${storeId}
          and downloads_grants.order_id = order_items.order_id
          and downloads_grants.item_id = order_items.id)
    order by order_items.order_id, order_items.id`
  const items = await tx.rows<GrantedItem>(inStore(storeId, granted))
  if (items.length === 0) return
  const store = await requireStore({ db: tx }, storeId)
  for (const [orderId, own] of Map.groupBy(items, ({ order_id }) => order_id)) {
    const pieces = own.map(({ item_id, quantity }) => ({ item_id, quantity }))
    await createFulfillment(tx, store, orderId, { items: pieces, delivered_at: tx.now })
  }
}

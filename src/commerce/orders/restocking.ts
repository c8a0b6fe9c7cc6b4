// The units that come back to stock when an order is cancelled or returned as a whole.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { restock, type Movement } from '../inventory/stock.ts'

/**
 * Those that left, and were neither shipped nor refunded: a refund has restocked its units, or kept them out. Those of
 * a pending one are restocked at once. What was shipped comes back by a return, which knows its condition. Products
 * that are deleted, or have variants now, are skipped.
 */
export async function restockOrder(
  tx: Tx,
  storeId: string,
  orderId: string,
  cause: { reason: string; actor: Actor },
): Promise<void> {
  const units = await tx.rows<Movement>(sql`
    select product_id, variant_id,
      greatest(0, quantity - fulfilled_quantity - coalesce(refunded.units, 0))::int as quantity
    from order_items
    left join (
      select refund_items.item_id, sum(refund_items.quantity - refund_items.returned) as units
      from refund_items
      join refunds on refunds.store_id = ${storeId}
        and refunds.id = refund_items.refund_id
      where refund_items.store_id = ${storeId}
        and refund_items.order_id = ${orderId}
        and case when refunds.restock then refunds.status = 'succeeded'
          else refunds.status <> 'failed' and not refunds.leaves_stock end
      group by refund_items.item_id) as refunded on refunded.item_id = order_items.id
    where order_items.store_id = ${storeId}
      and order_id = ${orderId}
      and product_id is not null`)
  await restock(tx, storeId, units, { ...cause, order_id: orderId })
}

/** Restocks refunded units, but none that another refund has kept out. */
export async function restockRefunded(
  tx: Tx,
  storeId: string,
  units: readonly Movement[],
  cause: { reason: string; actor: Actor; order_id: string },
): Promise<void> {
  const lost = await tx.rows<Movement>(sql`
    select product_id, variant_id, sum(refund_items.quantity - refund_items.returned)::int as quantity
    from refund_items
    join refunds on refunds.store_id = ${storeId}
      and refunds.id = refund_items.refund_id
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = refund_items.order_id
      and order_items.id = refund_items.item_id
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${cause.order_id}
      and refunds.status <> 'failed'
      and not refunds.restock
      and not refunds.leaves_stock
      and product_id is not null
    group by product_id, variant_id`)
  await restock(tx, storeId, units, cause, lost)
}

// The units that return to stock when an order is cancelled, returned or refunded.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { parseActor, moveStock, restock, type Movement } from '../inventory/stock.ts'
import type { ItemPart } from './item.ts'
import { listStock } from './parts.ts'
import { undoneStatuses } from './states.ts'

/** Each item joined with what it has from stock: the parts of its bundle, or its own product. */
const fromStock = sql`
    cross join lateral (
      select part.product_id, part.variant_id, part.quantity
      from jsonb_to_recordset(order_items.parts) as part (product_id uuid, variant_id uuid, quantity int)
      union all
      select order_items.product_id, order_items.variant_id, 1
      where order_items.parts is null) as stocked`

/**
 * The units taken from stock that were neither shipped nor refunded: a refund restocked or kept out its own. Those of
 * a pending refund are restocked at once. Shipped units come back by a return, which knows their condition. Products
 * that were deleted, or that have variants now, are skipped.
 */
export async function restockOrder(
  tx: Tx,
  storeId: string,
  orderId: string,
  cause: { reason: string; actor: Actor },
): Promise<void> {
  const units = await tx.rows<Movement>(sql`
    select stocked.product_id, stocked.variant_id,
      (greatest(0, order_items.quantity - fulfilled_quantity - coalesce(refunded.units, 0))
        * stocked.quantity)::int as quantity
    from order_items
    ${fromStock}
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
      and order_items.product_id is not null`)
  await restock(tx, storeId, units, { ...cause, order_id: orderId })
}

export type RefundedUnits = Movement & { item_id: string; parts: ItemPart[] | null }

/** Restocks refunded units, except those that another refund kept out or that an undone refund left in stock. */
export async function restockRefunded(
  tx: Tx,
  storeId: string,
  refundId: string,
  units: readonly RefundedUnits[],
  cause: { reason: string; actor: Actor; order_id: string },
): Promise<void> {
  const [losses, keptCounts] = await Promise.all([
    tx.rows<Movement>(sql`
      select stocked.product_id, stocked.variant_id,
        sum((refund_items.quantity - refund_items.returned) * stocked.quantity)::int as quantity
      from refund_items
      join refunds on refunds.store_id = ${storeId}
        and refunds.id = refund_items.refund_id
      join order_items on order_items.store_id = ${storeId}
        and order_items.order_id = refund_items.order_id
        and order_items.id = refund_items.item_id
      ${fromStock}
      where refund_items.store_id = ${storeId}
        and refund_items.order_id = ${cause.order_id}
        and refunds.status <> 'failed'
        and not refunds.restock
        and not refunds.leaves_stock
        and order_items.product_id is not null
      group by stocked.product_id, stocked.variant_id`),
    takeOver(tx, storeId, refundId, cause.order_id),
  ])
  const remaining = units.flatMap(({ item_id, ...unit }) =>
    listStock({ ...unit, quantity: unit.quantity - (keptCounts.get(item_id) ?? 0) }),
  )
  await restock(tx, storeId, remaining, cause, losses)
}

/** The units of the refund that an undone one has left in stock, by item. */
async function takeOver(tx: Tx, storeId: string, refundId: string, orderId: string): Promise<Map<string, number>> {
  const rows = await tx.rows<{ item_id: string; units: number }>(sql`
    update refund_items
    set kept_in_stock = -least(quantity, kept.units)
    from (
      select item_id, sum(kept_in_stock) as units
      from refund_items
      where store_id = ${storeId}
        and order_id = ${orderId}
      group by item_id
      having sum(kept_in_stock) > 0) as kept
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = ${refundId}
      and refund_items.item_id = kept.item_id
    returning refund_items.item_id, -kept_in_stock as units`)
  return new Map(rows.map(({ item_id, units }) => [item_id, units]))
}

type UndoneUnits = Movement & {
  item_id: string
  refund_id: string
  actor: string
  /** Units in one bundle; 1 for any other product. */
  per_unit: number
  unsent: number
  restocked: number
}

/**
 * Takes units of undone refunds from stock again, as they are to be sent again. Those that were sold meanwhile, or that
 * the buyer had sent back, stay as they are, and no later refund restocks them.
 */
export async function takeRefundedAgain(
  tx: Tx,
  storeId: string,
  orderId: string,
  refundIds: readonly string[],
): Promise<void> {
  const rows = await tx.rows<UndoneUnits>(sql`
    select refund_items.refund_id, refund_items.item_id, stocked.product_id, stocked.variant_id,
      refund_items.quantity, refunds.actor, stocked.quantity as per_unit,
      case when orders.status = any(${undoneStatuses}) then 0
        else (refund_items.quantity - refund_items.returned) * stocked.quantity end as unsent,
      coalesce((
        select sum(moved.quantity)
        from inventory_transactions as moved
        where moved.store_id = ${storeId}
          and moved.order_id = ${orderId}
          and moved.product_id = stocked.product_id
          and moved.variant_id is not distinct from stocked.variant_id
          and moved.quantity > 0), 0)::int as restocked
    from refund_items
    join refunds on refunds.store_id = ${storeId}
      and refunds.id = refund_items.refund_id
    join orders on orders.store_id = ${storeId}
      and orders.id = refund_items.order_id
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = refund_items.order_id
      and order_items.id = refund_items.item_id
    ${fromStock}
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = any(${refundIds}::uuid[])
      and refunds.restock
      and order_items.product_id is not null
    order by refund_items.item_id`)
  if (rows.length === 0) return
  const takenByItem = new Map<string, number>()
  const movements = rows.map(({ product_id, variant_id, unsent, restocked }) => {
    const item = `${product_id} ${variant_id}`
    const before = takenByItem.get(item) ?? 0
    const units = Math.min(unsent, restocked - before)
    takenByItem.set(item, before + units)
    return { product_id, variant_id, quantity: -units }
  })
  const cause = { reason: 'refund_failed', actor: parseActor(rows[0]!.actor), order_id: orderId }
  const refusals = new Set(await moveStock(tx, storeId, movements, cause))
  const restocks = countKept(
    rows,
    movements.map(({ quantity }, index) => (refusals.has(index) ? 0 : -quantity)),
  )
  tx.later(sql`
    update refund_items
    set kept_in_stock = kept_in_stock + kept.units
    from ${records('kept', { refund_id: 'uuid', item_id: 'uuid', units: 'int' }, restocks)}
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = kept.refund_id
      and refund_items.item_id = kept.item_id`)
}

/** The units of each refunded item that stay in stock: of a bundle, as many as of the part that stays most often. */
function countKept(rows: readonly UndoneUnits[], taken: readonly number[]) {
  const kept = rows.map(({ refund_id, item_id, quantity, per_unit }, index) => {
    return { refund_id, item_id, units: quantity - Math.floor(taken[index]! / per_unit) }
  })
  const byItem = Map.groupBy(kept, ({ refund_id, item_id }) => `${refund_id} ${item_id}`)
  return [...byItem.values()].map((parts) => ({ ...parts[0]!, units: Math.max(...parts.map(({ units }) => units)) }))
}

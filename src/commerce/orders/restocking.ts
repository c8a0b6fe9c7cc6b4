// The units that return to stock when an order is cancelled, returned or refunded.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql, type Sql } from '../../kit/database/sql.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { parseActor, moveStock, restock, type Movement } from '../inventory/stock.ts'
import { storedPart, type ItemPart } from './item.ts'
import { listStock } from './parts.ts'
import { undoneStatuses } from './states.ts'

/** Each item joined with what it has from stock: the parts of its bundle, or its own product. */
const fromStock = sql`
    cross join lateral (
      select part.product_id, part.variant_id, part.quantity, position - 1 as part
      from rows from (
        jsonb_to_recordset(order_items.parts) as (product_id uuid, variant_id uuid, quantity int)
      ) with ordinality as part (product_id, variant_id, quantity, position)
      union all
      select order_items.product_id, order_items.variant_id, 1, null
      where order_items.parts is null) as stocked`

/** As above, of each piece of a refund: of units of a part, that part alone. */
const fromStockOfPiece = sql`
    cross join lateral (
      select part.product_id, part.variant_id,
        case when refund_items.part = -1 then part.quantity else 1 end as quantity
      from rows from (
        jsonb_to_recordset(order_items.parts) as (product_id uuid, variant_id uuid, quantity int)
      ) with ordinality as part (product_id, variant_id, quantity, position)
      where refund_items.part in (-1, position - 1)
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
      greatest(0, greatest(0, order_items.quantity - fulfilled_quantity - coalesce(refunded.units, 0))
        * stocked.quantity - coalesce(of_part.units, 0))::int as quantity
    from order_items
    ${fromStock}
    left join (${refundedUnsent(storeId, orderId)}) as refunded on refunded.item_id = order_items.id
      and refunded.part = -1
    left join (${refundedUnsent(storeId, orderId)}) as of_part on of_part.item_id = order_items.id
      and of_part.part = stocked.part
    where order_items.store_id = ${storeId}
      and order_id = ${orderId}
      and order_items.product_id is not null`)
  await restock(tx, storeId, units, { ...cause, order_id: orderId })
}

/** Units of each piece that were refunded before they were shipped, unless their refund left them in stock. */
function refundedUnsent(storeId: string, orderId: string): Sql {
  return sql`
      select refund_items.item_id, refund_items.part, sum(refund_items.quantity - refund_items.returned) as units
      from refund_items
      join refunds on refunds.store_id = ${storeId}
        and refunds.id = refund_items.refund_id
      where refund_items.store_id = ${storeId}
        and refund_items.order_id = ${orderId}
        and case when refunds.restock then refunds.status = 'succeeded'
          else refunds.status <> 'failed' and not refunds.leaves_stock end
      group by refund_items.item_id, refund_items.part`
}

export type RestockedPiece = Movement & { item_id: string; part: number | null; parts: ItemPart[] | null }

/** Restocks refunded units, except those that another refund kept out or that an undone refund left in stock. */
export async function restockRefunded(
  tx: Tx,
  storeId: string,
  refundId: string,
  units: readonly RestockedPiece[],
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
      ${fromStockOfPiece}
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
    listStock({ ...unit, quantity: unit.quantity - (keptCounts.get(keyOfPiece(item_id, unit.part)) ?? 0) }),
  )
  await restock(tx, storeId, remaining, cause, losses)
}

const keyOfPiece = (itemId: string, part: number | null) => `${itemId} ${storedPart(part)}`

/** The units of the refund that an undone one has left in stock, by piece. */
async function takeOver(tx: Tx, storeId: string, refundId: string, orderId: string): Promise<Map<string, number>> {
  const rows = await tx.rows<{ item_id: string; part: number; units: number }>(sql`
    update refund_items
    set kept_in_stock = -least(quantity, kept.units)
    from (
      select item_id, part, sum(kept_in_stock) as units
      from refund_items
      where store_id = ${storeId}
        and order_id = ${orderId}
      group by item_id, part
      having sum(kept_in_stock) > 0) as kept
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = ${refundId}
      and refund_items.item_id = kept.item_id
      and refund_items.part = kept.part
    returning refund_items.item_id, refund_items.part, -kept_in_stock as units`)
  return new Map(rows.map(({ item_id, part, units }) => [keyOfPiece(item_id, part), units]))
}

type UndoneUnits = Movement & {
  item_id: string
  part: number
  refund_id: string
  actor: string
  /** Units in one bundle; 1 for any other product, and for units of a part. */
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
    select refund_items.refund_id, refund_items.item_id, refund_items.part, stocked.product_id, stocked.variant_id,
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
    ${fromStockOfPiece}
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = any(${refundIds}::uuid[])
      and refunds.restock
      and order_items.product_id is not null
    order by refund_items.item_id, refund_items.part`)
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
    from ${records('kept', { refund_id: 'uuid', item_id: 'uuid', part: 'int', units: 'int' }, restocks)}
    where refund_items.store_id = ${storeId}
      and refund_items.order_id = ${orderId}
      and refund_items.refund_id = kept.refund_id
      and refund_items.item_id = kept.item_id
      and refund_items.part = kept.part`)
}

/** The units of each refunded piece that stay in stock: of a bundle, as many as of the part that stays most often. */
function countKept(rows: readonly UndoneUnits[], taken: readonly number[]) {
  const kept = rows.map(({ refund_id, item_id, part, quantity, per_unit }, index) => {
    return { refund_id, item_id, part, units: quantity - Math.floor(taken[index]! / per_unit) }
  })
  const byPiece = Map.groupBy(kept, ({ refund_id, item_id, part }) => `${refund_id} ${item_id} ${part}`)
  return [...byPiece.values()].map((parts) => ({ ...parts[0]!, units: Math.max(...parts.map(({ units }) => units)) }))
}

// Every movement of stock goes through here: the quantity and its inventory_transactions row change together.
import type { Tx } from '../kit/database.ts'
import { newUuid } from '../kit/ids.ts'
import type { Actor } from '../kit/route.ts'
import { sql } from '../kit/sql.ts'

/** quantity: signed pieces; variant_id null moves the product's own stock. */
export type Movement = { product_id: string; variant_id: string | null; quantity: number }

export type MovementCause = { reason: string; actor: Actor; order_id?: string | null }

export type MoveOptions = {
  /** Leave untracked items alone, as sales do; an adjustment moves them too. */
  trackedOnly?: boolean
  /** Let the stock fall below zero although the item does not continue selling. */
  belowZero?: boolean
}

/**
 * Moves the stock of several items of one store, each by one conditional statement's row: either it ends at zero or
 * above, or the item continues selling, or it stays as it is. Answers the indexes of `movements` that were refused;
 * the caller throws, and the transaction takes everything back.
 */
export async function moveStock(
  tx: Tx, storeId: string, movements: readonly Movement[], cause: MovementCause, options: MoveOptions = {},
): Promise<number[]> {
  const merged = mergeByItem(movements)
  const [products, variants] = [merged.filter(({ variant_id }) => !variant_id), merged.filter(({ variant_id }) => variant_id)]
  const [refusedProducts, refusedVariants] = await Promise.all([
    products.length > 0 ? moveProducts(tx, storeId, products, cause, options) : [],
    variants.length > 0 ? moveVariants(tx, storeId, variants, cause, options) : [],
  ])
  return [...refusedProducts, ...refusedVariants]
}

type Merged = Movement & { indexes: number[] }

/** One row an item: an update would otherwise see only one of two lines. In order of id, so that writers queue alike. */
function mergeByItem(movements: readonly Movement[]): Merged[] {
  const byItem = new Map<string, Merged>()
  movements.forEach((movement, index) => {
    const item = `${movement.product_id} ${movement.variant_id ?? ''}`
    const known = byItem.get(item)
    if (known) {
      known.quantity += movement.quantity
      known.indexes.push(index)
    } else byItem.set(item, { ...movement, indexes: [index] })
  })
  return [...byItem.values()]
    .filter(({ quantity }) => quantity !== 0)
    .sort((a, b) => (a.variant_id ?? a.product_id).localeCompare(b.variant_id ?? b.product_id))
}

async function moveProducts(
  tx: Tx, storeId: string, items: Merged[], cause: MovementCause, { trackedOnly = false, belowZero = false }: MoveOptions,
): Promise<number[]> {
  const moved = await tx.rows<{ product_id: string }>(sql`
    with wanted as (
      select * from unnest(${items.map((item) => item.product_id)}::uuid[], ${items.map((item) => item.quantity)}::int[],
        ${items.map(() => newUuid())}::uuid[]) as wanted (product_id, quantity, id)
    ), moved as (
      update products
      set stock_quantity = stock_quantity + wanted.quantity, updated_at = ${tx.now}
      from wanted
      where products.store_id = ${storeId}
        and products.id = wanted.product_id
        and products.variant_count = 0
        and (products.track_inventory or not ${trackedOnly})
        and (products.stock_quantity + wanted.quantity >= 0 or wanted.quantity > 0 or ${belowZero}
          or products.continue_selling)
      returning wanted.id, wanted.product_id, wanted.quantity, products.stock_quantity
    ), recorded as (
      insert into inventory_transactions
        (store_id, id, product_id, variant_id, quantity, stock_after, reason, order_id, actor, created_at)
      select ${storeId}, id, product_id, null, quantity, stock_quantity, ${cause.reason}::text,
        ${cause.order_id ?? null}::uuid, ${actorText(cause.actor)}::text, ${tx.now}::timestamptz
      from moved
    )
    select product_id from moved
    union all
    select products.id from products
    where products.store_id = ${storeId}
      and products.id = any(${items.map((item) => item.product_id)}::uuid[])
      and ${trackedOnly}
      and not products.track_inventory`)
  const done = new Set(moved.map(({ product_id }) => product_id))
  return items.filter((item) => !done.has(item.product_id)).flatMap(({ indexes }) => indexes)
}

/** A product's stock is the sum of its variants': both move. */
async function moveVariants(
  tx: Tx, storeId: string, items: Merged[], cause: MovementCause, { trackedOnly = false, belowZero = false }: MoveOptions,
): Promise<number[]> {
  const moved = await tx.rows<{ variant_id: string }>(sql`
    with wanted as (
      select * from unnest(${items.map((item) => item.product_id)}::uuid[], ${items.map((item) => item.variant_id)}::uuid[],
        ${items.map((item) => item.quantity)}::int[], ${items.map(() => newUuid())}::uuid[])
        as wanted (product_id, variant_id, quantity, id)
    ), moved as (
      update variants
      set stock_quantity = stock_quantity + wanted.quantity, updated_at = ${tx.now}
      from wanted
      where variants.store_id = ${storeId}
        and variants.id = wanted.variant_id
        and variants.product_id = wanted.product_id
        and (variants.manage_inventory or not ${trackedOnly})
        and (variants.stock_quantity + wanted.quantity >= 0 or wanted.quantity > 0 or ${belowZero}
          or variants.continue_selling_when_out_of_stock)
      returning wanted.id, wanted.product_id, wanted.variant_id, wanted.quantity, variants.stock_quantity
    ), summed as (
      update products
      set stock_quantity = products.stock_quantity + change.quantity, updated_at = ${tx.now}
      from (select product_id, sum(quantity)::int as quantity from moved group by product_id) as change
      where products.store_id = ${storeId}
        and products.id = change.product_id
    ), recorded as (
      insert into inventory_transactions
        (store_id, id, product_id, variant_id, quantity, stock_after, reason, order_id, actor, created_at)
      select ${storeId}, id, product_id, variant_id, quantity, stock_quantity, ${cause.reason}::text,
        ${cause.order_id ?? null}::uuid, ${actorText(cause.actor)}::text, ${tx.now}::timestamptz
      from moved
    )
    select variant_id from moved
    union all
    select variants.id from variants
    where variants.store_id = ${storeId}
      and variants.id = any(${items.map((item) => item.variant_id)}::uuid[])
      and ${trackedOnly}
      and not variants.manage_inventory`)
  const done = new Set(moved.map(({ variant_id }) => variant_id))
  return items.filter((item) => !done.has(item.variant_id!)).flatMap(({ indexes }) => indexes)
}

export function actorText({ kind, id }: Actor): string {
  return `${kind}:${id}`
}

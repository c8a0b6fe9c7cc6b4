// The only place that changes stock: the quantity and its inventory_transactions row change together.
import type { Tx } from '../../kit/database/database.ts'
import { newUuidAt } from '../../kit/values/ids.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { raw, records, sql, type Sql } from '../../kit/database/sql.ts'
import { continuesSelling, isItem } from './availability.ts'

/** `quantity` is signed; a null variant_id means the product's own stock. */
export type Movement = { product_id: string; variant_id: string | null; quantity: number }

export type MovementCause = { reason: string; actor: Actor; order_id?: string | null }

/** The limit for products and variants, above and below zero. */
export const maxStock = 1_000_000_000

/**
 * Changes the stock of several items of a store. An item is refused if it would end below zero and does not continue
 * selling, or if it would exceed the limit, or if it does not exist: a product with variants has no stock of its own,
 * and neither has a bundle.
 * Returns the refused indexes of `movements`; the caller throws, which rolls everything back.
 */
export async function moveStock(
  tx: Tx,
  storeId: string,
  movements: readonly Movement[],
  cause: MovementCause,
): Promise<number[]> {
  const items = mergeByItem(tx, movements)
  if (items.length === 0) return []
  const [, ids] = await Promise.all([lockProducts(tx, storeId, items), moveItems(tx, storeId, items, cause)])
  const movedIds = new Set(ids)
  return items.filter(({ id }) => !movedIds.has(id)).flatMap(({ indexes }) => indexes)
}

/** The stock of an item that is about to be inserted with it. */
export type OpeningStock = Movement & { continues_selling: boolean }

/** The refused indexes of opening stock for a new product and its variants, by the rules of moveStock. */
export function refusedOpenings(openings: readonly OpeningStock[]): number[] {
  const isTooMuch = Math.abs(sumMovementQuantities(openings)) > maxStock
  return openings.flatMap(({ quantity, continues_selling }, index) =>
    isTooMuch || (quantity < 0 && !continues_selling) ? [index] : [],
  )
}

export function sumMovementQuantities(movements: readonly Movement[]): number {
  return movements.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Records the stock with which a new product and its variants were inserted. */
export function recordOpenings(tx: Tx, storeId: string, openings: readonly Movement[], cause: MovementCause): void {
  const items = mergeByItem(tx, openings)
  if (items.length === 0) return
  tx.later(sql`
    insert into inventory_transactions
      (store_id, id, product_id, variant_id, quantity, stock_after, reason, actor, created_at)
    select ${storeId}, id, product_id, variant_id, quantity, quantity, ${cause.reason}, ${actorText(cause.actor)},
      ${tx.now}::timestamptz
    from ${records('opening', { id: 'uuid', product_id: 'uuid', variant_id: 'uuid', quantity: 'int' }, items)}`)
}

/**
 * Restocks items of an order, each up to the quantity that the order took and has not returned yet, without units that
 * were `lost`.
 */
export async function restock(
  tx: Tx,
  storeId: string,
  pieces: readonly Movement[],
  cause: MovementCause & { order_id: string },
  losses: readonly Movement[] = [],
): Promise<void> {
  const sales = await findOrderMovements(tx, storeId, cause.order_id)
  const remaining = mergeByItem(tx, [...sales, ...losses.map((one) => ({ ...one, quantity: -one.quantity }))])
  await moveStock(tx, storeId, limitedReturns(tx, pieces, remaining), cause)
}

/**
 * Moves stock for an order: units that come back are limited to what the order took and has not returned yet. Returns
 * what moveStock refused.
 */
export async function moveStockOfOrder(
  tx: Tx,
  storeId: string,
  movements: readonly Movement[],
  cause: MovementCause & { order_id: string },
): Promise<number[]> {
  const isReturn = ({ quantity }: Movement) => quantity > 0
  const sales = movements.some(isReturn) ? await findOrderMovements(tx, storeId, cause.order_id) : []
  const returns = limitedReturns(tx, movements.filter(isReturn), sales)
  return moveStock(tx, storeId, [...movements.filter((one) => !isReturn(one)), ...returns], cause)
}

function limitedReturns(tx: Tx, pieces: readonly Movement[], sales: readonly Movement[]): Movement[] {
  return mergeByItem(tx, pieces).flatMap(({ product_id, variant_id, quantity }) => {
    const limit = sales.find((item) => item.product_id === product_id && item.variant_id === variant_id)?.quantity ?? 0
    return limit > 0 ? [{ product_id, variant_id, quantity: Math.min(quantity, limit) }] : []
  })
}

function findOrderMovements(tx: Tx, storeId: string, orderId: string): Promise<Movement[]> {
  return tx.rows<Movement>(sql`
    select product_id, variant_id, -sum(quantity)::int as quantity
    from inventory_transactions
    where store_id = ${storeId}
      and order_id = ${orderId}
    group by product_id, variant_id
    having sum(quantity) < 0`)
}

/** `id` becomes the ID of the inventory transaction. */
type StockItem = Movement & { id: string; indexes: number[] }

// Counts the stock changes of a transaction, so that their IDs sort in order.
const movementCounts = new WeakMap<Tx, number>()

/** Merges lines by item, because an update changes each row only once. */
function mergeByItem(tx: Tx, movements: readonly Movement[]): StockItem[] {
  const byItem = new Map<string, StockItem>()
  const before = movementCounts.get(tx) ?? 0
  movements.forEach((movement, index) => {
    const item = `${movement.product_id} ${movement.variant_id ?? ''}`
    const existing = byItem.get(item)
    if (existing) {
      existing.quantity += movement.quantity
      existing.indexes.push(index)
    } else byItem.set(item, { ...movement, id: newUuidAt(tx.now, before + byItem.size), indexes: [index] })
  })
  movementCounts.set(tx, before + byItem.size)
  return [...byItem.values()].filter(({ quantity }) => quantity !== 0)
}

/**
 * Locks products, whose rows also guard the stock of their variants. Every transaction locks them in the same order,
 * which prevents deadlocks, and the next statement sees what earlier transactions committed.
 */
function lockProducts(tx: Tx, storeId: string, items: StockItem[]): Promise<unknown> {
  return tx.rows(sql`
    select from products
    where store_id = ${storeId}
      and id = any(${[...new Set(items.map(({ product_id }) => product_id))]}::uuid[])
    order by id
    for no key update`)
}

/**
 * Returns the IDs of the items that changed. A product's stock is the sum of its variants' stock, so both change. One
 * server does it in one statement; a distributed database writes nothing in a `with`.
 */
async function moveItems(tx: Tx, storeId: string, items: StockItem[], cause: MovementCause): Promise<string[]> {
  const within = buildAllowed(storeId, items)
  if (tx.isDistributed) {
    const allowed = await tx.rows<AllowedMovement>(sql`
    ${within}
    select id, product_id, variant_id, quantity, stock_after from allowed`)
    const rows = records('allowed', movementColumns, allowed)
    for (const change of buildMovements(tx, storeId, cause, rows)) tx.later(change)
    return allowed.map(({ id }) => id)
  }
  const [variants, products, transactions] = buildMovements(tx, storeId, cause, sql`allowed`)
  const rows = await tx.rows<{ id: string }>(sql`
    ${within}, moved_variants as (${variants}), moved_products as (${products}), recorded as (${transactions})
    select id from allowed`)
  return rows.map(({ id }) => id)
}

type AllowedMovement = Movement & { id: string; stock_after: number }
const movementColumns = { id: 'uuid', product_id: 'uuid', variant_id: 'uuid', quantity: 'int', stock_after: 'int' }

/** `with …, allowed`: the movements after which stock is within its limits. */
function buildAllowed(storeId: string, items: StockItem[]): Sql {
  return sql`with wanted as (
      select * from unnest(${items.map(({ id }) => id)}::uuid[], ${items.map(({ product_id }) => product_id)}::uuid[],
        ${items.map(({ variant_id }) => variant_id)}::uuid[], ${items.map(({ quantity }) => quantity)}::int[])
        as wanted (id, product_id, variant_id, quantity)
    ), known as (
      select wanted.*,
        coalesce(variants.stock_quantity, products.stock_quantity)::bigint + wanted.quantity as stock_after,
        sum(wanted.quantity) over (partition by products.id) + products.stock_quantity as product_stock_after,
        ${continuesSelling} as continues_selling
      from wanted
      join products on products.store_id = ${storeId}
        and products.id = wanted.product_id
      left join variants on variants.store_id = ${storeId}
        and variants.id = wanted.variant_id
        and variants.product_id = products.id
      where ${isItem(sql`wanted.variant_id`)}
        and products.bundle_items is null
        and variants.bundle_items is null
    ), allowed as (
      select * from known
      where (stock_after >= 0 or quantity > 0 or continues_selling)
        and abs(stock_after) <= ${limit}
        and abs(product_stock_after) <= ${limit}
    )`
}

/** The changes of variants, of products, and of the log, for the rows of `allowed`. */
function buildMovements(tx: Tx, storeId: string, cause: MovementCause, allowed: Sql): Sql[] {
  return [
    sql`
      update variants
      set stock_quantity = allowed.stock_after, updated_at = ${tx.now}
      from ${allowed}
      where variants.store_id = ${storeId}
        and variants.id = allowed.variant_id`,
    sql`
      update products
      set stock_quantity = products.stock_quantity + change.quantity, updated_at = ${tx.now}
      from (select product_id, sum(quantity) as quantity from ${allowed} group by product_id) as change
      where products.store_id = ${storeId}
        and products.id = change.product_id`,
    sql`
      insert into inventory_transactions
        (store_id, id, product_id, variant_id, quantity, stock_after, reason, order_id, actor, created_at)
      select ${storeId}, id, product_id, variant_id, quantity, stock_after, ${cause.reason}::text,
        ${cause.order_id ?? null}::uuid, ${actorText(cause.actor)}::text, ${tx.now}::timestamptz
      from ${allowed}`,
  ]
}

const limit = raw(String(maxStock))

export function actorText({ kind, id }: Actor): string {
  return `${kind}:${id}`
}

/** Parses a text written by actorText. */
export function parseActor(text: string): Actor {
  const [kind, id] = text.split(/:(.*)/s) as [Actor['kind'], string]
  return { kind, id }
}

// The load of an order: what its goods weigh, how many there are, and their categories, which prices of shipping and
// conditions of rates depend on.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { namePiece, type LinePart } from './parts.ts'

/** `categories`: the public IDs of the product's category and of those above it. */
type LoadedGoods = { name: string; quantity: number; categories: readonly string[] }

/** `parts`: those of a bundle that are shipped, with their units in all bundles of the line. */
export type LoadedLine = LoadedGoods & { parts: readonly LoadedGoods[] }

/**
 * `weight` is in grams. A product without a weight weighs nothing. `isShipped`: false if none of the goods are shipped;
 * those that are not are left out.
 */
export type Load = { weight: number; pieces: number; lines: readonly LoadedLine[]; isShipped: boolean }

export const emptyLoad: Load = { weight: 0, pieces: 0, lines: [], isShipped: true }

type LoadableLine = {
  product_name: string
  variant_name: string | null
  category_id: string | null
  weight: number | null
  requires_shipping: boolean
  quantity: number
  parts: readonly LinePart[] | null
}

/** Items from before there was a choice are shipped. */
export type MaybeShipped = { requires_shipping?: boolean }

/** False if there are goods, of which none are shipped. A line that cannot be sold counts as shipped. */
export function areAnyShipped(lines: readonly (MaybeShipped | null)[]): boolean {
  return lines.length === 0 || lines.some((line) => line?.requires_shipping !== false)
}

/** Whether the item that a fulfillment names is shipped. */
export function shippedIn(items: readonly (MaybeShipped & { id: string })[]) {
  return ({ item_id }: { item_id: string }): boolean =>
    items.find(({ id }) => id === item_id)?.requires_shipping !== false
}

/** Rates that name categories, in their conditions or prices. */
type RateCategories = { excluded_categories?: readonly string[]; surcharges: readonly unknown[] }

/** Reads categories only where a rate names some and the store has categories below others. */
export async function findLoad(
  db: Db,
  store: Store,
  orderLines: readonly (LoadableLine | null)[],
  rates: readonly RateCategories[],
): Promise<Load> {
  const known = orderLines.filter((line) => line !== null)
  const lines = known.filter(({ requires_shipping }) => requires_shipping)
  const needsCategories = rates.some(
    ({ excluded_categories = [], surcharges }) => excluded_categories.length + surcharges.length > 0,
  )
  const above =
    needsCategories && store.has_subcategories ? await findAncestors(db, store.id, lines) : new Map<string, string[]>()
  const categoriesOf = ({ category_id }: Categorized): string[] => {
    const ids = category_id === null ? [] : [category_id, ...(above.get(category_id) ?? [])]
    return ids.map((id) => publicId('cat', id))
  }
  return {
    weight: lines.reduce((sum, { weight, quantity }) => sum + (weight ?? 0) * quantity, 0),
    pieces: lines.reduce((count, { quantity }) => count + quantity, 0),
    lines: lines.map((line) => ({
      name: line.product_name,
      quantity: line.quantity,
      categories: categoriesOf(line),
      parts: (line.parts ?? []).flatMap((part, index) =>
        part.requires_shipping
          ? { name: namePiece(line, index), quantity: part.quantity * line.quantity, categories: categoriesOf(part) }
          : [],
      ),
    })),
    isShipped: areAnyShipped(known),
  }
}

type Categorized = { category_id: string | null }

async function findAncestors(db: Db, storeId: string, lines: readonly LoadableLine[]): Promise<Map<string, string[]>> {
  const goods: Categorized[] = lines.flatMap((line) => [line, ...(line.parts ?? [])])
  const ids = [...new Set(goods.map(({ category_id }) => category_id).filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; ancestor_ids: string[] }>(sql`
    select id, ancestor_ids
    from categories
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, ancestor_ids }) => [id, ancestor_ids]))
}

// Restores the products of a collection and their order.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { restorePlaces } from '../../commerce/catalog/collectionproducts.ts'
import type { RowChange } from './rowchange.ts'
import type { BlockedChange } from './obstacles.ts'
import type { UndoCall } from '../../tenancy/tables/table.ts'

export const placements = 'collection_products'

/** The row may be missing either before or after the change. */
export function getCollectionId({ before, after }: RowChange): string {
  return String((after ?? before)!.collection_id)
}

/** Records that this undo restores, which no later write can have changed. */
export type RestoredPlacement = { collections: ReadonlySet<string>; products: ReadonlySet<string> }

type CurrentPlacement = { product_id: string; position: number }

/** Locks products, then the collection, as all do that touch both. */
export async function placementsOvertaken(
  tx: Tx,
  storeId: string,
  changes: readonly RowChange[],
  { collections, products }: RestoredPlacement,
): Promise<BlockedChange[]> {
  const blocks: BlockedChange[] = []
  for (const [id, ofCollection] of Map.groupBy(changes, getCollectionId)) {
    if (collections.has(id)) continue
    const open = ofCollection.filter((change) => !products.has(change.id))
    if (open.length > 0) blocks.push(...(await overtakenIn(tx, storeId, id, open)))
  }
  return blocks
}

async function overtakenIn(
  tx: Tx,
  storeId: string,
  id: string,
  changes: readonly RowChange[],
): Promise<BlockedChange[]> {
  const [there, knownProduct, current] = await Promise.all([
    tx.rows<{ id: string }>(sql`
      select id from products
      where store_id = ${storeId}
        and id = any(${changes.map((change) => change.id)}::uuid[])
      order by id
      for share`),
    tx.one(sql`
      select id from collections
      where store_id = ${storeId}
        and id = ${id}
      for no key update`),
    tx.rows<CurrentPlacement>(sql`
      select product_id, position from collection_products
      where store_id = ${storeId}
        and collection_id = ${id}`),
  ])
  const places = new Map(current.map(({ product_id, position }) => [product_id, position]))
  const exists = new Set(there.map((one) => one.id))
  return changes.flatMap((change): BlockedChange[] => {
    const { after, id: product } = change
    const block = (reason: BlockedChange['reason']): BlockedChange[] => [{ change, field: null, reason }]
    if (!knownProduct || !exists.has(product)) return block('deleted_since')
    if (after === null) return places.has(product) ? block('there_again') : []
    return places.get(product) === after.position ? [] : block('changed_since')
  })
}

/** Restores the order before the write. Products deleted since then stay out of a restored collection. */
export function restorePlacement({ tx, store }: UndoCall, id: string, changes: readonly RowChange[]): void {
  const before = changes.flatMap((change) =>
    change.before === null ? [] : [{ product_id: change.id, position: Number(change.before.position) }],
  )
  const addedIds = changes.filter((change) => change.before === null).map((change) => change.id)
  restorePlaces(tx, store.id, id, { removed: addedIds, places: before })
}

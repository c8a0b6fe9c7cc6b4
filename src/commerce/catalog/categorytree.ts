// The tree of categories: each knows its ancestors, from the top to its parent. Writes that place a category run one
// after the other in a store, so that two moves cannot make a circle together.
import type { Tx } from '../../kit/database/database.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { followStore } from '../../tenancy/stores/followups.ts'
import { storeChanged, type Store } from '../../tenancy/stores/store.ts'
import { isBelow, maxLevels } from './category.ts'
import { catalogFaults } from './errors.ts'

type TreePlace = { ancestor_ids: string[]; parent_path: string | null }
type PlacedRow = TreePlace & { id: string; slug: string; parent_id: string | null; levels_below: number }

export function lockCategories(tx: Tx, storeId: string): void {
  advisoryLock(tx, `names of categories ${storeId}`)
}

/** The columns of a new category below this parent. */
export async function placeBelow(
  tx: Tx,
  store: Store,
  parentId: string | null | undefined,
): Promise<Partial<TreePlace>> {
  if (!parentId) return {}
  lockCategories(tx, store.id)
  const [parent] = await readPlaces(tx, store.id, [parentId])
  const place = findPlace(parent)
  requireLevels(place, 0)
  noteSubcategories(tx, store, true)
  return place
}

/** The columns of a category that gets another slug or parent. The categories below it follow. */
export async function replaceCategory(
  tx: Tx,
  store: Store,
  id: string,
  { slug, parent_id }: { slug?: string; parent_id?: string | null },
): Promise<Partial<TreePlace>> {
  if (slug === undefined && parent_id === undefined) return {}
  const rows = await readPlaces(tx, store.id, parent_id ? [id, parent_id] : [id])
  const before = rows.find((one) => one.id === id)
  if (!before) return {}
  const isMoved = parent_id !== undefined && parent_id !== before.parent_id
  const parent = rows.find((one) => one.id === parent_id)
  if (isMoved && parent && (parent.id === id || parent.ancestor_ids.includes(id))) {
    throw invalid(fault('parent_id', catalogFaults.below_itself))
  }
  const after = !isMoved ? before : parent_id === null ? top : findPlace(parent)
  if (isMoved) requireLevels(after, before.levels_below)
  if (before.levels_below > 0) moveSubtree(tx, store.id, before, { ...after, slug: slug ?? before.slug })
  if (isMoved) noteSubcategories(tx, store, parent_id !== null)
  return isMoved ? { ancestor_ids: after.ancestor_ids, parent_path: after.parent_path } : {}
}

/** The children of a category that is deleted move to its parent. */
export function releaseChildren(tx: Tx, store: Store, id: string): void {
  const path = sql`coalesce(above.parent_path || '/', '') || above.slug`
  tx.later(sql`
    update categories
    set parent_id = case when categories.parent_id = above.id then above.parent_id else categories.parent_id end,
      ancestor_ids = array_remove(categories.ancestor_ids, above.id),
      parent_path = nullif(ltrim(
        coalesce(above.parent_path, '') || substr(categories.parent_path, length(${path}) + 1), '/'), ''),
      updated_at = ${tx.now}
    from categories as above
    where categories.store_id = ${store.id}
      and ${isBelow(sql`array[${id}::uuid]`)}
      and above.store_id = ${store.id}
      and above.id = ${id}`)
  noteSubcategories(tx, store, false)
}

const top: TreePlace = { ancestor_ids: [], parent_path: null }

function readPlaces(tx: Tx, storeId: string, ids: readonly string[]): Promise<PlacedRow[]> {
  return tx.rows<PlacedRow>(sql`
    select id, slug, parent_id, ancestor_ids, parent_path,
      coalesce((
        select max(cardinality(categories.ancestor_ids))
        from categories
        where categories.store_id = ${storeId}
          and ${isBelow(sql`array[placed.id]`)}) - cardinality(ancestor_ids), 0) as levels_below
    from categories as placed
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
}

function findPlace(parent: PlacedRow | undefined): TreePlace {
  if (!parent) throw invalid(fault('parent_id', generalFaults.does_not_exist))
  return { ancestor_ids: [...parent.ancestor_ids, parent.id], parent_path: joinPath(parent) }
}

function joinPath({ parent_path, slug }: Pick<PlacedRow, 'parent_path' | 'slug'>): string {
  return parent_path === null ? slug : `${parent_path}/${slug}`
}

function requireLevels({ ancestor_ids }: TreePlace, levelsBelow: number): void {
  if (ancestor_ids.length + 1 + levelsBelow <= maxLevels) return
  throw invalid(fault('parent_id', catalogFaults.too_many_levels, { limit: maxLevels }))
}

function moveSubtree(tx: Tx, storeId: string, before: PlacedRow, after: TreePlace & { slug: string }): void {
  tx.later(sql`
    update categories
    set ancestor_ids = ${after.ancestor_ids}::uuid[] || ancestor_ids[${before.ancestor_ids.length + 1}:],
      parent_path = ${joinPath(after)} || substr(parent_path, ${joinPath(before).length + 1}),
      updated_at = ${tx.now}
    where store_id = ${storeId}
      and ${isBelow(sql`array[${before.id}::uuid]`)}`)
}

/** Lists and pages ask for subcategories only where a store has some: the first and the last are noted. */
function noteSubcategories(tx: Tx, store: Store, hasSome: boolean): void {
  if (store.has_subcategories === hasSome) return
  followStore(tx, store.id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
}

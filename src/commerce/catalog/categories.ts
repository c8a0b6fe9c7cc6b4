// Operations on categories.
import type { Tx } from '../../kit/database/database.ts'
import { notFound } from '../../kit/values/errors.ts'
import type { Create, Entity, Patch } from '../../kit/declare/field.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, type RecordOf } from '../../kit/declare/resource.ts'
import { nameKey } from '../../kit/values/names.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { moveCounters, insertCounted } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { category } from './category.ts'
import { lockCategories, placeBelow, releaseChildren, replaceCategory } from './categorytree.ts'
import { insertGroup } from './groups.ts'
import { duplicateErrors, keepSlug } from './slugs.ts'

type Category = Entity<typeof category.fields>

export async function createCategory(
  tx: Tx,
  store: Store,
  values: Create<typeof category.fields>,
  origin?: RecordOrigin,
): Promise<RecordOf<Category>> {
  const place = await placeBelow(tx, store, values.parent_id)
  const insert = () => insertGroup(tx, store, category, values, { origin, columns: place })
  const [row] = await insertCounted(tx, store, 'categories', insert)
  return category.record(row!)
}

export async function updateCategory(
  tx: Tx,
  store: Store,
  id: string,
  patch: Patch<typeof category.fields>,
): Promise<RecordOf<Category>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, category, store.id, id)
  lockCategories(tx, store.id)
  const place = await replaceCategory(tx, store, id, patch)
  if (patch.slug) keepSlug(tx, store.id, 'categories', id, patch.slug)
  const [row] = await tx.texts(
    sql`
    update categories
    set ${assignments(category, patch, { ...buildNameKey(patch), ...place, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${category.columns}`,
    duplicateErrors('categories', category.noun, patch),
  )
  if (!row) throw notFound(category.noun)
  return category.record(row)
}

/** An unchanged name keeps its key: of duplicates from before keys existed, one has a different key. */
function buildNameKey({ name }: { name?: string }): { name_key?: Sql } {
  return name === undefined
    ? {}
    : { name_key: sql`case when name = ${name} then name_key else ${nameKey(name)}::text end` }
}

/** Products of the category stay, without a category; categories below it move up. */
export async function deleteCategory(tx: Tx, store: Store, id: string): Promise<void> {
  lockCategories(tx, store.id)
  // Locks products, then the category, then counters, in the same order as other operations, to prevent deadlocks.
  tx.later(sql`
    select from products
    where store_id = ${store.id}
      and category_id = ${id}
    order by id
    for no key update`)
  tx.later(sql`
    update products
    set category_id = null
    where store_id = ${store.id}
      and category_id = ${id}`)
  releaseChildren(tx, store, id)
  await remove(tx, category, store.id, id)
  moveCounters(tx, store.id, { categories: -1 })
}

/** Puts products back into a category that was deleted and is there again, without an event for each. */
export function restoreCategory(tx: Tx, storeId: string, id: string, productIds: readonly string[]): void {
  tx.later(sql`
    update products
    set category_id = ${id}
    where store_id = ${storeId}
      and id = any(${productIds}::uuid[])`)
}

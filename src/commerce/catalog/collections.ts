// Operations on collections.
import type { Tx } from '../../kit/database/database.ts'
import { notFound } from '../../kit/values/errors.ts'
import type { Create, Patch } from '../../kit/declare/field.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, type RecordOf } from '../../kit/declare/resource.ts'
import { nameKey } from '../../kit/values/names.ts'
import { sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { countUpTo, moveCounters } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { collection, type Collection } from './collection.ts'
import { insertGroup } from './groups.ts'
import { duplicateErrors, keepSlug } from './slugs.ts'

/** The maximum number of collections in a store. */
const maxCollections = 1000

export async function createCollection(
  tx: Tx,
  store: Store,
  values: Create<typeof collection.fields>,
  origin?: RecordOrigin,
): Promise<RecordOf<Collection>> {
  const [row] = await insertGroup(tx, store, collection, values, { origin })
  countUpTo(tx, store.id, 'collections', maxCollections)
  return collection.record(row!)
}

export async function updateCollection(
  tx: Tx,
  store: Store,
  id: string,
  patch: Patch<typeof collection.fields>,
): Promise<RecordOf<Collection>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, collection, store.id, id)
  advisoryLock(tx, `names of collections ${store.id}`)
  if (patch.slug) keepSlug(tx, store.id, 'collections', id, patch.slug)
  const key = patch.name === undefined ? {} : { name_key: nameKey(patch.name) }
  const [row] = await tx.texts(
    sql`
    update collections
    set ${assignments(collection, patch, { ...key, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${collection.columns}`,
    duplicateErrors('collections', collection.noun, patch),
  )
  if (!row) throw notFound(collection.noun)
  return collection.record(row)
}

/** Products of the collection stay. */
export async function deleteCollection(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, collection, store.id, id)
  moveCounters(tx, store.id, { collections: -1 })
}

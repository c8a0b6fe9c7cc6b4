import type { Tx } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import type { Entity, Fields } from './field.ts'
import { findRecord, loadRecord } from './page.ts'
import { assignments, type RecordOf, type ResourceOf } from './resource.ts'

/** Changes one record of a store, or NOT_FOUND. Without a change it stays as it is. */
export async function updateRecord<F extends Fields>(
  tx: Tx,
  resource: ResourceOf<F>,
  storeId: string,
  id: string,
  patch: object,
): Promise<RecordOf<Entity<F>>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, resource, storeId, id)
  const [row] = await tx.texts(sql`
    update ${raw(resource.table)}
    set ${assignments(resource, patch, { updated_at: tx.now })}
    where store_id = ${storeId}
      and id = ${id}
    returning ${resource.columns}`)
  return loadRecord(tx, resource, storeId, row)
}

import type { Tx } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import type { ConstraintErrors } from '../database/errors.ts'
import { notFound } from '../values/errors.ts'
import type { AnyResource } from './resource.ts'

/** Deletes one record of a store, or NOT_FOUND. */
export async function remove(
  tx: Tx,
  { table, noun }: Pick<AnyResource, 'table' | 'noun'>,
  storeId: string,
  id: string,
  refusals: ConstraintErrors = {},
): Promise<void> {
  const [row] = await tx.rows(
    sql`
    delete from ${raw(table)}
    where store_id = ${storeId}
      and id = ${id}
    returning id`,
    refusals,
  )
  if (!row) throw notFound(noun)
}

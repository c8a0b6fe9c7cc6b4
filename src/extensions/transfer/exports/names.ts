// Names of related records in the columns of an export.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'

/** The slugs or names of some records. */
export async function listRecordNames(
  db: Db,
  storeId: string,
  { table, by }: { table: string; by: string },
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select id, ${raw(by)} as name
    from ${raw(table)}
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

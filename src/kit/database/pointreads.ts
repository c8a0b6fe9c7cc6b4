// Point reads: one record of one store, read together with others of the same table.
import type { RowTexts } from './exchange.ts'
import { batchLoader, type BatchLoader } from './batchloader.ts'
import { raw, sql, type Sql } from './sql.ts'

/** A table of stores' records, and the columns to read. */
export type Source = { table: string; columns: Sql }

/** The row of one record of one store, or undefined. */
export type PointRead = (source: Source, storeId: string, id: string) => Promise<RowTexts | undefined>

type Reads = { texts(query: Sql): Promise<RowTexts[]> }
type RecordKey = { storeId: string; id: string }

export function openPointReads(db: Reads): PointRead {
  const readers = new Map<Source, BatchLoader<RecordKey, RowTexts | undefined>>()
  return (source, storeId, id) => {
    let read = readers.get(source)
    if (!read) readers.set(source, (read = batchLoader((together) => readAll(db, source, together))))
    return read({ storeId, id })
  }
}

async function readAll(
  db: Reads,
  { table: name, columns }: Source,
  readers: RecordKey[],
): Promise<(RowTexts | undefined)[]> {
  const table = raw(name)
  const rows = await db.texts(sql`
    select ${columns}, requested.position
    from unnest(${readers.map(({ storeId }) => storeId)}::text[], ${readers.map(({ id }) => id)}::uuid[])
      with ordinality as requested (store_id, id, position)
    join ${table} on ${table}.store_id = requested.store_id and ${table}.id = requested.id`)
  const byPosition = new Map(rows.map((row) => [Number(row.at(-1)), row]))
  return readers.map((_, index) => byPosition.get(index + 1))
}

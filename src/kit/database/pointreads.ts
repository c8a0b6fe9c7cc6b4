// Point reads: one record of one store, read together with others of the same table.
import type { RowTexts } from './exchange.ts'
import { batchLoader, type BatchLoader } from './batchloader.ts'
import { inStore, raw, sql, type Sql } from './sql.ts'

/** A table of stores' records, and the columns to read of one. */
export type Source = { table: string; columnsOfOne: Sql }

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

async function readAll(db: Reads, source: Source, readers: RecordKey[]): Promise<(RowTexts | undefined)[]> {
  const [{ storeId }] = readers as [RecordKey]
  const isOfOne = readers.every((reader) => reader.storeId === storeId)
  const rows = await db.texts(isOfOne ? ofStore(source, storeId, readers) : ofStores(source, readers))
  const byPosition = new Map(rows.map((row) => [Number(row.at(-1)), row]))
  return readers.map((_, index) => byPosition.get(index + 1))
}

function ofStore({ table: name, columnsOfOne }: Source, storeId: string, readers: RecordKey[]): Sql {
  const table = raw(name)
  const query = sql`
    select ${columnsOfOne}, requested.position
    from unnest(${readers.map(({ id }) => id)}::uuid[]) with ordinality as requested (id, position)
    join ${table} on ${table}.store_id = ${storeId} and ${table}.id = requested.id`
  return inStore(storeId, query)
}

function ofStores({ table: name, columnsOfOne }: Source, readers: RecordKey[]): Sql {
  const table = raw(name)
  return sql`
    select ${columnsOfOne}, requested.position
    from unnest(${readers.map(({ storeId }) => storeId)}::text[], ${readers.map(({ id }) => id)}::uuid[])
      with ordinality as requested (store_id, id, position)
    join ${table} on ${table}.store_id = requested.store_id and ${table}.id = requested.id`
}

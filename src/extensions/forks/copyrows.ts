// Copies rows of a store from one database to another that has the same tables, as they were at one moment. Values that
// are not to be copied are replaced where they are read.
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import {
  fixFormats,
  storeTables,
  buildValueList,
  withoutTriggers,
  writeRows,
  type Replacements,
  type StoreTable,
} from '../../platform/postgres/storerows.ts'
import { name } from '../../platform/postgres/tables.ts'

export type RowsToCopy = {
  storeId: string
  /** In any order. */
  tables: readonly string[]
  replacements: Replacements
}

/** Both clients are in no transaction. If a table has many rows, its indexes are built after them, which is faster. */
export async function copyRows(source: pg.Client, target: pg.Client, rows: RowsToCopy): Promise<void> {
  await source.query('begin isolation level repeatable read read only')
  await target.query('begin')
  await Promise.all([fixFormats(source), fixFormats(target)])
  const tables = await storeTables(target, rows.tables)
  const enableTriggers = await withoutTriggers(target, tables)
  for (const table of tables) {
    const from = `from ${name(table.table)} where ${table.owner} = ${source.escapeLiteral(rows.storeId)}`
    const rebuild = (await isLarge(source, from)) ? await dropTableIndexes(target, table) : []
    const values = buildValueList(table, rows.replacements[table.table])
    await writeRows(target, table, source.query(copyTo(`copy (select ${values} ${from}) to stdout`)))
    for (const statement of rebuild) await target.query(statement)
  }
  await enableTriggers()
  await target.query('commit')
  await source.query('commit')
}

const manyRows = 2000

async function isLarge(source: pg.Client, from: string): Promise<boolean> {
  const { rows } = await source.query<{ count: string }>(
    `select count(*) as count from (select ${from} limit ${manyRows}) as first`,
  )
  return Number(rows[0]!.count) === manyRows
}

/** Drops all indexes except those of constraints. Returns the statements that create them again. */
async function dropTableIndexes(client: pg.Client, { table }: StoreTable): Promise<string[]> {
  const { rows } = await client.query<{ index: string; definition: string }>(
    `select indexrelid::regclass::text as index, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = $1::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  for (const { index } of rows) await client.query(`drop index ${index}`)
  return rows.map(({ definition }) => definition)
}

// Copies rows of a store from one database to another that has the same tables, as they were at one moment. Rows go
// through this process without being read.
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { quoted } from './databases.ts'

/** Table → column → the SQL expression to copy in its place. */
export type Replacements = Record<string, Record<string, string>>

export type RowsToCopy = {
  storeId: string
  /** In any order. */
  tables: readonly string[]
  replacements: Replacements
}

/**
 * Both clients are in no transaction. Triggers do not run: the rows are copied as they have left them. If a table has
 * many rows, its indexes are built after them, which is faster.
 */
export async function copyRows(source: pg.Client, target: pg.Client, rows: RowsToCopy): Promise<void> {
  const columns = await columnsOf(target)
  const tables = inOrder(rows.tables, await referencesOf(target))
  await source.query('begin isolation level repeatable read read only')
  await target.query('begin')
  const enableTriggers = await disableTriggers(target, tables)
  for (const table of tables) {
    const names = columns.get(table)!
    const own = rows.replacements[table] ?? {}
    const values = names.map((name) => own[name] ?? name).join(', ')
    const from = `from ${table} where ${table === 'stores' ? 'id' : 'store_id'} = ${quoted(rows.storeId)}`
    const rebuild = (await isLarge(source, from)) ? await dropIndexes(target, table) : []
    await pipeline(
      source.query(copyTo(`copy (select ${values} ${from}) to stdout`)),
      target.query(copyFrom(`copy ${table} (${names.join(', ')}) from stdin`)),
    )
    for (const statement of rebuild) await target.query(statement)
  }
  await enableTriggers()
  await target.query('commit')
  await source.query('commit')
}

/** A superuser also spares the checks of foreign keys, which the rows have passed. Returns what enables them again. */
async function disableTriggers(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query(`select from pg_roles where rolname = current_user and rolsuper`)
  if (rows.length > 0) {
    await client.query('set local session_replication_role = replica')
    return async () => {} // It ends with the transaction.
  }
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  return async () => {
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
  }
}

const manyRows = 2000

async function isLarge(source: pg.Client, from: string): Promise<boolean> {
  const { rows } = await source.query<{ count: string }>(
    `select count(*) as count from (select ${from} limit ${manyRows}) as first`,
  )
  return Number(rows[0]!.count) === manyRows
}

/** All but those of constraints. Returns the statements that create them again. */
async function dropIndexes(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = $1::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** Those that are stored as they are written. */
async function columnsOf(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select relname as table, array_agg(quote_ident(attname) order by attnum) as columns
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace
      and relkind = 'r'
      and attnum > 0
      and not attisdropped
      and attgenerated = ''
    group by relname`)
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

/** Table → the tables that its foreign keys refer to. */
async function referencesOf(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; others: string[] }>(`
    select conrelid::regclass::text as table, array_agg(distinct confrelid::regclass::text) as others
    from pg_constraint
    where contype = 'f'
      and conrelid <> confrelid
    group by conrelid`)
  return new Map(rows.map(({ table, others }) => [table, others]))
}

/** Tables come after those that they refer to. */
function inOrder(tables: readonly string[], references: ReadonlyMap<string, string[]>): string[] {
  const ordered = new Set<string>()
  const add = (table: string): void => {
    if (ordered.has(table)) return
    for (const other of references.get(table) ?? []) if (tables.includes(other)) add(other)
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

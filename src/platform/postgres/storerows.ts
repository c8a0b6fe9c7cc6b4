// The rows of one store: which tables have them, and how they are copied out of a database and into another that has
// the same tables.
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { list, name, listTables, type TableColumns } from './tables.ts'

/** In the copy format a row begins with the ID of its store. */
export type StoreTable = TableColumns & {
  /** Where the ID of the store is. */
  owner: 'id' | 'store_id'
  /** By the primary key within the store, as SQL: rows are read in this order. */
  order: string
}

/** These tables in an order in which rows come after those that they refer to. */
export async function storeTables(client: pg.Client, names: readonly string[]): Promise<StoreTable[]> {
  const { rows } = await client.query<Omit<StoreTable, 'columns'> & { assigned: string[] }>(`
    select relname as table, case when relname = 'stores' then 'id' else 'store_id' end as owner,
      coalesce(
        (select 'order by ' || string_agg(
            quote_ident(attname) || case when atttypid = 'text'::regtype then ' collate "C"' else '' end,
            ', ' order by array_position(indkey::int2[], attnum))
          from pg_index
          join pg_attribute on attrelid = indrelid and attnum = any(indkey)
          where indrelid = pg_class.oid and indisprimary and attname <> 'store_id'),
        '') as order,
      array(
        select attname::text
        from pg_attribute
        where attrelid = pg_class.oid and attidentity <> '') as assigned
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')`)
  const tablesByName = new Map(rows.map((row) => [row.table, row]))
  const tables = (await listTables(client)).filter(({ table }) => names.includes(table))
  return tables.map(({ table, columns }) => {
    const { owner, order, assigned } = tablesByName.get(table)!
    // The target assigns positions, in the same order: its other stores have taken theirs from the same series.
    const others = columns.filter((column) => column !== owner && !assigned.includes(column))
    return { table, owner, order, columns: [owner, ...others] }
  })
}

/** The same values are the same text in every session. */
export async function fixFormats(client: pg.Client): Promise<void> {
  await client.query(`
    set local timezone = 'UTC';
    set local datestyle = 'ISO, MDY';
    set local intervalstyle = 'postgres';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex';
    set local client_encoding = 'UTF8';
    set local statement_timeout = 0`)
}

/** Column → the SQL expression to copy in its place. */
export type ReplacedColumns = Record<string, string>

/** By table. */
export type Replacements = Record<string, ReplacedColumns>

export function buildValueList({ columns }: TableColumns, replacements: ReplacedColumns = {}): string {
  return columns.map((column) => replacements[column] ?? name(column)).join(', ')
}

/** The rows of the store in the copy format. */
export async function* readRows(
  client: pg.Client,
  table: StoreTable,
  storeId: string,
  replacements?: ReplacedColumns,
): AsyncGenerator<Buffer> {
  yield* client.query(
    copyTo(`copy (
      select ${buildValueList(table, replacements)}
      from ${name(table.table)}
      where ${table.owner} = ${client.escapeLiteral(storeId)}
      ${table.order}) to stdout`),
  )
}

/** Returns the number of rows. */
export async function writeRows(
  client: pg.Client,
  { table, columns }: TableColumns,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const sink = client.query(copyFrom(`copy ${name(table)} (${list(columns)}) from stdin`))
  await pipeline(rows, sink)
  return sink.rowCount
}

/**
 * Copied rows are no changes, so triggers do not run in this transaction. Without the right to say so, other writes to
 * the tables wait until it ends. Returns what enables them again.
 */
export async function withoutTriggers(
  client: pg.Client,
  tables: readonly TableColumns[],
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ may: boolean }>(
    `select rolsuper or has_parameter_privilege(rolname, 'session_replication_role', 'SET') as may
    from pg_roles
    where rolname = current_user`,
  )
  if (rows[0]?.may) {
    await client.query('set local session_replication_role = replica')
    return async () => void (await client.query('set local session_replication_role = origin'))
  }
  const switchTo = (state: string) =>
    client.query(tables.map(({ table }) => `alter table ${name(table)} ${state} trigger user`).join(';\n'))
  await switchTo('disable')
  return async () => void (await switchTo('enable'))
}

type ForeignKey = { name: string; table: string; owner: string; given: string; pairs: string; other: string }

/** The first foreign key that a row of the store in these tables breaks: without triggers none was checked. */
export async function brokenReference(
  client: pg.Client,
  storeId: string,
  tables: readonly string[],
): Promise<string | null> {
  const { rows } = await client.query<ForeignKey>(
    `select conname as name, quote_ident(own.relname) as table, quote_ident(other.relname) as other,
      case when own.relname = 'stores' then 'id' else 'store_id' end as owner,
      string_agg(format('own.%I is not null', mine.attname), ' and ') as given,
      string_agg(format('other.%I = own.%I', theirs.attname, mine.attname), ' and ') as pairs
    from pg_constraint
    cross join lateral unnest(conkey, confkey) as key (own, other)
    join pg_attribute as mine on mine.attrelid = conrelid and mine.attnum = key.own
    join pg_attribute as theirs on theirs.attrelid = confrelid and theirs.attnum = key.other
    join pg_class as own on own.oid = conrelid
    join pg_class as other on other.oid = confrelid
    where contype = 'f' and conparentid = 0 and own.relname = any($1)
    group by pg_constraint.oid, own.relname, other.relname
    order by conname`,
    [tables],
  )
  for (const { name: constraint, table, owner, given, pairs, other } of rows) {
    const { rowCount } = await client.query(
      `select from ${table} as own
      where own.${owner} = $1
        and ${given}
        and not exists (select from ${other} as other where ${pairs})
      limit 1`,
      [storeId],
    )
    if (rowCount) return constraint
  }
  return null
}

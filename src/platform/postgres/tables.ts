// The tables of a database, as a backup reads and fills them.
import type pg from 'pg'

export type TableColumns = { table: string; columns: string[] }

/** Continues identity columns behind the restored rows. */
export async function resumeSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select relname as table, attname as column
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace
      and attidentity <> ''`)
  for (const { table, column } of rows) {
    await client.query(
      `
      select setval(pg_get_serial_sequence($1, $2), max(${name(column)}))
      from ${name(table)}
      having count(*) > 0`,
      [name(table), column],
    )
  }
}

/** Drops all tables and functions of Stoa. */
export async function dropTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`
    select format('drop table %s cascade', oid::regclass) as statement
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    union all
    select format('drop function %s cascade', oid::regprocedure)
    from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`)
  for (const { statement } of rows) await client.query(statement)
}

/** Triggers that check references stay enabled. */
export async function switchTriggers(
  client: pg.Client,
  tables: TableColumns[],
  state: 'enable' | 'disable',
): Promise<void> {
  await client.query(tables.map(({ table }) => `alter table ${name(table)} ${state} trigger user`).join(';\n'))
}

/**
 * Drops the indexes and foreign keys of plain tables, and returns the statements that make them again: filling a table
 * first and indexing it afterwards takes half the time. Primary keys stay.
 */
export async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ removal: string; creation: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as removal,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as creation,
      2 as step
    from pg_constraint
    where connamespace = current_schema()::regnamespace
      and contype = 'f'
      and conparentid = 0
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1
    from pg_index
    join pg_class on pg_class.oid = indrelid
    where relnamespace = current_schema()::regnamespace
      and relkind = 'r'
      and not relispartition
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by step`)
  for (const { removal } of rows.toReversed()) await client.query(removal)
  return rows.map(({ creation }) => creation)
}

/**
 * All tables and their columns that are not generated; a table comes after those that it refers to. The request log is
 * left out: its partitions exist for a few days only.
 */
export async function listTables(client: pg.Client): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns & { needs: string[] }>(`
    select
      pg_class.relname as table,
      (select array_agg(attname::text order by attnum)
        from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      array(select confrelid::regclass::text
        from pg_constraint
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as needs
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
      and relname not in ('migrations', 'requests')
    order by relname`)
  const order: TableColumns[] = []
  while (rows.length > 0) {
    const next = rows.findIndex(({ needs }) => needs.every((need) => order.some(({ table }) => table === need)))
    if (next < 0) {
      const circle = rows.map(({ table }) => table).join(', ')
      throw new Error(`these tables refer to each other in a circle: ${circle}`)
    }
    const { table, columns } = rows.splice(next, 1)[0]!
    order.push({ table, columns })
  }
  return order
}

export function list(columns: string[]): string {
  return columns.map(name).join(', ')
}

export function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

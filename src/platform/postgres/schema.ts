// A digest of each table as migrations made it, stored as the comment of the table of migrations, which reveals later
// changes by hand.
import type pg from 'pg'

type Digests = Record<string, string>

export async function recordSchema(client: pg.Client): Promise<void> {
  const digests = JSON.stringify(await readTableDigests(client))
  await client.query(`comment on table migrations is '${digests.replaceAll("'", "''")}'`)
}

/** The tables that differ from the migrations; null if that was not recorded. */
export async function listDriftedTables(client: pg.Client): Promise<string[] | null> {
  const { rows } = await client.query<{ text: string | null }>(
    `select obj_description('migrations'::regclass, 'pg_class') as text`,
  )
  const text = rows[0]?.text
  if (!text) return null
  const digests = JSON.parse(text) as Digests
  const actual = await readTableDigests(client)
  const tables = new Set([...Object.keys(digests), ...Object.keys(actual)])
  return [...tables].filter((table) => digests[table] !== actual[table]).sort()
}

/**
 * Digests columns, constraints, indexes, triggers and policies. PostgreSQL writes conditions with fewer parentheses
 * once they have been made again from its own text, as pg_restore does.
 */
async function readTableDigests(client: pg.Client): Promise<Digests> {
  const { rows } = await client.query<{ table: string; digest: string }>(`
    select own.relname as table, md5(string_agg(plain, chr(10) order by plain)) as digest
    from pg_class as own
    cross join lateral (
      select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) as line
      from pg_attribute
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = own.oid and attnum > 0 and not attisdropped
      union all
      select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where conrelid = own.oid
      union all
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = own.oid
      union all
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = own.oid and not tgisinternal
      union all
      select concat_ws(' ', polname, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      from pg_policy where polrelid = own.oid
    ) as described
    cross join translate(line, '()', '') as plain
    where own.relnamespace = 'public'::regnamespace
      and own.relkind in ('r', 'p')
      and not own.relispartition
    group by own.relname`)
  return Object.fromEntries(rows.map(({ table, digest }) => [table, digest]))
}

// Copies the rows of one database into another whose tables may have other columns: what both have in common.
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

type Columns = Map<string, string[]>

/** Copies every table that has rows here and none there. Triggers and foreign keys there don't run. */
export async function copyRows(source: string, target: string): Promise<void> {
  const [here, there] = [source, target].map((url) => new pg.Client({ connectionString: url })) as [
    pg.Client,
    pg.Client,
  ]
  await Promise.all([here.connect(), there.connect()])
  try {
    await there.query(`set session_replication_role = replica; set synchronous_commit = off`)
    const [ours, theirs] = [await columnsOf(here), await columnsOf(there)]
    for (const [table, columns] of ours) {
      const known = new Set(theirs.get(table))
      const common = columns.filter((column) => known.has(column))
      if (common.length === 0 || !(await hasRows(here, table)) || (await hasRows(there, table))) continue
      const list = `${table} (${common.join(', ')})`
      await pipeline(here.query(copyTo(`copy ${list} to stdout`)), there.query(copyFrom(`copy ${list} from stdin`)))
    }
    await there.query('vacuum analyze')
  } finally {
    await Promise.all([here.end(), there.end()])
  }
}

/** The columns that are written, by table. */
async function columnsOf(client: pg.Client): Promise<Columns> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select quote_ident(table_name) as table, array_agg(quote_ident(column_name)::text) as columns
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name`)
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

async function hasRows(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ any: boolean }>(`select exists (select from ${table}) as any`)
  return rows[0]!.any
}

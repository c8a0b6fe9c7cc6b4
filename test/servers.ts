// Two servers behind a third, which has no row of the stores itself: each statement runs where the rows of its store
// are, in a session of its own. postgres_fdw stands in for Citus, and settings of its sessions for `set local`, which
// Citus sends along.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { databaseUrl, ownDatabase } from './database.ts'

type Hooks = { after(hook: () => Promise<void>): void }
type Name = 'one' | 'two'
type Server = { url: string; rows(statement: string, values?: unknown[]): Promise<any[]> }

export type Servers = Record<Name | 'front', Server>

/**
 * Copies of a database, which `seed` fills. Rows of `tables` are found on the server of their store, and all others on
 * the one in front.
 */
export async function openServers(
  t: Hooks,
  tables: readonly string[],
  seed: (url: string) => Promise<Record<string, Name>>,
): Promise<Servers> {
  const original = await ownDatabase()
  t.after(original.drop)
  const placeOf = await seed(original.url)
  const copies = await Promise.all((['front', 'one', 'two'] as const).map((name) => copyOf(t, original.url, name)))
  const [front, one, two] = copies as [Server, Server, Server]
  await front.rows('create extension postgres_fdw')
  for (const [name, { url }] of Object.entries({ one, two })) {
    const { host, port, database, user } = new pg.Client({ connectionString: url })
    await front.rows(`
      create server ${name} foreign data wrapper postgres_fdw
        options (host '${host}', port '${port}', dbname '${database}')`)
    await front.rows(`create user mapping for current_user server ${name} options (user '${user}')`)
  }
  for (const table of tables) {
    await front.rows(`alter table ${table} rename to own_${table}`)
    await front.rows(`create table ${table} (like own_${table} including defaults) partition by list (store_id)`)
    for (const [storeId, server] of Object.entries(placeOf))
      await front.rows(`
        create foreign table "${table} of ${storeId}" partition of ${table} for values in ('${storeId}')
        server ${server} options (table_name '${table}')`)
  }
  return { front, one, two }
}

/** Audited, as all are within a transaction of Stoa. */
async function copyOf(t: Hooks, original: string, name: string): Promise<Server> {
  const from = databaseIn(original)
  const own = `${createHash('sha256').update(from).digest('hex').slice(0, 20)}_${name}`
  const admin = await connected(databaseUrl())
  t.after(async () => {
    await admin.query(`drop database "${own}" with (force)`)
    await admin.end()
  })
  await admin.query(`create database "${own}" template ${from}`)
  if (name !== 'front') await admin.query(`alter database "${own}" set stoa.journal = 'on'`)
  const url = original.replace(from, own)
  const client = await connected(url)
  if (name !== 'front') await client.query(findTables)
  return { url, rows: async (statement, values = []) => (await client.query(statement, values)).rows }
}

/** Sessions of postgres_fdw search no schema but that of the catalogs. */
const findTables = `
  do $$
  declare
    own regprocedure;
  begin
    for own in
      select oid from pg_proc
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    loop
      execute format('alter function %s set search_path = public', own);
    end loop;
  end $$`

const databaseIn = (url: string): string => /\/([^/?]+)(?:\?|$)/.exec(url)![1]!

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // It is cut when the database is dropped.
  client.on('error', () => {})
  await client.connect()
  return client
}

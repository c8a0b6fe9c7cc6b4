// Numbered SQL files, each applied once in its own transaction, in order.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { accountRows } from './accounting.ts'
import { secureRows } from './rowsecurity.ts'
import { recordSchema } from './schema.ts'

const folder = new URL('../../../migrations/', import.meta.url)
// Two nodes that migrate at once take turns.
const advisoryLock = 7_381_642_903

type Migration = { name: string; text: string; checksum: string }

/** Applies what is missing; answers the names of the migrations that it applied. */
export async function migrate(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${advisoryLock})`)
    await client.query(`
      create table if not exists migrations (
        name       text primary key,
        checksum   text not null,
        applied_at timestamptz not null default now()
      )`)
    const missing = await missingOf(client)
    for (const { name, text, checksum } of missing) {
      await client.query('begin')
      await client.query(text)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
      await client.query('commit')
    }
    await secureRows(client)
    await accountRows(client)
    if (missing.length > 0) await recordSchema(client)
    return missing.map(({ name }) => name)
  })
}

/** Names of the migrations that the database lacks. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`select to_regclass('migrations') is not null as known`)
    const missing = rows[0].known ? await missingOf(client) : await readMigrations()
    return missing.map(({ name }) => name)
  })
}

async function missingOf(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations')
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const migrations = await readMigrations()
  const changed = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum)
  if (changed) throw new Error(`migration ${changed.name} was changed after it was applied to this database`)
  const known = new Set(migrations.map(({ name }) => name))
  const newer = [...applied.keys()].find((name) => !known.has(name))
  if (newer) throw new Error(`this database has migration ${newer}: it belongs to a newer version of Stoa`)
  return migrations.filter(({ name }) => !applied.has(name))
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      return { name: file.replace('.sql', ''), text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function withClient<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa migrate',
    connectionTimeoutMillis: 10_000,
  })
  // A connection that is lost fails its query; without a listener it would end the process before that is told.
  client.on('error', () => {})
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

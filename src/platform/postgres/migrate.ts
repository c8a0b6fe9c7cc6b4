// Applies migrations, each once and in a transaction of its own.
import pg from 'pg'
import { makeAuditTriggers } from './audittriggers.ts'
import { namesOf, scheduleFor, type Applied, type Migration, type Schedule } from './migrations.ts'
import { secureRows } from './rowsecurity.ts'
import { recordSchema } from './schema.ts'

// Nodes that migrate at once take turns by this lock.
const advisoryLock = 7_381_642_903

/** Applies the missing migrations, and returns their names. */
export async function migrate(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${advisoryLock})`)
    await makeRegister(client)
    const schedule = await scheduleFor(await appliedTo(client))
    await applySchedule(client, schedule, async (step) => {
      await client.query('begin')
      await step()
      await client.query('commit')
    })
    await finish(client, schedule)
    return namesOf(schedule)
  })
}

/** Names of the migrations that the database lacks. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`)
    return namesOf(await scheduleFor(rows[0]!.exists ? await appliedTo(client) : new Map()))
  })
}

/** The same within the transaction of `client`, of which nothing remains if it fails. */
export async function migrateWithin(client: pg.Client): Promise<void> {
  const schedule = await scheduleFor(await appliedTo(client))
  await applySchedule(client, schedule, (step) => step())
  await finish(client, schedule)
}

export async function makeRegister(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      name       text primary key,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`)
}

export async function appliedTo(client: pg.Client): Promise<Applied> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

type MigrationStep = () => Promise<void>

async function applySchedule(
  client: pg.Client,
  { early, baseline, current }: Schedule,
  run: (step: MigrationStep) => Promise<void>,
): Promise<void> {
  for (const migration of early) await run(() => applyMigration(client, migration))
  if (baseline.length > 0) await run(() => replaceEarly(client, baseline))
  for (const migration of current) await run(() => applyMigration(client, migration))
}

export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.text)
  await register(client, migration)
}

/** Records the baseline: the database counts as one that the baseline made. */
async function replaceEarly(client: pg.Client, baseline: readonly Migration[]): Promise<void> {
  await client.query('delete from migrations')
  for (const migration of baseline) await register(client, migration)
}

async function register(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
}

async function finish(client: pg.Client, schedule: Schedule): Promise<void> {
  await secureRows(client)
  await makeAuditTriggers(client)
  if (namesOf(schedule).length > 0) await recordSchema(client)
}

async function withClient<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa migrate',
    connectionTimeoutMillis: 10_000,
  })
  // A lost connection fails its query. Without a listener it would end the process first.
  client.on('error', () => {})
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

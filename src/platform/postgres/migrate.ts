// Applies migrations, each once and in a transaction of its own, except for builds of indexes beside writers.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ConfigurationError } from '../../kit/values/configuration.ts'
import { faultOfCoordinator, faultsOfNodes, hasCitus, isDistributed } from './citus/cluster.ts'
import { beginSequential, distribute } from './citus/distribute.ts'
import { makeAuditTriggers } from './audittriggers.ts'
import { applyConcurrently, buildPatience, isConcurrent } from './concurrentindexes.ts'
import type { Placement } from './placement.ts'
import {
  checkExtensions,
  listRemovedExtensions,
  migrateExtensions,
  type RemovedExtension,
} from './extensionmigrations.ts'
import {
  formerNames,
  listMigrationNames,
  scheduleFor,
  type Applied,
  type Migration,
  type Schedule,
} from './migrations.ts'
import { secureRows } from './rowsecurity.ts'
import { withClient } from './client.ts'
import { retryBlocked } from './lockwait.ts'
import { recordSchema } from './schema.ts'
import { faultOfReplica } from './suitability.ts'

const connectionName = 'stoa migrate'
// Nodes that migrate at once take turns by this lock.
const advisoryLock = 7_381_642_903
const turnPauseMs = 200

type MigrateOptions = {
  /** Distributes the tables of a Citus coordinator. Those of a distributed database follow in any case. */
  distributes?: boolean
  /** Called if another process is migrating the database, for which this one waits. */
  onWait?: () => void
  /** Called with a sentence if others hold locks of tables that change. */
  onBlocked?: (sentence: string) => void
}

/** Applies the missing migrations to a database on one server, and returns their names. */
export async function migrate(url: string): Promise<string[]> {
  return (await migrateAndDistribute(url, {})).applied
}

/** Returns the names of the applied migrations, and the tables that were moved to other nodes. */
export async function migrateAndDistribute(
  url: string,
  placement: Placement,
  { distributes = false, onWait = () => {}, onBlocked = () => {} }: MigrateOptions = {},
): Promise<{ applied: string[]; moved: string[] }> {
  return withClient(url, connectionName, async (client) => {
    await requirePrimary(client)
    await takeTurn(client, onWait)
    const attempt = <T>(step: () => Promise<T>) => retryBlocked(client, step, onBlocked)
    const isCluster = await isDistributed(client)
    if (distributes || isCluster) await requireCluster(client)
    await makeRegister(client)
    const history = await appliedTo(client)
    const schedule = await scheduleFor(history)
    const names = listMigrationNames(schedule)
    if (isCluster) {
      const tables: string[] = []
      const run = (step: MigrationStep) => attempt(() => runOnCluster(client, placement, tables, step))
      // A migration can refer to tables that an earlier one has made: those are at their places by then.
      await applySchedule(client, schedule, run)
      tables.push(...(await attempt(() => distributeNow(client, placement))))
      const newNames = await migrateExtensions(client, await appliedTo(client), (migration, check) =>
        run(() => applyMigration(client, migration).then(check)),
      )
      return { applied: [...names, ...newNames], moved: tables }
    }
    const isNew = history.size === 0
    const run: RunStep = (step, migration) =>
      !isNew && migration && isConcurrent(migration)
        ? retryBlocked(client, () => buildAndRegister(client, migration), onBlocked, buildPatience)
        : attempt(() => runAlone(client, step))
    await applySchedule(client, schedule, run)
    const added = await migrateExtensions(client, await appliedTo(client), (migration, check) =>
      run(() => applyMigration(client, migration).then(check), migration),
    )
    names.push(...added)
    await run(() => finish(client, names))
    return { applied: names, moved: distributes ? await attempt(() => distributeNow(client, placement)) : [] }
  })
}

async function runAlone(client: pg.Client, step: MigrationStep): Promise<void> {
  await client.query('begin')
  await step()
  await client.query('commit')
}

async function buildAndRegister(client: pg.Client, migration: Migration): Promise<void> {
  await applyConcurrently(client, migration)
  await register(client, migration)
}

/** Asks again and again: a statement that waited would be one that the build of an index waits for. */
async function takeTurn(client: pg.Client, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${advisoryLock}) as taken`)
    if (rows[0]!.taken) return
    if (attempt === 1) onWait()
    await sleep(turnPauseMs)
  }
}

async function requirePrimary(client: pg.Client): Promise<void> {
  const fault = await faultOfReplica(client)
  if (fault) throw new Error(fault)
}

async function requireCluster(client: pg.Client): Promise<void> {
  const faults = (await hasCitus(client))
    ? [(await faultOfCoordinator(client)) ?? (await faultsOfNodes(client))].flat()
    : ['the database does not have the extension citus. Run on the coordinator: create extension citus']
  if (faults.length > 0) throw new ConfigurationError(`The database cannot be distributed:\n  ${faults.join('\n  ')}`)
}

async function runOnCluster(
  client: pg.Client,
  placement: Placement,
  tables: string[],
  step: MigrationStep,
): Promise<void> {
  await beginSequential(client)
  await step()
  tables.push(...(await complete(client, placement)))
  await recordSchema(client)
  await client.query('commit')
}

/** A process that is killed leaves nothing behind: all tables move, or none. */
async function distributeNow(client: pg.Client, placement: Placement): Promise<string[]> {
  await beginSequential(client)
  const tables = await complete(client, placement)
  await client.query('commit')
  return tables
}

/** Policies and triggers of a new table are made while it is still a plain one. */
async function complete(client: pg.Client, placement: Placement): Promise<string[]> {
  await secureRows(client)
  await makeAuditTriggers(client)
  return distribute(client, placement)
}

/** Names of the migrations that the database lacks. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withClient(url, connectionName, async (client) => {
    const { rows } = await client.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`)
    return listMigrationNames(await scheduleFor(rows[0]!.exists ? await appliedTo(client) : new Map()))
  })
}

/** Turns off the extensions whose migrations are missing, and returns those that were applied and are not loaded. */
export async function checkExtensionsOf(url: string): Promise<RemovedExtension[]> {
  return withClient(url, connectionName, async (client) => {
    const history = await appliedTo(client)
    await checkExtensions(history)
    return listRemovedExtensions(client, history)
  })
}

/** Applies the core's migrations within the transaction of `client`, of which nothing remains if it fails. */
export async function migrateWithin(client: pg.Client): Promise<void> {
  const schedule = await scheduleFor(await appliedTo(client))
  await applySchedule(client, schedule, (step) => step())
  await finish(client, listMigrationNames(schedule))
}

export async function makeRegister(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      name       text primary key,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`)
}

async function appliedTo(client: pg.Client): Promise<Applied> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Names with their checksums. Databases with the same have the same tables. */
export async function migrationsIn(client: pg.Client): Promise<string[]> {
  return [...(await appliedTo(client))].map(([migration, checksum]) => `${migration} ${checksum}`)
}

type MigrationStep = () => Promise<void>
type RunStep = (step: MigrationStep, migration?: Migration) => Promise<void>

async function applySchedule(client: pg.Client, { adopted, current }: Schedule, run: RunStep): Promise<void> {
  if (adopted.length > 0) await run(() => adopt(client, adopted))
  for (const migration of current) await run(() => applyMigration(client, migration), migration)
}

export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.text)
  await register(client, migration)
}

/** Records the baseline: the database counts as one that the baseline made. */
async function adopt(client: pg.Client, baseline: readonly Migration[]): Promise<void> {
  await client.query('delete from migrations where name = any($1)', [formerNames])
  for (const migration of baseline) await register(client, migration)
}

async function register(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
}

async function finish(client: pg.Client, names: readonly string[]): Promise<void> {
  await secureRows(client)
  await makeAuditTriggers(client)
  if (names.length > 0) await recordSchema(client)
}

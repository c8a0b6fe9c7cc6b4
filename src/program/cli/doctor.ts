// stoa doctor: one line for each thing that can be wrong, and what to do.
import path from 'node:path'
import pg from 'pg'
import { lookup } from 'node:dns/promises'
import { statfs } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { compile, sql, type Sql } from '../../kit/database/sql.ts'
import { placement } from '../../developer/tables.ts'
import { pendingMigrations } from '../../platform/postgres/migrate.ts'
import { faultOfKey } from '../../platform/postgres/canary.ts'
import { backupTimes, nextAfter } from '../../platform/postgres/backupschedule.ts'
import { stateOfReplicas } from '../../platform/postgres/replicas.ts'
import { describeCluster, faultsOfNodes } from '../../platform/postgres/citus/cluster.ts'
import { faultsOfTables } from '../../platform/postgres/citus/tables.ts'
import { listDriftedTables } from '../../platform/postgres/schema.ts'
import { faultOfLimits, formatDatabaseAddress, type ProvidedDatabase } from '../../platform/postgres/provide.ts'
import { faultOfKeyFile, keyFile } from '../../platform/process/secretkey.ts'
import { dependencies, readBuild, version } from '../../platform/process/version.ts'
import { type Config, buildSandboxUrl } from '../config.ts'
import { checkExtensions } from '../extensions.ts'
import type { RowRule } from '../../tenancy/tables/rule.ts'
import { brokenInvariants, ledger, records } from './invariants.ts'
import { createStorage } from '../../commerce/media/storageconfig.ts'
import type { CommandResult } from './session.ts'
import {
  faultOfCollation,
  faultOfExtensions,
  faultOfServer,
  readServerNeeds,
} from '../../platform/postgres/suitability.ts'

/** `provided` is an error without a database; checks that need none still run. */
export async function diagnose(config: Config, database: ProvidedDatabase | Error): Promise<CommandResult> {
  const findings: DoctorFinding[] = [
    { name: 'version', ok: true, detail: `${version} (build ${await readBuild()}), Node ${process.versions.node}` },
    { name: 'configuration', ok: true, detail: 'all variables are valid' },
    packagesFinding(),
  ]
  if (database instanceof Error) findings.push({ name: 'database', ok: false, detail: database.message })
  else findings.push(...(await databaseFindings(config, database)))
  if (!config.SECRET_KEY) findings.push(await failureAsFinding('secret key', keyFinding(config.DATA_DIR)))
  if (!config.DATABASE_URL) findings.push(await failureAsFinding('disk', spaceFinding(config.DATA_DIR)))
  findings.push(await picturesFinding(config))
  if (config.SHOPS_HOST) findings.push(await shopsHostFinding(config.SHOPS_HOST))
  if (config.BACKUP_DIR) findings.push(await failureAsFinding('backups', backupsFinding(config.BACKUP_DIR, config)))
  const lines = findings.map(({ name, ok, detail }) => `${ok ? 'ok   ' : 'wrong'}  ${name}: ${detail}`)
  const ok = findings.every((finding) => finding.ok)
  return { json: { ok, findings }, text: lines.join('\n'), failed: !ok }
}

/** Any store's name below it must lead here. Browsers resolve localhost by themselves. */
async function shopsHostFinding(host: string): Promise<DoctorFinding> {
  const name = 'store hosts'
  if (/(^|\.)localhost$/.test(host)) return { name, ok: true, detail: `*.${host}, for browsers on this machine` }
  const addresses = await lookup(`store.${host}`, { all: true }).catch(() => [])
  const ips = addresses.map(({ address }) => address).join(', ')
  return {
    name,
    ok: ips !== '',
    detail: ips ? `*.${host} → ${ips}` : `*.${host} has no address: create a wildcard record`,
  }
}

/** A check that fails to run counts as wrong. */
function failureAsFinding(name: string, finding: Promise<DoctorFinding>): Promise<DoctorFinding> {
  return finding.catch((error: Error) => ({ name, ok: false, detail: error.message || String(error) }))
}

/** Some packages are loaded by their first use only: one that is missing must not wait for it. */
function packagesFinding(): DoctorFinding {
  const names = Object.keys(dependencies)
  const missing = names.filter((name) => !isInstalled(name))
  const detail = missing.length === 0 ? `all ${names.length} installed` : `${missing.join(', ')} missing. Run: npm ci`
  return { name: 'packages', ok: missing.length === 0, detail }
}

function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch {
    return false
  }
}

/** A backup may take as long as its period. */
async function backupsFinding(folder: string, { BACKUP_EVERY_H }: Config): Promise<DoctorFinding> {
  const times = await backupTimes(folder)
  if (!times[0]) return { name: 'backups', ok: false, detail: `${folder} has none yet` }
  const detail = `${times.length} in ${folder}, the newest from ${times[0].toISOString()}`
  const ok = Date.now() < nextAfter(times[0], BACKUP_EVERY_H, 2)
  return { name: 'backups', ok, detail: ok ? detail : `${detail}. The server's log has "a backup failed"` }
}

// Each query reads whole tables, which may take longer than the role's own statement_timeout allows.
const statementTimeoutMs = 15 * 60_000

async function databaseFindings(config: Config, { url, source, servers }: ProvidedDatabase): Promise<DoctorFinding[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa doctor',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  // The queries run one after the other because they share a connection.
  let last: Promise<unknown> = Promise.resolve()
  const runQuery: RunQuery = <T>(query: Sql) => {
    const result = last.then(async () => (await client.query(compile(query))).rows as T[])
    last = result.catch(() => {})
    return result
  }
  const place = config.DATABASE_URL ? formatDatabaseAddress(url) : config.DATA_DIR
  try {
    const fault = config.DATABASE_URL ? await faultOfServer(url, readServerNeeds(config)) : null
    if (fault) return [{ name: 'database', ok: false, detail: fault }]
    await client.connect()
    // Poolers refuse settings that come with the connection.
    await client.query(`set statement_timeout = ${statementTimeoutMs}`)
    const database = await versionFinding(client, place)
    const cluster = config.DISTRIBUTED === 'on' ? [await failureAsFinding('cluster', clusterFinding(client))] : []
    const migrations = await failureAsFinding('migrations', migrationsFinding(url))
    if (!migrations.ok) return [database, ...cluster, migrations]
    return [
      database,
      ...cluster,
      migrations,
      await failureAsFinding('extensions', extensionsFinding(client)),
      ...(await addedFindings(url)),
      await failureAsFinding('schema', schemaFinding(client)),
      await failureAsFinding('records', rulesFinding('records', records, runQuery)),
      await failureAsFinding('ledger', rulesFinding('ledger', ledger, runQuery)),
      await failureAsFinding('card payments', sandboxFinding(runQuery, config)),
      // If this command started the database, no server was running to do this work.
      ...(source === 'started'
        ? []
        : [
            await failureAsFinding('deliveries', deliveriesFinding(runQuery)),
            await failureAsFinding('emails', mailsFinding(runQuery)),
            await failureAsFinding('jobs', jobsFinding(runQuery)),
          ]),
      // Only an embedded database knows how many servers use it.
      ...(source === 'shared' ? [limitsFinding(servers, config)] : []),
      ...(config.DATABASE_REPLICA_URL.length > 0
        ? [await failureAsFinding('replicas', replicasFinding(client, config))]
        : []),
      await failureAsFinding('stored secrets', secretsFinding(config, url)),
    ]
  } catch (error) {
    const reason = (error as Error).message || String(error)
    return [{ name: 'database', ok: false, detail: `${place} cannot be used: ${reason}` }]
  } finally {
    await client.end().catch(() => {})
  }
}

async function versionFinding(client: pg.Client, place: string): Promise<DoctorFinding> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  const version = rows[0]!.server_version
  const isOld = Number.parseInt(version, 10) < 15
  const fault = isOld ? 'Stoa requires 15 or later' : await faultOfCollation(client)
  return { name: 'database', ok: !fault, detail: `PostgreSQL ${version} at ${place}${fault ? `. ${fault}` : ''}` }
}

async function clusterFinding(client: pg.Client): Promise<DoctorFinding> {
  const faults = [...(await faultsOfNodes(client)), ...(await faultsOfTables(client, placement))]
  return { name: 'cluster', ok: faults.length === 0, detail: faults.join('; ') || (await describeCluster(client)) }
}

async function migrationsFinding(url: string): Promise<DoctorFinding> {
  const pending = await pendingMigrations(url)
  const ok = pending.length === 0
  const detail = ok ? 'all applied' : `${pending.join(', ')} missing. Run: npm run -s stoa -- migrate`
  return { name: 'migrations', ok, detail }
}

async function extensionsFinding(client: pg.Client): Promise<DoctorFinding> {
  const fault = await faultOfExtensions(client, { isMigrated: true })
  return { name: 'extensions', ok: fault === null, detail: fault ?? 'all installed' }
}

/** Those that EXTENSIONS names or named. */
async function addedFindings(url: string): Promise<DoctorFinding[]> {
  const states = await checkExtensions(url)
  return states.map(({ name, ...state }) => ({ name: `extension ${name}`, ...state }))
}

async function replicasFinding(client: pg.Client, { DATABASE_REPLICA_URL: urls }: Config): Promise<DoctorFinding> {
  return { name: 'replicas', ...(await stateOfReplicas(client, urls)) }
}

async function schemaFinding(client: pg.Client): Promise<DoctorFinding> {
  const drift = await listDriftedTables(client)
  if (drift === null) return { name: 'schema', ok: true, detail: 'not recorded until the next migration' }
  const detail = drift.length === 0 ? 'matches the migrations' : `changed manually: ${drift.join(', ')}`
  return { name: 'schema', ok: drift.length === 0, detail }
}

async function rulesFinding(name: string, rules: readonly RowRule[], runQuery: RunQuery): Promise<DoctorFinding> {
  const violations = await brokenInvariants({ rows: runQuery }, undefined, rules)
  const detail =
    violations.length === 0
      ? `all ${rules.length} rules hold for every store`
      : `${violations.join('; ')}. Please report this problem`
  return { name, ok: violations.length === 0, detail }
}

const overdueSeconds = 300

/** Counts active receivers only: deliveries to a paused one wait on purpose. */
async function deliveriesFinding(runQuery: RunQuery): Promise<DoctorFinding> {
  const [oldest] = await runQuery<{ seconds: number | null }>(sql`
    select extract(epoch from ${new Date()}::timestamptz - min(deliveries.run_at))::int as seconds
    from deliveries
    join webhooks on webhooks.store_id = deliveries.store_id
      and webhooks.id = deliveries.webhook_id
    where deliveries.status = 'pending'
      and webhooks.paused_at is null
      and webhooks.is_active`)
  const seconds = oldest?.seconds ?? 0
  // A fresh demo store waits for its first server.
  const ok = seconds < overdueSeconds || !(await hasServed(runQuery))
  const detail = ok
    ? 'none overdue'
    : `the oldest is overdue by ${seconds} s. Check that a server is running and not overloaded`
  return { name: 'deliveries', ok, detail }
}

/** True if a server has run its jobs in this database. */
async function hasServed(runQuery: RunQuery): Promise<boolean> {
  return (await runQuery(sql`select from job_runs limit 1`)).length > 0
}

const hourSeconds = 3600

/** Wrong if due mail is not sent, or if every attempt of the last hour has failed. */
async function mailsFinding(runQuery: RunQuery): Promise<DoctorFinding> {
  const now = new Date()
  const hourAgo = new Date(now.getTime() - hourSeconds * 1000)
  const [row] = await runQuery<{ waiting: number; failed: number; late: number; is_refused: boolean }>(sql`
    select count(*) filter (where status = 'queued') as waiting,
      count(*) filter (where status = 'failed') as failed,
      coalesce(extract(epoch from ${now}::timestamptz - min(next_attempt_at)), 0)::int as late,
      coalesce(bool_or(status = 'queued' and error is not null and created_at < ${hourAgo}), false)
        and not coalesce(bool_or(sent_at > ${hourAgo}), false) as is_refused
    from mails`)
  const { waiting, failed, late, is_refused } = row!
  const isLate = late >= overdueSeconds && (await hasServed(runQuery))
  const advice = isLate
    ? `; the oldest is overdue by ${late} s. Check that a server is running and not overloaded`
    : is_refused
      ? '; the mail server has accepted none for an hour. Check SMTP_URL and the errors in GET /v1/mails'
      : ''
  return { name: 'emails', ok: !advice, detail: `${waiting} queued, ${failed} failed in 30 days${advice}` }
}

async function jobsFinding(runQuery: RunQuery): Promise<DoctorFinding> {
  const late = await runQuery<{ name: string; done_at: Date }>(sql`
    select name, done_at
    from job_runs
    where done_at < ${new Date()}::timestamptz - make_interval(secs => 3 * every_s + ${overdueSeconds}::int)
    order by name`)
  const details = late.map(({ name, done_at }) => `${name} is overdue, last run at ${done_at.toISOString()}`)
  return { name: 'jobs', ok: late.length === 0, detail: details.join(', ') || 'all ran on schedule' }
}

function limitsFinding(servers: number, config: Config): DoctorFinding {
  const fault = faultOfLimits(servers, config.REDIS_URL)
  return { name: 'limits', ok: fault === null, detail: fault ?? 'counted across all servers' }
}

/** A node whose key differs from that of the others cannot sign, nor read what they sealed. */
async function secretsFinding(config: Config, url: string): Promise<DoctorFinding> {
  const name = 'stored secrets'
  const fault = await faultOfKey(url, config)
  if (fault === null) return { name, ok: true, detail: 'none yet' }
  return {
    name,
    ok: fault === '',
    detail: fault || `can be decrypted with ${config.SECRET_KEY ? 'SECRET_KEY' : keyFile(config.DATA_DIR)}`,
  }
}

async function keyFinding(dataDir: string): Promise<DoctorFinding> {
  const fault = await faultOfKeyFile(dataDir)
  if (fault === undefined) return { name: 'secret key', ok: true, detail: 'none yet; created on the first start' }
  const detail = fault === null ? 'readable only by its owner' : `${fault}. Run: chmod 600`
  return { name: 'secret key', ok: fault === null, detail }
}

const minFreeBytes = 1024 ** 3

async function spaceFinding(dataDir: string): Promise<DoctorFinding> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const ok = free >= minFreeBytes
  const advice = ok ? '' : '. Free up space: a full disk stops all writes'
  return { name: 'disk', ok, detail: `${(free / 1024 ** 3).toFixed(1)} GiB free${advice}` }
}

async function picturesFinding(config: Config): Promise<DoctorFinding> {
  const name = 'images'
  const place = config.MEDIA_S3_URL ?? path.join(config.DATA_DIR, 'media')
  try {
    await createStorage(config).tryToWrite()
  } catch (error) {
    const { cause, message } = error as Error
    return { name, ok: false, detail: `${place} is not writable: ${(cause as Error | undefined)?.message ?? message}` }
  }
  if (config.MEDIA_S3_URL) return { name, ok: true, detail: `${place} is writable` }
  return { ...(await spaceFinding(place)), name }
}

// Doctor's checks of payment providers.

type DoctorFinding = { name: string; ok: boolean; detail: string }
type RunQuery = <T>(query: Sql) => Promise<T[]>

/** Methods of the sandbox provider stay with it once they have taken payments. */
async function sandboxFinding(runQuery: RunQuery, config: Config): Promise<DoctorFinding> {
  const name = 'card payments'
  const stores = await runQuery<{ store_id: string }>(sql`
    select distinct store_id
    from payment_methods
    where provider = 'sandbox'
    order by store_id
    limit 10`)
  if (stores.length === 0 || buildSandboxUrl(config) !== null)
    return { name, ok: true, detail: 'all providers are set up' }
  const ids = stores.map(({ store_id }) => store_id).join(', ')
  return { name, ok: false, detail: `the sandbox provider of ${ids} is not running. Set SANDBOX_PORT or SANDBOX_URL` }
}

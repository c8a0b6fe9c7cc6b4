// Checks an outside server: PostgreSQL 15 or later with its extensions, without a pooler that gives each transaction
// another session.
// Prepared statements, settings and locks of a session would otherwise be lost or leak to others.
import pg from 'pg'
import { ConfigurationError } from '../../kit/values/configuration.ts'
import { tenantRole } from '../../kit/database/settings.ts'
import { faultOfCoordinator, hasCitus, isDistributed } from './citus/cluster.ts'

const minVersion = 15

/** Requirements that the configuration has for the server. */
export type Needs = { hasRowSecurity: boolean; isDistributed: boolean }

type ServerSettings = { ROW_SECURITY: 'on' | 'off'; DISTRIBUTED: 'on' | 'off' }

export function readServerNeeds({ ROW_SECURITY, DISTRIBUTED }: ServerSettings): Needs {
  return { hasRowSecurity: ROW_SECURITY === 'on', isDistributed: DISTRIBUTED === 'on' }
}

export async function requireSuitable(url: string, needs: Needs): Promise<void> {
  const { passing, lasting } = await findFaults(url, needs)
  if (passing) throw new Error(passing)
  if (lasting) throw new ConfigurationError(lasting)
}

/** Returns the fault as a sentence; null if the server is suitable. */
export async function faultOfServer(url: string, needs: Needs): Promise<string | null> {
  const { passing, lasting } = await findFaults(url, needs)
  return passing ?? lasting
}

/** `passing` can end by itself: the service manager starts the server again. */
type ServerFaults = { passing: string | null; lasting: string | null }

async function findFaults(url: string, needs: Needs): Promise<ServerFaults> {
  const [one, other] = [buildProbeClient(url), buildProbeClient(url)]
  try {
    await Promise.all([one.connect(), other.connect()])
    const passing = await faultOfMoment(one)
    if (passing) return { passing, lasting: null }
    const lasting =
      (await faultOfVersion(one)) ??
      (await faultOfWay(one, other)) ??
      (await faultOfExtensions(one)) ??
      (await faultOfPlacement(one, needs.isDistributed)) ??
      (needs.hasRowSecurity ? await faultOfRole(one, needs.isDistributed) : null)
    return { passing: null, lasting }
  } catch (error) {
    // A protocol_violation comes from a pooler that gives each statement another session.
    if ((error as { code?: string }).code === '08P01') return { passing: null, lasting: poolerFault }
    throw error
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => {})))
  }
}

export const poolerFault =
  'DATABASE_URL points to a pooler that shares sessions (PgBouncer in transaction or statement mode):' +
  ' prepared statements and settings are lost between transactions.' +
  ' Connect to PostgreSQL directly, or use session mode'

const maxClockDifferenceSeconds = 300

/** A server that is read-only for now, or clocks that differ: signatures and tokens would be refused. */
export async function faultOfMoment(client: pg.Client, now = Date.now()): Promise<string | null> {
  const { rows } = await client.query<{ seconds: number }>(
    'select extract(epoch from clock_timestamp())::float8 as seconds',
  )
  return (await faultOfReplica(client)) ?? faultOfClock(now / 1000 - (rows[0]?.seconds ?? now / 1000))
}

export async function faultOfReplica(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ is_replica: boolean }>('select pg_is_in_recovery() as is_replica')
  if (!rows[0]?.is_replica) return null
  return (
    'DATABASE_URL points to a replica, or to a server that is still recovering: it is read-only.' +
    ' Point it to the primary, or promote this server: select pg_promote()'
  )
}

/** `ahead`: seconds by which this machine's clock is ahead of the database server's. */
export function faultOfClock(ahead: number): string | null {
  if (!(Math.abs(ahead) > maxClockDifferenceSeconds)) return null
  const direction = ahead > 0 ? 'ahead of' : 'behind'
  return (
    `The clock of this machine is ${Math.round(Math.abs(ahead))} s ${direction} the database server's.` +
    ' Synchronize both, e.g. with chrony or systemd-timesyncd'
  )
}

async function faultOfVersion(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
  const { version } = rows[0]!
  if (Number.parseInt(version, 10) >= minVersion) return null
  return `DATABASE_URL points to PostgreSQL ${version}; Stoa requires ${minVersion} or later`
}

/** A pooler that shares sessions lends one client's session, with its settings, to another as soon as it is free. */
async function faultOfWay(one: pg.Client, other: pg.Client): Promise<string | null> {
  const readProbeSession = async (client: pg.Client) => {
    const { rows } = await client.query<{ pid: number; probe: string | null }>(
      `select pg_backend_pid() as pid, current_setting('stoa.probe', true) as probe`,
    )
    return rows[0]!
  }
  await one.query(`select set_config('stoa.probe', 'kept', false)`)
  const before = await readProbeSession(one)
  await other.query('begin')
  const session = await readProbeSession(other)
  const after = await readProbeSession(one)
  await other.query('rollback')
  const isOwn = before.pid === after.pid && before.pid !== session.pid
  return isOwn && after.probe === 'kept' && session.probe !== 'kept' ? null : poolerFault
}

/** Searches need the extensions. Migrations create them if they can; afterwards (`isMigrated`) they must be there. */
export async function faultOfExtensions(client: pg.Client, { isMigrated = false } = {}): Promise<string | null> {
  const { rows } = await client.query<{ name: string; is_available: boolean; is_allowed: boolean }>(`
    select name, name in (select pg_available_extensions.name from pg_available_extensions) as is_available,
      has_database_privilege(current_database(), 'create') as is_allowed
    from unnest('{btree_gin,pg_trgm}'::text[]) as needed (name)
    where name not in (select extname from pg_extension)`)
  const lacking = rows.filter(({ is_available, is_allowed }) => isMigrated || !is_available || !is_allowed)
  if (lacking.length === 0) return null
  const fault = `The database lacks the extensions ${lacking.map(({ name }) => name).join(' and ')}`
  const commands = lacking.map(({ name }) => `create extension ${name}`).join('; ')
  return lacking.every(({ is_available }) => is_available)
    ? `${fault}. Run as its owner: ${commands}`
    : `${fault}. Install postgresql-contrib on the PostgreSQL server`
}

/**
 * After an upgrade of the operating system, its texts may sort in another order than in the indexes of a database that
 * uses its collations.
 */
export async function faultOfCollation(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string; made: string | null; actual: string | null }>(`
    select quote_ident(datname) as name, datcollversion as made, pg_database_collation_actual_version(oid) as actual
    from pg_database
    where datname = current_database()`)
  const { name, made, actual } = rows[0]!
  if (made === null || actual === null || made === actual) return null
  const commands = `reindex database ${name}; alter database ${name} refresh collation version`
  return (
    `Text indexes were sorted by version ${made} of the collation, but this server has ${actual}:` +
    ` searches can miss rows. Stop Stoa and run: ${commands}`
  )
}

/** Settings that the other servers of a distributed database need travel with transactions only if it is known. */
async function faultOfPlacement(client: pg.Client, isConfigured: boolean): Promise<string | null> {
  if (isConfigured) {
    return (await hasCitus(client))
      ? faultOfCoordinator(client)
      : 'DISTRIBUTED is on, but the database does not have the extension citus'
  }
  return (await isDistributed(client))
    ? 'The tables of DATABASE_URL are distributed by Citus. Set DISTRIBUTED=on'
    : null
}

async function faultOfRole(client: pg.Client, isDistributed: boolean): Promise<string | null> {
  const { rows } = await client.query<{ rolcanlogin: boolean }>(
    `select rolcanlogin from pg_roles where rolname = $1 and pg_has_role(oid, 'member')`,
    [tenantRole],
  )
  if (rows[0]) {
    // The coordinator connects to the other nodes as the role of the session.
    if (!isDistributed || rows[0].rolcanlogin) return null
    const fault = `ROW_SECURITY and DISTRIBUTED are on, but the role ${tenantRole} cannot log in to the nodes`
    return `${fault}. Run: alter role ${tenantRole} login`
  }
  const fault = `ROW_SECURITY is on, but the role ${tenantRole} does not exist or is not granted to this user`
  return `${fault}. See docs/guides/operating.md`
}

function buildProbeClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, application_name: 'stoa', connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  return client
}

// Provides the configured database: an outside one, or the embedded one of the data directory.
import { ConfigurationError } from '../../kit/values/configuration.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import { startPostgres } from './postgres.ts'
import { joinDatabase } from './presence.ts'
import { requireSuitable, type Needs } from './suitability.ts'

export type ProvidedDatabase = {
  url: string
  /** The server was started here, adopted from a killed process, is shared with a running one, or is outside. */
  source: 'started' | 'adopted' | 'shared' | 'outside'
  /** Other servers that use the embedded PostgreSQL. */
  servers: number
  /** Stops an embedded PostgreSQL unless another process uses it. */
  release(): Promise<void>
}

export async function provideDatabase({
  dataDir,
  databaseUrl,
  serves = false,
  onExit,
}: {
  dataDir: string
  databaseUrl: string | null
  /** True for a server, false for a command. */
  serves?: boolean
  /** Called when PostgreSQL ended on its own; it is started again. */
  onExit?: (code: number | null, reason: string) => void
}): Promise<ProvidedDatabase> {
  if (databaseUrl) return { url: databaseUrl, source: 'outside', servers: 0, async release() {} }
  const postgres = await startPostgres({ dataDir, onExit })
  const presence = await joinDatabase(postgres.url, { serves })
  return {
    url: postgres.url,
    source: !postgres.adopted ? 'started' : presence.alone ? 'adopted' : 'shared',
    servers: presence.servers,
    release: () => presence.leave((wasLast) => (wasLast ? postgres.stop() : postgres.leave())),
  }
}

const noNeeds: Needs = { hasRowSecurity: false, isDistributed: false }

/** Migrates a database that is ours alone, and returns the applied migrations; rejects a shared one that is behind. */
export async function bringUpToDate(database: ProvidedDatabase, needs: Needs = noNeeds): Promise<string[]> {
  if (database.source === 'started' || database.source === 'adopted') return migrate(database.url)
  await requireUpToDate(database, needs)
  return []
}

/** Rejects a database that is behind, and changes nothing. */
export async function requireUpToDate({ url, source }: ProvidedDatabase, needs: Needs = noNeeds): Promise<void> {
  const unusable = (cause: Error) => {
    if (cause instanceof ConfigurationError) throw cause
    throw new Error(`The database at ${formatDatabaseAddress(url)} cannot be used: ${cause.message || String(cause)}`, {
      cause,
    })
  }
  if (source === 'outside') await requireSuitable(url, needs).catch(unusable)
  const missing = await pendingMigrations(url).catch(unusable)
  if (missing.length === 0) return
  throw new Error(
    source === 'shared'
      ? `The database lacks ${missing.join(', ')}, and a server of an older version is using it. Stop that server first`
      : `The database at ${formatDatabaseAddress(url)} lacks ${missing.join(', ')}. Run: npm run -s stoa -- migrate`,
  )
}

/** The address without user and password. */
export function formatDatabaseAddress(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** The reason why limits do not hold as configured; null if they do. */
export function faultOfLimits(servers: number, redisUrl: string | null): string | null {
  if (servers < 2 || redisUrl) return null
  return (
    `${servers} servers use this data directory without REDIS_URL, so each counts rate limits alone: ` +
    'a key has its full quota in each. Set REDIS_URL for all of them, or run one server with WORKERS'
  )
}

// The connections of one process: pg's pool behind the fair pool, and the settings of every session.
import pg from 'pg'
import { ConnectionLost } from './errors.ts'
import { openFairPool, type FairPool, type Purpose } from './fairpool.ts'

type Connection = {
  client: pg.PoolClient
  /** `lost` is the reason why the connection is unusable, if it is. */
  release(lost?: Error): void
}

export type Connections = {
  readonly pool: pg.Pool
  readonly places: FairPool
  connect(purpose: Purpose): Promise<Connection>
}

// The longest wait for a connection, from the queue to the handshake.
const waitMs = 4000

export function openConnections({
  url,
  count,
  settings,
  connectMs = waitMs,
}: {
  url: string
  count: number
  settings: readonly string[]
  /** The longest wait for the handshake. */
  connectMs?: number
}): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    max: count,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    application_name: 'stoa',
    options: [...sessionSettings, ...settings].map((setting) => `-c ${setting}`).join(' '),
  } as pg.PoolConfig)
  // The pool replaces a connection that dies, and its queries fail; without a listener the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    client.query(noticeDeadlocksSoon).catch(() => {})
  })
  const places = openFairPool(count, waitMs)
  return {
    pool,
    places,
    async connect(purpose) {
      const giveBack = await places.take(purpose)
      try {
        const client = await pool.connect()
        return { client, release: (lost) => (client.release(lost), giveBack()) }
      } catch (cause) {
        giveBack()
        throw new ConnectionLost((cause as Error).message, { cause })
      }
    },
  }
}

const sessionSettings = [
  'statement_timeout=4500',
  'lock_timeout=2000',
  'idle_in_transaction_session_timeout=10000',
  'timezone=UTC',
  'datestyle=ISO',
  'jit=off',
]

// Two deadlocked writes hold a connection each until PostgreSQL notices. Not every role may set this.
const noticeDeadlocksSoon = `
  select set_config('deadlock_timeout', '100ms', false)
  where has_parameter_privilege('deadlock_timeout', 'set')`

// The connections of one process: pg's pool behind the fair pool, and the settings of every session.
import type { Socket } from 'node:net'
import pg from 'pg'
import { ConnectionLost } from './errors.ts'
import { openFairPool, type FairPool, type Purpose } from './fairpool.ts'

type Connection = {
  client: pg.PoolClient
  /** `lost` is the reason why the connection is unusable, if it is. */
  release(error?: Error): void
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
  const configuration = configure([...sessionSettings, ...settings])
  const pool = new pg.Pool({
    connectionString: url,
    max: count,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    application_name: 'stoa',
    // A session whose settings are refused, or that does not answer, is used by nobody.
    onConnect: async (client: pg.ClientBase) => {
      client.on('error', () => {})
      await client
        .query({ text: configuration, query_timeout: connectMs } as pg.QueryConfig)
        .catch((error: unknown) => {
          const { connection } = client as unknown as { connection: { stream: Socket } }
          connection.stream.destroy()
          throw error
        })
    },
  } as pg.PoolConfig)
  // The pool replaces a connection that dies, and its queries fail; without a listener the error would end the process.
  pool.on('error', () => {})
  const places = openFairPool(count, waitMs)
  return {
    pool,
    places,
    async connect(purpose) {
      const giveBack = await places.take(purpose)
      try {
        const client = await pool.connect()
        return { client, release: (error) => (client.release(error), giveBack()) }
      } catch (cause) {
        giveBack()
        throw new ConnectionLost((cause as Error).message, { cause })
      }
    },
  }
}

/** Of each session, whatever its database. */
export const sessionSettings: readonly string[] = [
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

/** After connecting, as poolers refuse or drop settings that come with the connection. The role comes last. */
function configure(settings: readonly string[]): string {
  const calls = settings.map((setting) => {
    const [name, ...value] = setting.split('=')
    return `set_config(${pg.escapeLiteral(name!)}, ${pg.escapeLiteral(value.join('='))}, false)`
  })
  return `${noticeDeadlocksSoon}; select ${calls.join(', ')}`
}

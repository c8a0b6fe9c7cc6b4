// Tracks the users of an embedded PostgreSQL. Servers and commands share an advisory lock, which ends with its
// connection, however a process ends: the last one to leave may stop PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type Presence = {
  /** True if nobody else was there. */
  alone: boolean
  /** The number of other servers that were there. */
  servers: number
  /** Calls `then` with true if nobody else is there; in that case nobody enters before it is done. */
  leave(then: (wasLast: boolean) => Promise<void>): Promise<void>
}

/** `serves` joins as a server, which the others count. */
export async function joinDatabase(url: string, { serves = false } = {}): Promise<Presence> {
  const application_name = serves ? nameOfServers : 'stoa presence'
  const place = { connectionString: url, application_name, connectionTimeoutMillis: 4000 }
  const entry = await takePlace(place, enterWithinMs, async (entered) => {
    return { alone: await isAlone(entered), servers: await countServers(entered) }
  })
  const { alone, servers } = entry.seen
  let { client } = entry
  let isLeaving = false

  const retakePlace = async (withinMs: number) => (await takePlace(place, withinMs, async () => {})).client

  // PostgreSQL may crash and be restarted.
  async function stay() {
    while (!isLeaving) {
      if (endedClients.has(client)) client = await retakePlace(enterWithinMs).catch(() => client)
      else await new Promise<void>((resolve) => client.once('end', () => resolve()))
    }
  }
  void stay()
  return {
    alone,
    servers,
    async leave(then) {
      isLeaving = true
      const again = async () => isLast((client = await retakePlace(askAgainWithinMs)))
      const wasLast = await isLast(client)
        .catch(again)
        .catch(() => true) // it is away, and so is everybody
      try {
        await then(wasLast)
      } finally {
        await client.end().catch(() => {})
      }
    },
  }
}

// 'stoa' in ASCII, and the first of its locks.
const lock = '1937010529, 1'
const nameOfServers = 'stoa server'
const enterWithinMs = 10_000
const askAgainWithinMs = 1_000
const endedClients = new WeakSet<pg.Client>()

/** Waits while another process stops PostgreSQL, which must then come back; it may stop while this one looks around. */
async function takePlace<T>(
  place: pg.ClientConfig,
  withinMs: number,
  lookAround: (client: pg.Client) => Promise<T>,
): Promise<{ client: pg.Client; seen: T }> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const client = new pg.Client(place)
    client.on('error', () => {})
    client.once('end', () => endedClients.add(client))
    try {
      await client.connect()
      await client.query(`select pg_advisory_lock_shared(${lock})`)
      return { client, seen: await lookAround(client) }
    } catch (error) {
      client.end().catch(() => {})
      if (Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function isAlone(client: pg.Client): Promise<boolean> {
  const [key, number] = lock.split(', ')
  const { rows } = await client.query(`
    select from pg_locks
    where locktype = 'advisory'
      and classid = ${key}
      and objid = ${number}
      and objsubid = 2
      and pid <> pg_backend_pid()`)
  return rows.length === 0
}

async function countServers(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `
    select count(*)::int as servers
    from pg_stat_activity
    where application_name = $1
      and pid <> pg_backend_pid()`,
    [nameOfServers],
  )
  return rows[0].servers
}

async function isLast(client: pg.Client): Promise<boolean> {
  await client.query(`select pg_advisory_unlock_shared(${lock})`)
  const { rows } = await client.query(`select pg_try_advisory_lock(${lock}) as got`)
  return rows[0].got
}

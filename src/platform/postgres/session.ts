// Keeps one connection open: its advisory lock shows that this process lives, and it receives notifications.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type HeldSession = { close(): Promise<void> }

type SessionOptions = {
  url: string
  /** The lock's two numbers: PostgreSQL releases it with the connection, however this process ends. */
  lock: readonly [number, number]
  /** Channel → the handler of notifications from other processes. */
  channels: Record<string, (payload: string) => void>
  /** Called when the connection is back after a loss; notifications in between were missed. */
  onReturn: () => void
}

const retryMs = 250

/** Resolves once the lock is held. */
export async function holdSession({ url, lock, channels, onReturn }: SessionOptions): Promise<HeldSession> {
  let isClosed = false
  let client: pg.Client

  const open = async () => {
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'stoa worker',
      connectionTimeoutMillis: 4000,
    })
    opened.on('error', () => {})
    opened.on('notification', ({ processId, channel, payload = '' }) => {
      if (processId !== (opened as { processID?: number }).processID) channels[channel]?.(payload)
    })
    try {
      await opened.connect()
      await opened.query(`select pg_advisory_lock(${lock[0]}, ${lock[1]})`)
      for (const channel of Object.keys(channels)) await opened.query(`listen ${channel}`)
    } catch (error) {
      opened.end().catch(() => {})
      throw error
    }
    opened.once('end', () => void reopen())
    client = opened
  }
  const reopen = async () => {
    while (!isClosed) {
      try {
        await open()
        return isClosed ? await client.end() : onReturn()
      } catch {
        await sleep(retryMs)
      }
    }
  }
  await open()
  return {
    async close() {
      isClosed = true
      await client.end().catch(() => {})
    },
  }
}

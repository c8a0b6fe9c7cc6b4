// What stoa doctor says of the read replicas.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { nameOf, positionOfPrimary, progressSince, type Goal } from '../../kit/database/replica.ts'
import { compile } from '../../kit/database/sql.ts'

const patienceMs = 5000
const pauseMs = 100

export async function stateOfReplicas(
  primary: pg.Client,
  urls: readonly string[],
): Promise<{ ok: boolean; detail: string }> {
  const { rows } = await primary.query<{ position: string; identity: string }>(compile(positionOfPrimary))
  const { position, identity } = rows[0]!
  const states = await Promise.all(urls.map((url) => stateOf(url, [position, identity])))
  return {
    ok: states.every(({ ok }) => ok),
    detail: states.map(({ detail }, index) => `${nameOf(urls[index]!)} ${detail}`).join('; '),
  }
}

/** A replica may take a moment to replay what the primary has just written. */
async function stateOf(url: string, goal: Goal): Promise<{ ok: boolean; detail: string }> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa doctor',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  const deadline = performance.now() + patienceMs
  try {
    await client.connect()
    for (;;) {
      const { rows } = await client.query<Progress>(compile(progressSince(goal)))
      const { is_replica, is_fresh, bytes_behind } = rows[0]!
      if (!is_replica) return { ok: false, detail: 'is not a replica of DATABASE_URL' }
      if (is_fresh) return { ok: true, detail: 'is up to date' }
      if (performance.now() > deadline) return { ok: false, detail: `is ${bytes_behind} bytes of the log behind` }
      await sleep(pauseMs)
    }
  } catch (error) {
    return { ok: false, detail: `cannot be used: ${(error as Error).message || String(error)}` }
  } finally {
    await client.end().catch(() => {})
  }
}

type Progress = { is_replica: boolean; is_fresh: boolean; bytes_behind: number | null }

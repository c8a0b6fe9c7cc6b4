// The read replicas, as commands find them.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { formatReplicaName, positionOfPrimary, progressSince, type Goal } from '../../kit/database/replica.ts'
import { compile } from '../../kit/database/sql.ts'

const patienceMs = 5000
const pauseMs = 100

export async function stateOfReplicas(
  primary: pg.Client,
  urls: readonly string[],
): Promise<{ ok: boolean; detail: string }> {
  const goal = await readReplayGoal(primary)
  const states = await Promise.all(urls.map((url) => readReplicaState(url, goal)))
  return {
    ok: states.every(({ ok }) => ok),
    detail: states.map(({ detail }, index) => `${formatReplicaName(urls[index]!)} ${detail}`).join('; '),
  }
}

/** The first that has replayed, or soon replays, all that is written; null if there is none. */
export async function freshReplica(url: string, urls: readonly string[]): Promise<string | null> {
  if (urls.length === 0) return null
  const primary = new pg.Client({ connectionString: url, application_name: 'stoa' })
  primary.on('error', () => {})
  try {
    await primary.connect()
    const goal = await readReplayGoal(primary)
    const states = await Promise.all(urls.map((one) => readReplicaState(one, goal)))
    return urls.find((_, index) => states[index]!.ok) ?? null
  } finally {
    await primary.end().catch(() => {})
  }
}

async function readReplayGoal(primary: pg.Client): Promise<Goal> {
  const { rows } = await primary.query<{ position: string; identity: string }>(compile(positionOfPrimary))
  return [rows[0]!.position, rows[0]!.identity]
}

/** A replica may take a moment to replay what the primary has just written. */
async function readReplicaState(url: string, goal: Goal): Promise<{ ok: boolean; detail: string }> {
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

// Migrations change tables that nodes of the previous version use. A statement that waits for a lock makes all later
// requests wait behind it, so it waits for a moment only, lets them pass, and is tried again.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

export type LockPatience = { waitMs: number; pauseMs: number; tries: number }

/** Five minutes in all. */
const usualPatience: LockPatience = { waitMs: 2_000, pauseMs: 1_000, tries: 100 }

// Others hold the lock for too long, or wait for one of ours.
const lockCodes = ['55P03', '40P01']

/** Runs a step again while others hold its locks. `onBlocked` is called once, with a sentence that names them. */
export async function retryBlocked<T>(
  client: pg.Client,
  step: () => Promise<T>,
  onBlocked: (sentence: string) => void,
  { waitMs, pauseMs, tries }: LockPatience = usualPatience,
): Promise<T> {
  await client.query(`set lock_timeout = ${waitMs}`)
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (!lockCodes.includes((error as { code?: string }).code ?? '')) throw error
      await client.query('rollback')
      const sentence = await describeHolders(client)
      if (attempt === tries) throw new Error(`${sentence}. Nothing of this step was applied. Run it again later`)
      if (attempt === 1) onBlocked(sentence)
      await sleep(pauseMs)
    }
  }
}

/** Names the oldest transactions that hold locks of tables. */
async function describeHolders(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; application: string; state: string; since: Date }>(`
    select pid, application_name as application, state, xact_start as since
    from pg_stat_activity
    where datname = current_database()
      and pid <> pg_backend_pid()
      and xact_start is not null
      and exists (
        select from pg_locks
        where pg_locks.pid = pg_stat_activity.pid
          and locktype = 'relation'
          and granted)
    order by xact_start
    limit 3`)
  const holders = rows.map(
    ({ pid, application, state, since }) =>
      `process ${pid} (${[application, state].filter(Boolean).join(', ')}) since ${since.toISOString()}`,
  )
  if (holders.length === 0) return 'Other sessions hold locks on tables that change'
  const advice = `To end one: select pg_terminate_backend(${rows[0]!.pid})`
  return `Table locks are held by ${holders.join(', by ')}. ${advice}`
}

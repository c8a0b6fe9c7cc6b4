// Lives through a stretch of a fork's time: from one moment at which something is due to the next, so that everything
// happens in the order and at the times that it would have had.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Jobs } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import { deliveriesQueued } from '../../../tenancy/events/topics.ts'
import type { MailSender } from '../../../tenancy/emails/sender.ts'

export type TimelineParts = { db: Database; jobs: Jobs; sender: MailSender; log: Log }

export type Timeline = {
  /** Does all that becomes due, and returns the number of moments at which something was. */
  workUntil(until: Date): Promise<number>
  /** Does what is due now. */
  workDue(): Promise<void>
  /** The same, and the work that follows writes. */
  workNow(): Promise<void>
}

/** Moves the clock to a moment that has come. Never called with one that has passed. */
export type MoveClock = (to: Date) => Promise<void>

// Other jobs delete what is old and sum up what was written: nobody sees on the way whether they have run.
const roundMs = 30 * 24 * 3600_000

/** Receivers that are paused or off get only what is urgent. */
const deliverable = raw(`deliveries
    join webhooks on webhooks.store_id = deliveries.store_id and webhooks.id = deliveries.webhook_id
    where deliveries.status = 'pending'
      and (urgent or (webhooks.is_active and webhooks.paused_at is null))`)

/** What waits for a time, the shortest time between two runs, and what does the work: a job, or one of the loops. */
// prettier-ignore
const waiting: [work: string, gapSeconds: number, first: Sql][] = [
  ['sweep checkouts',      60, firstOf('due_at', 'checkouts')],
  ['publish products',      1, firstOf('publish_at', 'products')],
  ['publish products',      1, firstOf('unpublish_at', 'products')],
  ['ask for refunds',      30, firstOf('ask_at', 'refunds')],
  ['ask for captures',     30, firstOf('ask_at', 'payment_sessions')],
  ['look at payments',     30, firstOf('look_at', 'payment_sessions')],
  ['recheck payments',     60, firstOf('recheck_at', 'payment_sessions')],
  ['tell of late answers', 60, firstOf(`asked_at + interval '1 day'`, 'payment_sessions', 'not is_late')],
  ['tell of late answers', 60,
    firstOf(`created_at + interval '1 day'`, 'refunds', 'ask_at is not null and not is_late')],
  ['import',                5, firstOf('due_at', 'imports')],
  ['mail',                 10, firstOf('next_attempt_at', 'mails', `status = 'queued'`)],
  ['deliveries',            1, sql`select min(run_at) as at from ${deliverable}`],
]

function firstOf(time: string, table: string, where = 'true'): Sql {
  return sql`select min(${raw(time)}) as at from ${raw(table)} where ${raw(where)}`
}

export function openTimeline(parts: TimelineParts, moveClock: MoveClock): Timeline {
  const { db, jobs } = parts
  const lastRuns = new Map<string, number>()
  const runAll = () => Promise.all(jobs.names.map((name) => run(parts, name)))
  /** Work → the next time at which it is to run. */
  const nextRuns = async (): Promise<Map<string, number>> => {
    const next = new Map<string, number>()
    for (const { position, at } of await db.rows<{ position: number; at: Date | null }>(firstTimes)) {
      if (!at) continue
      const [work, gapSeconds] = waiting[position]!
      const earliest = Math.max(at.getTime(), (lastRuns.get(work) ?? 0) + gapSeconds * 1000)
      next.set(work, Math.min(next.get(work) ?? Infinity, earliest))
    }
    return next
  }
  const runDue = async (next: Map<string, number>): Promise<boolean> => {
    const now = db.clock.now().getTime()
    const due = [...next].filter(([, at]) => at <= now).map(([work]) => work)
    for (const work of due) {
      lastRuns.set(work, now)
      await run(parts, work)
    }
    return due.length > 0
  }
  return {
    async workUntil(until) {
      let steps = 0
      let nextRound = db.clock.now().getTime() + roundMs
      for (;;) {
        const next = await nextRuns()
        const at = Math.min(until.getTime(), nextRound, ...next.values())
        if (at > db.clock.now().getTime()) await moveClock(new Date(at))
        const hasWorked = await runDue(next)
        if (hasWorked) steps++
        if (at >= nextRound) {
          nextRound = at + roundMs
          await runAll()
        }
        if (at >= until.getTime() && !hasWorked) break
      }
      await runAll()
      while (await runDue(await nextRuns()));
      return steps
    },
    async workDue() {
      await runDue(await nextRuns())
    },
    async workNow() {
      await runDue(await nextRuns())
      await runAll()
    },
  }
}

const firstTimes = join(
  waiting.map(([, , first], position) => sql`select ${raw(String(position))} as position, (${first}) as at`),
  '\nunion all\n',
)

/** Whatever fails is due again later, as it is in any store. */
async function run({ db, jobs, sender, log }: TimelineParts, work: string): Promise<void> {
  try {
    if (work === 'mail') await sender.sendDue()
    else if (work === 'deliveries') await deliver(db)
    else await jobs.run(work)
  } catch (error) {
    log.error({ err: error, job: work }, 'a job failed')
  }
}

// A receiver that hangs is given up after 15 seconds.
const deliveryPatienceMs = 20_000
const pollMs = 20

/** Waits until nothing is left to deliver at this time. The worker of the app delivers. */
async function deliver(db: Database): Promise<void> {
  const until = performance.now() + deliveryPatienceMs
  for (;;) {
    const due = await db.rows<{ store_id: string; webhook_id: string }>(sql`
      select distinct deliveries.store_id, webhook_id
      from ${deliverable}
        and run_at <= ${db.clock.now()}`)
    if (due.length === 0 || performance.now() > until) return
    for (const { store_id, webhook_id } of due)
      db.bus.publish(deliveriesQueued, { storeId: store_id, webhookIds: [webhook_id] })
    await sleep(pollMs)
  }
}

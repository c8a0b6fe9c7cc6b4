// Lives through a stretch of a fork's time: from one moment at which something is due to the next, so that everything
// happens in the order and at the times that it would have had.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../kit/database/database.ts'
import type { DueTime } from '../../../kit/database/due.ts'
import { join, raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Jobs } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import { deliveriesQueued } from '../../../tenancy/events/topics.ts'
import { queuedMails } from '../../../tenancy/emails/claim.ts'
import type { MailSender } from '../../../tenancy/emails/sender.ts'

export type TimelineParts = { db: Database; jobs: Jobs; sender: MailSender; log: Log }

export type Timeline = {
  /** Does all work that becomes due, and returns the number of moments at which some was. */
  workUntil(until: Date): Promise<number>
  /** Does the work that is due now. */
  workDue(): Promise<void>
  /** The same, including the work that follows writes. */
  workNow(): Promise<void>
}

/** Moves the clock to a moment that has come. Never called with one that has passed. */
export type MoveClock = (to: Date) => Promise<void>

// Other jobs only clean up and summarize: no one can observe on the way if they have run.
const roundMs = 30 * 24 * 3600_000

/** Receivers that are paused or off get only what is urgent. */
const deliverable = raw(`deliveries
    join webhooks on webhooks.store_id = deliveries.store_id and webhooks.id = deliveries.webhook_id
    where deliveries.status = 'pending'
      and (urgent or (webhooks.is_active and webhooks.paused_at is null))`)

type Work = {
  name: string
  /** The shortest time between two runs. */
  gapSeconds: number
  first: readonly Sql[]
  run(): Promise<unknown>
}

/** The jobs with the times they declare, and the two loops. */
function listWork({ db, jobs, sender }: TimelineParts): Work[] {
  const schedule = jobs.list.map(({ name, everySeconds, gapSeconds = everySeconds, due = [] }) => ({
    name,
    gapSeconds,
    first: due.map(firstDue),
    run: () => jobs.run(name),
  }))
  const firstDelivery = sql`select min(run_at) as at from ${deliverable}`
  return [
    ...schedule.filter(({ first }) => first.length > 0),
    { name: 'mail', gapSeconds: 10, first: [firstDue(queuedMails)], run: () => sender.sendDue() },
    { name: 'deliveries', gapSeconds: 1, first: [firstDelivery], run: () => deliver(db) },
  ]
}

/** The next time at which a row is due, as `at`; null if none waits. */
function firstDue({ table, due, delayMs = 0, where = 'true' }: DueTime): Sql {
  return sql`
    select min(${raw(due)}) + ${raw(String(delayMs))} * interval '1 millisecond' as at
    from ${raw(table)}
    where ${raw(where)}`
}

/** The first time of each work, with its position. */
function selectFirst(works: readonly Work[]): Sql {
  const times = works.flatMap(({ first }, position) =>
    first.map((time) => sql`select ${raw(String(position))} as position, (${time}) as at`),
  )
  return join(times, '\nunion all\n')
}

export function openTimeline(parts: TimelineParts, moveClock: MoveClock): Timeline {
  const { db, jobs, log } = parts
  const works = listWork(parts)
  const firstTimes = selectFirst(works)
  const lastRuns = new Map<Work, number>()
  const run = (name: string, work: () => Promise<unknown>) =>
    work().catch((error: unknown) => log.error({ err: error, job: name }, 'a job failed'))
  const runAll = () => Promise.all(jobs.list.map(({ name }) => run(name, () => jobs.run(name))))
  /** The next time at which each work is to run. */
  const nextRuns = async (): Promise<Map<Work, number>> => {
    const next = new Map<Work, number>()
    for (const { position, at } of await db.rows<{ position: number; at: Date | null }>(firstTimes)) {
      if (!at) continue
      const work = works[position]!
      const earliest = Math.max(at.getTime(), (lastRuns.get(work) ?? 0) + work.gapSeconds * 1000)
      next.set(work, Math.min(next.get(work) ?? Infinity, earliest))
    }
    return next
  }
  const runDue = async (next: Map<Work, number>): Promise<boolean> => {
    const now = db.clock.now().getTime()
    const due = [...next].filter(([, at]) => at <= now).map(([work]) => work)
    for (const work of due) {
      lastRuns.set(work, now)
      await run(work.name, work.run)
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

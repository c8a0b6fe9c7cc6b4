// Jobs run on a schedule. A job is one operation in one transaction, under a lock that all nodes share: the first node
// runs it, the others skip it.
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, Histogram } from 'prom-client'
import { pauseMs } from '../../kit/database/batches.ts'
import type { Database, Tx } from '../../kit/database/database.ts'
import type { DueTime } from '../../kit/database/due.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import { jobs as tracedJobs, trace } from '../../kit/values/tracing.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Log } from './log.ts'
import { metrics } from './metrics.ts'

/**
 * `more` asks for another round, `next` for a run at that time if it comes before the next one of the period.
 * `afterwards` runs after the commit, and is awaited.
 */
export type JobRound = { more?: boolean; next?: Date; afterwards?: () => Promise<unknown> }

export type JobWork = {
  name: string
  run: (tx: Tx) => Promise<JobRound | void>
  /** The times that its rows wait for. A fork whose clock moves runs the job at each of them. */
  due?: readonly DueTime[]
  /** The shortest time between two of these runs. Defaults to the period. */
  gapSeconds?: number
  /** Called when a round fails. Returns true if the job can continue without the cause of the failure. */
  goesOnAfter?: (error: unknown) => boolean
}

/** src/program/jobs.ts lists the periods. */
export type Job = JobWork & { everySeconds: number }

export type Jobs = {
  list: readonly Job[]
  /** Runs a job now, to its end; returns false if another node is running it. */
  run(name: string): Promise<boolean>
  start(): void
  /** Waits for running jobs. */
  stop(): Promise<void>
}

const maxRounds = 10_000

export function openJobs({ db, log, jobs }: { db: Database; log: Log; jobs: readonly Job[] }): Jobs {
  const timers = new Map<string, NodeJS.Timeout>()
  const underWay = new Set<Promise<unknown>>()
  let isStopped = false

  const run = async (job: Job): Promise<JobRun> => {
    const end = seconds.startTimer({ job: job.name })
    try {
      const outcome = await trace(tracedJobs, { name: job.name }, () => runToEnd(db, job, () => isStopped))
      runs.inc({ job: job.name, outcome: outcome.isDone ? 'done' : 'busy' })
      if (outcome.isDone) lastDone.set({ job: job.name }, Date.now() / 1000)
      return outcome
    } catch (error) {
      runs.inc({ job: job.name, outcome: 'failed' })
      throw error
    } finally {
      end()
    }
  }
  const schedule = (job: Job, delayMs: number) => {
    timers.set(
      job.name,
      setTimeout(() => {
        const running = run(job)
          .catch((error: unknown) => log.error({ err: error, job: job.name }, 'a job failed'))
          .then((outcome) => {
            underWay.delete(running)
            if (!isStopped) schedule(job, Math.min(job.everySeconds * 1000 * spread(), untilNext(db, outcome?.next)))
          })
        underWay.add(running)
      }, delayMs).unref(),
    )
  }
  return {
    list: jobs,
    run: async (name) => (await run(jobs.find((job) => job.name === name)!)).isDone,
    start: () => jobs.forEach((job) => schedule(job, 1000 * spread())),
    async stop() {
      isStopped = true
      timers.forEach((timer) => clearTimeout(timer))
      await Promise.all(underWay)
    },
  }
}

/** Spreads nodes that start together. The delay is never longer than the period itself. */
function spread(): number {
  return 0.9 + Math.random() * 0.1
}

/** A timer can be a little early, so the run comes a little late. */
function untilNext(db: Database, next: Date | undefined): number {
  return next ? Math.max(next.getTime() - db.clock.now().getTime(), 0) + 10 : Infinity
}

type JobRun = { isDone: boolean; next?: Date | undefined }

async function runToEnd(db: Database, job: Job, isStopped: () => boolean): Promise<JobRun> {
  const { name, everySeconds, run } = job
  let next: Date | undefined
  const jobDb = db.because(causeOfJob(name))
  for (let round = 0; round < maxRounds && !isStopped(); round++) {
    const work = async (tx: Tx): Promise<JobRound | null> => {
      const lock = await tx.one<{ taken: boolean }>(sql`
        select pg_try_advisory_xact_lock(hashtextextended(${`job ${name}`}, 0)) as taken`)
      if (!lock!.taken) return null
      tx.later(sql`
        insert into job_runs (name, every_s, done_at)
        values (${name}, ${everySeconds}, ${tx.now})
        on conflict (name) do update set every_s = excluded.every_s, done_at = excluded.done_at`)
      return (await run(tx)) ?? {}
    }
    const begunAt = performance.now()
    const answer = await jobDb.transaction(work).catch((error: unknown): JobRound => {
      if (!job.goesOnAfter?.(error)) throw error
      return { more: true }
    })
    if (!answer) return { isDone: false }
    await answer.afterwards?.()
    next = answer.next
    if (!answer.more) break
    // A job that has much to do takes half a core at most.
    await sleep(Math.max(pauseMs, performance.now() - begunAt))
  }
  return { isDone: true, next }
}

const registers = [metrics]
const runs = new Counter({
  name: 'job_runs_total',
  help: 'Runs of jobs by outcome',
  labelNames: ['job', 'outcome'],
  registers,
})
const seconds = new Histogram({
  name: 'job_seconds',
  help: 'Duration of job runs in seconds',
  labelNames: ['job'],
  registers,
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
})
const lastDone = new Gauge({
  name: 'job_last_done_seconds',
  help: 'Time a job last finished, in Unix seconds',
  labelNames: ['job'],
  registers,
  aggregator: 'max',
})

// A fork that this process has open: an app over its database, whose clock can be moved. Its scheduled work follows the
// clock; of all processes that have it open, one at a time does it.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { waitAtMost } from '../../../kit/values/patience.ts'
import type { Database } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId } from '../../../kit/values/ids.ts'
import type { Jobs } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { RateLimiter } from '../../../platform/ratelimit/ratelimit.ts'
import { withClient } from '../../../platform/postgres/client.ts'
import { connectionName } from '../databases.ts'
import type { Installation } from '../build.ts'
import { forksPath } from '../fork.ts'
import { forkSecretKey, forkUrl } from '../names.ts'
import { buildMovingConflict, type TestClock } from '../testclock.ts'
import type { MailSender } from '../../../tenancy/emails/sender.ts'
import type { InnerOpening } from '../../../tenancy/extensions/extension.ts'
import { serveInFork } from './server.ts'
import { openTimeline, type Timeline } from './timeline.ts'
import type { Clock } from '../../../kit/values/clock.ts'

export type ForkRow = {
  store_id: string
  id: string
  status: 'creating' | 'ready' | 'failed'
  ahead_ms: number
  worked_until: Date | null
  expires_at: Date
}

type ForkApp = {
  server: FastifyInstance
  db: Database
  jobs: Jobs
  sender: MailSender
  start(): Promise<void>
  close(): Promise<void>
}

/** What the app passes to open this extension. */
export type ForkParts = {
  /** The database of the service, with the registry of forks. */
  db: Database
  installation: Installation
  config: { DATA_DIR: string }
  log: Log
  limiter: RateLimiter
  /** True if this process builds a new fork at once. */
  isEager: boolean
  openInner(opening: InnerOpening): Promise<ForkApp>
}

/** Contains the images of a fork. */
export function getForkFolder({ config }: ForkParts, id: string): string {
  return path.join(config.DATA_DIR, 'forks', id)
}

export type OpenFork = {
  server: FastifyInstance
  clock: ForkClock
  isMoving(): boolean
  /** Does what is due, unless another process is doing so. `hasWritten`: requests may have left work to do. */
  work(hasWritten: boolean): Promise<void>
  close(): Promise<void>
}

// The lag that is tolerated before the work catches up.
const behindMs = 60_000
const turnPatienceMs = 5000

export async function openFork(deps: ForkParts, row: ForkRow): Promise<OpenFork> {
  const { db: registry, installation, log } = deps
  const { id } = row
  // Continues where the work stopped, until it has caught up.
  const behind = computeLagMs(registry, row)
  const clock = forkClock(registry.clock, row.ahead_ms - behind)
  let isMoving = false
  const app = await openForkApp(deps, row, clock, { isMoving: () => isMoving, moveTo: (until) => move(until) })
  const takeTurn = createTurnTaker(forkUrl(installation.databaseUrl, id))
  const timeline = openTimeline({ ...app, log }, async (to) => {
    clock.moveTo(to)
    if (clock.aheadMs > row.ahead_ms) await record(registry, row, clock)
  })
  const move = async (until: Date) => {
    if (isMoving) throw buildMovingConflict()
    isMoving = true
    try {
      const steps = await takeTurn(turnPatienceMs, () => timeline.workUntil(until))
      if (steps === null) throw buildMovingConflict()
      await record(registry, row, clock)
      return { now: clock.now(), steps }
    } finally {
      isMoving = false
    }
  }
  await app.start()
  if (behind > 0) await catchUp(timeline, takeTurn, new Date(clock.now().getTime() + behind))
  clock.setAhead(row.ahead_ms)
  return {
    server: app.server,
    clock,
    isMoving: () => isMoving,
    async work(hasWritten) {
      if (isMoving) return
      await takeTurn(0, hasWritten ? timeline.workNow : timeline.workDue)
      await record(registry, row, clock)
    },
    // Its database may be gone.
    close: () =>
      waitAtMost(10_000, app.close()).catch((error: unknown) =>
        log.warn({ err: error, fork: publicId('fork', id) }, 'a fork was not closed properly'),
      ),
  }
}

function computeLagMs({ clock }: Database, { ahead_ms, worked_until }: ForkRow): number {
  if (!worked_until) return 0
  const behind = clock.now().getTime() + ahead_ms - worked_until.getTime()
  return behind > behindMs ? behind : 0
}

/** Another process that has the fork open already does its work. */
async function catchUp(timeline: Timeline, takeTurn: TakeTurn, until: Date): Promise<void> {
  await takeTurn(0, () => timeline.workUntil(until))
}

function openForkApp(parts: ForkParts, { id }: ForkRow, clock: ForkClock, testClock: TestClock): Promise<ForkApp> {
  const { databaseUrl, secretKey } = parts.installation
  return parts.openInner({
    path: `${forksPath}/${id}`,
    databaseUrl: forkUrl(databaseUrl, id),
    secretKey: forkSecretKey(secretKey, id),
    clock,
    folder: getForkFolder(parts, id),
    opened: { forks: { clock: testClock } },
    serve: serveInFork,
  })
}

async function record(registry: Database, { store_id, id }: ForkRow, clock: ForkClock): Promise<void> {
  await registry.transaction(async (tx) =>
    tx.later(sql`
    update forks
    set ahead_ms = greatest(ahead_ms, ${Math.round(clock.aheadMs)}::bigint), worked_until = ${clock.now()}
    where store_id = ${store_id}
      and id = ${id}`),
  )
}

/** Runs the work if no other process has its turn within the patience; otherwise returns null. */
type TakeTurn = <T>(patienceMs: number, work: () => Promise<T>) => Promise<T | null>

/** The lock is released with the connection, however this process ends. */
function createTurnTaker(url: string): TakeTurn {
  return (patienceMs, work) =>
    withClient(url, connectionName, async (client) => {
      const until = performance.now() + patienceMs
      for (;;) {
        const { rows } = await client.query<{ taken: boolean }>(
          `select pg_try_advisory_lock(hashtextextended('fork work', 0)) as taken`,
        )
        if (rows[0]!.taken) return work()
        if (performance.now() > until) return null
        await sleep(50)
      }
    })
}

// The clock of a fork: that of the service, and a lead that only grows.

type ForkClock = Clock & { readonly aheadMs: number; setAhead(ms: number): void; moveTo(time: Date): void }

function forkClock(base: Clock, aheadMs: number): ForkClock {
  let ahead = aheadMs
  return {
    get aheadMs() {
      return ahead
    },
    now: () => new Date(base.now().getTime() + ahead),
    elapsedMs: () => base.elapsedMs() + ahead,
    setAhead(ms) {
      ahead = Math.max(ahead, ms)
    },
    moveTo(time) {
      ahead = Math.max(ahead, time.getTime() - base.now().getTime())
    },
  }
}

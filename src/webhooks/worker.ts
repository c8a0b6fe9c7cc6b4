// The worker of one process: claims what is due, sends it, writes it down. It wakes after a commit of this process,
// when another one notifies, when a retry is due, and every second in any case.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../kit/database/open.ts'
import { publicId } from '../kit/values/ids.ts'
import { sql } from '../kit/database/sql.ts'
import { onQueued } from '../events/queued.ts'
import { holdSession } from '../platform/postgres/session.ts'
import type { Claimed, Receiver } from './claim.ts'
import { openClaimer } from './claimer.ts'
import { completer } from './complete.ts'
import { deliver, postponed, type Done, type Means } from './deliver.ts'
import type { State } from './health.ts'
import { openLanes } from './lanes.ts'
import { deliveries, inFlight, showQueueOf } from './metrics.ts'
import { endClaimsOf, giveBackClaimsOf, hasOtherWorkers, lockOfWorkers, missingWorkers } from './workers.ts'

export type Worker = { stop(): Promise<void> }

const settings = [
  // What a crash of PostgreSQL takes of the last moments is claimed and sent again, with the same ids.
  'synchronous_commit=off',
  // Its queries walk indexes, whatever the statistics say of a table that was empty a moment ago.
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((plan) => `enable_${plan}=off`),
]
const pollMs = 1000
// How long a worker that lost its connection has to come back.
const returnMs = 600
/** What processes notify that have queued deliveries, and how often at most. */
export const channel = 'stoa_deliveries'
export const notifyEveryMs = 250
// A call takes 15 s at most; with less than this left of its claim a row is not sent.
const leastLeaseMs = 20_000
// What is still under way when stop() has waited so long is sent again by another process.
const drainMs = 3000

/** Resolves once the worker is known to the others. */
export async function startWorker({ databaseUrl, ...means }: Means & { databaseUrl: string }): Promise<Worker> {
  const { clock, log } = means
  // Its own connections: a busy API does not delay it.
  const db = openDatabase({ url: databaseUrl, clock, connections: 3, settings })
  const me = randomInt(1, 2 ** 31)
  const lanes = openLanes(send, (webhookId) => claimer.wake([webhookId]))
  const written = completer({ db, me, log, finishedBy: lanes.finishedBy, onWritten })
  const claimer = openClaimer({ db, me, lanes, log })
  let isStopping = false
  let hasOthers = true
  let nextNotice: NodeJS.Timeout | undefined

  async function send(row: Claimed, receiver: Receiver): Promise<number | null> {
    if (isStopping) return null
    if (receiver.claimed_until.getTime() - clock.now().getTime() < leastLeaseMs) {
      claimer.wake([row.webhook_id])
      return null
    }
    inFlight.inc()
    try {
      const done = await deliver(row, receiver, means)
      written.add(done)
      return done.duration_ms ?? 0
    } catch (error) {
      // A bug, or a secret that cannot be opened.
      log.error({ err: error, delivery: publicId('dlv', row.id) }, 'a delivery could not be made')
      written.add(postponed(row, receiver, clock.now()))
      return 0
    } finally {
      inFlight.dec()
    }
  }

  function onWritten(batch: Done[], changed: Map<string, State>): void {
    lanes.forget(batch)
    const retries = batch.filter(({ status, at }) => status === 'pending' && at)
    if (retries.length > 0) wakeAt(Math.max(...retries.map(({ run_at }) => run_at!.getTime())), idsOf(retries))
    for (const { event, status } of batch) if (status !== 'pending') deliveries.inc({ event, outcome: status })
    for (const [webhookId, state] of changed) {
      log.warn({ webhook: publicId('wh', webhookId), state }, 'the state of a webhook changed')
      if (state !== 'active') lanes.drop(webhookId)
    }
    claimer.makeRoom()
    // What was held may go now, and other processes left to us what came for receivers that were ours.
    if (hasOthers || changed.size > 0) claimer.wake(idsOf(batch))
  }

  function wakeAt(time: number, webhookIds: string[]): void {
    setTimeout(() => claimer.wake(webhookIds), Math.max(0, time - clock.now().getTime())).unref()
  }

  function notifyOthers(): void {
    if (!hasOthers || nextNotice) return
    nextNotice = setTimeout(() => {
      nextNotice = undefined
      db.rows(sql`select pg_notify(${channel}, '')`).catch(() => {})
    }, notifyEveryMs).unref()
  }

  async function poll(): Promise<void> {
    claimer.wake()
    lanes.tidy()
    hasOthers = await hasOtherWorkers(db, me)
    const missing = await missingWorkers(db)
    if (missing.length === 0) return
    // Missing twice: after a restart of PostgreSQL every worker needs a moment to take its lock again.
    await sleep(returnMs)
    const dead = (await missingWorkers(db)).filter((worker) => worker !== me && missing.includes(worker))
    if (dead.length === 0) return
    await endClaimsOf(db, dead)
    claimer.wake()
  }

  const session = await holdSession({
    url: databaseUrl,
    lock: [lockOfWorkers, me],
    channel,
    onNotify: () => claimer.wake(),
    onReturn: () => claimer.wake(),
  })
  const forget = onQueued((webhookIds) => {
    claimer.wake(webhookIds)
    notifyOthers()
  })
  const timer = setInterval(() => void poll().catch(() => {}), pollMs).unref()
  showQueueOf(db)
  void poll().catch(() => {})

  return {
    async stop() {
      isStopping = true
      clearInterval(timer)
      clearTimeout(nextNotice)
      forget()
      showQueueOf(undefined)
      await claimer.stop()
      lanes.drop()
      const deadline = Date.now() + drainMs
      while (lanes.size() > 0 && Date.now() < deadline) await sleep(10)
      await Promise.race([written.drained(), sleep(Math.max(1000, deadline - Date.now()))])
      written.close()
      await giveBackClaimsOf(db, me).catch(() => {})
      await session.close()
      await db.close()
    },
  }
}

function idsOf(rows: readonly Done[]): string[] {
  return [...new Set(rows.map(({ webhook_id }) => webhook_id))]
}

// Requests that wait for an event of their store. One subscription serves all of a process: its own commits,
// notifications of others, and one query a second over all awaited logs, because a process can die before it notifies.
import { Gauge } from 'prom-client'
import type { Database, Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { tooManyWaiting } from '../../tenancy/events/errors.ts'
import { metrics } from '../../platform/process/metrics.ts'
import { eventsCommitted } from '../../tenancy/events/topics.ts'

export type Waits = {
  /** A waiting place that remembers later events. Refuses when all places are taken. */
  enter(storeId: string, credential: string): EventWait
  /** Ends all waits, now and later. */
  close(): void
}

type EventWait = {
  /** Resolves when something happened since the last call, after `ms` at the latest, and at once after close. */
  next(ms: number, signal: AbortSignal): Promise<void>
  /** The newest number seen; later ones wake the wait. */
  seen(sequence: number): void
  readonly isOver: boolean
  leave(): void
}

type WaitingRequest = { storeId: string; credential: string; newest: number; hasNews: boolean; wake: () => void }

const maxWaits = { ofCredential: 5, ofStore: 20, ofProcess: 1000 }
const lookEveryMs = 1000

export function openWaits(db: Database): Waits {
  const waiters = new Set<WaitingRequest>()
  let isClosed = false
  const tell = (waiter: WaitingRequest) => {
    waiter.hasNews = true
    waiter.wake()
  }
  const forget = db.bus.subscribe(eventsCommitted, ({ storeId }) => {
    for (const waiter of waiters) if (storeId === null || waiter.storeId === storeId) tell(waiter)
  })
  const lookAround = () => {
    if (waiters.size === 0) return
    findNewestSequences(db, [...new Set([...waiters].map(({ storeId }) => storeId))]).then(
      (newest) => {
        for (const waiter of waiters) if (newest.get(waiter.storeId)! > waiter.newest) tell(waiter)
      },
      () => {},
    )
  }
  const timer = setInterval(lookAround, lookEveryMs).unref()
  return {
    enter(storeId, credential) {
      requireFreeWait(waiters, storeId, credential)
      const waiter: WaitingRequest = { storeId, credential, newest: Infinity, hasNews: false, wake: () => {} }
      waiters.add(waiter)
      waitingGauge.set(waiters.size)
      return {
        next: (ms, signal) => (isClosed ? Promise.resolve() : waitForNews(waiter, ms, signal)),
        seen: (sequence) => {
          waiter.newest = sequence
        },
        get isOver() {
          return isClosed
        },
        leave() {
          waiters.delete(waiter)
          waitingGauge.set(waiters.size)
        },
      }
    },
    close() {
      isClosed = true
      clearInterval(timer)
      forget()
      waiters.forEach(tell)
    },
  }
}

function requireFreeWait(waiters: Set<WaitingRequest>, storeId: string, credential: string): void {
  let [ofCredential, ofStore] = [0, 0]
  for (const waiter of waiters) {
    if (waiter.storeId !== storeId) continue
    ofStore++
    if (waiter.credential === credential) ofCredential++
  }
  if (ofCredential >= maxWaits.ofCredential) throw tooManyWaiting(maxWaits.ofCredential)
  if (ofStore >= maxWaits.ofStore) throw tooManyWaiting(maxWaits.ofStore)
  if (waiters.size >= maxWaits.ofProcess) throw tooManyWaiting(maxWaits.ofProcess)
}

function waitForNews(waiter: WaitingRequest, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      waiter.wake = () => {}
      waiter.hasNews = false
      resolve()
    }
    const timer = setTimeout(end, ms)
    waiter.wake = end
    signal.addEventListener('abort', end)
    if (waiter.hasNews || signal.aborted) end()
  })
}

/** An event without a number counts as one more. */
async function findNewestSequences(db: Db, storeIds: string[]): Promise<Map<string, number>> {
  const rows = await db.rows<{ store_id: string; newest: number }>(sql`
    select store_id, last + exists (
      select from unnumbered_events
      where unnumbered_events.store_id = event_logs.store_id)::int as newest
    from event_logs
    where store_id = any(${storeIds}::text[])`)
  return new Map(rows.map(({ store_id, newest }) => [store_id, newest]))
}

const waitingGauge = new Gauge({ name: 'event_waits', help: 'Requests waiting for an event', registers: [metrics] })

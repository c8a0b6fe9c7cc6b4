// Ensures that every event that got no number with its commit gets one (number.ts): at once when a reader waits, before
// its delivery is claimed (webhooks/delivery/claim.ts), and otherwise within a second, in batches.
import type { Database, StoreDatabase } from '../../kit/database/database.ts'
import type { JobWork, JobRound } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { numberEvents, unnumberedStores } from './number.ts'
import { eventsCommitted } from './topics.ts'

export type Sequencer = {
  /** Resolves once all events committed so far in the store are numbered. */
  catchUp(storeId: string): Promise<void>
  /** Starts numbering the events that this process leaves unnumbered, even without readers. */
  start(): void
  /** Waits for running work. */
  stop(): Promise<void>
}

const pauseMs = 1000
const storesPerBatch = 200

export function openSequencer(db: Database, log: Log): Sequencer {
  const catchUp = shareRuns((storeId) => numberAll(db.ofStore(storeId), [storeId]))
  const pendingStores = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  let round = Promise.resolve()

  const plan = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      round = numberPending().catch((error: unknown) => log.warn({ err: error }, 'events could not be numbered'))
    }, pauseMs).unref()
  }
  const numberPending = async () => {
    while (pendingStores.size > 0) {
      const stores = [...pendingStores].slice(0, storesPerBatch)
      stores.forEach((storeId) => pendingStores.delete(storeId))
      await numberAll(db, stores)
    }
  }
  return {
    catchUp,
    start() {
      unsubscribe = db.bus.subscribe(eventsCommitted, ({ storeId, isUnnumbered }) => {
        if (!isUnnumbered || storeId === null) return
        pendingStores.add(storeId)
        plan()
      })
    },
    async stop() {
      unsubscribe()
      clearTimeout(timer)
      await round
    },
  }
}

async function numberAll(db: StoreDatabase, storeIds: readonly string[]): Promise<void> {
  while (await db.transaction((tx) => numberEvents(tx, storeIds)));
}

/**
 * Runs once at a time for each key. A running pass may miss the caller's writes, so calls made meanwhile share the next
 * one.
 */
function shareRuns(run: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const next = new Map<string, Promise<void>>()
  const begin = (key: string): Promise<void> => {
    const running = run(key).finally(() => underWay.delete(key))
    underWay.set(key, running)
    return running
  }
  return (key) => {
    const before = underWay.get(key)
    if (!before) return begin(key)
    const queueing =
      next.get(key) ??
      before
        .catch(() => {})
        .then(() => {
          next.delete(key)
          return begin(key)
        })
    next.set(key, queueing)
    return queueing
  }
}

/** Numbers the events of processes that were killed. */
export function numberingJob(): JobWork {
  return {
    name: 'number events',
    async run(tx): Promise<JobRound> {
      const { stores, hasMore } = await unnumberedStores(tx)
      if (stores.length === 0) return {}
      return { more: (await numberEvents(tx, stores)) || hasMore }
    },
  }
}

// Decides which caller gets a connection next. A store has at most half of them, reads leave some to writes and writes
// some to reads, and stores take turns, so no store can starve another. Dry runs of a store use at most two of its
// connections.
import { unavailable } from '../values/errors.ts'
import { openFairQueue, type FairQueue } from '../values/fairqueue.ts'
import { TimedOut } from './errors.ts'

export type Purpose = {
  kind: 'read' | 'write' | 'dry run'
  /** Absent if the work serves no store or several at once. */
  storeId?: string
}

export type FairPool = Pick<FairQueue<Purpose>, 'take' | 'waiting'> & {
  /** How long the first in line has waited. Dry runs, which take turns on purpose, do not count. */
  readonly longestWaitMs: number
}

const maxWaiting = 500
const maxWaitingOfStore = maxWaiting / 2
const maxDryRunsOfStore = 2
const maxDryRunsWaiting = 50

export function openFairPool(count: number, waitMs: number): FairPool {
  const queue = openFairQueue<Purpose>({
    ...usage(count),
    laneOf: ({ kind, storeId }) => `${kind} ${storeId ?? ''}`,
    maxInLane: ({ kind, storeId }) =>
      storeId === undefined ? maxWaiting : kind === 'dry run' ? maxDryRunsWaiting : maxWaitingOfStore,
    maxInAll: maxWaiting,
    waitMs: () => waitMs,
    fullError: () => unavailable(),
    timeoutError: (ms) => new TimedOut(ms),
  })
  return {
    take: queue.take,
    get waiting() {
      return queue.waiting
    },
    get longestWaitMs() {
      return queue.longestWaitMs(({ kind }) => kind !== 'dry run')
    },
  }
}

/** Counts the users of `count` connections. */
function usage(count: number) {
  const perStore = Math.max(1, Math.floor(count / 2))
  const perKind = count - Math.floor(count / 4)
  const inUse = { all: 0, reads: 0, writes: 0 }
  const usedBy = new Map<string, number>()
  const toPoolSide = (kind: Purpose['kind']) => (kind === 'read' ? 'reads' : 'writes')
  const isWithin = (name: string, max: number) => (usedBy.get(name) ?? 0) < max
  const add = (name: string, by: 1 | -1) => {
    const sum = (usedBy.get(name) ?? 0) + by
    if (sum === 0) usedBy.delete(name)
    else usedBy.set(name, sum)
  }
  return {
    hasPlace: ({ kind, storeId }: Purpose) =>
      inUse.all < count &&
      inUse[toPoolSide(kind)] < perKind &&
      (storeId === undefined ||
        (isWithin(storeId, perStore) && (kind !== 'dry run' || isWithin(`dry run ${storeId}`, maxDryRunsOfStore)))),
    move({ kind, storeId }: Purpose, by: 1 | -1) {
      inUse.all += by
      inUse[toPoolSide(kind)] += by
      if (storeId === undefined) return
      add(storeId, by)
      if (kind === 'dry run') add(`dry run ${storeId}`, by)
    },
  }
}

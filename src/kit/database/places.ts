// Who may use a connection next. A store has half of them at most, reads leave some to writes and writes some to reads,
// and those who wait take turns by store: whatever one store asks for, its neighbours find a place.
import { unavailable } from '../values/errors.ts'
import { TimedOut } from './errors.ts'

export type Purpose = {
  kind: 'read' | 'write'
  /** Without one it serves no store or several at once. */
  storeId?: string
}

export type Places = {
  /** Resolves with what gives the place back. Fails at once when too many wait already, and after `waitMs`. */
  take(purpose: Purpose): Promise<() => void>
  readonly waiting: number
}

type Waiter = { resolve: (giveBack: () => void) => void; timer: NodeJS.Timeout }
/** Those who wait for the same store and kind, in the order in which they came. */
type Lane = Purpose & { waiters: Waiter[] }

const maximumWaiting = 500
const maximumWaitingOfStore = maximumWaiting / 2

export function openPlaces(count: number, waitMs: number): Places {
  const { hasPlace, isFull, move } = usage(count)
  // The lane that was served last is the last in order.
  const lanes = new Map<string, Lane>()
  let waiting = 0

  const occupy = (purpose: Purpose): (() => void) => {
    move(purpose, 1)
    return () => {
      move(purpose, -1)
      serveNext()
    }
  }
  const serveNext = () => {
    for (const [name, lane] of lanes) {
      if (isFull()) return
      if (!hasPlace(lane)) continue
      const { resolve, timer } = lane.waiters.shift()!
      clearTimeout(timer)
      waiting--
      lanes.delete(name)
      if (lane.waiters.length > 0) lanes.set(name, lane)
      resolve(occupy(lane))
    }
  }
  const wait = (purpose: Purpose): Promise<() => void> => {
    const name = `${purpose.kind} ${purpose.storeId ?? ''}`
    const lane: Lane = lanes.get(name) ?? { ...purpose, waiters: [] }
    const most = purpose.storeId === undefined ? maximumWaiting : maximumWaitingOfStore
    if (waiting >= maximumWaiting || lane.waiters.length >= most) return Promise.reject(unavailable())
    lanes.set(name, lane)
    waiting++
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, timer: setTimeout(() => giveUp(name, lane, waiter, reject), waitMs) }
      lane.waiters.push(waiter)
    })
  }
  const giveUp = (name: string, lane: Lane, waiter: Waiter, reject: (error: Error) => void) => {
    lane.waiters.splice(lane.waiters.indexOf(waiter), 1)
    if (lane.waiters.length === 0) lanes.delete(name)
    waiting--
    reject(new TimedOut(waitMs))
  }
  return {
    take: (purpose) => (hasPlace(purpose) ? Promise.resolve(occupy(purpose)) : wait(purpose)),
    get waiting() {
      return waiting
    },
  }
}

/** Who uses how many of `count` places. */
function usage(count: number) {
  const perStore = Math.max(1, Math.floor(count / 2))
  const perKind = count - Math.floor(count / 4)
  const used = { all: 0, read: 0, write: 0 }
  const usedBy = new Map<string, number>()
  const isFull = () => used.all >= count
  return {
    isFull,
    hasPlace: ({ kind, storeId }: Purpose) =>
      !isFull() && used[kind] < perKind && (storeId === undefined || (usedBy.get(storeId) ?? 0) < perStore),
    move({ kind, storeId }: Purpose, by: 1 | -1) {
      used.all += by
      used[kind] += by
      if (storeId === undefined) return
      const ofStore = (usedBy.get(storeId) ?? 0) + by
      if (ofStore === 0) usedBy.delete(storeId)
      else usedBy.set(storeId, ofStore)
    },
  }
}

// A queue for a scarce resource with one lane for each store and kind of work. Lanes take turns, so a store with much
// work waits behind itself, and others do not.

export type FairQueue<Purpose> = {
  /** Resolves with the function that releases the place. Rejects at once if too many wait, or after `waitMs`. */
  take(purpose: Purpose): Promise<() => void>
  readonly waiting: number
  /** How long the first of those that `isUrgent` names has waited. */
  longestWaitMs(isUrgent: (purpose: Purpose) => boolean): number
  /** Rejects all waiting and later calls. */
  close(): void
}

export type FairQueueRules<Purpose> = {
  /** Purposes of the same lane are served in the order in which they came. */
  laneOf(purpose: Purpose): string
  hasPlace(purpose: Purpose): boolean
  /** Records that a place is taken (1) or released (-1). */
  move(purpose: Purpose, by: 1 | -1): void
  /** The largest number that may wait in one lane, and in all. */
  maxInLane(purpose: Purpose): number
  maxInAll: number
  /** Infinity waits without a limit. */
  waitMs(purpose: Purpose): number
  fullError(isLane: boolean): Error
  timeoutError(waitMs: number): Error
}

type QueuedCall<Purpose> = {
  purpose: Purpose
  since: number
  resolve: (release: () => void) => void
  reject: (error: Error) => void
  timer?: NodeJS.Timeout
}

export function openFairQueue<Purpose>(rules: FairQueueRules<Purpose>): FairQueue<Purpose> {
  // In order of service: the lane that was served last is at the end.
  const lanes = new Map<string, QueuedCall<Purpose>[]>()
  let waiting = 0
  let isClosed = false

  const occupy = (purpose: Purpose): (() => void) => {
    rules.move(purpose, 1)
    return () => {
      rules.move(purpose, -1)
      serveNext()
    }
  }
  const serveNext = () => {
    for (const [name, lane] of lanes) {
      if (!rules.hasPlace(lane[0]!.purpose)) continue
      const { purpose, resolve, timer } = lane.shift()!
      clearTimeout(timer)
      waiting--
      lanes.delete(name)
      if (lane.length > 0) lanes.set(name, lane)
      resolve(occupy(purpose))
    }
  }
  const wait = (purpose: Purpose): Promise<() => void> => {
    const name = rules.laneOf(purpose)
    const lane = lanes.get(name) ?? []
    const isLaneFull = lane.length >= rules.maxInLane(purpose)
    if (isLaneFull || waiting >= rules.maxInAll || isClosed) return Promise.reject(rules.fullError(isLaneFull))
    lanes.set(name, lane)
    waiting++
    return new Promise((resolve, reject) => {
      const waiter: QueuedCall<Purpose> = { purpose, since: performance.now(), resolve, reject }
      const waitMs = rules.waitMs(purpose)
      if (waitMs < Infinity) waiter.timer = setTimeout(() => giveUp(name, waiter, rules.timeoutError(waitMs)), waitMs)
      lane.push(waiter)
    })
  }
  const giveUp = (name: string, waiter: QueuedCall<Purpose>, error: Error) => {
    const lane = lanes.get(name)!
    lane.splice(lane.indexOf(waiter), 1)
    if (lane.length === 0) lanes.delete(name)
    waiting--
    clearTimeout(waiter.timer)
    waiter.reject(error)
  }
  return {
    take: (purpose) => (!isClosed && rules.hasPlace(purpose) ? Promise.resolve(occupy(purpose)) : wait(purpose)),
    get waiting() {
      return waiting
    },
    longestWaitMs: (isUrgent) =>
      longestWait([...lanes.values()].map(([first]) => first!).filter(({ purpose }) => isUrgent(purpose))),
    close() {
      isClosed = true
      for (const [name, lane] of lanes) while (lane[0]) giveUp(name, lane[0], rules.fullError(false))
    },
  }
}

function longestWait(waiting: { since: number }[]): number {
  return Math.max(0, ...waiting.map(({ since }) => performance.now() - since))
}

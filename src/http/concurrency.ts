// How many requests may run at once. The number follows from what waits: while work stands in a queue for longer than
// it should, it falls, and it rises again once the wait is over. A lane (a store) with fewer than its share is let in
// before one with more, so a store that floods the server is turned away, and not the others.

export type ConcurrencyLimits = {
  everyMs: number
  /** A longer wait, of the event loop or for a connection, is a sign of overload. */
  maxDelayMs: number
  /** The ticks in a row that must exceed it: a single one is a pause, not a queue. */
  patienceTicks: number
  /** The limit is never below: fewer would leave processor and database idle. */
  least: number
  /** The limit without overload. */
  most: number
}

export const usualLimits: ConcurrencyLimits = { everyMs: 50, maxDelayMs: 100, patienceTicks: 2, least: 32, most: 1000 }

export type Concurrency = {
  /** Returns the function that ends the request; null if it is turned away. */
  enter(lane: string): (() => void) | null
  /** True if it would be turned away now. */
  isFull(lane: string): boolean
  /** To be called every `everyMs` with the longest wait since. */
  tick(delayMs: number): void
  readonly underWay: number
  readonly limit: number
}

export function openConcurrency({ maxDelayMs, patienceTicks, least, most }: ConcurrencyLimits): Concurrency {
  const lanes = new Map<string, number>()
  let [underWay, limit, lateTicks] = [0, most, 0]

  const leave = (lane: string) => {
    underWay--
    const left = lanes.get(lane)! - 1
    if (left === 0) lanes.delete(lane)
    else lanes.set(lane, left)
  }
  const isFull = (lane: string): boolean => {
    if (underWay < limit) return false
    const own = lanes.get(lane) ?? 0
    return own >= Math.floor(limit / (lanes.size + (own === 0 ? 1 : 0)))
  }
  return {
    isFull,
    enter(lane) {
      if (isFull(lane)) return null
      underWay++
      lanes.set(lane, (lanes.get(lane) ?? 0) + 1)
      let isOver = false
      return () => {
        if (!isOver) leave(lane)
        isOver = true
      }
    },
    tick(delayMs) {
      lateTicks = delayMs > maxDelayMs ? lateTicks + 1 : 0
      if (lateTicks >= patienceTicks) limit = Math.max(least, Math.floor(Math.min(limit, underWay) * 0.75))
      else if (delayMs < maxDelayMs / 2) limit = Math.min(most, Math.ceil(limit * 1.05))
    },
    get underWay() {
      return underWay
    },
    get limit() {
      return limit
    },
  }
}

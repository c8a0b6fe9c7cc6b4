// The one clock for expiry, leases and windows. Nothing calls Date.now() or SQL's now(), so that a test can move it.

export type Clock = {
  now(): Date
  /** Milliseconds since some moment. Durations use it, as it cannot be set. */
  elapsedMs(): number
}

export const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() }

/** For a cache: its entries age by the one clock, to the millisecond. */
export function measuredBy(clock: Clock) {
  return { perf: { now: () => clock.elapsedMs() }, ttlResolution: 0 }
}

export type MovableClock = Clock & {
  advance(seconds: number): void
  /** Sets the clock like the machine's: no time passes. */
  set(seconds: number): void
}

export function movableClock(): MovableClock {
  let [passedMs, setMs] = [0, 0]
  return {
    now: () => new Date(Date.now() + passedMs + setMs),
    elapsedMs: () => performance.now() + passedMs,
    advance: (seconds) => {
      passedMs += seconds * 1000
    },
    set: (seconds) => {
      setMs += seconds * 1000
    },
  }
}

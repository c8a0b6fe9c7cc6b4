// The one clock: expiry, leases and windows ask it, never Date.now() or SQL's now(), so that a test can move it.

export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export type MovableClock = Clock & { advance(seconds: number): void }

export function movableClock(): MovableClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (seconds) => {
      offsetMs += seconds * 1000
    },
  }
}

// The clock of a fork: that of the service, and a lead that only grows.
import type { Clock } from '../../../kit/values/clock.ts'

export type ForkClock = Clock & { readonly aheadMs: number; setAhead(ms: number): void; moveTo(time: Date): void }

export function forkClock(base: Clock, aheadMs: number): ForkClock {
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

// A fixed window of 60 seconds, or any other length, per name. Memory here; the shared one is in valkey.ts.
import type { Clock } from '../kit/values/clock.ts'

export type Hit = {
  allowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  reset: number
}

export type RateLimiter = {
  /** Counts `cost` against `name` (0 only looks). */
  hit(name: string, limit: number, options?: { windowSeconds?: number; cost?: number }): Hit | Promise<Hit>
}

const maximumNames = 200_000

export function memoryRateLimiter(clock: Clock): RateLimiter {
  const windows = new Map<string, { count: number; endsAt: number }>()
  return {
    hit(name, limit, { windowSeconds = 60, cost = 1 } = {}) {
      const now = clock.now().getTime()
      let window = windows.get(name)
      if (!window || window.endsAt <= now) {
        if (windows.size >= maximumNames) forgetEnded(windows, now)
        window = { count: 0, endsAt: now + windowSeconds * 1000 }
        windows.set(name, window)
      }
      window.count += cost
      return hitOf(window.count, limit, window.endsAt)
    },
  }
}

export function hitOf(count: number, limit: number, endsAtMs: number): Hit {
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), reset: Math.ceil(endsAtMs / 1000) }
}

/** Whole seconds to wait, never more than the window: `reset` is rounded up. */
export function waitSeconds({ reset }: Hit, now: Date, windowSeconds = 60): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(reset - now.getTime() / 1000)))
}

function forgetEnded(windows: Map<string, { count: number; endsAt: number }>, now: number): void {
  for (const [name, { endsAt }] of windows) if (endsAt <= now) windows.delete(name)
  // All still open: a flood of names. Forgetting the oldest keeps memory bounded.
  for (const name of windows.keys()) {
    if (windows.size < maximumNames) break
    windows.delete(name)
  }
}

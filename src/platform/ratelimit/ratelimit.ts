// A fixed window of 60 seconds, or any other length, per name. Memory here; the shared one is in valkey.ts.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kit/values/clock.ts'

export type Hit = {
  allowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  reset: number
}

export type RateLimiter = {
  /** Counts `cost` against `name` (0 only looks, below takes back). What precedes its first colon is its kind. */
  hit(name: string, limit: number, options?: { windowSeconds?: number; cost?: number }): Hit | Promise<Hit>
}

/** Asks nobody. */
type AtOnce = { hit(...question: Parameters<RateLimiter['hit']>): Hit }

/** `endsAt` is of the clock that nobody can set, `resetAt` the same moment as it was told. */
type Window = { count: number; endsAt: number; resetAt: number }

const maxNames = 100_000

// Kinds whose names only this installation gives out: keys, clients by store, accounts, devices, stores, mail. They are
// in a place of their own. Names that a stranger can make up push out other strangers' at most.
const guarded: ReadonlySet<string> = new Set(['key', 'client', 'account', 'device', 'invite', 'mail', 'pixels'])

/** Each name costs the same however many are open; of too many, those that nobody asked for longest are forgotten. */
export function memoryRateLimiter(clock: Clock): AtOnce {
  const guards = new LRUCache<string, Window>({ max: maxNames })
  const strangers = new LRUCache<string, Window>({ max: maxNames })
  return {
    hit(name, limit, { windowSeconds = 60, cost = 1 } = {}) {
      const windows = guarded.has(name.slice(0, name.indexOf(':'))) ? guards : strangers
      const elapsed = clock.elapsedMs()
      const now = clock.now().getTime()
      let window = windows.get(name)
      if (!window || window.endsAt <= elapsed) {
        window = { count: 0, endsAt: elapsed + windowSeconds * 1000, resetAt: now + windowSeconds * 1000 }
        windows.set(name, window)
      }
      // What is taken back may have been counted in a window that has ended.
      window.count = Math.max(0, window.count + cost)
      renameEnd(window, now + window.endsAt - elapsed)
      return hitOf(window.count, limit, window.resetAt)
    },
  }
}

/** Somebody set the machine's clock: the same moment has another name from here on. */
function renameEnd(window: Window, resetAt: number): void {
  if (Math.abs(resetAt - window.resetAt) > 1000) window.resetAt = resetAt
}

export function hitOf(count: number, limit: number, endsAtMs: number): Hit {
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), reset: Math.ceil(endsAtMs / 1000) }
}

/** Whole seconds to wait, never more than the window: `reset` is rounded up. */
export function waitSeconds({ reset }: Hit, now: Date, windowSeconds = 60): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(reset - now.getTime() / 1000)))
}

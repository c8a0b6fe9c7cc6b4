// Fixed windows of 60 seconds, or any other length, per name. This one is in memory; the shared one is in valkey.ts.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kit/values/clock.ts'
import { rateLimited } from '../../kit/values/errors.ts'

export type Hit = {
  allowed: boolean
  limit: number
  remaining: number
  /** The end of the window, in Unix seconds. */
  reset: number
}

export type RateLimiter = {
  /**
   * Counts `cost` against `name` (0 only reads, a negative cost takes back). The text before its first colon is its
   * kind.
   */
  hit(name: string, limit: number, options?: { windowSeconds?: number; cost?: number }): Hit | Promise<Hit>
}

/** Answers synchronously. */
type AtOnce = {
  hit(...question: Parameters<RateLimiter['hit']>): Hit
  /** How many names are remembered. */
  readonly names: number
}

/** `endsAt` is of the monotonic clock, `resetAt` the same moment as reported to clients. */
type Window = { count: number; endsAt: number; resetAt: number }

const maxNames = 100_000

// Kinds whose names only this installation issues: keys, clients by store, accounts, devices, stores, email. They have
// a cache of their own. Names that strangers can invent evict only each other.
const guardedKinds: ReadonlySet<string> = new Set(['key', 'client', 'account', 'device', 'invite', 'mail', 'pixels'])

/** Each name costs the same however many are open; beyond the limit the least recently used are forgotten. */
export function memoryRateLimiter(clock: Clock): AtOnce {
  const guards = openWindows()
  const strangers = openWindows()
  return {
    get names() {
      return guards().size + strangers().size
    },
    hit(name, limit, { windowSeconds = 60, cost = 1 } = {}) {
      const windows = (guardedKinds.has(name.slice(0, name.indexOf(':'))) ? guards : strangers)()
      const elapsedMs = clock.elapsedMs()
      const now = clock.now().getTime()
      let window = windows.get(name)
      if (!window || window.endsAt <= elapsedMs) {
        forgetEnded(windows, elapsedMs)
        window = { count: 0, endsAt: elapsedMs + windowSeconds * 1000, resetAt: now + windowSeconds * 1000 }
        windows.set(name, window)
      }
      // The taken-back cost may belong to a window that has ended.
      window.count = Math.max(0, window.count + cost)
      renameEnd(window, now + window.endsAt - elapsedMs)
      return buildHit(window.count, limit, window.resetAt)
    },
  }
}

/** With `max` a cache reserves 3 MB when it is made; so it grows with its names. */
function openWindows(): () => LRUCache<string, Window> {
  let windows: LRUCache<string, Window> | undefined
  return () => (windows ??= new LRUCache({ maxSize: maxNames, sizeCalculation: () => 1 }))
}

const forgottenAtOnce = 4

/** With each new name a few that ended are forgotten, the least recently used first: memory follows the traffic. */
function forgetEnded(windows: LRUCache<string, Window>, now: number): void {
  const oldest = windows.rkeys().take(forgottenAtOnce).toArray()
  for (const name of oldest) if (windows.peek(name)!.endsAt <= now) windows.delete(name)
}

/** The machine's clock was set: the same moment has another time from now on. */
function renameEnd(window: Window, resetAt: number): void {
  if (Math.abs(resetAt - window.resetAt) > 1000) window.resetAt = resetAt
}

export function buildHit(count: number, limit: number, endsAtMs: number): Hit {
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), reset: Math.ceil(endsAtMs / 1000) }
}

/** Whole seconds to wait, never more than the window, as `reset` is rounded up. */
export function waitSeconds({ reset }: Hit, now: Date, windowSeconds = 60): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(reset - now.getTime() / 1000)))
}

/** Throws 429, with the seconds to wait, beyond the limit. */
export function requireQuota(hit: Hit, now: Date, windowSeconds?: number): void {
  if (!hit.allowed) throw rateLimited(waitSeconds(hit, now, windowSeconds))
}

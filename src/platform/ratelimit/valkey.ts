// The same windows, shared by all processes and nodes. If the server does not answer, each process counts alone for a
// second and then retries, with its own counts added: limits loosen, requests go on.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kit/values/clock.ts'
import type { Valkey } from '../process/valkey.ts'
import { buildHit, memoryRateLimiter, type RateLimiter } from './ratelimit.ts'

// One round trip. The window's end is in the hash, so that our clock decides and not the server's; an end further away
// than the window's length was written before a clock was set back.
const script = `
local ends = tonumber(redis.call('hget', KEYS[1], 'ends') or '0')
local now, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if ends > now and ends <= now + window then
  return { redis.call('hincrby', KEYS[1], 'count', cost), ends }
end
local count = math.max(0, cost)
redis.call('hset', KEYS[1], 'count', count, 'ends', now + window)
redis.call('pexpire', KEYS[1], window)
return { count, now + window }`

const pauseMs = 1000
const maxNames = 100_000
/** A limit that is never reached. */
const noLimit = Number.MAX_SAFE_INTEGER

type Count = { count: number; endsAt: number }

export function valkeyRateLimiter(valkey: Valkey, clock: Clock): RateLimiter {
  const alone = memoryRateLimiter(clock)
  // The counts that the server does not have yet, and its last answer. A window so has one count, even if the server
  // appears (as after a start) or disappears in the middle of it.
  const pending = countsBy(clock)
  const totals = countsBy(clock)
  let aloneUntil = -Infinity

  const hitAlone = (name: string, limit: number, options: Parameters<RateLimiter['hit']>[2] = {}) => {
    const { windowSeconds = 60, cost = 1 } = options
    const total = totals.take(name)
    pending.add(name, cost, windowSeconds)
    if (total > 0) {
      // The count includes tries from before the server's answer.
      const { remaining } = alone.hit(name, noLimit, { windowSeconds, cost: 0 })
      alone.hit(name, noLimit, { windowSeconds, cost: total - (noLimit - remaining) })
    }
    return alone.hit(name, limit, options)
  }
  return {
    async hit(name, limit, options = {}) {
      const { windowSeconds = 60, cost = 1 } = options
      if (clock.elapsedMs() < aloneUntil) return hitAlone(name, limit, options)
      const owedCount = pending.take(name)
      try {
        const question = [clock.now().getTime(), windowSeconds * 1000, cost + owedCount]
        const answer = await valkey.run(script, `stoa:limit:${name}`, question)
        const [count, endsAt] = answer as [number, number]
        totals.take(name)
        totals.add(name, count, (endsAt - clock.now().getTime()) / 1000)
        return buildHit(count, limit, endsAt)
      } catch {
        aloneUntil = clock.elapsedMs() + pauseMs
        pending.add(name, owedCount, windowSeconds)
        return hitAlone(name, limit, options)
      }
    },
  }
}

/** Counts by name; each ends with its window. */
function countsBy(clock: Clock) {
  const counts = new LRUCache<string, Count>({ max: maxNames })
  const current = (name: string): Count | undefined => {
    const count = counts.get(name)
    return count && count.endsAt > clock.elapsedMs() ? count : undefined
  }
  return {
    take(name: string): number {
      const count = current(name)?.count ?? 0
      counts.delete(name)
      return count
    },
    add(name: string, count: number, windowSeconds: number) {
      const { count: before, endsAt } = current(name) ?? { count: 0, endsAt: clock.elapsedMs() + windowSeconds * 1000 }
      if (count !== 0) counts.set(name, { count: before + count, endsAt })
    },
  }
}

// The same windows, shared by all processes and nodes. Without an answer of the server each process counts for itself
// for a second and then asks again: limits loosen, requests go on.
import type { Clock } from '../kit/values/clock.ts'
import type { Valkey } from '../platform/process/valkey.ts'
import { hitOf, memoryRateLimiter, type RateLimiter } from './ratelimit.ts'

// One round trip. The window's end is in the hash, so that the one clock decides and not the server's; an end that is
// further away than the window is long was written before somebody set a clock back.
const script = `
local ends = tonumber(redis.call('hget', KEYS[1], 'ends') or '0')
local now, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if ends > now and ends <= now + window then
  return { redis.call('hincrby', KEYS[1], 'count', cost), ends }
end
redis.call('hset', KEYS[1], 'count', cost, 'ends', now + window)
redis.call('pexpire', KEYS[1], window)
return { cost, now + window }`

const pauseMs = 1000

export function valkeyRateLimiter(valkey: Valkey, clock: Clock): RateLimiter {
  const alone = memoryRateLimiter(clock)
  let aloneUntil = -Infinity
  return {
    async hit(name, limit, options = {}) {
      const { windowSeconds = 60, cost = 1 } = options
      if (clock.elapsedMs() >= aloneUntil) {
        try {
          const question = [clock.now().getTime(), windowSeconds * 1000, cost]
          const answer = await valkey.run(script, `stoa:limit:${name}`, question)
          const [count, endsAt] = answer as [number, number]
          return hitOf(count, limit, endsAt)
        } catch {
          aloneUntil = clock.elapsedMs() + pauseMs
        }
      }
      return alone.hit(name, limit, options)
    },
  }
}

// The same windows, shared by the processes of one machine: the first process counts for its workers.
import type { PrimaryCall } from '../process/primary.ts'
import type { RateLimiter } from './ratelimit.ts'

const limitTopic = 'rate limit'

type HitQuestion = { name: string; limit: number; options?: { windowSeconds?: number; cost?: number } }

export function primaryRateLimiter(ask: PrimaryCall): RateLimiter {
  return { hit: (name, limit, options) => ask(limitTopic, { name, limit, options } satisfies HitQuestion) }
}

/** The first process's handler. */
export function countFor(limiter: RateLimiter) {
  return { [limitTopic]: ({ name, limit, options }: HitQuestion) => limiter.hit(name, limit, options) }
}

// Limits expensive requests without a key to a number per minute and address. Routes declare it:
// `app.get('/readyz', limited(600), …)`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kit/values/clock.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { requireQuota, type Hit, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'

/** The options of a route with a limit of requests per minute and address. */
export type LimitedRoute = (perMinute: number) => {
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

export function openRouteLimits(limiter: RateLimiter, clock: Clock): LimitedRoute {
  return (perMinute) => ({
    async onRequest({ ip, routeOptions }, reply) {
      const hit = await limiter.hit(`open:${addressBlock(ip)} ${routeOptions.url}`, perMinute)
      if (hit.allowed) return
      reply.header('cache-control', 'no-store')
      requireQuota(hit, clock.now())
    },
  })
}

const anonymousPerMinute = 1000

export function anonymousHit(limiter: RateLimiter, ip: string, cost = 1): Hit | Promise<Hit> {
  return limiter.hit(`ip:${addressBlock(ip)}`, anonymousPerMinute, { cost })
}

export function showLimit(reply: FastifyReply, { limit, remaining, reset }: Hit): void {
  reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', remaining).header('x-ratelimit-reset', reset)
}

// What is open to anybody without a key and makes the server work, or its line busy: so often a minute for an address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kit/values/clock.ts'
import { rateLimited } from '../kit/values/errors.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'

// prettier-ignore
const perMinute: Record<string, number> = {
  '/readyz':              600,   // several balancers may share an address
  '/openapi.json':        120,
  '/reference':           120,
  '/reference/start.js':  120,
  '/reference/scalar.js': 120,
}

export function limitOpen(app: FastifyInstance, limiter: RateLimiter, clock: Clock): void {
  const count = async (request: FastifyRequest, reply: FastifyReply, route: string, limit: number) => {
    const hit = await limiter.hit(`open:${addressBlock(request.ip)} ${route}`, limit)
    if (hit.allowed) return
    reply.header('cache-control', 'no-store')
    throw rateLimited(waitSeconds(hit, clock.now()))
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    const limit = Object.hasOwn(perMinute, url) ? perMinute[url] : undefined
    if (limit === undefined) done()
    else count(request, reply, url, limit).then(() => done(), done)
  })
}

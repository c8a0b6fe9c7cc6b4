// Refuses requests at once, with 503, while the process has more work than it can do in time: admitted requests
// take little longer than usual. Overload is measured in the event loop and in the queue for
// connections to the database, and not a number of requests. A request counts from when all of it has arrived until
// its answer is made, so slow clients take no place.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Counter, Gauge } from 'prom-client'
import type { Database } from '../kit/database/database.ts'
import { TurnedAway } from '../kit/values/errors.ts'
import type { Log } from '../platform/process/log.ts'
import { metrics } from '../platform/process/metrics.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import type { RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { anonymousHit, showLimit } from './routelimits.ts'

/** For routes that answer under any load. */
export const alwaysServed = { isAlwaysServed: true }

/** For routes that can wait for news: while they wait, they take no place. */
export const waitsForNews = { waitsForNews: true }

type RouteConfig = Partial<typeof alwaysServed & typeof waitsForNews>

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request's place, if it has one. */
    leave: (() => void) | null
  }
}

const registers = [metrics]
const turnedAway = new Counter({
  name: 'http_requests_turned_away_total',
  help: 'Requests rejected because the process was overloaded',
  registers,
})
/** The concurrency limits of all apps of the process. */
const open = new Set<Concurrency>()
const sumConcurrency = (count: (one: Concurrency) => number) => [...open].reduce((sum, one) => sum + count(one), 0)
new Gauge({
  name: 'http_requests_under_way',
  help: 'Requests being answered',
  registers,
  collect() {
    this.set(sumConcurrency(({ underWay }) => underWay))
  },
})
new Gauge({
  name: 'http_requests_limit',
  help: 'Requests that may be under way at once; falls under overload',
  registers,
  collect() {
    this.set(sumConcurrency(({ limit }) => limit))
  },
})

type OverloadOptions = { db: Database; limiter: RateLimiter; log: Log; limits?: Partial<ConcurrencyLimits> | undefined }

/** Call it before the routes are declared, and before hooks that need time. */
export function turnAwayUnderOverload(app: FastifyInstance, { db, limiter, log, limits }: OverloadOptions): void {
  const all = { ...usualLimits, ...limits }
  const concurrency = openConcurrency(all)
  open.add(concurrency)
  const stop = watch(all.everyMs, (loopDelayMs) => {
    const before = concurrency.limit
    concurrency.tick(Math.max(loopDelayMs, db.places.longestWaitMs))
    tell(log, before, concurrency.limit, all.most)
  })
  app.addHook('onClose', async () => {
    stop()
    open.delete(concurrency)
  })
  app.decorateRequest('leave', null)
  const lanes = openLanes()
  const enter = (request: FastifyRequest, reply: FastifyReply): boolean => {
    request.leave = concurrency.enter(lanes.of(request))
    // Requests answered without Fastify, or whose client has gone.
    if (request.leave) reply.raw.once('close', request.leave)
    return request.leave !== null
  }
  // Before anything is read for the request.
  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request)) return done()
    const isIn = hasBody(request) ? !concurrency.isFull(lanes.of(request)) : enter(request, reply)
    if (isIn) done()
    else refuse(request, reply, limiter).catch(done)
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (request.caller) lanes.learn(request, request.caller.store.id)
    if (isExempt(request) || request.leave || enter(request, reply)) done()
    else refuse(request, reply, limiter).catch(done)
  })
  app.addHook('onSend', (request: FastifyRequest, _reply: FastifyReply, _payload: unknown, done: () => void) => {
    request.leave?.()
    done()
  })
}

async function refuse(request: FastifyRequest, reply: FastifyReply, limiter: RateLimiter): Promise<never> {
  turnedAway.inc()
  const isApi = request.url.startsWith('/v1') && !reply.hasHeader('x-ratelimit-limit')
  if (isApi) showLimit(reply, await anonymousHit(limiter, request.ip, 0))
  throw new TurnedAway()
}

function isExempt({ routeOptions, query }: FastifyRequest): boolean {
  const { isAlwaysServed, waitsForNews } = routeOptions.config as RouteConfig
  return isAlwaysServed === true || (waitsForNews === true && Number((query as { wait?: string }).wait) > 0)
}

function hasBody({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'
}

/** Queue key: store, else address. */
function openLanes() {
  const storeByCredential = new LRUCache<string, string>({ max: 10_000 })
  const readCredential = ({ headers }: FastifyRequest) => String(headers['x-api-key'] ?? headers.authorization ?? '')
  return {
    of(request: FastifyRequest): string {
      const credential = readCredential(request)
      if (credential) return storeByCredential.get(credential) ?? addressBlock(request.ip)
      const { store, slug } = (request.params ?? {}) as { store?: string; slug?: string }
      return store ?? slug ?? request.hostname
    },
    learn(request: FastifyRequest, storeId: string) {
      const credential = readCredential(request)
      if (credential && !storeByCredential.has(credential)) storeByCredential.set(credential, storeId)
    },
  }
}

/** Measures the delay of the event loop. Returns the function that stops it. */
function watch(everyMs: number, see: (delayMs: number) => void): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    see(Math.max(0, now - last - everyMs))
    last = now
  }, everyMs).unref()
  return () => clearInterval(timer)
}

function tell(log: Log, before: number, limit: number, most: number): void {
  if (before === most && limit < most) log.warn({ limit }, 'overloaded: turning requests away beyond the limit')
  if (before < most && limit === most) log.info('no longer overloaded')
}

// How many requests may run at once. The number follows from what waits: while work stands in a queue for longer than
// it should, it falls, and it rises again once the wait is over. A lane (a store) with fewer than its share is let in
// before one with more, so a store that floods the server is turned away, and not the others.

export type ConcurrencyLimits = {
  everyMs: number
  /** A longer wait, of the event loop or for a connection, is a sign of overload. */
  maxDelayMs: number
  /** The ticks in a row that must exceed it: a single one is a pause, not a queue. */
  patienceTicks: number
  /** The limit is never below: fewer would leave processor and database idle. */
  least: number
  /** The limit when there is no overload. */
  most: number
}

export const usualLimits: ConcurrencyLimits = { everyMs: 50, maxDelayMs: 100, patienceTicks: 2, least: 32, most: 1000 }

type Concurrency = {
  /** Returns the function that ends the request; null if it is turned away. */
  enter(lane: string): (() => void) | null
  /** True if it would be turned away now. */
  isFull(lane: string): boolean
  /** To be called every `everyMs` with the longest wait since. */
  tick(delayMs: number): void
  readonly underWay: number
  readonly limit: number
}

export function openConcurrency({ maxDelayMs, patienceTicks, least, most }: ConcurrencyLimits): Concurrency {
  const lanes = new Map<string, number>()
  let [underWay, limit, lateTicks] = [0, most, 0]

  const leave = (lane: string) => {
    underWay--
    const remaining = lanes.get(lane)! - 1
    if (remaining === 0) lanes.delete(lane)
    else lanes.set(lane, remaining)
  }
  const isFull = (lane: string): boolean => {
    if (underWay < limit) return false
    const own = lanes.get(lane) ?? 0
    return own >= Math.floor(limit / (lanes.size + (own === 0 ? 1 : 0)))
  }
  return {
    isFull,
    enter(lane) {
      if (isFull(lane)) return null
      underWay++
      lanes.set(lane, (lanes.get(lane) ?? 0) + 1)
      let isOver = false
      return () => {
        if (!isOver) leave(lane)
        isOver = true
      }
    },
    tick(delayMs) {
      lateTicks = delayMs > maxDelayMs ? lateTicks + 1 : 0
      // With fewer requests under way than are always let in, it is not requests that wait: such as at a start.
      if (underWay < least) lateTicks = 0
      if (lateTicks >= patienceTicks) limit = Math.max(least, Math.floor(Math.min(limit, underWay) * 0.75))
      else if (delayMs < maxDelayMs / 2) limit = Math.min(most, Math.ceil(limit * 1.05))
    },
    get underWay() {
      return underWay
    },
    get limit() {
      return limit
    },
  }
}

// Hangs the route table into Fastify. Every request passes the same checks in the same order:
// authenticate → rate limit → scope → feature → body and query → path ids → operation.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import { ApiError, invalid, missingFeature, missingScope, notFound, rateLimited } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Cause } from '../kit/values/cause.ts'
import { isUuid, uuidOf } from '../kit/values/ids.ts'
import { textOf, type FileSent, type Route, type Written } from '../kit/declare/route.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { hasFeature, type Feature } from '../plans/plan.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import { waitSeconds, type Hit, type RateLimiter } from '../ratelimit/ratelimit.ts'
import type { Store } from '../stores/store.ts'
import type { Access, Authenticate, Guess } from './authenticate.ts'
import { formBytes, type TakingFiles } from './bodies.ts'
import { demandMatch, etagOf, isKnown, oneRecord, type OneRecord } from './conditions.ts'
import { idempotently, type Answer } from './idempotency.ts'
import { operationIdOf } from './openapi/names.ts'
import type { RequestLog } from '../requests/log.ts'
import { recording } from './record.ts'
import { weightBeyondOne } from './weight.ts'

declare module 'fastify' {
  interface FastifyRequest {
    access: Access
    file: FileSent | null
  }
}

export type MountOptions<Tools extends { vault: Vault } = any> = {
  prefix: string
  routes: readonly Route<Store, Tools>[]
  db: Database
  /** What operations get beside the database. */
  tools: Tools
  authenticate: Authenticate
  limiter: RateLimiter
  /** What its stores can read of their requests; null: nothing. */
  requestLog?: RequestLog | null
  /** Unless given, the server's. */
  maximumBodyBytes?: number
  /** Where a client learns how to get a token (RFC 9728); sent with 401 and 403. */
  resourceMetadata?: string
}

export function mount<Tools extends { vault: Vault }>(app: FastifyInstance, options: MountOptions<Tools>): void {
  for (const route of options.routes) {
    const mounted = { route, record: oneRecord(route, options.routes), operation: operationIdOf(route) }
    app.route({
      method: route.method,
      url: (options.prefix + route.path).replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: route.file ? route.file.maximumBytes + formBytes : options.maximumBodyBytes,
      config: { takesFile: route.file?.field ?? null } satisfies TakingFiles,
      onRequest: (request, reply) => admit(request, reply, route, options),
      handler: (request, reply) => answer(request, reply, mounted, options),
      ...recording(route, options),
    })
  }
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route<Store>,
  options: MountOptions,
): Promise<void> {
  // A cache knows that Authorization makes an answer private, but not that X-API-Key does (RFC 9111 §3.5).
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  try {
    const access = await authenticate(request, reply, route, options)
    request.access = access
    const hit = await options.limiter.hit(access.quota.name, access.quota.limit)
    showLimit(reply, hit)
    if (!hit.allowed) throw rateLimited(waitSeconds(hit, options.db.clock.now()))
    checkScope(access, route)
    if (typeof route.feature === 'string') checkFeature(access.store, route.feature)
    if (route.method !== 'GET' && access.store.status === 'suspended') {
      throw missingFeature('store_active', 'The store is suspended: reading works, writing does not')
    }
  } catch (error) {
    throw error instanceof ApiError ? withChallenge(error, request, route, options) : error
  }
}

/** Of a request that has waited the credential may have ended meanwhile. */
async function admitAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route<Store>,
  options: MountOptions,
): Promise<void> {
  try {
    checkScope(await authenticate(request, reply, route, options), route)
  } catch (error) {
    throw error instanceof ApiError ? withChallenge(error, request, route, options) : error
  }
}

/** Attempts with bad credentials are counted per address, before the database is asked, in a window of their own. */
async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: MountOptions,
): Promise<Access> {
  const counted: { hit?: Hit } = {}
  const count = async () => {
    const hit = (counted.hit = await anonymousHit(options.limiter, request.ip))
    if (!hit.allowed) throw rateLimited(waitSeconds(hit, options.db.clock.now()))
  }
  const guess: Guess = async (ask) => {
    await count()
    let isWrong = false
    try {
      return await ask()
    } catch (error) {
      isWrong = isUnauthenticated(error)
      throw error
    } finally {
      if (!isWrong) await anonymousHit(options.limiter, request.ip, -1)
    }
  }
  try {
    return await options.authenticate(request, guess, route)
  } catch (error) {
    if (isUnauthenticated(error) && !counted.hit) await count()
    throw error
  } finally {
    if (counted.hit) showLimit(reply, counted.hit)
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

const anonymousPerMinute = 1000

export function anonymousHit(limiter: RateLimiter, ip: string, cost = 1): Hit | Promise<Hit> {
  return limiter.hit(`ip:${addressBlock(ip)}`, anonymousPerMinute, { cost })
}

export function showLimit(reply: FastifyReply, { limit, remaining, reset }: Hit): void {
  reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', remaining).header('x-ratelimit-reset', reset)
}

function checkScope({ scopes }: Access, { scope }: Route): void {
  const accepted = [scope].flat()
  if (!accepted.some((name) => scopes.has(name))) throw missingScope(accepted[0]!)
}

function checkFeature(store: Store, feature: string): void {
  if (!hasFeature(store.plan, feature as Feature)) throw missingFeature(feature)
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  mounted: MountedRoute,
  options: MountOptions,
): Promise<FastifyReply> {
  const { route, record } = mounted
  const { store, actor } = request.access
  const context = { ...store, now: options.db.clock.now() }
  const strict = /\bhandling\s*=\s*"?strict\b/i.test(String(request.headers.prefer ?? ''))
  if (route.body && request.body === null) throw invalid(fault('body', 'not_json_object'))
  const input = request.body ?? {}
  if (typeof route.feature === 'function' && typeof input === 'object' && !Array.isArray(input)) {
    const feature = route.feature(input as Record<string, unknown>)
    if (feature) checkFeature(store, feature)
  }
  const query = route.query ? route.query.read(request.query, context, strict) : {}
  const outsideFaults = await route.outside?.(input as Record<string, unknown>, options.tools, store)
  const body = route.body ? route.body.read(input, context, strict, outsideFaults) : {}
  const params = pathIds(request.params as Record<string, string>, route)
  const call = { ...options.tools, store, actor, params, query, body }

  if (route.method === 'GET') {
    const db = options.db.ofStore(store.id)
    const { waitSeconds } = route
    const waiting = waitSeconds ? { signal: stayOpen(request, reply, waitSeconds) } : {}
    const body = textOf(await route.run({ ...call, ...waiting, db } as never))
    if (waitSeconds) await admitAgain(request, reply, route, options)
    await countWeight(request, reply, body, options)
    return send(reply, mounted, { status: 200, body }, request.headers['if-none-match'])
  }
  const cause: Cause = { requestId: request.id, actor, operation: mounted.operation }
  const db = options.db.because(cause).ofStore(store.id)
  const { vault } = options.tools as { vault: Vault }
  const { file } = request
  const prepared = await route.prepare?.({ ...options.tools, store, params, body, file, db } as never)
  const sent = file ? { ...input, file: hash('sha256', file.bytes) } : input
  let afterwards: Written<any>['afterwards']
  const perform = (): Promise<Answer> =>
    idempotently(db, vault, request, sent, async (tx) => {
      const ifMatch = request.headers['if-match']
      if (ifMatch !== undefined && record.read)
        await demandMatch(ifMatch, { read: record.read, route }, { ...call, tx })
      const written = await route.run({ ...call, prepared, tx } as never)
      afterwards = typeof written === 'object' ? written.afterwards : undefined
      const id = route.makesRecord && typeof written === 'object' ? written.id : null
      const location = id === null ? {} : { location: `${request.url.split('?')[0]}/${id}` }
      return { status: statusOf(written, route), body: textOf(written), ...location }
    })
  const committed = await perform()
  const further = committed.replayed ? undefined : await afterwards?.(db)
  const performed = further ? { ...committed, status: statusOf(further, route), body: further.json } : committed
  await countWeight(request, reply, performed.body, options)
  return send(reply, mounted, performed)
}

const marginSeconds = 5

/** The connection is not ended for its silence while it waits for the answer; aborted when the client has ended it. */
function stayOpen(request: FastifyRequest, reply: FastifyReply, seconds: number): AbortSignal {
  request.raw.socket.setTimeout((seconds + marginSeconds) * 1000)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

function statusOf(written: unknown, { status }: Route): number {
  return (typeof written === 'object' && (written as Written<any>).status) || status
}

async function countWeight(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  { limiter }: MountOptions,
): Promise<void> {
  const cost = weightBeyondOne(request, body)
  const { name, limit } = request.access.quota
  if (cost > 0) showLimit(reply, await limiter.hit(name, limit, { cost }))
}

type MountedRoute = { route: Route<Store>; record: OneRecord; operation: string }

function send(
  reply: FastifyReply,
  { route, record }: MountedRoute,
  { status, body, location, replayed }: Answer,
  ifNoneMatch?: string,
): FastifyReply {
  if (record.isAnswered) {
    const etag = etagOf(body)
    reply.header('etag', etag)
    if (isKnown(ifNoneMatch, etag)) return reply.code(304).send()
  }
  if (location) reply.header('location', location)
  if (replayed) reply.header('idempotent-replayed', 'true')
  reply.code(status).header('content-type', 'application/json; charset=utf-8')
  return reply.send(route.list ? body : `{"data":${body}}`)
}

/** Public ids of the path as uuids; what cannot be an id answers like an unknown one. */
function pathIds(params: Record<string, string>, route: Route): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, id]) => {
      const resource = route.params?.[name]
      if (!resource) return [name, id]
      const uuid = resource.prefix ? uuidOf(resource.prefix, id) : isUuid(id) ? id.toLowerCase() : null
      if (uuid === null) throw notFound(resource.noun)
      return [name, uuid]
    }),
  )
}

/** RFC 6750 §3 and RFC 9728 §5.1: what was wrong, the scope that is needed, and where to learn who issues tokens. */
function withChallenge(
  error: ApiError,
  request: FastifyRequest,
  route: Route,
  { resourceMetadata }: MountOptions,
): ApiError {
  if (error.status !== 401 && error.code !== 'SCOPE_INSUFFICIENT') return error
  const isBearer = request.headers.authorization !== undefined
  if (!resourceMetadata || (error.status === 403 && !isBearer)) return error
  const reason = error.status === 403 ? 'insufficient_scope' : isBearer ? 'invalid_token' : undefined
  const parameters = { error: reason, scope: [route.scope].flat()[0], resource_metadata: resourceMetadata }
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
  error.headers['www-authenticate'] = `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`
  return error
}

// Hangs the route table into Fastify. Every request passes the same checks in the same order:
// authenticate → rate limit → scope → feature → body and query → path ids → operation.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database, StoreDatabase } from '../kit/database/database.ts'
import type { Cause } from '../kit/values/cause.ts'
import { ApiError, rateLimited, unknownRoute } from '../kit/values/errors.ts'
import { etagOf, isKnown } from '../kit/declare/conditions.ts'
import type { Answer } from '../kit/declare/once.ts'
import type { FileSent, Route } from '../kit/declare/route.ts'
import { newTrace } from '../kit/values/trace.ts'
import type { Vault } from '../kit/values/secrets.ts'
import {
  authorize,
  contentOf,
  parse,
  perform,
  requireScope,
  type Authorized,
  type Endpoint,
  type Input,
} from '../tenancy/dispatch/perform.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { waitSeconds, type Hit, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import type { Store } from '../tenancy/stores/store.ts'
import type { Access, Authenticate, Guess } from './authenticate.ts'
import { formBytes, type TakingFiles } from './bodies.ts'
import { sendCsv, wantsCsv } from './csv.ts'
import { onceOf } from './idempotency.ts'
import { endpointOf } from './operations.ts'
import type { RequestLog } from '../developer/requests/log.ts'
import { preferenceOf } from './prefer.ts'
import { recording } from './record.ts'
import { rehearsalApplied, rehearse } from './rehearse.ts'
import { weightBeyondOne } from './weight.ts'

declare module 'fastify' {
  interface FastifyRequest {
    access: Access | null
    /** Who calls, once the route has let them in. */
    caller: Authorized<Access> | null
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
  /** As of a Table. */
  rehearses?: boolean
  /** Unless given, the server's. */
  maximumBodyBytes?: number
  /** Where a client learns how to get a token (RFC 9728); sent with 401 and 403. */
  resourceMetadata?: string
}

export function mount<Tools extends { vault: Vault }>(app: FastifyInstance, options: MountOptions<Tools>): void {
  for (const route of options.routes) {
    const endpoint = endpointOf(route, options.routes)
    const url = (options.prefix + route.path).replaceAll(/\{(\w+)\}/g, ':$1')
    const own = {
      bodyLimit: route.file ? route.file.maximumBytes + formBytes : options.maximumBodyBytes,
      config: { takesFile: route.file?.field ?? null } satisfies TakingFiles,
      onRequest: (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, route, options),
      handler: (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, endpoint, options),
      ...recording(route, options),
    }
    app.route({ ...own, method: route.method, url })
    if (route.csv) app.route({ ...own, config: { isFile: true }, method: 'GET', url: `${url}.csv` })
  }
}

function wantsFile(request: FastifyRequest): boolean {
  return (request.routeOptions.config as { isFile?: true }).isFile === true || wantsCsv(request)
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route<Store>,
  options: MountOptions,
): Promise<void> {
  // A cache knows that Authorization makes an answer private, but not that X-API-Key does (RFC 9111 §3.5).
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  if (isRehearsal(request, options)) reply.headers(rehearsalApplied)
  await demandWholePath(request, reply, options)
  try {
    const access = await authenticate(request, reply, route, options)
    request.access = access
    const hit = await options.limiter.hit(access.quota.name, access.quota.limit)
    showLimit(reply, hit)
    if (!hit.allowed) throw rateLimited(waitSeconds(hit, options.db.clock.now()))
    request.caller = authorize(access, route, { isProposed: isRehearsal(request, options) })
  } catch (error) {
    throw error instanceof ApiError ? withChallenge(error, request, route, options) : error
  }
}

/** A path that ends before its id, as /v1/products/ does, is no route. */
async function demandWholePath(
  { params, method, url, ip }: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
) {
  if (!Object.values(params as Record<string, string>).includes('')) return
  showLimit(reply, await anonymousHit(options.limiter, ip))
  throw unknownRoute(method, url.split('?', 1)[0]!)
}

/** Of a request that has waited the credential may have ended meanwhile. */
async function admitAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route<Store>,
  options: MountOptions,
): Promise<void> {
  try {
    requireScope(await authenticate(request, reply, route, options), [route.scope].flat())
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

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  options: MountOptions,
): Promise<FastifyReply> {
  const { route } = endpoint
  const caller = request.caller!
  const db = databaseFor(request, caller, endpoint, options)
  const deps = { db, tools: options.tools }
  const input = inputOf(request)
  if (route.csv && wantsFile(request)) {
    const { store, query } = await parse(route, caller, input, deps)
    return sendCsv(reply, route, { db, store, query })
  }
  const isDryRun = isRehearsal(request, options)
  const { waitSeconds } = route
  const waiting = waitSeconds ? { ...input, signal: stayOpen(request, reply, waitSeconds) } : input
  const performed = await perform(endpoint, caller, waiting, deps, {
    once: () => onceOf(request, contentOf(input)),
    ifMatch: request.headers['if-match'],
    ...(isDryRun ? { dryRun: (effect) => rehearse(db, caller, effect, input.body) } : {}),
  })
  if (waitSeconds) await admitAgain(request, reply, route, options)
  await countWeight(request, reply, { ...caller, body: performed.body }, options)
  if (isDryRun) return reply.code(performed.status).header('content-type', json).send(performed.body)
  return send(reply, endpoint, performed, route.method === 'GET' ? request.headers['if-none-match'] : undefined)
}

/** A write's transaction names its cause, for the audit log. */
function databaseFor(
  request: FastifyRequest,
  { store, actor }: Access,
  { route, operation }: Endpoint,
  { db }: MountOptions,
): StoreDatabase {
  if (route.method === 'GET') return db.ofStore(store.id)
  const trace = (request.trace = newTrace())
  return db.because({ ...causeOf(request), actor, operation, trace }).ofStore(store.id)
}

function causeOf({ id, uuid, isNamed }: FastifyRequest): Pick<Cause, 'requestId' | 'requestUuid'> {
  return { requestId: id, ...(isNamed ? { requestUuid: uuid } : {}) }
}

const json = 'application/json; charset=utf-8'

function inputOf(request: FastifyRequest): Input {
  return {
    path: request.url.split('?')[0]!,
    params: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    file: request.file,
    isStrict: preferenceOf(request.headers, 'handling')?.toLowerCase() === 'strict',
  }
}

function isRehearsal({ method, headers }: FastifyRequest, { rehearses }: MountOptions): boolean {
  return rehearses === true && method !== 'GET' && preferenceOf(headers, 'dry-run') !== undefined
}

const marginSeconds = 5

/** The connection is not ended for its silence while it waits for the answer; aborted when the client has ended it. */
function stayOpen(request: FastifyRequest, reply: FastifyReply, seconds: number): AbortSignal {
  request.raw.socket.setTimeout((seconds + marginSeconds) * 1000)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

async function countWeight(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, quota: { name, limit } }: Pick<Access, 'quota'> & { body: string },
  { limiter }: MountOptions,
): Promise<void> {
  const cost = weightBeyondOne(request, body)
  if (cost > 0) showLimit(reply, await limiter.hit(name, limit, { cost }))
}

function send(
  reply: FastifyReply,
  { route, record }: Endpoint,
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
  reply.code(status).header('content-type', json)
  return reply.send(route.list ? body : `{"data":${body}}`)
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

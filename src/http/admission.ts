// Admits a request to a route: authenticate → rate limit → scope → feature → store status, all before its body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import type { Route, RouteTable } from '../kit/declare/route.ts'
import { ApiError, unknownRoute } from '../kit/values/errors.ts'
import { requireQuota, type Hit, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import type { ResponseCache } from '../tenancy/answers/answers.ts'
import { isOutdated, type Versions } from '../tenancy/answers/versions.ts'
import { authorize, requireScope, type Authorized } from '../tenancy/dispatch/perform.ts'
import type { Access, Authenticate, Guess } from './authenticate.ts'
import { wantsDryRun, dryRunApplied } from './dryrun.ts'
import { anonymousHit, showLimit } from './routelimits.ts'
import { declaredWeight } from './weight.ts'

declare module 'fastify' {
  interface FastifyRequest {
    access: Access | null
    /** The caller, once the route has admitted it. */
    caller: Authorized<Access> | null
    /** Versions of the store, read before any of its data. */
    versions: Versions
  }
}

export type AdmissionOptions = Pick<RouteTable, 'acceptsDryRuns'> & {
  db: Database
  authenticate: Authenticate
  /** The cache of answers in memory; without it, nothing is cached. */
  answers?: ResponseCache | null
  limiter: RateLimiter
  /** Without it, nothing is stored. */
  cacheControlOf?: (route: Route) => string
  /** The address that tells clients how to get a token (RFC 9728); sent with 401 and 403. */
  resourceMetadata?: (host: string | undefined) => string
  /** Scopes that a client without a token should request, if not those of the route. */
  initialScopes?: readonly string[]
}

export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: AdmissionOptions,
): Promise<void> {
  // A cache knows that Authorization makes an answer private, but not that X-API-Key does (RFC 9111 §3.5).
  reply.header('cache-control', options.cacheControlOf?.(route) ?? 'no-store')
  if (wantsDryRun(request, options)) reply.headers(dryRunApplied)
  await requireWholePath(request, reply, options)
  await withChallenge(request, route, options, async () => {
    const access = await identify(request, reply, route, options)
    request.access = access
    const hit = await options.limiter.hit(access.quota.name, access.quota.limit)
    showLimit(reply, hit)
    requireQuota(hit, options.db.clock.now())
    // A body counts before it is read: it costs the same if it is refused.
    const cost = declaredWeight(request)
    if (cost > 0) showLimit(reply, await options.limiter.hit(access.quota.name, access.quota.limit, { cost }))
    access.requireRole?.()
    request.access = await current(access, request, reply, route, options)
    request.caller = authorize(request.access, route, { isProposed: wantsDryRun(request, options) })
  })
}

/** Reads the versions of the store before its data. Rights read before the versions moved are read again. */
async function current(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: AdmissionOptions,
): Promise<Access> {
  const { answers } = options
  if (!answers || route.method !== 'GET') return access
  const versions = (request.versions = await answers.versionsOf(access.store.id))
  return isOutdated(access.store, versions) ? identify(request, reply, route, options, true) : access
}

/** Refuses a path that ends before its id, as /v1/products/ does: it is not a route. */
async function requireWholePath(
  { params, method, url, ip }: FastifyRequest,
  reply: FastifyReply,
  options: AdmissionOptions,
) {
  if (!Object.values(params as Record<string, string>).includes('')) return
  showLimit(reply, await anonymousHit(options.limiter, ip))
  throw unknownRoute(method, url.split('?', 1)[0]!)
}

/** Re-checks the credential, which may have ended while the request waited. */
export async function recheckAccess(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: AdmissionOptions,
): Promise<void> {
  await withChallenge(request, route, options, async () =>
    requireScope(await identify(request, reply, route, options), [route.scope].flat()),
  )
}

/** Attempts with bad credentials are counted per address, before the database is asked, in a window of their own. */
export async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: Pick<AdmissionOptions, 'db' | 'limiter' | 'authenticate'>,
  rereads = false,
): Promise<Access> {
  const counts: { hit?: Hit } = {}
  const count = async () => {
    const hit = (counts.hit = await anonymousHit(options.limiter, request.ip))
    requireQuota(hit, options.db.clock.now())
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
    return await options.authenticate(request, guess, route, rereads)
  } catch (error) {
    if (isUnauthenticated(error) && !counts.hit) await count()
    throw error
  } finally {
    if (counts.hit) showLimit(reply, counts.hit)
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** RFC 6750 §3 and RFC 9728 §5.1: the error, the required scope, and where to learn which server issues tokens. */
async function withChallenge(
  request: FastifyRequest,
  route: Route,
  { resourceMetadata, initialScopes = [[route.scope].flat()[0]!] }: AdmissionOptions,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (error instanceof ApiError && resourceMetadata) {
      challenge(error, request, initialScopes, resourceMetadata(request.headers.host))
    }
    throw error
  }
}

export function challenge(
  error: ApiError,
  { headers }: Pick<FastifyRequest, 'headers'>,
  scopes: readonly string[],
  resource_metadata: string,
): void {
  if (error.status !== 401 && error.code !== 'SCOPE_INSUFFICIENT') return
  const isBearer = headers.authorization !== undefined
  if (error.status === 403 && !isBearer) return
  const reason = error.status === 403 ? 'insufficient_scope' : isBearer ? 'invalid_token' : undefined
  const parameters = { error: reason, scope: scopes.join(' '), resource_metadata }
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
  error.headers['www-authenticate'] = `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

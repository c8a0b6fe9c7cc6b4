// Authenticates callers: an API key or a Bearer token → store, scopes, quota.
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Database, Db } from '../kit/database/database.ts'
import { ApiError, unauthenticated } from '../kit/values/errors.ts'
import type { Route } from '../kit/declare/route.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { readKeyMode } from '../identity/apikeys/apikey.ts'
import type { Caller } from '../tenancy/dispatch/perform.ts'
import { findKey, touchKey, type KeyRecord } from '../identity/apikeys/operations.ts'
import { grants, scopes } from '../identity/apikeys/scopes.ts'
import type { TokenUse } from '../identity/oauth/bearer.ts'
import { publicId } from '../kit/values/ids.ts'
import { storeChanged } from '../tenancy/stores/store.ts'

/** The rights of a credential. */
export type Access = Caller & {
  /** Requests that count together, and their limit per minute. */
  quota: { name: string; limit: number }
  /** Checks the role of a person, once the request is counted. */
  requireRole?(): void
  /** Present for Bearer tokens: a 401 or 403 then says so in WWW-Authenticate. */
  bearer?: boolean
}

/** Checks a credential that may be a guess; refuses once an address has guessed too often. */
export type Guess = <T>(ask: () => Promise<T>) => Promise<T>

/** `isOutdated`: the cached credential must be read again. */
export type Authenticate = (
  request: FastifyRequest,
  guess: Guess,
  route: Route,
  isOutdated?: boolean,
) => Access | Promise<Access>

/** Authenticates a Bearer token; the OAuth module provides it. */
export type BearerCheck = (token: string, use: TokenUse) => Promise<Access>

/** /mcp as a route: its clients send an API key as a Bearer token, and their tokens name it as their audience. */
export const agentRoute = { method: 'GET', path: '/mcp', scope: scopes } as unknown as Route

/** /ucp as a route: any credential of the store shows that it knows the agent. */
export const shopperAgentRoute = { method: 'POST', path: '/ucp', scope: [] } as unknown as Route

const quotas = { live: 1000, test: 100 }
const cacheMs = 4000
const maxCached = 10_000

export function authenticator(
  db: Database,
  checkBearer: BearerCheck,
): (request: FastifyRequest, guess: Guess, route?: Route, isOutdated?: boolean) => Access | Promise<Access> {
  const byKey = keyCache(db)
  const byToken = tokenMemory(checkBearer)
  return (request, guess, route, isOutdated) => {
    const key = request.headers['x-api-key']
    const authorization = request.headers.authorization
    if (key !== undefined && authorization !== undefined) {
      throw unauthenticated('Send either X-API-Key or Authorization, not both')
    }
    if (authorization !== undefined) {
      const token = /^Bearer ([\w\-.~+/]+=*)$/i.exec(authorization)?.[1]
      if (!token) throw unauthenticated('The Authorization header must be "Bearer" followed by an access token')
      const use = route === agentRoute ? 'mcp' : 'api'
      if (!readKeyMode(token)) return byToken(token, use, guess)
      if (use === 'mcp') return byKey(token, guess, isOutdated)
      throw unauthenticated('This is an API key. Send it in the X-API-Key header')
    }
    if (typeof key !== 'string' || key === '') {
      throw unauthenticated(
        route === agentRoute
          ? 'Missing Authorization header: send an access token or an API key as Bearer'
          : 'Missing X-API-Key header',
      )
    }
    if (!readKeyMode(key)) throw unauthenticated('Invalid API key format')
    return byKey(key, guess, isOutdated)
  }
}

/** `freshUntil` is measured by the monotonic clock. */
type CachedKey = { access: Access; expiresAt: number; freshUntil: number }

/**
 * A key costs no query for up to 4 seconds: a deactivated one ends within 5 on every node, and at once where versions
 * are read. Requests that come while a key is being looked up share the answer.
 * A key that worked before does not count as a guess, so guesses from its address do not block it.
 */
function keyCache(db: Database): (key: string, guess: Guess, isOutdated?: boolean) => Access | Promise<Access> {
  const cache = new LRUCache<string, CachedKey>({ max: maxCached })
  const pending = new Map<string, Promise<Access>>()
  db.bus.subscribe(storeChanged, (storeId) => {
    for (const entry of cache.values()) if (entry.access.store.id === storeId) entry.freshUntil = -Infinity
    pending.clear() // may have read the store as it was: neither kept nor shared from here on
  })

  const load = (key: string, guess: Guess): Promise<Access> => {
    const isCurrent = () => pending.get(key) === answer
    const ask = () => loadKey(db, key)
    const answer = (cache.has(key) ? ask() : guess(ask))
      .then(
        (entry) => {
          if (isCurrent()) cache.set(key, entry)
          return requireUnexpired(entry, db.clock.now().getTime())
        },
        (error: unknown) => {
          if (error instanceof ApiError && error.status === 401) cache.delete(key)
          throw error
        },
      )
      .finally(() => {
        if (isCurrent()) pending.delete(key)
      })
    pending.set(key, answer)
    return answer
  }

  return (key, guess, isOutdated) => {
    // A pending lookup may have read the key before it changed.
    if (isOutdated) return load(key, guess)
    const entry = cache.get(key)
    if (entry && entry.freshUntil > db.clock.elapsedMs()) return requireUnexpired(entry, db.clock.now().getTime())
    return pending.get(key) ?? load(key, guess)
  }
}

/** Every request checks its token; only one that never worked here may be a guess. */
function tokenMemory(checkBearer: BearerCheck) {
  const keysThatWorked = new LRUCache<string, true>({ max: maxCached })
  return async (token: string, use: TokenUse, guess: Guess): Promise<Access> => {
    if (keysThatWorked.has(token)) return checkBearer(token, use)
    const access = await guess(() => checkBearer(token, use))
    keysThatWorked.set(token, true)
    return access
  }
}

async function loadKey(db: Db, key: string): Promise<CachedKey> {
  const record = await findKey(db, hashSecret(key))
  if (!record?.is_active || record.store.status === 'closed') throw unauthenticated('Invalid or inactive API key')
  // Bookkeeping: a request does not wait or fail for it.
  touchKey(db, record).catch(() => {})
  return {
    access: toKeyAccess(record),
    expiresAt: record.expires_at?.getTime() ?? Infinity,
    freshUntil: db.clock.elapsedMs() + cacheMs,
  }
}

function requireUnexpired({ access, expiresAt }: CachedKey, now: number): Access {
  if (expiresAt <= now) throw unauthenticated('API key has expired')
  return access
}

function toKeyAccess({ key_id, mode, scopes, policy, store }: KeyRecord): Access {
  return {
    store,
    scopes: grants(scopes),
    actor: { kind: 'key', id: publicId('key', key_id) },
    policy,
    quota: { name: `key:${key_id}`, limit: quotas[mode] },
  }
}

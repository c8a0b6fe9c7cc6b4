// Who calls: an API key or a Bearer token → store, scopes, quota.
import type { FastifyRequest } from 'fastify'
import type { Db } from '../kit/database/database.ts'
import { unauthenticated } from '../kit/values/errors.ts'
import type { Actor } from '../kit/declare/route.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { modeOf } from '../apikeys/apikey.ts'
import { findKey, touchKey, type KeyRecord } from '../apikeys/operations.ts'
import { grants } from '../apikeys/scopes.ts'
import { publicId } from '../kit/values/ids.ts'
import { onStoreChange, type Store } from '../stores/store.ts'

/** What a credential opens. */
export type Access = {
  store: Store
  scopes: ReadonlySet<string>
  actor: Actor
  /** Requests counted together, and how many a minute. */
  quota: { name: string; limit: number }
  /** Present for Bearer tokens: a 401 or 403 then says so in WWW-Authenticate. */
  bearer?: boolean
}

export type Authenticate = (request: FastifyRequest) => Access | Promise<Access>

/** Answers for a Bearer token; the OAuth module provides it. */
export type BearerCheck = (token: string, request: FastifyRequest) => Promise<Access>

const quotas = { live: 1000, test: 100 }
const cacheMs = 4000
const maximumCached = 10_000

export function authenticator(db: Db, checkBearer: BearerCheck): Authenticate {
  const byKey = keyCache(db)
  return (request) => {
    const key = request.headers['x-api-key']
    const authorization = request.headers.authorization
    if (key !== undefined && authorization !== undefined) {
      throw unauthenticated('Send either X-API-Key or Authorization, not both')
    }
    if (authorization !== undefined) {
      const token = /^Bearer ([\w\-.~+/]+=*)$/i.exec(authorization)?.[1]
      if (!token) throw unauthenticated('The Authorization header must be Bearer and a token')
      return checkBearer(token, request)
    }
    if (typeof key !== 'string' || key === '') throw unauthenticated('Missing X-API-Key header')
    if (!modeOf(key)) throw unauthenticated('Invalid API key format')
    return byKey(key)
  }
}

type Known = { access: Access; expiresAt: number; freshUntil: number }

/**
 * A known key costs no query for up to 4 seconds: a deactivated one ends within 5 on every node. Requests that come
 * while a key is being looked up share the answer.
 */
function keyCache(db: Db): (key: string) => Access | Promise<Access> {
  const cache = new Map<string, Known>()
  const underWay = new Map<string, Promise<Access>>()
  onStoreChange((storeId) => {
    for (const [key, { access }] of cache) if (access.store.id === storeId) cache.delete(key)
    underWay.clear() // may have read the store as it was: neither kept nor shared from here on
  })

  const load = (key: string): Promise<Access> => {
    const isCurrent = () => underWay.get(key) === answer
    const remember = (known: Known) => {
      if (cache.size >= maximumCached) cache.delete(cache.keys().next().value!)
      cache.set(key, known)
    }
    const answer = lookUp(db, key)
      .then((known) => {
        if (isCurrent()) remember(known)
        return unexpired(known, db.clock.now().getTime())
      })
      .finally(() => {
        if (isCurrent()) underWay.delete(key)
      })
    underWay.set(key, answer)
    return answer
  }

  return (key) => {
    const known = cache.get(key)
    const now = db.clock.now().getTime()
    if (known && known.freshUntil > now) return unexpired(known, now)
    cache.delete(key)
    return underWay.get(key) ?? load(key)
  }
}

async function lookUp(db: Db, key: string): Promise<Known> {
  const record = await findKey(db, hashSecret(key))
  if (!record?.is_active || record.store.status === 'closed') throw unauthenticated('Invalid or inactive API key')
  // Bookkeeping: a request does not wait or fail for it.
  touchKey(db, record).catch(() => {})
  return {
    access: accessOf(record),
    expiresAt: record.expires_at?.getTime() ?? Infinity,
    freshUntil: db.clock.now().getTime() + cacheMs,
  }
}

function unexpired({ access, expiresAt }: Known, now: number): Access {
  if (expiresAt <= now) throw unauthenticated('API key has expired')
  return access
}

function accessOf({ key_id, mode, scopes, store }: KeyRecord): Access {
  return {
    store,
    scopes: grants(scopes),
    actor: { kind: 'key', id: publicId('key', key_id) },
    quota: { name: `key:${key_id}`, limit: quotas[mode] },
  }
}

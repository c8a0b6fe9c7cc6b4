// Finds the open store for a slug or a domain.
import { LRUCache } from 'lru-cache'
import type { Database } from '../../kit/database/database.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { notFound, unavailable } from '../../kit/values/errors.ts'
import { storeUnavailable } from './errors.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { measuredBy } from '../../kit/values/clock.ts'
import { slugForm } from './slugs.ts'
import { isDomain, findStoreWhere, storeChanged, type Store } from './store.ts'

/**
 * Throws NOT_FOUND for an unknown or closed store, STORE_UNAVAILABLE for a temporarily closed one. `isOutdated`: the
 * cached store must be read again.
 */
export type FindStorefront = (name: string, isOutdated?: boolean) => Promise<Store>

/** The response for stores that are not open, in the API reference. */
export const storefrontUnavailable: ErrorResponse = {
  name: 'StorefrontUnavailable',
  description: 'The store is paused, suspended or in maintenance mode, or the service is starting or overloaded.',
  examples: { shut: storeUnavailable('This store is paused'), busy: unavailable() },
}

const cacheMs = 4000
const maxCached = 10_000

/** A condition on stores for a name; null if the name is not valid. */
export type NameStorefront = (name: string) => Sql | null

export const bySlug: NameStorefront = (slug) => (slugForm.test(slug) ? sql`stores.slug = ${slug}` : null)

/** Matches a verified custom domain. */
export const byDomain: NameStorefront = (name) =>
  isDomain(name) ? sql`stores.custom_domain = ${name} and stores.domain_verified` : null

/** A known store costs no query for up to 4 seconds. */
export function storefrontFinder(db: Database, conditionOf: NameStorefront = bySlug): FindStorefront {
  const cache = new LRUCache<string, Store>({ max: maxCached, ttl: cacheMs, ...measuredBy(db.clock) })
  db.bus.subscribe(storeChanged, (storeId) => {
    for (const [name, { id }] of cache.entries()) if (id === storeId) cache.delete(name)
  })

  const load = async (name: string): Promise<Store> => {
    const where = conditionOf(name)
    const store = where ? await findStoreWhere(db, where) : undefined
    if (!store) throw notFound('Store')
    cache.set(name, store)
    return store
  }

  return async (name, isOutdated = false) => requireOpen((!isOutdated && cache.get(name)) || (await load(name)))
}

function requireOpen(store: Store): Store {
  if (store.status === 'closed') throw notFound('Store')
  if (store.status !== 'active') throw storeUnavailable('This store is paused')
  if (store.maintenance_mode) throw storeUnavailable('This store is in maintenance mode')
  return store
}

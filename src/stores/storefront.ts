// The store behind a slug, as shoppers reach it: found, and open.
import type { Db } from '../kit/database.ts'
import { notFound, storeUnavailable } from '../kit/errors.ts'
import { sql } from '../kit/sql.ts'
import { loadStore, onStoreChange, type Store } from './store.ts'

/** Throws NOT_FOUND for an unknown or closed store, STORE_UNAVAILABLE for one that is shut for now. */
export type FindStorefront = (slug: string) => Promise<Store>

const cacheMs = 4000
const maximumCached = 10_000

/** A store that was found costs no query for up to 4 seconds. */
export function storefrontFinder(db: Db): FindStorefront {
  const cache = new Map<string, { store: Store; freshUntil: number }>()
  onStoreChange((storeId) => {
    for (const [slug, { store }] of cache) if (store.id === storeId) cache.delete(slug)
  })

  const load = async (slug: string, now: number): Promise<Store> => {
    const store = slugForm.test(slug) ? await loadStore(db, sql`stores.slug = ${slug}`) : undefined
    if (!store) throw notFound('Store')
    if (cache.size >= maximumCached) cache.delete(cache.keys().next().value!)
    cache.set(slug, { store, freshUntil: now + cacheMs })
    return store
  }

  return async (slug) => {
    const now = db.clock.now().getTime()
    const known = cache.get(slug)
    return demandOpen(known && known.freshUntil > now ? known.store : await load(slug, now))
  }
}

const slugForm = /^[a-z0-9-]{1,63}$/

function demandOpen(store: Store): Store {
  if (store.status === 'closed') throw notFound('Store')
  if (store.status !== 'active') throw storeUnavailable('This store is paused')
  if (store.maintenance_mode) throw storeUnavailable('This store is under maintenance')
  return store
}

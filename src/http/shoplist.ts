// The open shops of this service, for its own pages; empty if the operator does not want them listed.
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { storefrontUrl } from '../tenancy/stores/store.ts'

export type Shop = { name: string; slug: string; storefront_url: string }

const maxShops = 1000
const cacheMs = 60_000

/** Sorted by name; read once a minute, since the query scans the stores. */
export function shopList(db: Database, isListed: boolean): () => Promise<Shop[]> {
  if (!isListed) return async () => []
  let cache: { shops: Promise<Shop[]>; until: number } | null = null
  return () => {
    if (cache && cache.until > db.clock.elapsedMs()) return cache.shops
    const shops = readShops(db)
    cache = { shops, until: db.clock.elapsedMs() + cacheMs }
    shops.catch(() => (cache = null))
    return shops
  }
}

function readShops(db: Database): Promise<Shop[]> {
  return db.rows<Shop>(sql`
    select name, slug, ${storefrontUrl} as storefront_url
    from stores
    where status = 'active'
      and not maintenance_mode
    order by lower(name), slug
    limit ${maxShops}`)
}

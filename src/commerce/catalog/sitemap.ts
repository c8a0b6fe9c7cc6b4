// The pages of the catalog for sitemaps, with the time of their last change.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'
import { categoryPath } from './category.ts'

export type SitemapEntry = { slug: string; updated_at: Date }

/** The products for sale, oldest first: new products are added at the end, so earlier parts stay the same. */
export function listProductEntries(
  db: Db,
  storeId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<SitemapEntry[]> {
  // The page's IDs are read from the index alone.
  return db.rows<SitemapEntry>(sql`
    select slug, updated_at
    from products
    where store_id = ${storeId}
      and id = any(array(
        select id
        from products
        where store_id = ${storeId}
          and ${isForSale}
        order by created_at, id
        offset ${offset}
        limit ${limit}))
    order by created_at, id`)
}

/** The time of the last change in each part of `size` products. */
export async function listPartChanges(db: Db, storeId: string, size: number): Promise<Date[]> {
  const parts = await db.rows<{ changed: Date }>(sql`
    select max(updated_at) as changed
    from (
      select updated_at, (row_number() over (order by created_at, id) - 1) / ${size}::int as part
      from products
      where store_id = ${storeId}
        and ${isForSale}) as products
    group by part
    order by part`)
  return parts.map(({ changed }) => changed)
}

/** Categories have their whole path. */
export function listGroupEntries(db: Db, storeId: string, kind: 'categories' | 'collections'): Promise<SitemapEntry[]> {
  return db.rows<SitemapEntry>(sql`
    select ${kind === 'categories' ? categoryPath : raw('slug')} as slug, updated_at
    from ${raw(kind)}
    where store_id = ${storeId}
      and is_active
    order by created_at, id
    limit 5000`)
}

export type CatalogState = { products: number; updatedAt: Date; version: string }

type CatalogCounts = { products: number; categories: number; collections: number; rates: number; zones: number }
type CatalogTimes = { product: Date; category: Date; collection: Date; rate: Date; zone: Date; store: Date }

/**
 * The number of products for sale, and the time of the last change to store, catalog, shipping rates or tax zones.
 * `version` changes with every change: a deletion changes a count, any other change a time.
 */
export async function findCatalogState(db: Db, storeId: string): Promise<CatalogState> {
  const state = await db.one<CatalogCounts & CatalogTimes>(sql`
    select store_counters.products_active as products, store_counters.categories, store_counters.collections,
      (select updated_at
       from products
       where store_id = ${storeId}
         and ${isForSale}
       order by updated_at desc
       limit 1) as product,
      (select max(updated_at) from categories where store_id = ${storeId}) as category,
      (select max(updated_at) from collections where store_id = ${storeId}) as collection,
      (select max(updated_at) from shipping_rates where store_id = ${storeId}) as rate,
      (select count(*)::int from shipping_rates where store_id = ${storeId}) as rates,
      (select max(updated_at) from tax_zones where store_id = ${storeId}) as zone,
      (select count(*)::int from tax_zones where store_id = ${storeId}) as zones,
      stores.updated_at as store
    from stores
    join store_counters on store_counters.store_id = stores.id
    where stores.id = ${storeId}`)
  const { products, categories, collections, rates, zones, ...times } = state!
  const timestamps = Object.values(times).map((time) => time?.getTime() ?? 0)
  const counts = [products, categories, collections, rates, zones]
  const version = [...counts, ...timestamps].map((part) => part.toString(36)).join('.')
  return { products, updatedAt: new Date(Math.max(...timestamps)), version }
}

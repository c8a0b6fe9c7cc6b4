// Slugs that products have given up: they lead to the product until another has them. Links in sent mail, bookmarks and
// search results stay good.
import type { Db, Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'

/** A product that changes its slug often keeps the latest. */
const maximumKept = 20

/** The product is about to give up `slug` for `next`. */
export function keepProductSlug(tx: Tx, storeId: string, productId: string, slug: string, next: string): void {
  tx.later(sql`
    insert into product_slugs (store_id, slug, product_id, since)
    values (${storeId}, ${slug}, ${productId}, ${tx.now})
    on conflict (store_id, slug) do update
    set product_id = excluded.product_id, since = excluded.since`)
  tx.later(sql`
    delete from product_slugs
    where store_id = ${storeId}
      and product_id = ${productId}
      and (slug = ${next} or slug in (
        select slug
        from product_slugs
        where store_id = ${storeId}
          and product_id = ${productId}
        order by since desc, slug
        offset ${maximumKept}))`)
}

/** The slug of the product for sale that gave this one up; null where it leads nowhere. */
export async function successorOfProduct(db: Db, storeId: string, slug: string): Promise<string | null> {
  const moved = await db.one<{ slug: string }>(sql`
    select products.slug
    from product_slugs
    join products on products.store_id = product_slugs.store_id
      and products.id = product_slugs.product_id
    where product_slugs.store_id = ${storeId}
      and product_slugs.slug = ${slug}
      and ${isForSale}`)
  return moved?.slug ?? null
}

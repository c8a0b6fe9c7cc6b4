// Related products: neighbors in the product's collections, otherwise the newest of its category. Each takes a few
// steps along an index, however many products there are.
import type { Db } from '../../kit/database/database.ts'
import { loadEntities } from '../../kit/declare/page.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { cardIn, type ProductCard } from './productcard.ts'
import type { TextLanguage } from './public.ts'
import { matchesIdOrSlug } from './slugs.ts'

const maxRelated = 4
/** For a product in many collections, only the first ones are searched. */
const maxCollections = 3

export async function readRelated(
  db: Db,
  store: Store,
  idOrSlug: string,
  language: TextLanguage,
): Promise<ProductCard[]> {
  const view = cardIn(language)
  const rows = await db.texts(sql`
    with own as materialized (
      select id, category_id
      from products
      where store_id = ${store.id}
        and ${matchesIdOrSlug('products', idOrSlug)}
    ), places as materialized (
      select mine.collection_id, mine.position,
        row_number() over (order by collections.position, collections.id) as turn
      from own
      join collection_products as mine on mine.store_id = ${store.id}
        and mine.product_id = own.id
      join collections on collections.store_id = ${store.id}
        and collections.id = mine.collection_id
        and collections.is_active
      order by turn
      limit ${maxCollections}
    ), related as (
      select distinct on (id) id, turn, side, place
      from (
        select beside.id, places.turn, beside.side, beside.place
        from places
        cross join lateral (${beside(store.id, '>', 0)} union all ${beside(store.id, '<', 1)}) as beside
        union all
        select kin.id, ${maxCollections + 1}, 0, kin.place
        from own
        cross join lateral (${ofSameCategory(store.id)}) as kin
      ) as candidates
      order by id, turn, side, place
    )
    select ${view.columns}
    from related
    join products on products.store_id = ${store.id}
      and products.id = related.id
    order by turn, side, place
    limit ${maxRelated}`)
  return loadEntities(db, view, store.id, rows)
}

/** The products after or before this one in the order of its collection. */
function beside(storeId: string, direction: '<' | '>', side: number): Sql {
  return sql`(
          select products.id, ${raw(String(side))} as side, others.position as place
          from collection_products as others
          join products on products.store_id = others.store_id
            and products.id = others.product_id
            and ${isForSale}
          where others.store_id = ${storeId}
            and others.collection_id = places.collection_id
            and others.position ${raw(direction)} places.position
          order by others.position
          limit ${maxRelated})`
}

function ofSameCategory(storeId: string): Sql {
  return sql`
          select products.id, row_number() over (order by products.created_at desc, products.id desc) as place
          from products
          where products.store_id = ${storeId}
            and products.category_id = own.category_id
            and ${isForSale}
            and products.id <> own.id
          order by products.created_at desc, products.id desc
          limit ${maxRelated}`
}

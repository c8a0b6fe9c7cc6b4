// The facts that customs require about exported goods.
import type { Db } from '../../kit/database/database.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'

type ItemRef = { product_id: string | null; variant_id: string | null }
export type CustomsFacts = { hs_code: string | null; country_of_origin: string | null; weight: number | null }

/** The facts of each item, in order: the variant's, otherwise the product's. Null if the item no longer exists. */
export async function findCustomsFacts(
  db: Db,
  storeId: string,
  items: readonly ItemRef[],
): Promise<(CustomsFacts | null)[]> {
  const products = items.map(({ product_id }) => product_id && toUuid('prod', product_id))
  const variants = items.map(({ variant_id }) => variant_id)
  const rows = await db.rows<CustomsFacts & { position: number }>(sql`
    select sold.position,
      coalesce(variants.hs_code, products.hs_code) as hs_code,
      coalesce(variants.country_of_origin, products.country_of_origin) as country_of_origin,
      coalesce(variants.weight, products.weight) as weight
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as sold (product_id, variant_id, position)
    join products on products.store_id = ${storeId}
      and products.id = sold.product_id
    left join variants on variants.store_id = ${storeId}
      and variants.id = sold.variant_id`)
  const byPosition = new Map(rows.map(({ position, ...facts }) => [Number(position), facts]))
  return items.map((_, index) => byPosition.get(index + 1) ?? null)
}

// What is shipped. A bundle is not if none of its parts is: here in SQL for what is shown and counted, in
// commerce/orders/lines.ts for what is sold.
import { bindStore, byServers, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'

/** On a row of products, and on one of variants: null if what its product says applies. */
export const isShipped = {
  product: sql`(products.requires_shipping and ${shipsParts('products')})`,
  variant: sql`(case when ${shipsParts('variants')} then variants.requires_shipping else false end)`,
}

/** True for what is not a bundle. */
function shipsParts(table: 'products' | 'variants'): Sql {
  const storeId = bindStore(`${table}.store_id`)
  const items = raw(`${table}.bundle_items`)
  const read = sql`(
    select coalesce(bool_or(coalesce(part_variants.requires_shipping, part_products.requires_shipping)), true)
    from jsonb_to_recordset(${items}) as part (product_id uuid, variant_id uuid)
    join products as part_products on part_products.store_id = ${storeId}
      and part_products.id = part.product_id
    left join variants as part_variants on part_variants.store_id = ${storeId}
      and part_variants.id = part.variant_id
      and part_variants.product_id = part.product_id)`
  return sql`case when ${items} is null then true else ${byServers(sql`ships_parts(${storeId}, ${items})`, read)} end`
}

/** True if the store has products for sale, of which none is shipped. */
export const shipsNothing = (storeId: string): Sql => sql`(
    exists (select from products where store_id = ${storeId} and ${isForSale})
    and not exists (
      select from products
      where store_id = ${storeId}
        and ${isForSale}
        and requires_shipping
        and case when variant_count = 0 then ${isShipped.product}
          else exists (
            select from variants
            where variants.store_id = ${storeId}
              and variants.product_id = products.id
              and ${isShipped.variant} is not false) end)
    and not exists (
      select from variants
      join products on products.store_id = ${storeId}
        and products.id = variants.product_id
        and ${isForSale}
      where variants.store_id = ${storeId}
        and variants.requires_shipping
        and ${isShipped.variant}))`

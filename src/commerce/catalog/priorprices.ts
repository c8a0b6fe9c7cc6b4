// The lowest price of the 30 days before a reduction (Directive 98/6/EC, article 6a, as of 2026-11-28).
import { bindStore, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { derive } from '../../kit/declare/field.ts'
import { money } from '../../kit/declare/scalars.ts'

/** From `prior_prices`, which a trigger keeps: by day, the lowest price that ended on it. */
export function lowestPriorPrice(table: 'products' | 'variants') {
  const row = raw(table)
  const own = sql`case when ${row}.compare_price > ${row}.price then lowest_price(${row}.prior_prices) end`
  return derive(money().example(14.9), table === 'products' ? sql`(${own})` : sql`(${orInherited(own)})`)
    .nullable()
    .describe('Lowest price in the 30 days before the price was reduced; null unless compare_price is above price')
}

/** A variant whose price was removed has that of its product since. */
function orInherited(own: Sql): Sql {
  return sql`case when variants.price is not null then ${own}
    when variants.prior_prices is not null then (
      select lowest_inherited_price(variants.prior_prices, products.prior_prices)
      from products
      where products.store_id = ${bindStore('variants.store_id')}
        and products.id = variants.product_id
        and coalesce(variants.compare_price, products.compare_price) > products.price) end`
}

// The lowest price of the 30 days before a reduction (Directive 98/6/EC, article 6a, as of 2026-11-28).
import { raw, sql } from '../../kit/database/sql.ts'
import { derive } from '../../kit/declare/field.ts'
import { money } from '../../kit/declare/scalars.ts'

/** From `prior_prices`, which a trigger keeps: by day, the lowest price that ended on it. */
export function lowestPriorPrice(table: 'products' | 'variants') {
  const row = raw(table)
  return derive(
    money().example(14.9),
    sql`(case when ${row}.compare_price > ${row}.price then lowest_price(${row}.prior_prices) end)`,
  )
    .nullable()
    .describe('Lowest price in the 30 days before the price was reduced; null unless compare_price is above price')
}

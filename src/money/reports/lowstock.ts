// Counts active products that are low on stock or sold out. Triggers maintain the table.
import { countAtMost } from '../../kit/database/counts.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'

/** The number of products that are sold out, or of those that are low on stock but not sold out; up to a limit. */
export const countScarce =
  (isSoldOut: boolean) =>
  (limit: number, storeId: string): Sql =>
    countAtMost(
      limit,
      sql`scarce_products
        where store_id = ${storeId}
          and is_sold_out = ${raw(String(isSoldOut))}`,
    )

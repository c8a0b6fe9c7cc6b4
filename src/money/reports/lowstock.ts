// Counts active products that are low on stock or sold out. Triggers maintain the table.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

export type LowStockCounts = { few: number; sold_out: number }

export async function countLowStock(db: Db, storeId: string): Promise<LowStockCounts> {
  const counts = await db.one<LowStockCounts>(sql`
    select count(*) filter (where not is_sold_out) as few, count(*) filter (where is_sold_out) as sold_out
    from scarce_products
    where store_id = ${storeId}`)
  return counts!
}

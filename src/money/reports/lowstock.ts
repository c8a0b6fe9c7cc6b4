// The active products of which few are left, and those that are sold out, as triggers keep them.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

export type Scarce = { few: number; sold_out: number }

export async function countScarce(db: Db, storeId: string): Promise<Scarce> {
  const counted = await db.one<Scarce>(sql`
    select count(*) filter (where not is_sold_out) as few, count(*) filter (where is_sold_out) as sold_out
    from scarce_products
    where store_id = ${storeId}`)
  return counted!
}

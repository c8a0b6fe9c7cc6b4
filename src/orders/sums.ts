// What was sold in a time. It reads the orders of that time alone, by their index: a day of a large store, not a year.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'

export type Sums = { orders: number; sales: number; unpaid: number }

/** Without cancelled orders; `until` is left out. */
export async function sumsBetween(db: Db, storeId: string, from: Date, until: Date): Promise<Sums> {
  const sums = await db.one<{ orders: number; sales: string; unpaid: number }>(sql`
    select count(*) as orders, coalesce(sum(total), 0) as sales,
      count(*) filter (where payment_status = 'pending') as unpaid
    from orders
    where store_id = ${storeId}
      and created_at >= ${from}
      and created_at < ${until}
      and status <> 'cancelled'`)
  return { ...sums!, sales: Number(sums!.sales) }
}

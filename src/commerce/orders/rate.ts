// The shipping rate of an order, as it was when the order was placed.
import type { Db } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'

export type OrderRate = {
  name: string | null
  description: string | null
  pickup_address: string | null
  pickup_hours: string | null
  requires_address: boolean
  handling_days: number | null
  min_days: number | null
  max_days: number | null
}

/** What an app says of a rate beside its price. */
export type QuotedTerms = Partial<Pick<OrderRate, 'name' | 'min_days' | 'max_days'>>

/** The store's current rate with this code; null if there is none. `quoted` replaces what the store says of it. */
export function rateNow(storeId: string, code: string | null, quoted?: QuotedTerms): Sql {
  if (quoted) return sql`(${rateNow(storeId, code)}::jsonb || ${JSON.stringify(quoted)}::jsonb)::json`
  return sql`(
        select json_build_object('name', name, 'description', description, 'pickup_address', pickup_address,
          'pickup_hours', pickup_hours, 'requires_address', requires_address, 'handling_days', handling_days,
          'min_days', min_days, 'max_days', max_days)
        from shipping_rates
        where store_id = ${storeId}
          and code = ${code})`
}

/** Nothing is delivered or collected, as with downloads and services: such a sale is taxed where it is billed. */
export function isUndelivered(
  rate: Pick<OrderRate, 'requires_address' | 'pickup_address'> & { code: string },
): boolean {
  return !rate.requires_address && !rate.pickup_address && rate.code !== 'pickup'
}

export async function findCurrentRate(db: Db, storeId: string, code: string | null): Promise<OrderRate | null> {
  if (code === null) return null
  const row = await db.one<{ rate: OrderRate | null }>(sql`select ${rateNow(storeId, code)} as rate`)
  return row!.rate
}

/** The stored rate of an order; for orders from before rates were stored, and without an order, the current rate. */
export async function findOrderRate(
  db: Db,
  storeId: string,
  { id, code }: { id: string | null; code: string | null },
): Promise<OrderRate | null> {
  const row =
    id &&
    (await db.one<{ shipping_rate: OrderRate | null }>(sql`
    select shipping_rate
    from orders
    where store_id = ${storeId}
      and id = ${id}`))
  return (row && row.shipping_rate) || findCurrentRate(db, storeId, code)
}

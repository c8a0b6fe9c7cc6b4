// The shipping rate of an order, as it was when the order was placed.
import type { Db } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { pick } from '../../kit/declare/row.ts'
import type { RateFields } from './shippingcost.ts'

// prettier-ignore
const keptNames = [
  'name', 'description', 'pickup_address', 'pickup_hours', 'requires_address', 'handling_days', 'min_days', 'max_days',
] as const

export type OrderRate = Pick<RateFields, (typeof keptNames)[number]>

/** A rate that is free for every order, with no condition. */
export const freeRate = {
  name: null,
  description: null,
  price_by: 'flat',
  price: 0,
  tiers: [],
  surcharges: [],
  free_from: null,
  free_by_code: true,
  country_codes: [],
  provinces: [],
  postal_codes: [],
  min_weight: null,
  max_weight: null,
  min_amount: null,
  max_amount: null,
  excluded_categories: [],
  handling_days: null,
  min_days: null,
  max_days: null,
  requires_address: true,
  payment_methods: [],
  pickup_address: null,
  pickup_hours: null,
} satisfies Partial<RateFields>

/** That of an order without goods to ship, unless the store has a rate with this code. */
export const digitalRate = { ...freeRate, code: 'digital', requires_address: false }

/** What an app says of a rate beside its price. */
export type QuotedTerms = Partial<Pick<OrderRate, 'name' | 'min_days' | 'max_days'>>

/** The store's current rate with this code; null if there is none. `quoted` replaces what the store says of it. */
export function rateNow(storeId: string, code: string | null, quoted?: QuotedTerms): Sql {
  if (quoted) return sql`(${rateNow(storeId, code)}::jsonb || ${JSON.stringify(quoted)}::jsonb)::json`
  const ownRate = sql`(
        select json_build_object('name', name, 'description', description, 'pickup_address', pickup_address,
          'pickup_hours', pickup_hours, 'requires_address', requires_address, 'handling_days', handling_days,
          'min_days', min_days, 'max_days', max_days)
        from shipping_rates
        where store_id = ${storeId}
          and code = ${code})`
  return code === digitalRate.code
    ? sql`coalesce(${ownRate}, ${JSON.stringify(pick(digitalRate, keptNames))}::json)`
    : ownRate
}

/** Nothing is delivered or collected, as with downloads and services: such a sale is taxed where it is billed. */
export function isUndelivered(rate: Pick<RateFields, 'code' | 'requires_address' | 'pickup_address'>): boolean {
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

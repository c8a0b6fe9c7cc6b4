// The sums of a store by quarter of an hour, and the SQL that computes each from the rows.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { movedEdits } from './edits.ts'

export const sumKinds = ['orders', 'customers', 'checkouts'] as const
export type SumKind = (typeof sumKinds)[number]

// prettier-ignore
export const sumsByKind = {
  orders:    ['orders', 'pieces', 'subtotal', 'discounts', 'shipping', 'tax', 'refunds', 'sales'],
  customers: ['new_customers'],
  checkouts: ['checkouts_begun', 'checkouts_completed', 'carts_recovered', 'recovered_sales'],
} as const satisfies Record<SumKind, readonly string[]>

export const sumNames = sumKinds.flatMap((kind) => sumsByKind[kind])
type SumName = (typeof sumNames)[number]
export type SalesSums = Record<SumName, number>

export const zeroSums = Object.fromEntries(sumNames.map((name) => [name, 0])) as SalesSums

export const quarterMs = 15 * 60_000
const quarterLong = raw(`interval '15 minutes'`)

/**
 * An order's total without refunds; of a returned order, the captured money without refunds. A refunded overpayment is
 * not part of the total.
 */
export const netSales = sql`case when orders.status = 'returned' then orders.captured_amount - orders.refunded_amount
      else orders.total - orders.refunded_amount + orders.refunded_overpayment end`

/** A row with the sums of a kind for a store; `place` has the beginning of a quarter. */
export function freshSums(kind: SumKind, storeId: string, place: Sql): Sql {
  const within = (moment: Sql) => sql`${moment} >= ${place}.quarter and ${moment} < ${place}.quarter + ${quarterLong}`
  switch (kind) {
    case 'orders':
      return sql`
      select coalesce(sum(orders), 0)::int as orders, coalesce(sum(item_count), 0)::int as pieces,
        coalesce(sum(subtotal), 0) as subtotal,
        coalesce(sum(discount_amount), 0) as discounts, coalesce(sum(shipping_cost), 0) as shipping,
        coalesce(sum(tax_amount), 0) as tax, coalesce(sum(refunds), 0) as refunds, coalesce(sum(sales), 0) as sales
      from (
        select 1 as orders, item_count, subtotal, discount_amount, shipping_cost, tax_amount,
          total - (${netSales}) as refunds, ${netSales} as sales
        from orders
        where orders.store_id = ${storeId}
          and ${within(sql`orders.created_at`)}
          and orders.status <> 'cancelled'
        union all
        select 0, item_count, subtotal, discount_amount, shipping_cost, tax_amount, 0, total
        from (${movedEdits(storeId, within)}) as edits
        where status <> 'cancelled') as parts`
    case 'customers':
      return sql`
      select count(*)::int as new_customers
      from customers
      where customers.store_id = ${storeId}
        and ${within(sql`customers.created_at`)}`
    case 'checkouts':
      return sql`
      select *
      from (
        select count(*)::int as checkouts_begun, count(order_id)::int as checkouts_completed
        from listed_checkouts as checkouts
        where checkouts.store_id = ${storeId}
          and checkouts.status = any('{active,abandoned,recovered,expired,completed}')
          and ${within(sql`checkouts.created_at`)}
          and draft_since is not null) as begun
      cross join (
        select count(*)::int as carts_recovered, coalesce(sum(total), 0) as recovered_sales
        from listed_checkouts as checkouts
        where checkouts.store_id = ${storeId}
          and ${within(sql`checkouts.recovered_at`)}
          and recovered_at is not null) as recovered`
  }
}

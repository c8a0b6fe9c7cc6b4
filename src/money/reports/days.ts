// Sums of a day's orders by product, discount, country and payment method.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { netSales } from './sums.ts'

export const dayKinds = ['product', 'discount', 'country', 'payment_method'] as const
export type DayKind = (typeof dayKinds)[number]

/** What is stored of a day, a month and a year. */
export const daySums = ['orders', 'pieces', 'discounts', 'refunds', 'sales'] as const
/** The same, to be taken off. */
export const lessDaySums = raw(daySums.map((name) => `-${name}`).join(', '))

/** Rows of key, label, orders, pieces, discounts, refunds, sales; of a store; `place` has begins and ends of a day. */
export function freshDay(kind: DayKind, storeId: string, place: Sql): Sql {
  switch (kind) {
    case 'product':
      return productsOf(storeId, place)
    case 'discount':
      return ordersBy(
        sql`coalesce(orders.discount_code, '')`,
        storeId,
        place,
        sql`
        and (orders.discount_code is not null or orders.discount_amount > 0)`,
      )
    case 'country':
      return ordersBy(sql`coalesce(orders.country_code, '')`, storeId, place)
    case 'payment_method':
      return ordersBy(sql`coalesce(orders.payment_method, '')`, storeId, place)
  }
}

function ordersBy(key: Sql, storeId: string, place: Sql, condition: Sql = sql``): Sql {
  return sql`
      select ${key} as key, null::text as label, count(*)::int as orders, sum(item_count)::int as pieces,
        sum(discount_amount) as discounts, sum(total - (${netSales})) as refunds, sum(${netSales}) as sales
      from orders
      where ${isOfDay(storeId, place)} ${condition}
      group by 1`
}

const isOfDay = (storeId: string, place: Sql) => sql`orders.store_id = ${storeId}
        and orders.created_at >= ${place}.begins
        and orders.created_at < ${place}.ends
        and orders.status <> 'cancelled'`

/**
 * The cost of items after discount, without shipping, tax and returned pieces. A line without a product goes by its
 * name.
 */
function productsOf(storeId: string, place: Sql): Sql {
  return sql`
      select coalesce(product_id::text, ':' || left(product_name, 200)) as key, max(product_name) as label,
        count(distinct order_id)::int as orders, sum(sold.quantity - back.pieces)::int as pieces,
        sum(discount) as discounts,
        sum(round(cost * back.pieces / sold.quantity, 4)) as refunds,
        sum(cost - round(cost * back.pieces / sold.quantity, 4)) as sales
      from (
        select order_items.*, discount, total_price - discount as cost,
          orders.status = 'returned' and orders.captured_amount = 0 as is_lost
        from orders
        join order_items on order_items.store_id = ${storeId}
          and order_items.order_id = orders.id
        cross join lateral (
          select coalesce(-sum((adjustment ->> 'amount')::numeric), 0) as discount
          from json_array_elements(order_items.adjustments) as adjustment) as discounts
        where ${isOfDay(storeId, place)}
        offset 0) as sold
      cross join lateral (
        select case when sold.is_lost then sold.quantity else coalesce(sum(refund_items.quantity), 0) end as pieces
        from refund_items
        join refunds on refunds.store_id = ${storeId}
          and refunds.id = refund_items.refund_id
          and refunds.status = 'succeeded'
        where sold.refunded_quantity > 0
          and refund_items.store_id = ${storeId}
          and refund_items.order_id = sold.order_id
          and refund_items.item_id = sold.id) as back
      group by 1`
}

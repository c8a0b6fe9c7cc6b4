// Sums of a day's orders by product, discount, country, payment method and channel.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { netSales } from './sums.ts'

export const dayKinds = ['product', 'discount', 'country', 'payment_method', 'channel'] as const
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
      return discountsOf(storeId, place)
    case 'country':
      return ordersBy(sql`coalesce(orders.country_code, '')`, storeId, place)
    case 'payment_method':
      return ordersBy(sql`coalesce(orders.payment_method, '')`, storeId, place)
    case 'channel':
      return ordersBy(sql`concat_ws(' ', orders.channel, orders.agent)`, storeId, place)
  }
}

function ordersBy(key: Sql, storeId: string, place: Sql): Sql {
  return sql`
      select ${key} as key, null::text as label, count(*)::int as orders, sum(item_count)::int as pieces,
        sum(discount_amount) as discounts, sum(total - (${netSales})) as refunds, sum(${netSales}) as sales
      from orders
      where ${isOfDay(storeId, place)}
      group by 1`
}

/** The key of what orders with several discounts count beyond once. No code has this form. */
export const countedTwice = '+'

/**
 * An order counts for each of its discounts, with the discount's own amount. What it counts beyond once is taken off
 * under a key of its own, so that all rows add up to the orders. Older orders, and those whose discount was given by
 * hand, have only the sum.
 */
function discountsOf(storeId: string, place: Sql): Sql {
  return sql`
      select used.code as key, null::text as label, sum(times)::int as orders, sum(times * item_count)::int as pieces,
        sum(used.amount) as discounts, sum(times * (total - (${netSales}))) as refunds,
        sum(times * (${netSales})) as sales
      from orders
      cross join lateral (
        select count(*)::int as number, sum((line ->> 'amount')::numeric) as amount
        from json_array_elements(orders.discounts) as line) as own
      cross join lateral (
        select line ->> 'code' as code, (line ->> 'amount')::numeric as amount, 1 as times
        from json_array_elements(orders.discounts) as line
        where own.amount = orders.discount_amount
        union all
        select coalesce(orders.discount_code, ''), orders.discount_amount, 1
        where own.amount is distinct from orders.discount_amount
        union all
        select ${raw(`'${countedTwice}'`)}, 0, 1 - own.number
        where own.number > 1
          and own.amount = orders.discount_amount) as used
      where ${isOfDay(storeId, place)}
        and (orders.discount_code is not null or orders.discount_amount > 0)
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

// Sums of a day's orders by product, discount, country, payment method and channel.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { countedTwice } from '../../commerce/orders/edits/difference.ts'
import { movedEdits } from './edits.ts'
import { netSales } from './sums.ts'

export const dayKinds = ['product', 'discount', 'country', 'payment_method', 'channel'] as const
export type DayKind = (typeof dayKinds)[number]

/** The sums stored for a day, a month and a year. */
export const daySums = ['orders', 'pieces', 'discounts', 'refunds', 'sales'] as const
/** The same, to be subtracted. */
export const lessDaySums = raw(daySums.map((name) => `-${name}`).join(', '))

/** Rows of key, label, orders, pieces, discounts, refunds, sales; of a store; `place` has begins and ends of a day. */
export function freshDay(kind: DayKind, storeId: string, place: Sql): Sql {
  switch (kind) {
    case 'product':
      return buildProductSales(storeId, place)
    case 'discount':
      return buildDiscountSales(storeId, place)
    case 'country':
      return ordersBy(raw(`coalesce(country_code, '')`), storeId, place)
    case 'payment_method':
      return ordersBy(raw(`coalesce(payment_method, '')`), storeId, place)
    case 'channel':
      return ordersBy(raw(`concat_ws(' ', channel, agent)`), storeId, place)
  }
}

function ordersBy(key: Sql, storeId: string, place: Sql): Sql {
  return sql`
      select key, null::text as label, sum(orders)::int as orders, sum(item_count)::int as pieces,
        sum(discount_amount) as discounts, sum(refunds) as refunds, sum(sales) as sales
      from (
        select ${key} as key, 1 as orders, item_count, discount_amount, total - (${netSales}) as refunds,
          ${netSales} as sales
        from orders
        where ${isOfDay(storeId, place)}
        union all
        select ${key}, 0, item_count, discount_amount, 0, total
        from (${editsOfDay(storeId, place)}) as edits) as parts
      group by 1`
}

/**
 * An order counts for each of its discounts, with the discount's own amount. What it counts beyond once is taken off
 * under a key of its own, so that all rows add up to the orders. Older orders, and those whose discount was given by
 * hand, have only the sum.
 */
function buildDiscountSales(storeId: string, place: Sql): Sql {
  return sql`
      select key, null::text as label, sum(orders)::int as orders, sum(pieces)::int as pieces,
        sum(discounts) as discounts, sum(refunds) as refunds, sum(sales) as sales
      from (${usedDiscounts(storeId, place)}
        union all
        select line.key, sign * line.orders, sign * line.pieces, sign * line.amount, sign * line.refunds,
          sign * (line.total - line.refunds)
        from (${editsOfDay(storeId, place)}) as edits
        cross join lateral json_to_recordset(discounts)
          as line (key text, orders int, pieces int, amount numeric, refunds numeric, total numeric)) as parts
      group by 1`
}

function usedDiscounts(storeId: string, place: Sql): Sql {
  return sql`
        select used.code as key, times as orders, times * item_count as pieces, used.amount as discounts,
          times * (total - (${netSales})) as refunds, times * (${netSales}) as sales
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
        and (orders.discount_code is not null or orders.discount_amount > 0)`
}

const isOfDay = (storeId: string, place: Sql) => sql`orders.store_id = ${storeId}
        and orders.created_at >= ${place}.begins
        and orders.created_at < ${place}.ends
        and orders.status <> 'cancelled'`

function editsOfDay(storeId: string, place: Sql): Sql {
  const within = (moment: Sql) => sql`${moment} >= ${place}.begins and ${moment} < ${place}.ends`
  return sql`
        select *
        from (${movedEdits(storeId, within)}) as all_edits
        where status <> 'cancelled'`
}

/**
 * The cost of items after discount, without shipping and returned pieces, and with tax only where prices include it. A
 * line without a product goes by its name.
 */
function buildProductSales(storeId: string, place: Sql): Sql {
  return sql`
      select key, max(label) as label, sum(orders)::int as orders, sum(pieces)::int as pieces,
        sum(discounts) as discounts, sum(refunds) as refunds, sum(cost - refunds) as sales
      from (${soldProducts(storeId, place)}
        union all
        select line.key, line.label, sign * line.orders, sign * line.pieces, sign * line.discount,
          sign * line.refunds, sign * line.cost
        from (${editsOfDay(storeId, place)}) as edits
        cross join lateral json_to_recordset(products)
          as line (key text, label text, orders int, pieces int, discount numeric, refunds numeric, cost numeric)
        ) as parts
      group by 1`
}

/**
 * Units that were refunded before an edit have a price of their own. Those of a bundle have the noted one as soon as
 * parts of it were refunded: it is edited no more.
 */
const costOfReturned = raw(`back.goods + case
            when settled is null then round(cost * back.alike / quantity, 4)
            when back.alike <= own.quantity_settled
              then round(own.cost_settled * back.alike / own.quantity_settled, 4)
            else own.cost_settled + coalesce(round(
              (cost - own.cost_settled) * (back.alike - own.quantity_settled)
                / nullif(quantity - own.quantity_settled, 0), 4), 0) end`)

const hasParts = raw('count(*) filter (where part >= 0) > 0')

/** Bundles of which every part was refunded by itself. */
const setsOfParts = raw(`coalesce(case when count(*) filter (where part >= 0) = jsonb_array_length(sold.parts)
              then min(refunded.quantity / (sold.parts -> part ->> 'quantity')::int) filter (where part >= 0) end, 0)`)

function soldProducts(storeId: string, place: Sql): Sql {
  return sql`
        select coalesce(product_id::text, ':' || left(product_name, 200)) as key, max(product_name) as label,
          count(distinct order_id) as orders, sum(quantity - back.pieces) as pieces, sum(discount) as discounts,
          sum(${costOfReturned}) as refunds, sum(cost) as cost
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
        select (settled ->> 'quantity')::int as quantity_settled,
          unit_price * (settled ->> 'quantity')::int + coalesce((
            select sum((adjustment ->> 'amount')::numeric)
            from json_array_elements(settled -> 'adjustments') as adjustment), 0) as cost_settled) as own
      cross join lateral (
        select case when sold.is_lost then sold.quantity
            else coalesce(sum(refunded.quantity) filter (where part = -1), 0) + ${setsOfParts} end as pieces,
          case when sold.is_lost then sold.quantity
            else coalesce(case when ${hasParts} then sum(refunded.unnoted)
              else sum(refunded.quantity) end, 0) end as alike,
          coalesce(case when ${hasParts} then sum(refunded.goods) end, 0) as goods
        from (
          select refund_items.part, sum(refund_items.quantity)::int as quantity, sum(refund_items.goods) as goods,
            sum(refund_items.quantity) filter (where refund_items.goods is null) as unnoted
          from refund_items
          join refunds on refunds.store_id = ${storeId}
            and refunds.id = refund_items.refund_id
            and refunds.status = 'succeeded'
          where (sold.refunded_quantity > 0 or sold.parts is not null)
            and refund_items.store_id = ${storeId}
            and refund_items.order_id = sold.order_id
            and refund_items.item_id = sold.id
          group by refund_items.part) as refunded) as back
      group by 1`
}

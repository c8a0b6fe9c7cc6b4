// Rules by which `stoa doctor` compares the rollups with their rows, where no change is pending.
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { RowRule } from '../../tenancy/tables/rule.ts'
import { netSales } from './sums.ts'
import { isTaxed } from './taxes.ts'

/**
 * Both select store_id, id, number, amount; `open` selects the store_id and id of rows that may differ. A row missing
 * on one side counts as zero.
 */
function buildDifference(sums: Sql, rows: Sql, open: Sql, differ = sql`<>`): Sql {
  return sql`
      select store_id, id::text as wrong
      from (
        select 1 as side, 0 as is_open, sums.* from (${sums}) as sums (store_id, id, number, amount)
        union all
        select -1, 0, parts.* from (${rows}) as parts (store_id, id, number, amount)
        union all
        select 0, 1, notes.*, 0, 0 from (${open}) as notes (store_id, id)
      ) as both_sides
      group by store_id, id
      having max(is_open) = 0
        and (sum(side * number) ${differ} 0 or sum(side * amount) ${differ} 0)`
}

const buildQuarterHour = (moment: string) => raw(`date_bin('15 minutes', ${moment}, 'epoch')`)
const notedQuarters = (kind: string) => sql`select store_id, quarter from unsummed where kind = ${raw(`'${kind}'`)}`

const sales = sql`from orders where status <> 'cancelled'`

/** The effect of edits counts on their own day, and is subtracted from the day of the order, whose row has it. */
const editSides = [
  ['created_at', ''],
  ['sold_at', '- '],
] as const

const editsOfQuarters = (number: string) =>
  join(
    editSides.map(
      ([moment, sign]) => sql`
          union all
          select order_edits.store_id, ${buildQuarterHour(`order_edits.${moment}`)}, ${raw(sign + number)},
            ${raw(sign)}order_edits.total
          from order_edits
          join orders on orders.store_id = order_edits.store_id
            and orders.id = order_edits.order_id
          where status <> 'cancelled'`,
    ),
    '',
  )

const dayKinds = raw(`unnest('{country,payment_method,channel,discount,product,all,tax}'::text[])`)

const all = raw('orders + pieces + sales + new_customers + checkouts_begun + carts_recovered + recovered_sales')

const editsOfDays = join(
  editSides.map(
    ([moment, sign]) => sql`
            select order_edits.store_id, null, order_edits.${raw(moment)}, 0,
              case when status <> 'cancelled' then ${raw(sign)}order_edits.total else 0 end,
              case when status <> 'cancelled' then ${raw(sign)}order_edits.discount_amount else 0 end,
              case when status <> 'cancelled' then ${raw(sign)}order_edits.subtotal else 0 end, 0,
              case when ${isTaxed} then ${raw(sign)}(order_edits.tax_amount + order_edits.included_tax) else 0 end
            from order_edits
            join orders on orders.store_id = order_edits.store_id
              and orders.id = order_edits.order_id`,
  ),
  `
            union all`,
)

// The times of orders and their sums, each with the time zone of its store, without a join.
const zonedTotals = sql`
          select store_id, kept, discount_amount, items, sums, taxes, is_open, moment,
            max(timezone) over (partition by store_id) as timezone
          from (
            select id as store_id, timezone, null::timestamptz as moment, 0 as is_open, 0 as kept, 0 as discount_amount,
              0 as items, 0 as sums, 0 as taxes
            from stores
            union all
            select store_id, null, created_at, 0, ${netSales}, discount_amount,
              subtotal - coalesce((order_bumps ->> 'total')::numeric, 0), 0, 0
            from orders
            where status <> 'cancelled'
            union all
            select store_id, null, quarter, 0, 0, 0, 0, ${all}, 0 from sales_sums
            union all
            select store_id, null, created_at, 0, 0, 0, 0, 0, tax_amount + included_tax from orders where ${isTaxed}
            union all${editsOfDays}
            union all
            select store_id, null, succeeded_at, 0, 0, 0, 0, 0, - coalesce(tax_amount, 0)
            from refunds
            where succeeded_at is not null
            union all
            select store_id, null, quarter, 1, 0, 0, 0, 0, 0 from unsummed
          ) as moments`

// Products are compared by price, discounts by the discount, others by net sales.
const daysDiffering = sql`
      select store_id, id as wrong
      from (
        select 1 as side, 0 as is_open, store_id, day || ' ' || kind as id,
          case when kind = 'product' then sales + refunds + discounts
               when kind = 'discount' then discounts else sales end
            as amount
        from sales_by_day
        union all
        select 1, 0, store_id, day || ' all', ${all} from sales_days
        union all
        select 1, 0, store_id, day || ' tax', tax - refunded_tax from tax_by_day
        union all
        select -1, is_open, store_id, (moment at time zone timezone)::date || ' ' || ${dayKinds},
          unnest(array[kept, kept, kept, discount_amount, items, sums, taxes])
        from (${zonedTotals}) as zoned
        where moment is not null
        union all
        select 0, 1, store_id, day || ' ' || ${dayKinds}, 0 from unsummed_days
      ) as both_sides
      group by store_id, id
      having max(is_open) = 0
        and sum(side * amount) <> 0`

const daysOfUnit = (unit: 'month' | 'year') => sql`
        select -1, store_id, ${raw(`'${unit}'`)}, date_trunc(${raw(`'${unit}'`)}, day::timestamp)::date, kind, key,
          orders, pieces, discounts, refunds, sales
        from sales_by_day`

const periodColumns = raw('store_id, unit, begins, kind, key, orders, pieces, discounts, refunds, sales')

// Products count under the category of their first note, or else under their own. Without a join.
const periodsByCategory = sql`
        select -1, store_id, unit, begins, 'category', category, orders, pieces, discounts, refunds, sales
        from (
          select store_id, unit, begins, orders, pieces, discounts, refunds, sales, coalesce(
            first_value(noted) over (partition by store_id, key order by position nulls last),
            max(own) over (partition by store_id, key), '') as category
          from (
            select store_id, key, unit, begins, orders, pieces, discounts, refunds, sales, null::bigint as position,
              null as noted, null as own
            from sales_by_period
            where kind = 'product'
            union all
            select store_id, product_id::text, null, null, 0, 0, 0, 0, 0, position, category, null
            from unsummed_categories
            union all
            select store_id, id::text, null, null, 0, 0, 0, 0, 0, null, null, category_id::text from products
          ) as parts
        ) as sold
        where unit is not null`

// They are written with their days.
const periodsDiffering = sql`
      select store_id, unit || ' ' || begins || ' ' || kind || ' ' || key as wrong
      from (
        select 1 as side, ${periodColumns}
        from sales_by_period
        union all${daysOfUnit('month')}
        union all${daysOfUnit('year')}
        union all${periodsByCategory}
      ) as both_sides
      group by store_id, unit, begins, kind, key
      having sum(side * orders) <> 0
        or sum(side * pieces) <> 0
        or sum(side * discounts) <> 0
        or sum(side * refunds) <> 0
        or sum(side * sales) <> 0`

// Checkouts are deleted after some months, but their sums stay.
const checkoutsBegun = buildDifference(
  sql`select store_id, quarter, checkouts_begun, checkouts_completed from sales_sums`,
  sql`
        select store_id, ${buildQuarterHour('created_at')}, 1, (order_id is not null)::int
        from checkouts
        where draft_since is not null`,
  notedQuarters('checkouts'),
  sql`<`,
)

export const salesRules: readonly RowRule[] = [
  {
    name: 'the sums of a quarter hour match its orders',
    broken: join(
      [
        buildDifference(
          sql`select store_id, quarter, orders, sales from sales_sums`,
          sql`select store_id, ${buildQuarterHour('created_at')}, 1, ${netSales} ${sales} ${editsOfQuarters('0')}`,
          notedQuarters('orders'),
        ),
        buildDifference(
          sql`select store_id, quarter, pieces, subtotal - discounts + shipping + tax - refunds from sales_sums`,
          sql`
          select store_id, ${buildQuarterHour('created_at')}, item_count, ${netSales} ${sales}
          ${editsOfQuarters('order_edits.item_count')}`,
          notedQuarters('orders'),
        ),
      ],
      '\n      union',
    ),
  },
  {
    name: 'the sums of a quarter hour match its new customers, checkouts and recovered sales',
    broken: join(
      [
        buildDifference(
          sql`select store_id, quarter, new_customers, 0 from sales_sums`,
          sql`select store_id, ${buildQuarterHour('created_at')}, 1, 0 from customers`,
          notedQuarters('customers'),
        ),
        checkoutsBegun,
        buildDifference(
          sql`select store_id, quarter, carts_recovered, recovered_sales from sales_sums`,
          sql`
        select store_id, ${buildQuarterHour('recovered_at')}, 1, total
        from checkouts
        where recovered_at is not null`,
          notedQuarters('checkouts'),
        ),
      ],
      '\n      union',
    ),
  },
  {
    name: 'the sums of a day match its quarter hours, and its orders by each report and by tax',
    broken: daysDiffering,
  },
  { name: 'the sums of a month and of a year match their days', broken: periodsDiffering },
  {
    name: 'the list of low-stock products matches the products',
    broken: buildDifference(
      sql`select store_id, product_id, 1, is_sold_out::int from scarce_products`,
      sql`
        select store_id, id, 1, (stock_quantity <= 0)::int
        from products
        where product_status = 'active'
          and track_inventory
          and stock_quantity <= low_stock_threshold`,
      sql`select null::text, null::uuid where false`,
    ),
  },
]

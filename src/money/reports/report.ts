// Sales of some days by product, category, discount code, country or payment method.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import { dayOf } from '../../kit/values/timezone.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { freshDay, type DayKind } from './days.ts'

export const reports = ['product', 'category', 'discount', 'country', 'payment_method'] as const
export type ReportName = (typeof reports)[number]

/** `id` is that of a product or category that still exists. */
export type ReportRow = {
  key: string
  label: string | null
  id: string | null
  orders: number
  pieces: number
  discounts: number
  refunds: number
  sales: number
}

/** Days as YYYY-MM-DD, the last included. */
export type DayRange = { from: string; to: string }

type PageRange = { limit: number; offset: number }

/** Returns the best rows from `offset` on, and their count. Orders of a category are the sum of its products'. */
export async function reportOf(
  db: Db,
  store: Pick<Store, 'id' | 'timezone'>,
  report: ReportName,
  days: DayRange,
  { limit, offset }: PageRange,
): Promise<{ rows: ReportRow[]; count: number }> {
  const rows = await db.rows<ReportRow & { count: number; discounts: string; refunds: string; sales: string }>(sql`
    with ${partsOf(db, store, report === 'category' ? 'product' : report, days)}, best as (${groupedBy(store, report)}
      order by sales desc, key
      limit ${limit} offset ${offset}
    )
    ${report === 'product' ? withNames(store) : sql`select * from best order by sales desc, key`}`)
  const prefix = report === 'category' ? 'cat' : 'prod'
  const read = rows.map(({ key, label, id, orders, pieces, discounts, refunds, sales }) => ({
    key,
    label,
    id: id && publicId(prefix, id),
    orders,
    pieces,
    discounts: toNumber(new Decimal(discounts)),
    refunds: toNumber(new Decimal(refunds)),
    sales: toNumber(new Decimal(sales)),
  }))
  return { rows: read, count: rows[0]?.count ?? 0 }
}

/** `parts` are the stored days, and for other days, such as today, sums of their rows. */
function partsOf(db: Db, { id, timezone }: Pick<Store, 'id' | 'timezone'>, kind: DayKind, { from, to }: DayRange): Sql {
  const today = dayOf(db.clock.now(), timezone)
  return sql`noted as materialized (
      select day, day::timestamp at time zone ${timezone} as begins,
        (day + 1)::timestamp at time zone ${timezone} as ends
      from (
        select day from unsummed_days where store_id = ${id}
        union
        select (quarter at time zone ${timezone})::date from unsummed where store_id = ${id} and kind = 'orders'
        union
        select ${today}::date
      ) as days
      where day between ${from}::date and ${to}::date
    ), parts as (
      select key, label, orders, pieces, discounts, refunds, sales
      from sales_by_day
      where store_id = ${id}
        and kind = ${kind}
        and day between ${from}::date and ${to}::date
        and day not in (select day from noted)
      union all
      select fresh.*
      from noted
      cross join lateral (${freshDay(kind, id, raw('noted'))}) as fresh
    )`
}

const sumsOfParts = raw(`sum(orders)::int as orders, sum(pieces)::int as pieces, sum(discounts) as discounts,
      sum(refunds) as refunds, sum(sales) as sales, count(*) over ()::int as count`)

function groupedBy({ id }: Pick<Store, 'id'>, report: ReportName): Sql {
  if (report !== 'category') {
    return sql`
      select key, max(label) as label, null as id, ${sumsOfParts} from parts group by key`
  }
  return sql`
      select coalesce(categories.id::text, '') as key, categories.name as label, categories.id, ${sumsOfParts}
      from (
        select key, sum(orders) as orders, sum(pieces) as pieces, sum(discounts) as discounts, sum(refunds) as refunds,
          sum(sales) as sales
        from parts
        group by key) as sold
      left join products on products.store_id = ${id}
        and products.id = ${productOf('key')}
      left join categories on categories.store_id = ${id}
        and categories.id = products.category_id
      group by categories.id, categories.name`
}

/** Products by their names of today, if they still exist; of those on the page alone. */
function withNames({ id }: Pick<Store, 'id'>): Sql {
  return sql`
    select key, coalesce(products.name, label) as label, products.id, orders, pieces, discounts, refunds, best.sales,
      count
    from best
    left join products on products.store_id = ${id}
      and products.id = ${productOf('key')}
    order by best.sales desc, key`
}

/** A key that begins with a colon names an item without a product. */
function productOf(key: string): Sql {
  return sql`case when ${raw(key)} like ':%' then null else ${raw(key)} end::uuid`
}

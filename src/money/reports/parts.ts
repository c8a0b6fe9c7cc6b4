// The stored sums of a range of days: of its whole years and months, and of the days beside them. Days that changed
// since are replaced by sums of their rows.
import type { Db } from '../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { formatLocalDay } from '../../kit/values/timezone.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { daySums, freshDay, lessDaySums, type DayKind } from './days.ts'
import type { DayRange } from './period.ts'
import { splitIntoUnits, type RangeParts } from './units.ts'

export const reportSums = ['orders', 'units', 'discounts', 'refunds', 'sales'] as const
export type ReportSum = (typeof reportSums)[number]

/** The sums of several parts with the same key. */
export const sumsOfParts = raw(`sum(orders)::int as orders, sum(units)::int as units, sum(discounts) as discounts,
        sum(refunds) as refunds, sum(sales) as sales`)

export type ZonedStore = Pick<Store, 'id' | 'timezone'>

/** Days of some ranges without current sums: today, and days with changes. */
export function notedDays(db: Db, { id, timezone }: ZonedStore, ...ranges: DayRange[]): Sql {
  const today = formatLocalDay(db.clock.now(), timezone)
  const [froms, tos] = [ranges.map(({ from }) => from), ranges.map(({ to }) => to)]
  return sql`
      select day, day::timestamp at time zone ${timezone} as begins,
        (day + 1)::timestamp at time zone ${timezone} as ends
      from (
        select day from unsummed_days where store_id = ${id}
        union
        select (quarter at time zone ${timezone})::date from unsummed where store_id = ${id} and kind = 'orders'
        union
        select ${today}::date
      ) as days
      where exists (
        select from unnest(${froms}::date[], ${tos}::date[]) as range (first, last)
        where day between first and last)`
}

const partColumns = raw('(key, label, orders, units, discounts, refunds, sales)')
const storedSums = raw(daySums.join(', '))

/** Rows of key, label and sums of a report: one for a key in `base`, several in `rest`. Their statement has `noted`. */
export function buildReportParts(
  db: Db,
  store: ZonedStore,
  by: DayKind | 'category',
  range: DayRange,
): { base: Sql; rest: Sql } {
  const parts = splitIntoUnits(range, formatLocalDay(db.clock.now(), store.timezone))
  const { years, months, lessMonths } = parts
  const units = [stored('year', years), stored('month', months), stored('month', lessMonths, lessDaySums)]
  // The largest unit has one row for a key.
  const largest = units[years.length > 0 ? 0 : 1]!
  const base = { ...largest, begins: largest.begins.slice(-1) }
  const others = units.map((one) => (one === largest ? { ...one, begins: one.begins.slice(0, -1) } : one))
  const select = (some: readonly StoredUnits[], kind: DayKind | 'category') =>
    some.map((one) => sumsOfUnits(store.id, kind, one))
  if (by !== 'category') {
    return {
      base: unite(select([base], by)),
      rest: unite([...select(others, by), ...sumsOfDays(store.id, by, range, parts)]),
    }
  }
  // While products wait to be counted in another category, their sums are added up instead of those of categories.
  const isMoving = sql`exists (select from unsummed_categories where store_id = ${store.id})`
  const ofProducts = sql`${unite(select(units, 'product'))}
      where ${isMoving}`
  return {
    base: sql`${unite(select([base], 'category'))}
      where not ${isMoving}`,
    rest: sql`${unite(select(others, 'category'))}
      where not ${isMoving}
      union all${byCategory(store.id, unite([ofProducts, ...sumsOfDays(store.id, 'product', range, parts)]))}`,
  }
}

const unite = (selects: readonly Sql[]) => sql`
      select *
      from (${join(selects, '\n        union all')}) as parts ${partColumns}`

type StoredUnits = { unit: Sql; begins: string[]; sums: Sql }

const stored = (unit: 'month' | 'year', begins: string[], sums = storedSums): StoredUnits => ({
  unit: raw(`'${unit}'`),
  begins,
  sums,
})

function sumsOfUnits(storeId: string, kind: string, { unit, begins, sums }: StoredUnits): Sql {
  return sql`
        select key, label, ${sums}
        from sales_by_period
        where store_id = ${storeId}
          and kind = ${kind}
          and unit = ${unit}
          and begins = any(${begins}::date[])`
}

/** Noted days are taken out of the units that have them, and computed from their rows. */
function sumsOfDays(storeId: string, kind: DayKind, { from, to }: DayRange, { days, lessDays }: RangeParts): Sql[] {
  const ofDays = (sums: Sql, which: Sql) => sql`
        select key, label, ${sums}
        from sales_by_day
        where store_id = ${storeId}
          and kind = ${kind}
          and day = any(array(${which}))`
  const isInRange = sql`noted.day between ${from}::date and ${to}::date`
  return [
    ofDays(
      lessDaySums,
      sql`
          select unnest(${lessDays}::date[])
          union all
          select day from noted where ${isInRange} and day <> all(${days}::date[])`,
    ),
    ofDays(
      storedSums,
      sql`
          select day from unnest(${days}::date[]) as day where day not in (select noted.day from noted)`,
    ),
    sql`
        select fresh.*
        from noted
        cross join lateral (${freshDay(kind, storeId, raw('noted'))}) as fresh
        where ${isInRange}`,
  ]
}

/** Sums of products as those of their categories of today. */
function byCategory(storeId: string, parts: Sql): Sql {
  return sql`
      select coalesce(products.category_id::text, ''), null, ${raw(reportSums.join(', '))}
      from (
        select key, ${sumsOfParts}
        from (${parts}) as parts
        group by key) as sold
      left join products on products.store_id = ${storeId}
        and products.id = ${buildProductIdCase('sold.key')}`
}

/** A key that begins with a colon names an item without a product. */
export function buildProductIdCase(key: string): Sql {
  return sql`case when ${raw(key)} like ':%' then null else ${raw(key)} end::uuid`
}

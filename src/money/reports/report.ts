// Sales of some days by product, category, discount code, country, payment method or channel, beside the days before.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { countedTwice } from '../../commerce/orders/edits/difference.ts'
import { notedDays, buildReportParts, type ZonedStore } from './parts.ts'
import type { DayRange } from './period.ts'

export const reports = ['product', 'category', 'discount', 'country', 'payment_method', 'channel'] as const
export type ReportName = (typeof reports)[number]

export const reportSums = ['orders', 'units', 'discounts', 'refunds', 'sales'] as const
export type ReportSum = (typeof reportSums)[number]
type ReportSums = Record<ReportSum, number>

/** `id` is that of a product or category that still exists. */
export type ReportRow = ReportSums & {
  key: string
  label: string | null
  id: string | null
  /** Sales in the period before. */
  previous_sales: number
}

/** A page of rows. The totals are those of all rows. */
export type SalesReport = { rows: ReportRow[]; count: number; totals: ReportSums & { previous_sales: number } }

export type ReportQuery = {
  by: ReportName
  days: DayRange
  /** The period before. */
  earlier: DayRange
  sort: ReportSum
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

type ReportCells = Record<string, string | number | null>

/**
 * Orders of a category are the sum of its products'. An order counts for each of its discounts, and once in the totals.
 */
export async function buildSalesReport(db: Db, store: ZonedStore, query: ReportQuery): Promise<SalesReport> {
  const { by, days, earlier, sort, order, limit, offset } = query
  const kind = by === 'category' ? 'product' : by
  const now = buildReportParts(db, store, kind, days)
  const before = buildReportParts(db, store, kind, earlier)
  const rows = await db.rows<ReportCells>(sql`
    with noted as materialized (${notedDays(db, store, days, earlier)}
    ), rest as materialized (
      select key, max(label) as label, ${sums}
      from (${now.rest}) as parts
      group by key
    ), merged as materialized (${mergedWith(now.base)}
    ), earlier_parts as materialized (${before.base}
      union all${before.rest}
    ), totals as (
      select ${allSums}, count(*) filter (where ${isSold}) as all_keys
      from merged
    ), earlier_totals as (
      select coalesce(sum(sales), 0) as all_previous_sales
      from earlier_parts
    ), grouped as (
      ${by === 'category' ? byCategory(store, sql`merged`) : raw('select *, null as id from merged')}
    ), best as (
      select *
      from grouped
      where ${isSold}
      order by ${raw(`${sort} ${order}, key`)}
      limit ${limit} offset ${offset}
    ), earlier as (
      ${by === 'category' ? byCategory(store, sql`(${ofKeys(false)}) as parts`) : ofKeys(true)}
    )
    select best.*, coalesce(earlier.sales, 0) as previous_sales, totals.*, all_previous_sales,
      ${by === 'category' ? sql`(select count(*) from grouped where ${isSold})` : raw('all_keys')} as count
      ${by === 'product' ? raw(', coalesce(products.name, best.label) as label, products.id') : raw('')}
    from best
    left join earlier on earlier.key = best.key
    ${by === 'product' ? withProducts(store) : raw('')}
    cross join totals
    cross join earlier_totals
    order by ${raw(`best.${sort} ${order}, best.key`)}`)
  const [first] = rows
  return {
    rows: rows.map((row) => readRow(by, row)),
    count: Number(first?.count ?? 0),
    totals: { ...sumsIn(first, 'all_'), previous_sales: toAmount(first?.all_previous_sales) },
  }
}

function readRow(by: ReportName, row: ReportCells): ReportRow {
  const { key, label, id, previous_sales } = row as ReportCells & {
    key: string
    label: string | null
    id: string | null
  }
  const prefix = by === 'category' ? 'cat' : 'prod'
  return { key, label, id: id && publicId(prefix, id), ...sumsIn(row, ''), previous_sales: toAmount(previous_sales) }
}

function sumsIn(row: ReportCells | undefined, prefix: string): ReportSums {
  return Object.fromEntries(reportSums.map((name) => [name, toAmount(row?.[prefix + name])])) as ReportSums
}

const isSold = raw(`(key <> '${countedTwice}' and (orders <> 0 or units <> 0 or refunds <> 0 or sales <> 0))`)

const toAmount = (value: string | number | null = 0) => toNumber(new Decimal(value ?? 0))

const sums = raw(`sum(orders)::int as orders, sum(units)::int as units, sum(discounts) as discounts,
        sum(refunds) as refunds, sum(sales) as sales`)
const allSums = raw(reportSums.map((name) => `coalesce(sum(${name}), 0) as all_${name}`).join(', '))

/** The stored sums of a long unit, of which few keys change: adding to those is cheaper than grouping all. */
function mergedWith(base: Sql): Sql {
  const additions = reportSums.map(
    (name) =>
      `case when rest.key is null then base.${name} else rest.${name} + coalesce(base.${name}, 0) end as ${name}`,
  )
  return sql`
      select coalesce(base.key, rest.key) as key, coalesce(rest.label, base.label) as label,
        ${raw(additions.join(',\n        '))}
      from (${base}) as base
      full join rest on rest.key = base.key`
}

/** The sums of the period before, of the keys of the page or of all. */
function ofKeys(isOfPage: boolean): Sql {
  return sql`
      select key, max(label) as label, ${sums}
      from earlier_parts
      ${isOfPage ? raw('where key = any(array(select key from best))') : raw('')}
      group by key`
}

function byCategory({ id }: Pick<Store, 'id'>, parts: Sql): Sql {
  return sql`
      select coalesce(categories.id::text, '') as key, categories.name as label, ${sums}, categories.id
      from ${parts}
      left join products on products.store_id = ${id}
        and products.id = ${buildProductIdCase('key')}
      left join categories on categories.store_id = ${id}
        and categories.id = products.category_id
      group by categories.id, categories.name`
}

/** Products by their names of today, if they still exist; of those on the page alone. */
function withProducts({ id }: Pick<Store, 'id'>): Sql {
  return sql`left join products on products.store_id = ${id}
      and products.id = ${buildProductIdCase('best.key')}`
}

/** A key that begins with a colon names an item without a product. */
function buildProductIdCase(key: string): Sql {
  return sql`case when ${raw(key)} like ':%' then null else ${raw(key)} end::uuid`
}

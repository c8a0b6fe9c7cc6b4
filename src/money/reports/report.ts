// Sales of some days by product, category, discount code, country, payment method or channel, beside the days before.
import type { Db } from '../../kit/database/database.ts'
import { empty, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import { countedTwice } from '../../commerce/orders/edits/difference.ts'
import {
  buildProductIdCase,
  buildReportParts,
  notedDays,
  reportSums,
  sumsOfParts,
  type ReportSum,
  type ZonedStore,
} from './parts.ts'
import type { DayRange } from './period.ts'

export const reports = ['product', 'category', 'discount', 'country', 'payment_method', 'channel'] as const
export type ReportName = (typeof reports)[number]

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
  const now = buildReportParts(db, store, by, days)
  const before = buildReportParts(db, store, by, earlier)
  const names = withNames(by, store)
  const rows = await db.rows<ReportCells>(sql`
    with noted as materialized (${notedDays(db, store, days, earlier)}
    ), rest as materialized (
      select key, max(label) as label, ${sumsOfParts}
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
    ), best as (
      select *
      from merged
      where ${isSold}
      order by ${raw(`${sort} ${order}, key`)}
      limit ${limit} offset ${offset}
    ), earlier as (
      select key, sum(sales) as sales
      from earlier_parts
      where key = any(array(select key from best))
      group by key
    )
    select best.*, coalesce(earlier.sales, 0) as previous_sales, totals.*, all_previous_sales, ${names.columns}
    from best
    left join earlier on earlier.key = best.key
    ${names.tables}
    cross join totals
    cross join earlier_totals
    order by ${raw(`best.${sort} ${order}, best.key`)}`)
  const [first] = rows
  return {
    rows: rows.map((row) => readRow(by, row)),
    count: Number(first?.all_keys ?? 0),
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

/** Products by their names of today, if they still exist, and categories; of those on the page alone. */
function withNames(by: ReportName, { id }: ZonedStore): { columns: Sql; tables: Sql } {
  switch (by) {
    case 'product':
      return {
        columns: raw('coalesce(products.name, best.label) as label, products.id'),
        tables: sql`left join products on products.store_id = ${id}
      and products.id = ${buildProductIdCase('best.key')}`,
      }
    case 'category':
      return {
        columns: raw('categories.name as label, categories.id'),
        tables: sql`left join categories on categories.store_id = ${id}
      and categories.id = nullif(best.key, '')::uuid`,
      }
    default:
      return { columns: raw('null as id'), tables: empty }
  }
}

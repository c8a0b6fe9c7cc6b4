// Taxes of some days by place and rate: of sales on the day of the sale, of edits and refunds on their own day.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { Decimal, sum, toNumber } from '../../kit/values/money.ts'
import { notedDays, type ZonedStore } from './parts.ts'
import { movedEdits } from './edits.ts'
import type { DayRange } from './period.ts'

export const taxSums = ['orders', 'taxable', 'tax', 'refunded_taxable', 'refunded_tax'] as const
export type TaxReportSum = (typeof taxSums)[number]

export type TaxRow = Record<TaxReportSum, number> & {
  country_code: string | null
  province_code: string | null
  name: string | null
  /** Null if the tax was given as an amount. */
  rate: number | null
  reason: string
}

const keyNames = ['country_code', 'province_code', 'name', 'rate', 'reason']
const keys = raw(keyNames.join(', '))
export const taxColumns = raw([...keyNames, ...taxSums].join(', '))

/** A store has few places and rates; rows beyond this are left out. */
const maxTaxRows = 5000

/** Rows by country, province and rate. */
export async function listTaxRows(db: Db, store: ZonedStore, days: DayRange): Promise<TaxRow[]> {
  const rows = await db.rows<Record<string, any>>(sql`
    with noted as materialized (${notedDays(db, store, days)}
    )
    select ${keys}, sum(orders)::int as orders, sum(taxable) as taxable, sum(tax) as tax,
      sum(refunded_taxable) as refunded_taxable, sum(refunded_tax) as refunded_tax
    from (
      select ${taxColumns}
      from tax_by_day
      where store_id = ${store.id}
        and day between ${days.from}::date and ${days.to}::date
        and day not in (select day from noted)
      union all
      select fresh.*
      from noted
      cross join lateral (${freshTaxes(store.id, raw('noted'))}) as fresh) as parts
    group by ${keys}
    order by country_code, province_code, rate desc, name, reason
    limit ${raw(String(maxTaxRows))}`)
  return rows.map(({ country_code, province_code, name, rate, reason, ...sums }) => ({
    country_code: country_code || null,
    province_code: province_code || null,
    name: name || null,
    rate: reason === 'manual' ? null : Number(rate),
    reason,
    ...(Object.fromEntries(taxSums.map((name) => [name, toNumber(new Decimal(sums[name]))])) as Record<
      TaxReportSum,
      number
    >),
  }))
}

/** Several taxes on one amount each have it as their base: taxable amounts of different taxes do not add up. */
export function taxTotals(rows: readonly TaxRow[]): { tax: number; refunded_tax: number } {
  return {
    tax: toNumber(sum(rows.map(({ tax }) => tax))),
    refunded_tax: toNumber(sum(rows.map((row) => row.refunded_tax))),
  }
}

const lineKeys = 'country_code text, province_code text, name text, rate numeric, reason text'
const line = raw(`line (${lineKeys}, base numeric, amount numeric)`)
const editLine = raw(`line (${lineKeys}, orders int, base numeric, amount numeric)`)
const place = raw(`coalesce(line.country_code, orders.country_code, '') as country_code,
          case
            when line.country_code <> orders.country_code then coalesce(line.province_code, '')
            else coalesce(line.province_code, orders.tax_terms ->> 'billed_province',
              orders.shipping_address ->> 'province_code', '')
          end as province_code,
          coalesce(line.name, '') as name, coalesce(line.rate, 0) as rate, line.reason`)

/** Orders count unless they were cancelled or returned without a payment. */
export const isTaxed = raw(`(orders.status not in ('cancelled', 'returned') or orders.captured_amount > 0)`)

/** Rows of a store; `day` has the begins and ends of a day. */
export function freshTaxes(storeId: string, day: Sql): Sql {
  const within = (moment: Sql) => sql`${moment} >= ${day}.begins and ${moment} < ${day}.ends`
  return sql`
      select ${keys}, sum(orders)::int as orders, sum(taxable) as taxable, sum(tax) as tax,
        sum(refunded_taxable) as refunded_taxable, sum(refunded_tax) as refunded_tax
      from (
        select ${keys}, count(distinct sold) as orders, sum(taxable) as taxable, sum(tax) as tax,
          0 as refunded_taxable, 0 as refunded_tax
        from (
          select orders.id as sold, ${place}, line.base as taxable, line.amount as tax
          from orders
          cross join lateral json_to_recordset(orders.tax_lines) as ${line}
          where orders.store_id = ${storeId}
            and ${within(sql`orders.created_at`)}
            and ${isTaxed}) as sales
        group by ${keys}
        union all
        select ${place}, sign * line.orders, sign * line.base, sign * line.amount, 0, 0
        from (${movedEdits(storeId, within)}) as orders
        cross join lateral json_to_recordset(orders.taxes) as ${editLine}
        where ${isTaxed}
        union all
        select ${place}, 0, 0, 0, line.base, line.amount
        from refunds
        join orders on orders.store_id = ${storeId}
          and orders.id = refunds.order_id
        cross join lateral json_to_recordset(refunds.tax_lines) as ${line}
        where refunds.store_id = ${storeId}
          and ${within(sql`refunds.succeeded_at`)}) as lines
      group by ${keys}
      having sum(orders) <> 0 or sum(taxable) <> 0 or sum(tax) <> 0 or sum(refunded_taxable) <> 0
        or sum(refunded_tax) <> 0`
}

// Query parameters and responses of reports in the API.
import { list, object } from '../../kit/declare/composites.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, decimal, integer, money, text } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { generalFaults, reason } from '../../kit/values/faults.ts'
import { isReportDay, periods, resolvePresetSpan, spanOfDays, type Period, type Span } from './period.ts'
import { reportSums } from './parts.ts'
import { reports } from './report.ts'

const day = () =>
  text({ max: 10 })
    .example('2026-11-01')
    .rule((value) => (isReportDay(value) ? null : reason(generalFaults.no_moment)))

const range = {
  period: choice(periods).describe("Preset in the store's time zone; from and to take precedence. Defaults to days_30"),
  from: day().describe('First day; without it, the last day alone'),
  to: day().describe('Last day; without it, today, if from is given'),
}

type RangeQuery = { period?: Period; from?: string; to?: string }

/** The days of a query, and the period before them. */
export function resolveReportSpan({ period, from, to }: RangeQuery, now: Date, timezone: string): Span {
  if (!from && !to) return resolvePresetSpan(period ?? 'days_30', now, timezone)
  const last = to ?? resolvePresetSpan('today', now, timezone).to
  return spanOfDays({ from: from && from < last ? from : last, to: last }, now, timezone)
}

export const salesQuery = queryReader({
  by: choice(reports).default('product').describe('What each row stands for'),
  ...range,
  sort: choice(reportSums).default('sales').describe('Field to sort by'),
  order: choice(['asc', 'desc']).default('desc'),
  page: integer({ min: 1, max: 100_000 }).default(1).describe('Page number, starting at 1'),
  per_page: integer({ min: 1, max: 100 }).default(25).describe('Rows per page'),
})

export const taxQuery = queryReader(range)

const countCell = () => integer({ min: 0 }).required()
const amount = () => money({ min: -1e15 }).required()

const reportColumns = {
  orders: countCell().describe(
    'Number of orders; of a category, the sum of its products. An order counts for each of its discounts',
  ),
  units: countCell().describe('Units sold, without refunded ones'),
  discounts: amount().describe('Discounts'),
  refunds: amount().describe('Refunds of these orders, whenever they were issued'),
  sales: amount().describe(
    'Sales after discounts and refunds; by product and category without shipping, and with ' +
      'tax only where prices include it',
  ),
}

const previous_sales = amount().describe('Sales in the previous period')

// prettier-ignore
const reportRow = object({
  key:            text().required().describe('ID or code that the row stands for; empty if there is none'),
  label:          text().nullable().required().example('Canvas backpack'),
  id:             text().nullable().required().describe('ID of the product or category, if it still exists'),
  ...reportColumns,
  previous_sales,
})

const days = {
  from: text().readonly().example('2026-11-01').describe('First day'),
  to: text().readonly().example('2026-11-24').describe('Last day'),
}

// prettier-ignore
export const salesReport = resource('orders', {
  by:              choice(reports).readonly().describe('What each row stands for'),
  ...days,
  previous_from:   text().readonly().example('2026-10-01').describe('First day of the previous period'),
  previous_to:     text().readonly().example('2026-10-24').describe('Last day of it, as far as this one has come'),
  rows:            list(reportRow, { max: 100 }).readonly().describe('Rows of the page'),
  count:           integer({ min: 0 }).readonly().describe('Number of rows on all pages'),
  totals:          object({ ...reportColumns, previous_sales }).readonly().describe('Sums of all rows'),
}, {}, { noun: 'Report', title: 'Sales report' })

// prettier-ignore
const taxRow = object({
  country_code:     text().nullable().required().example('DE'),
  province_code:    text().nullable().required().example('US-CA').describe('ISO 3166-2 code'),
  name:             text().nullable().required().example('VAT Germany').describe('Name of the tax'),
  rate:             decimal().nullable().required().example(19)
    .describe('Rate in percent; null if the tax was given as an amount'),
  reason:           text().required().example('standard'),
  orders:           countCell(),
  taxable:          amount().describe('Amount that the tax was charged on, without the tax'),
  tax:              amount().describe('Tax of the sales, included in prices or added to them'),
  refunded_taxable: amount().describe('Taxable amount of refunds in this period'),
  refunded_tax:     amount().describe('Tax of refunds in this period'),
})

// prettier-ignore
export const taxReport = resource('orders', {
  ...days,
  rows:   list(taxRow, { max: 5000 }).readonly().describe('Taxes by country, province and rate'),
  totals: object({
    tax:          amount().describe('Tax of the sales'),
    refunded_tax: amount().describe('Tax of refunds in this period'),
  }).readonly().describe('Sums of all rows; taxable amounts of several taxes do not add up'),
}, {}, { noun: 'Report', title: 'Tax report' })

// The report of taxes by place and rate, for tax returns.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { taxName } from '../../../commerce/tax/summary.ts'
import { provinceName } from '../../../kit/values/provinces.ts'
import { listTaxRows, taxSums, taxTotals, type TaxRow, type TaxReportSum } from '../../../money/reports/taxes.ts'
import { csvReply } from '../../framework/csv.ts'
import { messageOr } from '../../framework/messages.ts'
import type { Html, PageContext, PageResult } from '../../framework/screen.ts'
import { ordersLinks } from './links.ts'
import type { ReportView } from './query.ts'
import { reportTable } from './table.ts'

type TaxColumn = TaxReportSum | 'net_tax'

const netTax = ({ tax, refunded_tax }: Pick<TaxRow, 'tax' | 'refunded_tax'>) =>
  Math.round((tax - refunded_tax) * 1e4) / 1e4
const getTaxValue = (row: TaxRow, column: TaxColumn) => (column === 'net_tax' ? netTax(row) : row[column])

/** Null without taxes. */
export async function taxTable(context: PageContext, { span }: ReportView): Promise<Html | null> {
  const { t, db, store, price, query } = context
  const all = await listTaxRows(db, store, span)
  if (all.length === 0) return null
  const columns = [...taxSums, 'net_tax'] as const
  const sort = columns.find((one) => one === query.sort) ?? ''
  const order = query.order === 'asc' ? 'asc' : 'desc'
  const sign = order === 'asc' ? 1 : -1
  const rows =
    sort === '' ? all : all.toSorted((one, other) => sign * (getTaxValue(one, sort) - getTaxValue(other, sort)))
  const { tax, refunded_tax } = taxTotals(all)
  const money = (row: TaxRow) =>
    Object.fromEntries(columns.slice(1).map((column) => [column, price(getTaxValue(row, column))]))
  return reportTable(context, {
    label: t('by_tax'),
    first: [t('report_tax'), t('report_total')],
    sort,
    order,
    columns: [
      { name: 'orders', title: t('orders'), isWide: true },
      { name: 'taxable', title: t('tax_base'), isWide: true },
      { name: 'tax', title: t('report_taxed') },
      { name: 'refunded_taxable', title: t('report_refunded_taxable'), isWide: true },
      { name: 'refunded_tax', title: t('report_refunded_tax'), isWide: true },
      { name: 'net_tax', title: t('report_net_tax') },
    ],
    rows: rows.map((row) => {
      const behind = orders(context, row, span)
      return {
        name: html`${renderTaxName(context, row)}${behind.narrow}`,
        cells: { ...money(row), orders: behind.cell },
      }
    }),
    totals: { tax: price(tax), refunded_tax: price(refunded_tax), net_tax: price(netTax({ tax, refunded_tax })) },
  })
}

const place = ({ language, t }: PageContext, { country_code, province_code }: TaxRow) =>
  [country_code ? nameOfCountry(language, country_code) : t('report_unknown'), provinceName(province_code)]
    .filter(Boolean)
    .join(', ')

function renderTaxName(context: PageContext, row: TaxRow): Html {
  const { t, language } = context
  const { reason } = row
  const isUsual = reason === 'standard' || reason === 'reduced'
  const tax = [taxName(row, language), isUsual ? '' : messageOr(t, `tax_reason_${reason}`, reason)].filter(Boolean)
  return html`<strong>${place(context, row)}</strong><small>${tax.join(' · ')}</small>`
}

function orders(context: PageContext, row: TaxRow, days: ReportView['span']): ReturnType<typeof ordersLinks> {
  const { country_code, province_code, orders: count } = row
  const filters = country_code && { country_code, ...(province_code ? { province: province_code } : {}) }
  return ordersLinks(context, { count, name: place(context, row), filters: filters || null, days })
}

export function taxCsv(context: PageContext, { span }: ReportView): PageResult {
  const { t, db, store, language } = context
  return csvReply<TaxRow>(
    `tax-${span.from}-${span.to}`,
    [
      [t('report_country'), ({ country_code }) => country_code && nameOfCountry(language, country_code)],
      [t('report_province'), ({ province_code }) => provinceName(province_code) ?? province_code],
      [t('tax_name'), ({ name }) => name],
      [t('report_rate'), ({ rate }) => rate],
      [t('reason'), ({ reason }) => messageOr(t, `tax_reason_${reason}`, reason)],
      [t('orders'), ({ orders }) => orders],
      [t('tax_base'), ({ taxable }) => taxable],
      [t('report_taxed'), ({ tax }) => tax],
      [t('report_refunded_taxable'), ({ refunded_taxable }) => refunded_taxable],
      [t('report_refunded_tax'), ({ refunded_tax }) => refunded_tax],
      [t('report_net_tax'), netTax],
    ],
    async (page) => (page === 1 ? listTaxRows(db, store, span) : []),
  )
}

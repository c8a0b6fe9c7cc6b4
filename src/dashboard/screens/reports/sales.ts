// The table of a sales report, also as a CSV file.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import { buildSalesReport, type ReportName, type ReportRow, type SalesReport } from '../../../money/reports/report.ts'
import { csvReply } from '../../framework/csv.ts'
import { messageOr } from '../../framework/messages.ts'
import type { Html, PageContext, PageResult } from '../../framework/screen.ts'
import { change } from '../home/figures.ts'
import { channelText, sourceOfKey } from '../orders/channel.ts'
import { toOrderFilters, ordersLinks } from './links.ts'
import type { ReportView } from './query.ts'
import { reportTable } from './table.ts'

export const perPage = 50

export function readReport(context: PageContext, view: ReportView, limit = perPage): Promise<SalesReport> {
  const { db, store } = context
  const { span, sort, order, page } = view
  const by = view.by as ReportName
  const days = { from: span.from, to: span.to }
  return buildSalesReport(db, store, {
    by,
    days,
    earlier: span.earlier,
    sort,
    order,
    limit,
    offset: (page - 1) * limit,
  })
}

export function salesTable(context: PageContext, view: ReportView, report: SalesReport): Html {
  const { t, price, language } = context
  const { span, sort, order } = view
  const by = view.by as ReportName
  const { rows, totals } = report
  const max = Math.max(...rows.map(({ sales }) => sales), 0)
  const count = (value: number) => value.toLocaleString(language)
  const sales = (now: number, before: number) => html`${price(now)} ${change(context, now, before)}`
  // An order with several products counts for each of them.
  const hasOrders = by !== 'product' && by !== 'category'
  return reportTable(context, {
    label: t(`by_${by}`),
    first: [t(`report_${by}`), t('report_total')],
    sort,
    order,
    columns: [
      { name: 'orders', title: t('orders'), isWide: true },
      { name: 'units', title: t('report_pieces') },
      { name: 'discounts', title: t('report_discounts'), isWide: true },
      { name: 'refunds', title: t('report_refunds'), isWide: true },
      { name: 'sales', title: t('sales') },
    ],
    rows: rows.map((row) => {
      const name = formatReportName(context, by, row)
      const meter = { max, value: Math.max(row.sales, 0), 'aria-hidden': 'true' }
      const behind = ordersLinks(context, { count: row.orders, name, filters: toOrderFilters(by, row), days: span })
      return {
        name: html`${renderReportName(context, by, row)}${behind.narrow}<meter${attributes(meter)}></meter>`,
        cells: {
          orders: behind.cell,
          units: count(row.units),
          discounts: price(row.discounts),
          refunds: price(row.refunds),
          sales: sales(row.sales, row.previous_sales),
        },
      }
    }),
    totals: {
      orders: hasOrders ? count(totals.orders) : '',
      units: count(totals.units),
      discounts: price(totals.discounts),
      refunds: price(totals.refunds),
      sales: sales(totals.sales, totals.previous_sales),
    },
  })
}

function renderReportName(context: PageContext, by: ReportName, row: ReportRow): Html | string {
  const { base } = context
  const text = formatReportName(context, by, row)
  if (by === 'discount' && row.key) return html`<a class="main" href="${base}/discounts?search=${row.key}">${text}</a>`
  if (!row.id) return html`<strong>${text}</strong>`
  const to = by === 'category' ? `/products?category_id=${row.id}` : `/products/${row.id}`
  return html`<a class="main" href="${base}${to}">${text}</a>`
}

function formatReportName({ t, language }: PageContext, by: ReportName, { key, label }: ReportRow): string {
  switch (by) {
    case 'product':
      return label ?? key
    case 'category':
      return label ?? t('report_no_category')
    case 'discount':
      return key || t('report_by_hand')
    case 'country':
      return key ? nameOfCountry(language, key) : t('report_unknown')
    case 'payment_method':
      return key ? messageOr(t, `method_${key}`, key) : t('report_unknown')
    case 'channel':
      return channelText(t, sourceOfKey(key)) ?? t('report_unknown')
  }
}

const rowsPerRead = 1000

export function salesCsv(context: PageContext, view: ReportView): PageResult {
  const { t } = context
  const { span } = view
  const by = view.by as ReportName
  return csvReply<ReportRow>(
    `${by}-${span.from}-${span.to}`,
    [
      [t(`report_${by}`), (row) => formatReportName(context, by, row)],
      ['id', ({ id, key }) => id ?? key],
      [t('orders'), ({ orders }) => orders],
      [t('report_pieces'), ({ units }) => units],
      [t('report_discounts'), ({ discounts }) => discounts],
      [t('report_refunds'), ({ refunds }) => refunds],
      [t('sales'), ({ sales }) => sales],
      [t('previous_period'), ({ previous_sales }) => previous_sales],
    ],
    async (page) => (await readReport(context, { ...view, page }, rowsPerRead)).rows,
  )
}

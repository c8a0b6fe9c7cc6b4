// Sales reports by product, category, discount, country and payment method.
import { html } from 'hono/html'
import { countryNames } from '../../../kit/values/countries.ts'
import { dayOf } from '../../../kit/values/timezone.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { reportOf, reports, type DayRange, type ReportName, type ReportRow } from '../../../money/reports/report.ts'
import { csvReply } from '../../framework/csv.ts'
import { periodLinks, periodOf } from '../home/figures.ts'
import { isPeriod, spanOf, type Period } from '../home/period.ts'
import type { Html, Screen, ScreenContent, PageContext } from '../../framework/screen.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { messageOr } from '../../framework/messages.ts'
import { emptyState } from '../../framework/parts.ts'

const perPage = 50

export const reportsScreen: Screen = {
  path: '/reports',
  scope: 'read:orders',
  title: 'reports',
  section: 'home',
  nav: {},
  within: { path: '', title: 'home' },
  show: showReport,
  csv: csvOf,
}

type ReportQuery = { by: ReportName; period: Period | null; days: DayRange }

/** Reads the address: `?by=country&period=days_30`, or `&from=2026-11-01&to=2026-11-21`. */
function reportQuery(context: PageContext): ReportQuery {
  const { query, db, store } = context
  const by = reports.find((one) => one === query.by) ?? 'product'
  const [from, to] = [dayIn(query.from), dayIn(query.to)]
  if ((from || to) && !isPeriod(query.period ?? '')) {
    const today = dayOf(db.clock.now(), store.timezone)
    const last = to ?? today
    return { by, period: null, days: { from: from && from < last ? from : last, to: last } }
  }
  const period = periodOf(context, 'days_30')
  const span = spanOf(period, db.clock.now(), store.timezone)
  return { by, period, days: { from: span.from, to: span.to } }
}

function dayIn(text = ''): string | null {
  const isDay = /^(20|19)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  return isDay && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text) ? text : null
}

async function showReport(context: PageContext): Promise<ScreenContent> {
  const { t, here, query, db, store } = context
  const { by, period, days } = reportQuery(context)
  const page = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), 1000)
  const { rows, count } = await reportOf(db, store, by, days, { limit: perPage, offset: (page - 1) * perPage })
  const all = new URL(addressWith(here, { page: null, done: null }), 'http://here')
  const pagination = { page, total_pages: Math.ceil(count / perPage) }
  const file = `${all.pathname}.csv${all.search}`
  const download = html`<a class="button quiet" href="${file}" download>${t('export_csv')}</a>`
  const none = emptyState(t, 'report_none', 'report_none_text')
  return {
    buttons: rows.length > 0 ? download : '',
    content: html`${reportLinks(context, by)}${periodLinks(context, period)}${daysForm(context, by, days)}
<div id="rows">${rows.length === 0 ? none : table(context, by, rows)}
<div class="under"><p class="hint">${t(isOfItems(by) ? 'sums_hint_items' : 'sums_hint_orders')}</p>
${pageLinks(context, pagination)}</div></div>`,
  }
}

const isOfItems = (by: ReportName) => by === 'product' || by === 'category'

function reportLinks({ t, here }: PageContext, current: ReportName): Html {
  const links = reports.map(
    (by) =>
      html`<li><a href="${addressWith(here, { by, page: null, done: null })}"${attributes({
        'aria-current': by === current && 'page',
      })}>${t(`by_${by}`)}</a></li>`,
  )
  return html`<nav class="pages" aria-label="${t('report')}"><ul>${links}</ul></nav>`
}

function daysForm({ t, here }: PageContext, by: ReportName, { from, to }: DayRange): Html {
  const day = (name: 'from' | 'to', text: string, value: string) =>
    html`<p class="field"><label for="${name}">${text}</label>
<input${attributes({ id: name, name, type: 'date', value })}></p>`
  return html`<form class="days" action="${new URL(here, 'http://here').pathname}">${hidden('by', by)}
${day('from', t('first_day'), from)}${day('to', t('last_day'), to)}
<button class="quiet">${t('show')}</button></form>`
}

function table(context: PageContext, by: ReportName, rows: readonly ReportRow[]): Html {
  const { t, price } = context
  const head = (text: string, name = 'number') => html`<th scope="col" class="${name}">${text}</th>`
  const max = Math.max(...rows.map(({ sales }) => sales), 0)
  const body = rows.map((row) => {
    const meter = { max, value: Math.max(row.sales, 0), 'aria-hidden': 'true' }
    return html`<tr><td>${nameOf(context, by, row)}
<meter${attributes(meter)}></meter></td><td class="number wide">${row.orders}</td>
<td class="number">${row.pieces}</td><td class="number wide">${price(row.discounts)}</td>
<td class="number wide">${price(row.refunds)}</td><td class="number">${price(row.sales)}</td></tr>`
  })
  return html`<table class="list" aria-label="${t(`by_${by}`)}"><thead><tr>${head(t(`report_${by}`), '')}
${head(t('orders'), 'number wide')}${head(t('report_pieces'))}${head(t('report_discounts'), 'number wide')}
${head(t('report_refunds'), 'number wide')}${head(t('sales'))}</tr></thead><tbody>${body}</tbody></table>`
}

function nameOf(context: PageContext, by: ReportName, row: ReportRow): Html | string {
  const { base } = context
  const text = textOf(context, by, row)
  if (by === 'discount' && row.key) return html`<a class="main" href="${base}/discounts?search=${row.key}">${text}</a>`
  if (by === 'country' && row.key)
    return html`<a class="main" href="${base}/orders?country_code=${row.key}">${text}</a>`
  if (!row.id) return html`<strong>${text}</strong>`
  const to = by === 'category' ? `/products?category_id=${row.id}` : `/products/${row.id}`
  return html`<a class="main" href="${base}${to}">${text}</a>`
}

function textOf({ t, language }: PageContext, by: ReportName, { key, label }: ReportRow): string {
  switch (by) {
    case 'product':
      return label ?? key
    case 'category':
      return label ?? t('report_no_category')
    case 'discount':
      return key || t('report_by_hand')
    case 'country':
      return countryOf(language, key) ?? (key || t('report_unknown'))
    case 'payment_method':
      return key ? messageOr(t, `method_${key}`, key) : t('report_unknown')
  }
}

const countries = new Map<string, ReadonlyMap<string, string>>()

function countryOf(language: string, code: string): string | undefined {
  let names = countries.get(language)
  if (!names) countries.set(language, (names = new Map(countryNames(language))))
  return names.get(code)
}

const rowsPerRead = 1000

async function csvOf(context: PageContext) {
  const { t, db, store } = context
  const { by, days } = reportQuery(context)
  return csvReply<ReportRow>(
    `${by}-${days.from}-${days.to}`,
    [
      [t(`report_${by}`), (row) => textOf(context, by, row)],
      ['id', ({ id, key }) => id ?? key],
      [t('orders'), ({ orders }) => orders],
      [t('report_pieces'), ({ pieces }) => pieces],
      [t('report_discounts'), ({ discounts }) => discounts],
      [t('report_refunds'), ({ refunds }) => refunds],
      [t('sales'), ({ sales }) => sales],
    ],
    async (page) =>
      (await reportOf(db, store, by, days, { limit: rowsPerRead, offset: (page - 1) * rowsPerRead })).rows,
  )
}

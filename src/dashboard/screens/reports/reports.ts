// What was sold: by product, category, discount, country, way of paying.
import { html } from 'hono/html'
import { countryNames } from '../../../kit/values/countries.ts'
import { dayOf } from '../../../kit/values/timezone.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { reportOf, reports, type DayRange, type ReportName, type ReportRow } from '../../../money/reports/report.ts'
import { csvReply } from '../../framework/csv.ts'
import { periodLinks, periodOf } from '../home/figures.ts'
import { isPeriod, spanOf, type Period } from '../home/period.ts'
import type { Html, Screen, Shown, Visit } from '../../framework/page.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { wordIn } from '../../framework/words.ts'

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

type Chosen = { by: ReportName; period: Period | null; days: DayRange }

/** All of it is in the address: `?by=country&period=days_30`, or `&from=2026-11-01&to=2026-11-21`. */
function chosenIn(visit: Visit): Chosen {
  const { query, db, store } = visit
  const by = reports.find((one) => one === query.by) ?? 'product'
  const [from, to] = [dayIn(query.from), dayIn(query.to)]
  if ((from || to) && !isPeriod(query.period ?? '')) {
    const today = dayOf(db.clock.now(), store.timezone)
    const last = to ?? today
    return { by, period: null, days: { from: from && from < last ? from : last, to: last } }
  }
  const period = periodOf(visit, 'days_30')
  const span = spanOf(period, db.clock.now(), store.timezone)
  return { by, period, days: { from: span.from, to: span.to } }
}

function dayIn(text = ''): string | null {
  const isDay = /^(20|19)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  return isDay && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text) ? text : null
}

async function showReport(visit: Visit): Promise<Shown> {
  const { say, here, query, db, store } = visit
  const { by, period, days } = chosenIn(visit)
  const page = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), 1000)
  const { rows, count } = await reportOf(db, store, by, days, { limit: perPage, offset: (page - 1) * perPage })
  const all = new URL(addressWith(here, { page: null, done: null }), 'http://here')
  const pagination = { page, total_pages: Math.ceil(count / perPage) }
  const file = `${all.pathname}.csv${all.search}`
  const download = html`<a class="button quiet" href="${file}" download>${say('export_csv')}</a>`
  const none = html`<div class="empty"><h2>${say('report_none')}</h2><p>${say('report_none_text')}</p></div>`
  return {
    buttons: rows.length > 0 ? download : '',
    content: html`${kinds(visit, by)}${periodLinks(visit, period)}${daysForm(visit, by, days)}
<div id="rows">${rows.length === 0 ? none : table(visit, by, rows)}
<div class="under"><p class="hint">${say(isOfItems(by) ? 'sums_hint_items' : 'sums_hint_orders')}</p>
${pageLinks(visit, pagination)}</div></div>`,
  }
}

const isOfItems = (by: ReportName) => by === 'product' || by === 'category'

function kinds({ say, here }: Visit, current: ReportName): Html {
  const links = reports.map(
    (by) =>
      html`<li><a href="${addressWith(here, { by, page: null, done: null })}"${attributes({
        'aria-current': by === current && 'page',
      })}>${say(`by_${by}`)}</a></li>`,
  )
  return html`<nav class="pages" aria-label="${say('report')}"><ul>${links}</ul></nav>`
}

function daysForm({ say, here }: Visit, by: ReportName, { from, to }: DayRange): Html {
  const day = (name: 'from' | 'to', text: string, value: string) =>
    html`<p class="field"><label for="${name}">${text}</label>
<input${attributes({ id: name, name, type: 'date', value })}></p>`
  return html`<form class="days" action="${new URL(here, 'http://here').pathname}">${hidden('by', by)}
${day('from', say('first_day'), from)}${day('to', say('last_day'), to)}
<button class="quiet">${say('show')}</button></form>`
}

function table(visit: Visit, by: ReportName, rows: readonly ReportRow[]): Html {
  const { say, price } = visit
  const head = (text: string, name = 'number') => html`<th scope="col" class="${name}">${text}</th>`
  const most = Math.max(...rows.map(({ sales }) => sales), 0)
  const body = rows.map((row) => {
    const meter = { max: most, value: Math.max(row.sales, 0), 'aria-hidden': 'true' }
    return html`<tr><td>${nameOf(visit, by, row)}
<meter${attributes(meter)}></meter></td><td class="number wide">${row.orders}</td>
<td class="number">${row.pieces}</td><td class="number wide">${price(row.discounts)}</td>
<td class="number wide">${price(row.refunds)}</td><td class="number">${price(row.sales)}</td></tr>`
  })
  return html`<table class="list" aria-label="${say(`by_${by}`)}"><thead><tr>${head(say(`report_${by}`), '')}
${head(say('orders'), 'number wide')}${head(say('report_pieces'))}${head(say('report_discounts'), 'number wide')}
${head(say('report_refunds'), 'number wide')}${head(say('sales'))}</tr></thead><tbody>${body}</tbody></table>`
}

function nameOf(visit: Visit, by: ReportName, row: ReportRow): Html | string {
  const { base } = visit
  const text = textOf(visit, by, row)
  if (by === 'discount' && row.key) return html`<a class="main" href="${base}/discounts?search=${row.key}">${text}</a>`
  if (by === 'country' && row.key)
    return html`<a class="main" href="${base}/orders?country_code=${row.key}">${text}</a>`
  if (!row.id) return html`<strong>${text}</strong>`
  const to = by === 'category' ? `/products?category_id=${row.id}` : `/products/${row.id}`
  return html`<a class="main" href="${base}${to}">${text}</a>`
}

function textOf({ say, language }: Visit, by: ReportName, { key, label }: ReportRow): string {
  switch (by) {
    case 'product':
      return label ?? key
    case 'category':
      return label ?? say('report_no_category')
    case 'discount':
      return key || say('report_by_hand')
    case 'country':
      return countryOf(language, key) ?? (key || say('report_unknown'))
    case 'payment_method':
      return key ? wordIn(say, `method_${key}`, key) : say('report_unknown')
  }
}

const countries = new Map<string, ReadonlyMap<string, string>>()

function countryOf(language: string, code: string): string | undefined {
  let names = countries.get(language)
  if (!names) countries.set(language, (names = new Map(countryNames(language))))
  return names.get(code)
}

const rowsOfFile = 1000

async function csvOf(visit: Visit) {
  const { say, db, store } = visit
  const { by, days } = chosenIn(visit)
  return csvReply<ReportRow>(
    `${by}-${days.from}-${days.to}`,
    [
      [say(`report_${by}`), (row) => textOf(visit, by, row)],
      ['id', ({ id, key }) => id ?? key],
      [say('orders'), ({ orders }) => orders],
      [say('report_pieces'), ({ pieces }) => pieces],
      [say('report_discounts'), ({ discounts }) => discounts],
      [say('report_refunds'), ({ refunds }) => refunds],
      [say('sales'), ({ sales }) => sales],
    ],
    async (page) => (await reportOf(db, store, by, days, { limit: rowsOfFile, offset: (page - 1) * rowsOfFile })).rows,
  )
}

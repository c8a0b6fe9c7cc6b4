// Sales reports by product, category, discount, country and payment method, and the report of taxes.
import { html } from 'hono/html'
import { addressWith } from '../../../platform/pages/address.ts'
import { findTaxTerms } from '../../../commerce/tax/terms.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { periodLinks, salesChart, readPeriodSums } from '../home/figures.ts'
import type { Html, Screen, ScreenContent, PageContext } from '../../framework/screen.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { emptyState } from '../../framework/parts.ts'
import { reportView, screenReports, type ReportView } from './query.ts'
import { perPage, readReport, salesCsv, salesTable } from './sales.ts'
import { taxCsv, taxTable } from './taxes.ts'

export const reportsScreen: Screen = {
  path: '/reports',
  scope: 'read:orders',
  readsReplica: true,
  title: 'reports',
  section: 'home',
  nav: {},
  within: { path: '', title: 'home' },
  async show(context) {
    const view = reportView(context)
    return view.by === 'tax' ? showTaxes(context, view) : showSales(context, view)
  },
  async csv(context) {
    const view = reportView(context)
    return view.by === 'tax' ? taxCsv(context, view) : salesCsv(context, view)
  },
}

async function showSales(context: PageContext, view: ReportView): Promise<ScreenContent> {
  const { page, span } = view
  const [report, sums, hint] = await Promise.all([
    readReport(context, view),
    readPeriodSums(context, span),
    chooseHint(context, view),
  ])
  const pagination = { page, total_pages: Math.ceil(report.count / perPage) }
  const table = report.rows.length > 0 ? salesTable(context, view, report) : null
  const chart = html`<section class="panel">${salesChart(context, span, sums)}</section>`
  return reportPage(context, view, { table, chart, hint, links: pageLinks(context, pagination) })
}

async function showTaxes(context: PageContext, view: ReportView): Promise<ScreenContent> {
  return reportPage(context, view, {
    table: await taxTable(context, view),
    chart: '',
    hint: 'sums_hint_tax',
    links: '',
  })
}

type ReportHint = 'sums_hint_items' | 'sums_hint_items_taxed' | 'sums_hint_orders'

/** Sums by product are those of the prices, which include tax in some stores. */
async function chooseHint({ db, store }: PageContext, { by }: ReportView): Promise<ReportHint> {
  if (by !== 'product' && by !== 'category') return 'sums_hint_orders'
  const { tax_rate, tax_included, tax_zones: zones } = await findTaxTerms(db, store.id)
  const isTaxed = Number(tax_rate) > 0 || zones.length > 0
  const isIncluded = tax_included || zones.some(({ included }) => included)
  return isTaxed && isIncluded ? 'sums_hint_items_taxed' : 'sums_hint_items'
}

type ReportParts = { table: Html | null; chart: Html | ''; hint: ReportHint | 'sums_hint_tax'; links: Html | '' }

function reportPage(context: PageContext, view: ReportView, { table, chart, hint, links }: ReportParts): ScreenContent {
  const { t, here } = context
  const all = new URL(addressWith(here, { page: null, done: null }), 'http://here')
  const file = `${all.pathname}.csv${all.search}`
  const download = html`<a class="button quiet" href="${file}" download>${t('export_csv')}</a>`
  return {
    buttons: table ? download : '',
    content: html`${reportLinks(context, view)}${periodLinks(context, view.period)}${daysForm(context, view)}${chart}
<div id="rows">${table ?? emptyState(t, 'report_none', 'report_none_text')}
<div class="under"><p class="hint">${t(hint)}</p>${links}</div></div>`,
  }
}

function reportLinks({ t, here }: PageContext, { by: current }: ReportView): Html {
  const links = screenReports.map(
    (by) =>
      html`<li><a href="${addressWith(here, { by, sort: null, order: null, page: null, done: null })}"${attributes({
        'aria-current': by === current && 'page',
      })}>${t(`by_${by}`)}</a></li>`,
  )
  return html`<nav class="pages" aria-label="${t('report')}"><ul>${links}</ul></nav>`
}

function daysForm({ t, here }: PageContext, { by, span: { from, to } }: ReportView): Html {
  const day = (name: 'from' | 'to', text: string, value: string) =>
    html`<p class="field"><label for="${name}">${text}</label>
<input${attributes({ id: name, name, type: 'date', value })}></p>`
  return html`<form class="days" action="${new URL(here, 'http://here').pathname}">${hidden('by', by)}
${day('from', t('first_day'), from)}${day('to', t('last_day'), to)}
<button class="quiet">${t('show')}</button></form>`
}

// Figures of a period beside the previous one, and a chart of its sales.
import { html } from 'hono/html'
import { percentIn } from '../../../kit/values/percents.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { addSums, sumsBetween } from '../../../money/reports/queries.ts'
import type { SalesSums } from '../../../money/reports/sums.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { icon } from '../../framework/icons.ts'
import { panel } from '../../framework/parts.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { chart } from '../../framework/chart.ts'
import {
  isPeriod,
  periods,
  resolvePresetSpan,
  type Period,
  type PeriodStep,
  type Span,
} from '../../../money/reports/period.ts'

function readPeriod({ query }: Pick<PageContext, 'query'>, otherwise: Period): Period {
  const { period = '' } = query
  return isPeriod(period) ? period : otherwise
}

export function periodLinks({ t, here }: PageContext, current: Period | null): Html {
  const links = periods.map((period) => {
    const to = addressWith(here, { period, from: null, to: null, page: null, done: null })
    const about = attributes({ 'aria-current': period === current && 'true' })
    return html`<li><a href="${to}"${about}>${t(period)}</a></li>`
  })
  return html`<nav class="pages periods" aria-label="${t('period')}"><ul>${links}</ul></nav>`
}

export async function salesFigures(context: PageContext): Promise<Html> {
  const { db, store, t, base } = context
  const period = readPeriod(context, 'today')
  const span = resolvePresetSpan(period, db.clock.now(), store.timezone)
  const sums = await readPeriodSums(context, span)
  const more = html`<a href="${base}/reports?period=${period}">${t('reports')}</a>`
  const content = html`${periodLinks(context, period)}
<dl class="figures">${figures(context, sums.now, sums.before)}</dl>
${salesChart(context, span, sums)}`
  return panel(t(period), content, more)
}

type PeriodSums = { now: SalesSums; before: SalesSums; steps: SalesSums[]; previous: SalesSums[] }

/** Reads both periods with one query. The previous one counts up to the same time for the figures. */
export async function readPeriodSums(
  { db, store }: PageContext,
  { current, previous, until }: Span,
): Promise<PeriodSums> {
  const times = [...new Set([...previous, until, ...current].map((moment) => moment.getTime()))].sort((a, b) => a - b)
  const sums = await sumsBetween(
    db,
    store,
    times.map((time) => new Date(time)),
  )
  const between = (from: Date, to: Date) =>
    addSums(sums.filter((_, index) => times[index]! >= from.getTime() && times[index]! < to.getTime()))
  const sumSteps = (moments: Date[]) => moments.slice(1).map((end, index) => between(moments[index]!, end))
  const steps = sumSteps(current)
  return { now: addSums(steps), before: between(previous[0]!, until), steps, previous: sumSteps(previous) }
}

export function salesChart(context: PageContext, { step, current }: Span, { steps, previous }: PeriodSums): Html {
  const { t, store, db, language } = context
  const label = labelIn(language, store.timezone, step)
  const now = db.clock.now()
  const titles = { title: t(`sales_by_${step}`), stepTitle: t(step), valueTitle: t('sales'), moreTitle: t('orders') }
  return chart(
    context,
    titles,
    steps.map(({ sales, orders }, index) => ({
      label: label(current[index]!),
      value: current[index]! <= now ? sales : null,
      previous: previous[index]?.sales ?? null,
      more: t('orders_counted', { count: orders }),
    })),
  )
}

const labelParts = {
  hour: { hour: 'numeric' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
} as const

function labelIn(language: string, timeZone: string, step: PeriodStep): (moment: Date) => string {
  const format = new Intl.DateTimeFormat(language, { ...labelParts[step], timeZone })
  return (moment) => format.format(moment)
}

type Figure = {
  word: MessageKey
  valueOf: (sums: SalesSums) => number | null
  as?: 'price' | 'percent'
  more?: 'recovered_sales'
}

// prettier-ignore
const allFigures: Figure[] = [
  { word: 'sales', valueOf: ({ sales }) => sales, as: 'price' },
  { word: 'orders', valueOf: ({ orders }) => orders },
  { word: 'average_order', valueOf: ({ sales, orders }) => (orders > 0 ? sales / orders : null), as: 'price' },
  { word: 'new_customers', valueOf: ({ new_customers }) => new_customers },
  { word: 'carts_recovered', valueOf: ({ carts_recovered }) => carts_recovered, more: 'recovered_sales' },
  { word: 'conversion', as: 'percent',
    valueOf: ({ checkouts_begun, checkouts_completed }) =>
      (checkouts_begun > 0 ? checkouts_completed / checkouts_begun : null) },
]

function figures(context: PageContext, now: SalesSums, before: SalesSums): Html[] {
  const { t, price } = context
  return allFigures.map(({ word, valueOf, as, more }) => {
    const show = (value: number | null) => figureText(context, value, as)
    const [current, previous] = [valueOf(now), valueOf(before)]
    const extra = more && now[more] > 0 ? html` <span class="hint">${price(now[more])}</span>` : ''
    return html`<div class="figure"><dt>${t(word)}</dt>
<dd><strong>${show(current)}</strong>${extra} ${change(context, current, previous)}
<span class="hint">${t('before_it', { value: show(previous) })}</span></dd></div>`
  })
}

function figureText({ language, price }: PageContext, value: number | null, as: Figure['as']): string {
  if (value === null) return '–'
  if (as === 'price') return price(value)
  return as === 'percent' ? percentIn(language, 1)(value) : value.toLocaleString(language)
}

/** Includes a text for screen readers, which do not read the arrow. */
export function change({ t, language }: PageContext, current: number | null, previous: number | null): Html | '' {
  const share = current && previous ? Math.abs(current / previous - 1) : 0
  // A change that rounds to 0 % gets no arrow.
  if (!current || !previous || share < 0.005) return ''
  const by = percentIn(language)(share)
  const isMore = current > previous
  const text = t(isMore ? 'more_by' : 'less_by', { share: by })
  return html`<span class="change ${isMore ? 'more' : 'less'}"><span class="hidden">${text}</span>
<span aria-hidden="true">${icon(isMore ? 'up' : 'down')}${by}</span></span>`
}

// What a time has brought, beside the time before it, and a chart of its sales.
import { html } from 'hono/html'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { addSums, sumsBetween } from '../../../money/reports/queries.ts'
import type { SalesSums } from '../../../money/reports/sums.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { panel } from '../../framework/parts.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { chart } from './chart.ts'
import { isPeriod, periods, spanOf, type Period, type Span } from './period.ts'

export function periodOf({ query }: Pick<PageContext, 'query'>, otherwise: Period): Period {
  const { period = '' } = query
  return isPeriod(period) ? period : otherwise
}

export function periodLinks({ t, here }: PageContext, current: Period | null): Html {
  const links = periods.map((period) => {
    const to = addressWith(here, { period, from: null, to: null, page: null })
    const about = attributes({ 'aria-current': period === current && 'true' })
    return html`<li><a href="${to}"${about}>${t(period)}</a></li>`
  })
  return html`<nav class="pages periods" aria-label="${t('period')}"><ul>${links}</ul></nav>`
}

export async function salesFigures(context: PageContext): Promise<Html> {
  const { db, store, t, base } = context
  const period = periodOf(context, 'today')
  const span = spanOf(period, db.clock.now(), store.timezone)
  const { now, before, steps } = await sumsOf(context, span)
  const more = html`<a href="${base}/reports?period=${period}">${t('reports')}</a>`
  const content = html`${periodLinks(context, period)}
<dl class="figures">${figures(context, now, before)}</dl>
${chart(context, span, steps)}`
  return panel(t(period), content, more)
}

/** One query for both times. */
async function sumsOf({ db, store }: PageContext, { current, before, until }: Span) {
  const begins = current[0]!
  const earlier = until < begins ? [before, until] : [before]
  const [first, ...rest] = await sumsBetween(db, store, [...earlier, ...current])
  const steps = earlier.length === 2 ? rest.slice(1) : rest
  return { before: first!, now: addSums(steps), steps }
}

type Figure = {
  word: MessageKey
  valueOf: (sums: SalesSums) => number | null
  as?: 'price' | 'percent'
  more?: 'recovered_sales'
}

// prettier-ignore
const all: Figure[] = [
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
  return all.map(({ word, valueOf, as, more }) => {
    const show = (value: number | null) => shown(context, value, as)
    const [is, was] = [valueOf(now), valueOf(before)]
    const extra = more && now[more] > 0 ? html` <span class="hint">${price(now[more])}</span>` : ''
    return html`<div class="figure"><dt>${t(word)}</dt>
<dd><strong>${show(is)}</strong>${extra} ${change(context, is, was)}
<span class="hint">${t('before_it', { value: show(was) })}</span></dd></div>`
  })
}

function shown({ language, price }: PageContext, value: number | null, as: Figure['as']): string {
  if (value === null) return '–'
  if (as === 'price') return price(value)
  return value.toLocaleString(language, as === 'percent' ? { style: 'percent', maximumFractionDigits: 1 } : {})
}

/** In a word for those who do not see the arrow. */
function change({ t, language }: PageContext, is: number | null, was: number | null): Html | '' {
  const share = is && was ? Math.abs(is / was - 1) : 0
  // What rounds to 0 % is no change worth an arrow.
  if (!is || !was || share < 0.005) return ''
  const by = share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 0 })
  const isMore = is > was
  const word = t(isMore ? 'more_by' : 'less_by')
  return html`<span class="change ${isMore ? 'more' : 'less'}"><span class="hidden">${word} </span>
<span aria-hidden="true">${isMore ? '↑' : '↓'}</span> ${by}</span>`
}

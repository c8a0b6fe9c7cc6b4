// What a time has brought, beside the time before it, and a chart of its sales.
import { html } from 'hono/html'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { addSums, sumsBetween } from '../../../money/reports/queries.ts'
import type { SalesSums } from '../../../money/reports/sums.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { panel } from '../../framework/parts.ts'
import type { Word } from '../../framework/words.ts'
import { chart } from './chart.ts'
import { isPeriod, periods, spanOf, type Period, type Span } from './period.ts'

export function periodOf({ query }: Pick<Visit, 'query'>, otherwise: Period): Period {
  const { period = '' } = query
  return isPeriod(period) ? period : otherwise
}

export function periodLinks({ say, here }: Visit, current: Period | null): Html {
  const links = periods.map((period) => {
    const to = addressWith(here, { period, from: null, to: null, page: null })
    const about = attributes({ 'aria-current': period === current && 'true' })
    return html`<li><a href="${to}"${about}>${say(period)}</a></li>`
  })
  return html`<nav class="pages periods" aria-label="${say('period')}"><ul>${links}</ul></nav>`
}

export async function salesFigures(visit: Visit): Promise<Html> {
  const { db, store, say, base } = visit
  const period = periodOf(visit, 'today')
  const span = spanOf(period, db.clock.now(), store.timezone)
  const { now, before, steps } = await sumsOf(visit, span)
  const more = html`<a href="${base}/reports?period=${period}">${say('reports')}</a>`
  const content = html`${periodLinks(visit, period)}
<dl class="figures">${figures(visit, now, before)}</dl>
${chart(visit, span, steps)}`
  return panel(say(period), content, more)
}

/** One query for both times. */
async function sumsOf({ db, store }: Visit, { current, before, until }: Span) {
  const begins = current[0]!
  const earlier = until < begins ? [before, until] : [before]
  const [first, ...rest] = await sumsBetween(db, store, [...earlier, ...current])
  const steps = earlier.length === 2 ? rest.slice(1) : rest
  return { before: first!, now: addSums(steps), steps }
}

type Figure = {
  word: Word
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

function figures(visit: Visit, now: SalesSums, before: SalesSums): Html[] {
  const { say, price } = visit
  return all.map(({ word, valueOf, as, more }) => {
    const show = (value: number | null) => shown(visit, value, as)
    const [is, was] = [valueOf(now), valueOf(before)]
    const extra = more && now[more] > 0 ? html` <span class="hint">${price(now[more])}</span>` : ''
    return html`<div class="figure"><dt>${say(word)}</dt>
<dd><strong>${show(is)}</strong>${extra} ${change(visit, is, was)}
<span class="hint">${say('before_it', { value: show(was) })}</span></dd></div>`
  })
}

function shown({ language, price }: Visit, value: number | null, as: Figure['as']): string {
  if (value === null) return '–'
  if (as === 'price') return price(value)
  return value.toLocaleString(language, as === 'percent' ? { style: 'percent', maximumFractionDigits: 1 } : {})
}

/** In a word for those who do not see the arrow. */
function change({ say, language }: Visit, is: number | null, was: number | null): Html | '' {
  const share = is && was ? Math.abs(is / was - 1) : 0
  // What rounds to 0 % is no change worth an arrow.
  if (!is || !was || share < 0.005) return ''
  const by = share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 0 })
  const isMore = is > was
  const word = say(isMore ? 'more_by' : 'less_by')
  return html`<span class="change ${isMore ? 'more' : 'less'}"><span class="hidden">${word} </span>
<span aria-hidden="true">${isMore ? '↑' : '↓'}</span> ${by}</span>`
}

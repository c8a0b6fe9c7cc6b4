// Sales by hour, day or week as a bar chart in SVG, and as a table.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import type { SalesSums } from '../../../money/reports/sums.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import type { Span, PeriodStep } from './period.ts'

const height = 100
const slot = 10

export function chart(context: PageContext, { step, current }: Span, steps: readonly SalesSums[]): Html {
  const { t, price, store, db } = context
  const label = labelIn(context.language, store.timezone, step)
  const now = db.clock.now()
  const bars = steps
    .map(({ sales, orders }, index) => ({ sales, orders, begins: current[index]! }))
    .filter(({ begins }) => begins <= now)
  const max = Math.max(...bars.map(({ sales }) => sales), 0)
  const columns = bars.map(({ sales, orders, begins }, index) => {
    const barHeight = max > 0 ? Math.max((Math.max(sales, 0) / max) * height, sales > 0 ? 1 : 0) : 0
    const text = `${label(begins)}: ${price(sales)} · ${t('orders_counted', { count: orders })}`
    const place = { x: index * slot, y: 0, width: slot, height }
    const bar = { x: index * slot + 1, y: round(height - barHeight), width: slot - 2, height: round(barHeight) }
    return html`<g><title>${text}</title><rect class="slot"${attributes(place)}></rect>
<rect class="sum"${attributes(bar)}></rect></g>`
  })
  const rows = bars.map(
    ({ sales, orders, begins }) => html`<tr><th scope="row">${label(begins)}</th>
<td class="number">${price(sales)}</td><td class="number">${orders}</td></tr>`,
  )
  const title = t(`sales_by_${step}`)
  return html`<figure class="chart"><figcaption><span>${title}</span><span class="hint">${
    max > 0 ? t('at_most_sales', { amount: price(max) }) : t('nothing_sold')
  }</span></figcaption>
<svg viewBox="0 0 ${steps.length * slot} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}">
${columns}</svg>
<p class="ends hint" aria-hidden="true"><span>${label(current[0]!)}</span><span>${label(current.at(-2)!)}</span></p>
<details><summary>${t('as_table')}</summary><table class="plain">
<thead><tr><th scope="col">${t(step)}</th><th scope="col" class="number">${t('sales')}</th>
<th scope="col" class="number">${t('orders')}</th></tr></thead><tbody>${rows}</tbody></table></details></figure>`
}

const round = (length: number) => Math.round(length * 100) / 100

function labelIn(language: string, timeZone: string, step: PeriodStep): (moment: Date) => string {
  const parts =
    step === 'hour' ? ({ hour: 'numeric', minute: '2-digit' } as const) : ({ day: 'numeric', month: 'short' } as const)
  const format = new Intl.DateTimeFormat(language, { ...parts, timeZone })
  return (moment) => format.format(moment)
}

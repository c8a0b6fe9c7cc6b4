// Amounts by hour, day, week or month as bars in SVG, with the previous period as a line, and as a table. Positions are
// percentages, so the chart fits every width and its texts keep their size.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

export type ChartStep = {
  label: string
  /** Null if the step has not begun. */
  value: number | null
  previous: number | null
  /** Text beside the amount, such as a count of orders. */
  more: string
}

type ChartProps = { title: string; stepTitle: string; valueTitle: string; moreTitle: string }

const slot = 10
const height = 100

export function chart(context: PageContext, titles: ChartProps, steps: readonly ChartStep[]): Html {
  const { t, price } = context
  const hasPrevious = steps.some(({ previous }) => previous !== null)
  const ticks = ticksFor(Math.max(...steps.flatMap(({ value, previous }) => [value ?? 0, previous ?? 0]), 0))
  const top = ticks[0]!
  const up = (value: number) => round((Math.max(value, 0) / top) * height)
  const bars = steps.map(({ label, value, previous, more }, index) => {
    const parts = [more, ...(previous === null ? [] : [t('before_it', { value: price(previous) })])]
    const text = value === null ? '' : html`<title>${label}: ${price(value)} · ${parts.join(' · ')}</title>`
    const place = { x: index * slot, y: 0, width: slot, height }
    const size = value === null ? 0 : Math.max(up(value), value > 0 ? 1 : 0)
    const bar = { x: index * slot + 1.5, y: round(height - size), width: slot - 3, height: size }
    return html`<g>${text}<rect class="slot"${attributes(place)}></rect><rect class="sum"${attributes(bar)}></rect></g>`
  })
  const grid = ticks.map((_, index) => {
    const y = `${round((index / (ticks.length - 1)) * 100)}%`
    return html`<line${attributes({ x1: 0, x2: '100%', y1: y, y2: y })}></line>`
  })
  const scale = priceTicks(context)
  const legend = html`<span class="hint legend"><svg viewBox="0 0 20 4" aria-hidden="true"><path class="before"
d="M0 2H20"></path></svg>${t('previous_period')}</span>`
  return html`<figure class="chart"><figcaption><span>${titles.title}</span>${hasPrevious ? legend : ''}</figcaption>
<div class="plot"><ol class="scale hint" aria-hidden="true">${ticks.map((tick) => html`<li>${scale(tick)}</li>`)}</ol>
<svg class="bars" role="img" aria-label="${titles.title}"><g class="grid">${grid}</g>
<svg viewBox="0 0 ${steps.length * slot} ${height}" preserveAspectRatio="none" width="100%" height="100%">${bars}
${hasPrevious ? previousLine(steps, up) : ''}</svg></svg>
<svg class="along hint" aria-hidden="true">${labelsAlong(steps)}</svg></div>
${asTable(context, titles, steps, hasPrevious)}</figure>`
}

function previousLine(steps: readonly ChartStep[], up: (value: number) => number): Html {
  const points = steps.flatMap(({ previous }, index) =>
    previous === null ? [] : [`${index * slot + slot / 2} ${round(height - up(previous))}`],
  )
  return html`<path class="before" d="M${points.join('L')}"></path>`
}

const mostLabels = 7

/** Every other label is left out on a phone. */
function labelsAlong(steps: readonly ChartStep[]): Html[] {
  const stride = Math.ceil(steps.length / mostLabels)
  return steps
    .map(({ label }, index) => ({ label, index }))
    .filter(({ index }) => index % stride === 0)
    .map(({ label, index }, place) => {
      const x = `${round(((index + 0.5) / steps.length) * 100)}%`
      const about = { class: place % 2 === 1 && 'wide', x, y: '1em', 'text-anchor': 'middle' }
      return html`<text${attributes(about)}>${label}</text>`
    })
}

function asTable(
  { t, price }: PageContext,
  titles: ChartProps,
  steps: readonly ChartStep[],
  hasPrevious: boolean,
): Html {
  const head = (text: string) => html`<th scope="col" class="number">${text}</th>`
  const rows = steps.flatMap(({ label, value, previous, more }) =>
    value === null
      ? []
      : [
          html`<tr><th scope="row">${label}</th><td class="number">${price(value)}</td><td class="number">${more}</td>
${hasPrevious ? html`<td class="number">${previous === null ? '–' : price(previous)}</td>` : ''}</tr>`,
        ],
  )
  return html`<details><summary>${t('as_table')}</summary><table class="plain"><thead><tr>
<th scope="col">${titles.stepTitle}</th>${head(titles.valueTitle)}${head(titles.moreTitle)}
${hasPrevious ? head(t('previous_period')) : ''}</tr></thead><tbody>${rows}</tbody></table></details>`
}

/** Amounts at even distances from 0, the greatest first: three to six, at 1, 2, 2.5 or 5 times a power of ten. */
export function ticksFor(most: number): number[] {
  if (most <= 0) return [1, 0]
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough)! * power
  const count = Math.max(Math.ceil(round(most / step)), 2)
  return Array.from({ length: count + 1 }, (_, index) => Number(((count - index) * step).toPrecision(12)))
}

function priceTicks({ language, store: { currency, country_code } }: PageContext): (amount: number) => string {
  const format = new Intl.NumberFormat(`${language}-${country_code}`, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumFractionDigits: 2,
    trailingZeroDisplay: 'stripIfInteger',
  })
  return (amount) => format.format(amount)
}

const round = (length: number) => Math.round(length * 100) / 100

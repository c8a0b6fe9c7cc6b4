// The orders behind a row of a report, as the list of orders shows them.
import { html } from 'hono/html'
import { statuses } from '../../../commerce/orders/states.ts'
import type { DayRange } from '../../../money/reports/period.ts'
import type { ReportName, ReportRow } from '../../../money/reports/report.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { sourceOfKey } from '../orders/channel.ts'

const soldStatuses = statuses.filter((status) => status !== 'cancelled').join(',')

type OrdersBehind = { count: number; name: string; filters: Record<string, string> | null; days: DayRange }

/** Links the number of orders to their list: in a column, and below the name in narrow windows. */
export function ordersLinks(context: PageContext, behind: OrdersBehind): { cell: Html | string; narrow: Html } {
  const { t, language } = context
  const { count } = behind
  return {
    cell: ordersLink(context, behind, count.toLocaleString(language)),
    narrow: html`<small class="narrow">${ordersLink(context, behind, t('orders_counted', { count }))}</small>`,
  }
}

/** Its accessible label names the row. */
function ordersLink({ t, base }: PageContext, behind: OrdersBehind, text: string): Html | string {
  const { count, name, filters, days } = behind
  if (!filters || count === 0) return text
  const query = new URLSearchParams({ ...filters, status: soldStatuses, date_from: days.from, date_to: days.to })
  const label = `${text}, ${t('report_see_orders', { name })}`
  return html`<a href="${base}/orders?${query.toString()}" aria-label="${label}">${text}</a>`
}

/** Null if no filter selects exactly these orders. */
export function toOrderFilters(by: ReportName, { key, id }: ReportRow): Record<string, string> | null {
  if (by === 'product' || by === 'category') return id ? { [`${by}_id`]: id } : null
  if (key === '') return null
  if (by === 'channel') {
    const { channel, agent } = sourceOfKey(key)
    return { channel: channel!, ...(agent ? { agent } : {}) }
  }
  return by === 'discount' ? { discount_code: key } : by === 'country' ? { country_code: key } : { payment_method: key }
}

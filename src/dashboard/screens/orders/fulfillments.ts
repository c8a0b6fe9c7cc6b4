// The fulfillments and returns of an order, below its items.
import { html } from 'hono/html'
import type { Fulfillment } from '../../../commerce/fulfillments/fulfillment.ts'
import { button, mayDo } from '../../framework/form.ts'
import { statusMark } from '../../framework/statuses.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { orderActions } from './actions.ts'
import type { OrderDetails } from './orderdetails.ts'
import { renderReturnRow } from './returns/rows.ts'

export function fulfillmentRows(context: PageContext, { fulfillments, returns }: OrderDetails): Html | '' {
  const rows = [
    ...fulfillments.map((one) => renderFulfillment(context, one)),
    ...returns.map((one) => renderReturnRow(context, one)),
  ]
  return rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : ''
}

function renderFulfillment(context: PageContext, one: Fulfillment): Html {
  const { t, formatTime } = context
  const { id, status, carrier, tracking_number, tracking_url, shipped_at, items } = one
  const fixed = { fulfillment_id: id, label: tracking_number ?? carrier ?? '' }
  const number = tracking_url ? html`<a href="${tracking_url}">${tracking_number ?? tracking_url}</a>` : tracking_number
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const buttons =
    status === 'shipped' && mayDo(context, orderActions.delivered!)
      ? html`<div class="pair">${button(context, { act: 'delivered', fixed, text: 'delivered' })}
${button(context, { act: 'unsend', fixed, text: 'unsend', kind: 'quiet danger' })}</div>`
      : ''
  return html`<li><div><p>${statusMark(t, 'shipment', status)} ${carrier ?? ''} ${number ?? ''}</p>
<p class="hint">${formatTime(shipped_at)} · ${t('pieces', { count })}</p></div>${buttons}</li>`
}

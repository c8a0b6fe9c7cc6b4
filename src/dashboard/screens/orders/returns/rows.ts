// The returns of an order, on its screen.
import { html } from 'hono/html'
import type { Return } from '../../../../commerce/returns/return.ts'
import { undoneStatuses } from '../../../../commerce/orders/states.ts'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import type { OrderDetails } from '../orderdetails.ts'

export function returnLink({ t, base, role }: PageContext, { record }: OrderDetails): Html | '' {
  const isShipped = record.items.some(
    ({ fulfilled_quantity, returned_quantity }) => fulfilled_quantity > returned_quantity,
  )
  const mayCreate = isShipped && !undoneStatuses.includes(record.status) && mayUse(role, 'write:orders')
  return mayCreate ? html`<a class="button quiet" href="${base}/orders/${record.id}/return">${t('return_new')}</a>` : ''
}

export function renderReturnRow(
  { t, base, formatTime }: PageContext,
  { id, number, status, created_at, items }: Return,
): Html {
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  return html`<li><div><p><a href="${base}/returns/${id}">${t('return_short', { number })}</a>
${statusMark(t, 'return', status)}</p>
<p class="hint">${formatTime(created_at)} · ${t('return_asked', { count })}</p></div></li>`
}

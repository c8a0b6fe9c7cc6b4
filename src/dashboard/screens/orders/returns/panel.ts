// The returns of an order, on its screen.
import { html } from 'hono/html'
import type { Return } from '../../../../commerce/returns/return.ts'
import { undoneStatuses } from '../../../../commerce/orders/states.ts'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { panel } from '../../../framework/parts.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import type { OrderDetails } from '../orderdetails.ts'

export function returnsPanel(context: PageContext, { record, returns }: OrderDetails): Html | '' {
  const { t, base, role } = context
  const isShipped = record.items.some(
    ({ fulfilled_quantity, returned_quantity }) => fulfilled_quantity > returned_quantity,
  )
  const mayCreate = isShipped && !undoneStatuses.includes(record.status) && mayUse(role, 'write:orders')
  if (returns.length === 0 && !mayCreate) return ''
  const link = mayCreate
    ? html`<a class="button quiet" href="${base}/orders/${record.id}/return">${t('return_new')}</a>`
    : ''
  const rows = returns.map((one) => renderReturnRow(context, one))
  return panel(t('returns'), html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : ''}`, link)
}

function renderReturnRow(
  { t, base, formatTime }: PageContext,
  { id, number, status, created_at, items }: Return,
): Html {
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  return html`<li><div><p><a href="${base}/returns/${id}">${t('return_short', { number })}</a>
${statusMark(t, 'return', status)}</p>
<p class="hint">${formatTime(created_at)} · ${t('return_asked', { count })}</p></div></li>`
}

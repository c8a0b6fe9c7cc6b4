// One return: its items, and the next step.
import { html } from 'hono/html'
import { order } from '../../../../commerce/orders/order.ts'
import { orderReturn, type Return } from '../../../../commerce/returns/return.ts'
import { findRecord } from '../../../../kit/declare/page.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { historyLink } from '../../audit/history.ts'
import { formatParts, namePiece } from '../../../../commerce/orders/parts.ts'
import { returnActions } from './actions.ts'
import { loadReturnMoney, nextForms, type ReturnDetails } from './forms.ts'
import { returns } from './returns.ts'

// prettier-ignore
export const returnScreen = record({
  path: '/returns/{id}', ...placeBelow(returns), resource: orderReturn, more: withOrder, actions: returnActions,
  metadata: 'PATCH /returns/{id}',
  name: ({ record: { number, order_number } }, { t }) => t('return_title', { number, order: order_number }),
  buttons: [historyLink],
  marks: [
    ({ record: { status } }, { t }) => statusMark(t, 'return', status),
    ({ record: one }, { t, formatTime }) => `${t(`return_by_${one.requested_by}`)} · ${formatTime(one.created_at)}`,
  ],
  main: [...nextForms, { title: 'items', content: itemsTable }],
  side: [{ title: 'return_of_order', facts: [
    ['return_of_order', ({ order }, { base }) => html`<a href="${base}/orders/${order.id}">#${order.order_number}</a>`],
    ['customer_name', ({ order }) => order.customer_name],
    ['email', ({ order }) => order.customer_email],
    ['return_instructions', ({ record: one }) => one.instructions],
    ['return_decline_reason', ({ record: one }) => one.decline_reason],
    ['restocking_fee', ({ record: { restocking_fee: fee } }, { price }) => fee > 0 ? price(fee) : null],
    ['return_exchange', ({ record: { exchange_order_id: id } }, { t, base }) =>
      id && html`<a href="${base}/orders/${id}">${t('return_exchange_order')}</a>`],
  ] }],
})

async function withOrder(context: PageContext, one: Return): Promise<ReturnDetails> {
  const [{ entity }, refund] = await Promise.all([
    findRecord(context.db, order, context.store.id, toUuid('ord', one.order_id)!),
    loadReturnMoney(context, one),
  ])
  return { record: one, order: entity, refund }
}

function itemsTable({ t }: PageContext, { record: one, order: { items } }: ReturnDetails): Html {
  const isReceived = one.received_at !== null
  const rows = one.items.map(({ item_id, part, reason, note, quantity, received_quantity, damaged_quantity }) => {
    const item = items.find(({ id }) => id === item_id)!
    const about = [part === null && item.parts && formatParts(item.parts), t(`return_reason_${reason}`), note]
    const came = [
      t('return_came', { count: received_quantity }),
      damaged_quantity > 0 ? t('return_broken', { count: damaged_quantity }) : null,
    ]
    return html`<tr><td><strong>${namePiece(item, part)}</strong>
<small>${about.filter(Boolean).join(' · ')}</small></td>
<td class="number">${t('return_asked', { count: quantity })}
${isReceived ? html`<small>${came.filter(Boolean).join(' · ')}</small>` : ''}</td></tr>`
  })
  return html`<table class="plain"><tbody>${rows}</tbody></table>`
}

// One return: its items, and the next step.
import { html } from 'hono/html'
import { order } from '../../../../commerce/orders/order.ts'
import { orderReturn } from '../../../../commerce/returns/return.ts'
import { findRecord } from '../../../../kit/declare/page.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { facts, panel } from '../../../framework/parts.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { Html, PageContext, Screen } from '../../../framework/screen.ts'
import { historyLink } from '../../audit/history.ts'
import { formatItemTitle } from '../address.ts'
import { returnActions } from './actions.ts'
import { nextForms, type ReturnDetails } from './forms.ts'
import { returns } from './returns.ts'

export const returnScreen: Screen = {
  path: '/returns/{id}',
  ...placeBelow(returns),
  params: { id: orderReturn },
  actions: returnActions,
  async show(context) {
    const { db, store, ids, t } = context
    const { entity: record } = await findRecord(db, orderReturn, store.id, ids.id!)
    const { entity: sold } = await findRecord(db, order, store.id, toUuid('ord', record.order_id)!)
    const details = { record, order: sold }
    return {
      title: t('return_title', { number: record.number, order: record.order_number }),
      buttons: historyLink(context),
      content: html`<p class="states">${statusMark(t, 'return', record.status)}
<span class="hint">${t(`return_by_${record.requested_by}`)} · ${context.formatTime(record.created_at)}</span></p>
<div class="columns"><div>${await nextForms(context, details)}${itemsPanel(context, details)}</div>
<div>${about(context, details)}</div></div>`,
    }
  },
}

function itemsPanel({ t }: PageContext, { record, order: { items } }: ReturnDetails): Html {
  const isReceived = record.received_at !== null
  const rows = record.items.map((one) => {
    const item = items.find(({ id }) => id === one.item_id)!
    const { quantity, received_quantity, damaged_quantity } = one
    const came = [
      t('return_came', { count: received_quantity }),
      damaged_quantity > 0 ? t('return_broken', { count: damaged_quantity }) : null,
    ]
    return html`<tr><td><strong>${formatItemTitle(item)}</strong>
<small>${[t(`return_reason_${one.reason}`), one.note].filter(Boolean).join(' · ')}</small></td>
<td class="number">${t('return_asked', { count: quantity })}
${isReceived ? html`<small>${came.filter(Boolean).join(' · ')}</small>` : ''}</td></tr>`
  })
  return panel(t('items'), html`<table class="plain"><tbody>${rows}</tbody></table>`)
}

function about({ t, base, price }: PageContext, { record, order: sold }: ReturnDetails): Html {
  const { customer_name, customer_email, id, order_number } = sold
  const { instructions, decline_reason, restocking_fee, exchange_order_id } = record
  const exchange = exchange_order_id
    ? html`<a href="${base}/orders/${exchange_order_id}">${t('return_exchange_order')}</a>`
    : null
  return panel(
    t('return_of_order'),
    facts([
      [t('return_of_order'), html`<a href="${base}/orders/${id}">#${order_number}</a>`],
      [t('customer_name'), customer_name],
      [t('email'), customer_email],
      [t('return_instructions'), instructions],
      [t('return_decline_reason'), decline_reason],
      [t('restocking_fee'), restocking_fee > 0 ? price(restocking_fee) : null],
      [t('return_exchange'), exchange],
    ]),
  )
}

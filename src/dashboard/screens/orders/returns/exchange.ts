// The screen that exchanges received items of a return for other items.
import { html } from 'hono/html'
import { orderReturn } from '../../../../commerce/returns/return.ts'
import { findRecord } from '../../../../kit/declare/page.ts'
import { endpoint } from '../../../framework/api.ts'
import { form } from '../../../framework/form.ts'
import { placeBelow } from '../../../framework/placement.ts'
import type { PageContext, Screen, ScreenAction } from '../../../framework/screen.ts'
import { toItemField, itemFields, orderItems } from '../itemfields.ts'
import { toExchangeOrder } from './actions.ts'
import { returns } from './returns.ts'

const exchange: ScreenAction = {
  route: endpoint('POST /returns/{id}/exchange'),
  inputs: [
    { name: 'shipping_cost', as: 'money' },
    { name: 'refund', label: 'return_exchange_refund' },
    { name: 'reason', label: 'reason' },
  ],
  body: ({ form: input }: PageContext) => ({ items: orderItems(input) }),
  fieldOf: toItemField,
  done: 'return_exchanged',
  to: toExchangeOrder,
}

export const exchangeScreen: Screen = {
  path: '/returns/{id}/exchange',
  ...placeBelow(returns),
  scope: 'write:orders',
  title: 'return_exchange',
  params: { id: orderReturn },
  isUnlisted: true,
  actions: { exchange },
  async show(context) {
    const { db, store, ids, t } = context
    const { entity: record } = await findRecord(db, orderReturn, store.id, ids.id!)
    const title = `${t('return_exchange')}: ${t('return_title', { number: record.number, order: record.order_number })}`
    if (record.status !== 'received') {
      return { title, content: html`<div class="panel"><p>${t('fault_return_moved')}</p></div>` }
    }
    const drawn = await form(context, {
      act: 'exchange',
      action: exchange,
      button: 'return_exchange',
      values: { refund: true },
      lead: html`<p class="hint">${t('return_exchange_text')}</p>
${await itemFields(context, 'return_exchange_items')}`,
      enterButton: ['pick', 'items'],
    })
    return { title, content: html`<div class="panel">${drawn}</div>` }
  },
}

// The screen that exchanges received items of a return for other items.
import { html } from 'hono/html'
import { orderReturn, type Return } from '../../../../commerce/returns/return.ts'
import { endpoint } from '../../../framework/api.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import type { PageContext, ScreenAction } from '../../../framework/screen.ts'
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
  body: (context: PageContext) => ({ items: orderItems(context) }),
  fieldOf: toItemField,
  done: 'return_exchanged',
  to: toExchangeOrder,
}

const isReceived = ({ status }: Return) => status === 'received'

// prettier-ignore
export const exchangeScreen = record({
  path: '/returns/{id}/exchange', ...placeBelow(returns), scope: 'write:orders', title: 'return_exchange',
  resource: orderReturn, isUnlisted: true, actions: { exchange },
  name: ({ number, order_number: order }, { t }) => `${t('return_exchange')}: ${t('return_title', { number, order })}`,
  main: [
    { when: (one) => !isReceived(one), content: ({ t }) => html`<p>${t('fault_return_moved')}</p>` },
    { when: isReceived, form: {
      act: 'exchange', button: 'return_exchange', values: () => ({ refund: true }), enterButton: ['pick', 'items'],
      lead: async (context) => html`<p class="hint">${context.t('return_exchange_text')}</p>
${await itemFields(context, 'return_exchange_items')}`,
    } },
  ],
})

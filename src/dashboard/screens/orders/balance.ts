// What is due of an order, or was overpaid, and what can be done about it.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'

const paymentLink = endpoint('POST /orders/{id}/payment-link')

export const balanceActions: Record<string, ScreenAction> = {
  send_link: { route: paymentLink, body: { send: true }, done: 'link_sent_to_customer' },
  show_link: {
    route: paymentLink,
    body: { send: false },
    done: 'link_to_pay',
    renderResult: ({ t }, { url }: { url: string }) =>
      panel(
        t('link_to_pay'),
        html`<p class="field"><label for="link-to-pay">${t('link_to_pay')}</label>
<input id="link-to-pay" readonly value="${url}"></p>`,
      ),
  },
  refund_overpaid: {
    route: endpoint('POST /orders/{id}/refunds'),
    body: ({ form }) => ({ amount: Number(form.amount), restock: false }),
    done: 'order_refunded',
    confirm: ({ form }) =>
      form.outside === undefined
        ? { title: 'balance_refund_button', text: 'balance_refund_text', button: 'refund_of', isHarmless: true }
        : { title: 'balance_refund_button', text: 'refund_outside', button: 'record_refund_of', isHarmless: true },
  },
}

export function balance(context: PageContext, order: Order, isOutside: boolean): Html | '' {
  const { t, price, role } = context
  const { amount_due: due, amount_to_refund: over, customer_email } = order
  if ((due === 0 && over === 0) || !mayUse(role, 'write:orders')) return ''
  if (over > 0) {
    const amount = price(over)
    const fixed = { amount: String(over), label: amount, sum: amount, ...(isOutside ? { outside: '1' } : {}) }
    const text = isOutside ? 'record_refund_of' : 'refund_of'
    const act = 'refund_overpaid'
    return panel(
      t('balance'),
      html`<p>${t('balance_over', { amount })}</p>
<div class="pair">${button(context, { act, text, values: { amount }, fixed })}</div>`,
    )
  }
  return panel(
    t('balance'),
    html`<p>${t('balance_due', { amount: price(due) })}</p>
<div class="pair">${customer_email ? button(context, { act: 'send_link', text: 'link_send' }) : ''}
${button(context, { act: 'show_link', text: 'link_show' })}</div>`,
  )
}

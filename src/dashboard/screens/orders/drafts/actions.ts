// Actions on a draft order: send, show or revoke its link, and create its order.
import { html } from 'hono/html'
import type { DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import type { Order } from '../../../../commerce/orders/order.ts'
import { endpoint } from '../../../framework/api.ts'
import { button, form } from '../../../framework/form.ts'
import { panel } from '../../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../../framework/screen.ts'
import { listMethodChoices } from '../neworder.ts'

const link = endpoint('POST /draft-orders/{id}/payment-link')

// prettier-ignore
export const linkActions: Record<string, ScreenAction> = {
  send: {
    route: link, body: { send: true }, done: 'link_sent_to_customer',
    inputs: [{ name: 'expires_in_days', label: 'draft_days' }],
  },
  show: {
    route: link, body: { send: false }, done: 'link_to_pay',
    renderResult: ({ t }, { url }: { url: string }) =>
      panel(t('link_to_pay'), html`<p class="field"><label for="link-to-pay">${t('link_to_pay')}</label>
<input id="link-to-pay" readonly value="${url}"></p>`),
  },
  revoke: {
    route: endpoint('POST /draft-orders/{id}/revoke-link'), done: 'draft_revoked',
    confirm: { title: 'draft_revoke_ask', text: 'draft_revoke_text', button: 'draft_revoke' },
  },
  complete: {
    route: endpoint('POST /draft-orders/{id}/complete'), done: 'order_made',
    inputs: [
      { name: 'payment_status', label: 'payment_state',
        options: ({ t }) => (['pending', 'paid'] as const).map((status) => [status, t(`payment_status_${status}`)]) },
      { name: 'payment_method', options: listMethodChoices },
      { name: 'notify_customer' },
    ],
    to: ({ id }: Order) => `/orders/${id}`,
  },
}

export async function linkPanel(context: PageContext, draft: DraftOrder): Promise<Html> {
  const { t, formatTime } = context
  const { status, link_sent_at: sent, link_expires_at: until, customer_email } = draft
  const isLive = status === 'sent'
  const send = await form(context, {
    act: 'send',
    action: linkActions.send!,
    button: sent ? 'draft_send_again' : 'link_send',
    values: { expires_in_days: 7 },
    isLoose: true,
  })
  const state = [
    sent ? t('draft_sent_at', { when: formatTime(sent) }) : '',
    until ? t(isLive ? 'draft_until' : 'draft_expired_at', { when: formatTime(until) }) : '',
  ].filter(Boolean)
  return panel(
    t('link_to_pay'),
    html`<p class="hint">${state.length > 0 ? state.join(' ') : t('draft_link_text')}</p>
${customer_email ? send : html`<p>${t('fault_email_missing')}</p>`}
<div class="pair">${button(context, { act: 'show', text: 'link_show' })}
${isLive ? button(context, { act: 'revoke', text: 'draft_revoke', kind: 'quiet danger' }) : ''}</div>`,
  )
}

export async function completePanel(context: PageContext): Promise<Html> {
  const props = { act: 'complete', action: linkActions.complete!, button: 'draft_complete', isQuiet: true } as const
  const values = { payment_status: 'pending' }
  return panel(context.t('draft_complete'), await form(context, { ...props, values, isLoose: true }))
}

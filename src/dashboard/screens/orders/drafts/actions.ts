// Actions on a draft order: send, show or revoke its link, and create its order.
import { html } from 'hono/html'
import type { DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import type { Order } from '../../../../commerce/orders/order.ts'
import { endpoint } from '../../../framework/api.ts'
import { panel } from '../../../framework/parts.ts'
import type { RecordPanel } from '../../../framework/record.ts'
import type { PageContext, ScreenAction } from '../../../framework/screen.ts'
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

export const isSent = ({ status }: DraftOrder) => status === 'sent'

const hasEmail = ({ customer_email }: DraftOrder) => customer_email !== null

/** The dialog is about the draft as saved, whatever its form has beside it. */
const sayWhatIsSaved = ({ t, price }: PageContext, { total }: DraftOrder) => html`<p>${t('draft_as_saved', {
  total: price(total),
})}</p>
<p class="notice warning" data-unsaved hidden>${t('draft_unsaved')}</p>`

const close = ({ t, here }: PageContext) => html`<a class="button quiet" href="${here}" data-close>${t('close')}</a>`

export const showLink = { act: 'show', text: 'link_show' } as const
export const revokeLink = { act: 'revoke', text: 'draft_revoke', kind: 'quiet danger' } as const

// prettier-ignore
export const linkPanel: RecordPanel<DraftOrder> = {
  title: 'link_send', opens: 'dialog', kind: '',
  lead: (context, one) => html`<p class="hint">${context.t('draft_link_text')}</p>${sayWhatIsSaved(context, one)}
${hasEmail(one) ? '' : html`<p>${context.t('fault_email_missing')}</p>`}`,
  form: {
    when: hasEmail, act: 'send', isLoose: true, values: () => ({ expires_in_days: 7 }), beside: close,
    buttonText: ({ t }, { link_sent_at }) => t(link_sent_at ? 'draft_send_again' : 'link_send'),
  },
}

/** Since when there is a link, and until when it works. */
export function linkState({ link_sent_at, link_expires_at, ...one }: DraftOrder, context: PageContext): string | null {
  const { t, formatTime } = context
  const state = [
    link_sent_at ? t('draft_sent_at', { when: formatTime(link_sent_at) }) : '',
    link_expires_at
      ? t(isSent(one as DraftOrder) ? 'draft_until' : 'draft_expired_at', { when: formatTime(link_expires_at) })
      : '',
  ].filter(Boolean)
  return state.length > 0 ? state.join(' ') : null
}

// prettier-ignore
export const completePanel: RecordPanel<DraftOrder> = {
  title: 'draft_complete', opens: 'dialog', lead: sayWhatIsSaved,
  form: {
    act: 'complete', button: 'draft_complete', isLoose: true, values: () => ({ payment_status: 'pending' }),
    beside: close,
  },
}

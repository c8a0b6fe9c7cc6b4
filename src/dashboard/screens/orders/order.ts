// One order: items, customer, delivery, timeline and actions.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { orderActions } from './actions.ts'
import { addressLines } from './address.ts'
import { balance, balanceActions } from './balance.ts'
import { channelText } from './channel.ts'
import { commentActions } from './comments.ts'
import { editLink } from './editorder.ts'
import { orderForms, primaryForms } from './forms.ts'
import { orderLines } from './orderlines.ts'
import { loadOrderDetails, type OrderDetails } from './orderdetails.ts'
import { nameOf } from '../../../storefront/checkout/offers/names.ts'
import { button, form } from '../../framework/form.ts'
import { facts, mark, panel, paymentMark, fulfillmentTones, tones } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { isPaidOutside } from './outside.ts'
import { returnsPanel } from './returns/panel.ts'
import { timeline } from './timeline.ts'
import { orders } from './orders.ts'
import { below } from '../../framework/placement.ts'
import type { Payment } from '../../../money/payments/payment.ts'

export const orderScreen: Screen = {
  path: '/orders/{id}',
  ...below(orders),
  params: { id: order },
  actions: { ...orderActions, ...commentActions, ...balanceActions },
  async show(context) {
    const details = await loadOrderDetails(context)
    const { record } = details
    const { t, role } = context
    const mayWrite = mayUse(role, 'write:orders')
    return {
      title: t('order_title', { number: record.order_number }),
      buttons: html`${editLink(context, record)}${historyLink(context)}${archiveButton(context, record)}
${printLinks(context, record)}`,
      content: html`${states(context, record)}${paymentReviews(context, details)}
<div class="columns"><div>${mayWrite ? await primaryForms(context, details) : ''}
${orderLines(context, details)}${balance(context, record, isPaidOutside(details.payments))}
${returnsPanel(context, details)}
${mayWrite ? await orderForms(context, details) : ''}
</div><div>${buyer(context, record)}${destination(context, details)}${await tagForm(context, details)}
${await timeline(context, details)}</div></div>`,
    }
  },
}

function archiveButton(context: PageContext, { is_archived }: Order): Html | '' {
  if (!mayUse(context.role, 'write:orders')) return ''
  const act = is_archived ? 'unarchive' : 'archive'
  return button(context, { act, text: act })
}

function printLinks({ t, base }: PageContext, { id }: Order): Html {
  const to = (what: string) => `${base}/orders/print?what=${what}&ticked=${id}`
  return html`<a class="button quiet" href="${to('slip')}">${t('print_slip')}</a>
<a class="button quiet" href="${to('invoice')}">${t('print_invoice')}</a>`
}

function states({ t, formatTime }: PageContext, record: Order): Html {
  const { status, fulfillment_status, created_at } = record
  return html`<p class="states">${mark(t(`status_${status}`), tones[status])}
${paymentMark(t, record)}
${mark(t(`fulfillment_status_${fulfillment_status}`), fulfillmentTones[fulfillment_status])}
${record.is_archived ? mark(t('is_archived'), 'plain') : ''}
<span class="hint">${[formatTime(created_at), channelText(t, record)].filter(Boolean).join(' · ')}</span></p>`
}

function buyer({ t, base }: PageContext, record: Order): Html {
  const { customer_id, customer_name, customer_email, customer_phone, tax_id, customer_notes } = record
  const all = html`<a href="${base}/orders?customer_id=${customer_id ?? ''}">${t('their_orders')}</a>`
  return panel(
    t('customer_name'),
    facts([
      [
        t('name'),
        customer_id ? html`<a href="${base}/customers/${customer_id}">${customer_name ?? ''}</a>` : customer_name,
      ],
      [t('email'), customer_email],
      [t('phone'), customer_phone],
      [t('tax_id'), tax_id],
      [t('customer_notes'), customer_notes],
      [t('orders'), customer_id ? all : null],
    ]),
  )
}

function destination({ t, language }: PageContext, { record, offer }: OrderDetails): Html {
  const { shipping_address, shipping_method, payment_method } = record
  const nameByCode = (methods: readonly { code: string; name: string | null }[], code: string | null) =>
    code && nameOf(methods.find((method) => method.code === code) ?? { code, name: null }, language)
  return panel(
    t('delivery'),
    facts([
      [t('shipping_address'), shipping_address ? addressLines(record, language) : '–'],
      [t('phone'), shipping_address?.phone ?? null],
      [t('address_notes'), shipping_address?.notes ?? null],
      [t('shipping_method'), nameByCode(offer.shipping_rates, shipping_method)],
      [t('payment_method'), nameByCode(offer.payment_methods, payment_method)],
    ]),
  )
}

// Tags of an order.

async function tagForm(context: PageContext, { record, version }: OrderDetails): Promise<Html> {
  return panel(
    context.t('tags'),
    await form(context, {
      act: 'tags',
      action: orderActions.tags!,
      button: 'save',
      values: record,
      version,
      isQuiet: true,
    }),
  )
}

// Payments of an order that need review, and disputes.

function paymentReviews(context: PageContext, { payments }: OrderDetails): Html | '' {
  const open = payments.filter(({ needs_review, disputes }) => needs_review || disputes.length > 0)
  if (open.length === 0) return ''
  const rows = open.map(
    (payment) => html`<li><div>${reasonOf(context, payment)}${disputesOf(context, payment)}</div>
${markSeenButton(context, payment)}</li>`,
  )
  return panel(context.t('payment_attention'), html`<ul class="rows">${rows}</ul>`)
}

function reasonOf({ t }: PageContext, { needs_review, trouble }: Payment): Html | '' {
  return needs_review && trouble ? html`<p>${t(`trouble_${trouble}`)}</p>` : ''
}

function disputesOf({ t, price, formatTime }: PageContext, { disputes }: Payment): Html[] {
  const tones = { needs_response: 'bad', under_review: 'warn', won: 'good', lost: 'bad' } as const
  return disputes.map(({ status, amount, reason, evidence_due_at, closed_at }) => {
    const due = evidence_due_at && !closed_at ? t('dispute_due', { date: formatTime(evidence_due_at) }) : null
    return html`<p>${mark(t(`dispute_${status}`), tones[status])} ${price(amount)}</p>
<p class="hint">${[reason, due].filter(Boolean).join(' · ')}</p>`
  })
}

function markSeenButton(context: PageContext, { id, needs_review }: Payment): Html | '' {
  if (!needs_review || !mayUse(context.role, 'write:orders')) return ''
  return button(context, { act: 'seen', fixed: { payment: id }, text: 'payment_seen' })
}

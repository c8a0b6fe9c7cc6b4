// One order: items, customer, delivery, timeline and actions.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { listAnswers } from '../../../commerce/orders/answers.ts'
import { formatParts } from '../../../commerce/orders/parts.ts'
import { orderActions } from './actions.ts'
import { addressLines, billingLines, readBilledTaxId } from './address.ts'
import { channelText } from './channel.ts'
import { commentActions } from './comments.ts'
import { renderAnswers } from './document.ts'
import { editLink } from './editorder.ts'
import { addressForm, billingForm, cancelForm, editsOrder, nextStep, paymentParts, statusButtons } from './forms.ts'
import { fulfillmentRows } from './fulfillments.ts'
import { renderItem } from './itempictures.ts'
import { loadOrderDetails, type OrderDetails } from './orderdetails.ts'
import { formatMethodName } from '../../../storefront/checkout/offers/names.ts'
import { button } from '../../framework/form.ts'
import { mark, panel, paymentMark, fulfillmentTones, tones } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { returnLink } from './returns/rows.ts'
import { timeline } from './timeline.ts'
import { orders } from './orders.ts'
import { placeBelow } from '../../framework/placement.ts'
import type { Payment } from '../../../commerce/payments/payment.ts'
import { formatDay } from '../../../kit/values/day.ts'
import type { Language } from '../../../kit/values/language.ts'
import { discountRows, findWaiver } from '../../../commerce/orders/discountrows.ts'
import { buildTaxSums } from './taxes.ts'

// prettier-ignore
export const orderScreen = record({
  path: '/orders/{id}', ...placeBelow(orders), resource: order, read: loadOrderDetails, hasTimeline: true,
  metadata: 'PATCH /orders/{id}',
  actions: { ...orderActions, ...commentActions },
  name: ({ record: { order_number: number } }, { t }) => t('order_title', { number }),
  buttons: [
    { title: 'more', opens: 'menu', buttons: [
      (context, { record: one }) => editLink(context, one),
      { to: ({ record: { id } }) => `/orders/print?what=slip&ticked=${id}`, text: 'print_slip' },
      { to: ({ record: { id } }) => `/orders/print?what=invoice&ticked=${id}`, text: 'print_invoice' },
      statusButtons,
      historyLink,
      { act: 'archive', text: 'archive', when: ({ record: one }) => !one.is_archived },
      { act: 'unarchive', text: 'unarchive', when: ({ record: one }) => one.is_archived },
      cancelForm,
    ] },
    ...nextStep,
  ],
  marks: [
    ({ record: { status } }, { t }) => mark(t(`status_${status}`), tones[status]),
    ({ record: one }, { t }) => paymentMark(t, one),
    ({ record: { fulfillment_status: status } }, { t }) =>
      mark(t(`fulfillment_status_${status}`), fulfillmentTones[status]),
    ({ record: { is_archived } }, { t }) => is_archived ? mark(t('is_archived'), 'plain') : null,
    ({ record: one }, { t, formatTime }) =>
      [formatTime(one.created_at), channelText(t, one)].filter(Boolean).join(' · '),
  ],
  lead: [paymentReviews],
  main: [
    { title: 'items', content: orderLines, buttons: [...paymentParts, returnLink] },
    timeline,
  ],
  side: [
    { title: 'notes', form: { act: 'notes', ...editsOrder, isQuiet: true } },
    { title: 'customer_name', facts: [
      ['name', ({ record: { customer_id: id, customer_name: name } }, { base }) =>
        id ? html`<a href="${base}/customers/${id}">${name ?? ''}</a>` : name],
      ['email', ({ record: one }) => one.customer_email],
      ['phone', ({ record: one }) => one.customer_phone],
      ['tax_id', ({ record: one }) => readBilledTaxId(one)],
      ['customer_notes', ({ record: one }) => one.customer_notes],
      ['orders', ({ record: { customer_id: id } }, { t, base }) =>
        id && html`<a href="${base}/orders?customer_id=${id}">${t('their_orders')}</a>`],
    ] },
    { title: 'delivery', facts: [
      ['shipping_address', ({ record: one }, { language }) =>
        one.shipping_address ? addressLines(one, language) : '–'],
      ['phone', ({ record: one }) => one.shipping_address?.phone ?? null],
      ['address_notes', ({ record: one }) => one.shipping_address?.notes ?? null],
      ['shipping_method', ({ record: one, offer }, { language }) =>
        findMethodName(offer.shipping_rates, one.shipping_method, language)],
      ['payment_method', ({ record: one, offer }, { language }) =>
        findMethodName(offer.payment_methods, one.payment_method, language)],
    ], buttons: [addressForm] },
    { title: 'billing_address', content: ({ t, language }, { record: one }) =>
      html`<address>${one.billing_address ? billingLines(one, language) : t('billing_same')}</address>`,
      buttons: [billingForm] },
    { title: 'answers', when: ({ record: one }) => listAnswers(one).length > 0,
      content: (context, { record: one }) => renderAnswers(context, one) ?? '' },
    { title: 'tags', form: { act: 'tags', ...editsOrder, isQuiet: true } },
  ],
})

type NamedMethods = readonly { code: string; name: string | null }[]

function findMethodName(methods: NamedMethods, code: string | null, language: Language): string | null {
  return code && formatMethodName(methods.find((method) => method.code === code) ?? { code, name: null }, language)
}

// Payments of an order that need review, and disputes.

function paymentReviews(context: PageContext, { payments }: OrderDetails): Html | '' {
  const open = payments.filter(({ needs_review, disputes }) => needs_review || disputes.length > 0)
  if (open.length === 0) return ''
  const rows = open.map(
    (payment) => html`<li><div>${renderReviewReason(context, payment)}${renderDisputes(context, payment)}</div>
${markSeenButton(context, payment)}</li>`,
  )
  return panel(context.t('payment_attention'), html`<ul class="rows">${rows}</ul>`)
}

function renderReviewReason({ t }: PageContext, { needs_review, trouble }: Payment): Html | '' {
  return needs_review && trouble ? html`<p>${t(`trouble_${trouble}`)}</p>` : ''
}

function renderDisputes({ t, price, formatTime }: PageContext, { disputes }: Payment): Html[] {
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

// The lines of an order with their pictures, and its sums.

type OrderedItem = Order['items'][number]

function orderLines(context: PageContext, details: OrderDetails): Html {
  const { price } = context
  const { record: one, pictures } = details
  const rows = one.items.map(
    (item) => html`<tr><td>${renderItem(context, item, pictures, describeItem(context, item))}</td>
<td class="number">${item.quantity} × ${price(item.unit_price)}</td>
<td class="number">${price(item.total_price)}</td></tr>`,
  )
  const bumps = (one.order_bumps?.items ?? []).map(
    (bump) =>
      html`<tr><td><strong>${bump.title}</strong></td><td></td><td class="number">${price(bump.price!)}</td></tr>`,
  )
  return html`<table class="plain"><tbody>${rows}${bumps}</tbody></table>
${fulfillmentRows(context, details)}${sums(context, one)}${balance(context, one)}`
}

function describeItem({ t, language }: PageContext, item: OrderedItem): (string | null)[] {
  const { variant_name, sku, fulfilled_quantity, refunded_quantity } = item
  return [
    variant_name,
    item.parts && formatParts(item.parts),
    sku,
    item.available_on && t('ships_from', { date: formatDay(item.available_on, language) }),
    fulfilled_quantity > 0 ? t('pieces_sent', { count: fulfilled_quantity }) : null,
    refunded_quantity > 0 ? t('pieces_refunded', { count: refunded_quantity }) : null,
  ]
}

function sums(context: PageContext, record: Order): Html {
  const { t, price } = context
  const { subtotal, shipping_cost, total } = record
  const { captured_amount, refunded_amount } = record
  const line = (text: string, amount: number, isShown = amount !== 0) =>
    isShown ? html`<div><dt>${text}</dt><dd>${price(amount)}</dd></div>` : ''
  const taxes = buildTaxSums(context, record)
  const discounts = discountRows(record).map(({ name, amount }) =>
    line(name ? `${t('discount')} (${name})` : t('discount'), -amount),
  )
  const waiver = shipping_cost === 0 ? findWaiver(record) : null
  const shipping = waiver ? `${t('shipping')} (${waiver})` : t('shipping')
  return html`<dl class="sums">${line(t('subtotal'), subtotal, true)}${discounts}
${line(shipping, shipping_cost, true)}${taxes.added.map(([name, amount]) => line(name, amount))}
<div class="total"><dt>${t('total')}</dt><dd>${price(total)}</dd></div>
${taxes.included.map(([name, amount]) => line(name, amount))}
${line(t('paid'), captured_amount)}${line(t('refunded'), -refunded_amount)}</dl>`
}

function balance({ t, price }: PageContext, { amount_due: due, amount_to_refund: over }: Order): Html | '' {
  if (over > 0) return html`<p>${t('balance_over', { amount: price(over) })}</p>`
  return due > 0 ? html`<p>${t('balance_due', { amount: price(due) })}</p>` : ''
}

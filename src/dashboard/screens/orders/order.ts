// One order: items, customer, delivery, timeline and actions.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { orderActions } from './actions.ts'
import { addressLines } from './address.ts'
import { channelText } from './channel.ts'
import { commentActions } from './comments.ts'
import { editLink } from './editorder.ts'
import { editsOrder, orderForms, primaryForms } from './forms.ts'
import { loadOrderDetails, type OrderDetails } from './orderdetails.ts'
import { formatMethodName } from '../../../storefront/checkout/offers/names.ts'
import { button } from '../../framework/form.ts'
import { mark, panel, paymentMark, fulfillmentTones, tones } from '../../framework/parts.ts'
import { record, type RecordPanel } from '../../framework/record.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { isPaidOutside } from './outside.ts'
import { returnsPanel } from './returns/panel.ts'
import { timeline } from './timeline.ts'
import { orders } from './orders.ts'
import { placeBelow } from '../../framework/placement.ts'
import type { Payment } from '../../../commerce/payments/payment.ts'
import type { Language } from '../../../kit/values/language.ts'
import { endpoint } from '../../framework/api.ts'
import { discountRows } from '../../../commerce/orders/discountrows.ts'
import { toPreviewUrl } from '../../framework/picturepreview.ts'
import { buildTaxSums } from './taxes.ts'

// What is due of an order, or was overpaid, and what can be done about it.

const paymentLink = endpoint('POST /orders/{id}/payment-link')

const balanceActions: Record<string, ScreenAction> = {
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

// prettier-ignore
const overpaidPanel: RecordPanel<OrderDetails> = {
  title: 'balance', scope: 'write:orders', when: ({ record: { amount_to_refund: over } }) => over > 0,
  lead: ({ t, price }, { record: one }) => html`<p>${t('balance_over', { amount: price(one.amount_to_refund) })}</p>`,
  content: refundButton,
}

function refundButton(context: PageContext, { record: { amount_to_refund: over }, payments }: OrderDetails): Html {
  const amount = context.price(over)
  const isOutside = isPaidOutside(payments)
  const fixed = { amount: String(over), label: amount, sum: amount, ...(isOutside ? { outside: '1' } : {}) }
  const text = isOutside ? 'record_refund_of' : 'refund_of'
  return html`<div class="pair">${button(context, { act: 'refund_overpaid', text, values: { amount }, fixed })}</div>`
}

// prettier-ignore
const duePanel: RecordPanel<OrderDetails> = {
  title: 'balance', scope: 'write:orders',
  when: ({ record: { amount_due: due, amount_to_refund: over } }) => due > 0 && over <= 0,
  lead: ({ t, price }, { record: { amount_due } }) => html`<p>${t('balance_due', { amount: price(amount_due) })}</p>`,
  buttons: [
    { act: 'send_link', text: 'link_send', when: ({ record: { customer_email } }) => customer_email !== null },
    { act: 'show_link', text: 'link_show' },
  ],
}

// prettier-ignore
export const orderScreen = record({
  path: '/orders/{id}', ...placeBelow(orders), resource: order, read: loadOrderDetails,
  actions: { ...orderActions, ...commentActions, ...balanceActions },
  name: ({ record: { order_number: number } }, { t }) => t('order_title', { number }),
  buttons: [
    (context, { record: one }) => editLink(context, one),
    historyLink,
    { act: 'archive', text: 'archive', when: ({ record: one }) => !one.is_archived },
    { act: 'unarchive', text: 'unarchive', when: ({ record: one }) => one.is_archived },
    { to: ({ record: { id } }) => `/orders/print?what=slip&ticked=${id}`, text: 'print_slip' },
    { to: ({ record: { id } }) => `/orders/print?what=invoice&ticked=${id}`, text: 'print_invoice' },
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
    ...primaryForms,
    { title: 'items', content: orderLines },
    overpaidPanel, duePanel, returnsPanel,
    ...orderForms,
  ],
  side: [
    { title: 'customer_name', facts: [
      ['name', ({ record: { customer_id: id, customer_name: name } }, { base }) =>
        id ? html`<a href="${base}/customers/${id}">${name ?? ''}</a>` : name],
      ['email', ({ record: one }) => one.customer_email],
      ['phone', ({ record: one }) => one.customer_phone],
      ['tax_id', ({ record: one }) => one.tax_id],
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
    ] },
    { title: 'tags', form: { act: 'tags', ...editsOrder, isQuiet: true } },
    timeline,
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

function orderLines(context: PageContext, { record: one, pictures }: OrderDetails): Html {
  const { price } = context
  const rows = one.items.map(
    (item) => html`<tr><td>${renderItemName(context, item, pictures)}</td>
<td class="number">${item.quantity} × ${price(item.unit_price)}</td>
<td class="number">${price(item.total_price)}</td></tr>`,
  )
  const bumps = (one.order_bumps?.items ?? []).map(
    (bump) =>
      html`<tr><td><strong>${bump.title}</strong></td><td></td><td class="number">${price(bump.price!)}</td></tr>`,
  )
  return html`<table class="plain"><tbody>${rows}${bumps}</tbody></table>${sums(context, one)}`
}

/** A product that is there still is linked. */
function renderItemName({ t, base, store }: PageContext, item: OrderedItem, pictures: OrderDetails['pictures']): Html {
  const { product_id, variant_id, product_name, variant_name, sku, fulfilled_quantity, refunded_quantity } = item
  const about = [
    variant_name,
    sku,
    fulfilled_quantity > 0 ? t('pieces_sent', { count: fulfilled_quantity }) : null,
    refunded_quantity > 0 ? t('pieces_refunded', { count: refunded_quantity }) : null,
  ]
  const image = pictures.get(variant_id ?? '') ?? pictures.get(product_id ?? '')
  const picture = image
    ? html`<img src="${toPreviewUrl(image, store.id)}" alt="" loading="lazy" width="40" height="40">`
    : html`<i></i>`
  const name = pictures.has(product_id ?? '')
    ? html`<a class="main" href="${base}/products/${product_id}">${product_name}</a>`
    : html`<strong>${product_name}</strong>`
  return html`<span class="thing">${picture}<span>${name}
<small>${about.filter(Boolean).join(' · ')}</small></span></span>`
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
  return html`<dl class="sums">${line(t('subtotal'), subtotal, true)}${discounts}
${line(t('shipping'), shipping_cost, true)}${taxes.added.map(([name, amount]) => line(name, amount))}
<div class="total"><dt>${t('total')}</dt><dd>${price(total)}</dd></div>
${taxes.included.map(([name, amount]) => line(name, amount))}
${line(t('paid'), captured_amount)}${line(t('refunded'), -refunded_amount)}</dl>`
}

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
import { orderForms, primaryForms } from './forms.ts'
import { loadOrderDetails, type OrderDetails } from './orderdetails.ts'
import { formatMethodName } from '../../../storefront/checkout/offers/names.ts'
import { button, form } from '../../framework/form.ts'
import { facts, mark, panel, paymentMark, fulfillmentTones, tones } from '../../framework/parts.ts'
import type { Html, Screen, PageContext, ScreenAction } from '../../framework/screen.ts'
import { isPaidOutside } from './outside.ts'
import { returnsPanel } from './returns/panel.ts'
import { timeline } from './timeline.ts'
import { orders } from './orders.ts'
import { placeBelow } from '../../framework/placement.ts'
import type { Payment } from '../../../commerce/payments/payment.ts'
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

function balance(context: PageContext, order: Order, isOutside: boolean): Html | '' {
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

export const orderScreen: Screen = {
  path: '/orders/{id}',
  ...placeBelow(orders),
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
    code && formatMethodName(methods.find((method) => method.code === code) ?? { code, name: null }, language)
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

function orderLines(context: PageContext, { record, pictures }: OrderDetails): Html {
  const { t, price } = context
  const rows = record.items.map(
    (item) => html`<tr><td>${renderItemName(context, item, pictures)}</td>
<td class="number">${item.quantity} × ${price(item.unit_price)}</td>
<td class="number">${price(item.total_price)}</td></tr>`,
  )
  const bumps = (record.order_bumps?.items ?? []).map(
    (bump) =>
      html`<tr><td><strong>${bump.title}</strong></td><td></td><td class="number">${price(bump.price!)}</td></tr>`,
  )
  return panel(t('items'), html`<table class="plain"><tbody>${rows}${bumps}</tbody></table>${sums(context, record)}`)
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

// One order: what was bought, by whom and where it goes, what has happened, and what can be done next.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { orderActions } from './actions.ts'
import { addressLines } from './address.ts'
import { orderForms } from './forms.ts'
import { wholeOf, type Whole } from './whole.ts'
import { nameOf } from '../../../storefront/checkout/offers/names.ts'
import { facts, mark, panel, paymentMark, sentTones, tones } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { troubles } from './payments.ts'
import { timeline } from './timeline.ts'
import { taxSums } from './taxsums.ts'

export const orderScreen: Screen = {
  path: '/orders/{id}',
  scope: 'read:orders',
  title: 'orders',
  section: 'orders',
  within: { path: '/orders', title: 'orders' },
  params: { id: order },
  actions: orderActions,
  async show(visit) {
    const whole = await wholeOf(visit)
    const { record } = whole
    const { say, role } = visit
    return {
      title: say('order_title', { number: record.order_number }),
      buttons: papers(visit, record),
      content: html`${states(visit, record)}${troubles(visit, whole)}
<div class="columns"><div>${items(visit, record)}${mayUse(role, 'write:orders') ? await orderForms(visit, whole) : ''}
</div><div>${buyer(visit, record)}${destination(visit, whole)}${timeline(visit, whole)}</div></div>`,
    }
  },
}

function papers({ say, base }: Visit, { id }: Order): Html {
  const to = (what: string) => `${base}/orders/print?what=${what}&ticked=${id}`
  return html`<a class="button quiet" href="${to('slip')}">${say('print_slip')}</a>
<a class="button quiet" href="${to('invoice')}">${say('print_invoice')}</a>`
}

function states({ say, when }: Visit, record: Order): Html {
  const { status, fulfillment_status, created_at } = record
  return html`<p class="states">${mark(say(`status_${status}`), tones[status])}
${paymentMark(say, record)}
${mark(say(`fulfillment_status_${fulfillment_status}`), sentTones[fulfillment_status])}
<span class="hint">${when(created_at)}</span></p>`
}

function items(visit: Visit, record: Order): Html {
  const { say, price } = visit
  const rows = record.items.map(
    ({ product_name, variant_name, sku, quantity, unit_price, total_price, fulfilled_quantity, refunded_quantity }) => {
      const about = [
        variant_name,
        sku,
        fulfilled_quantity > 0 ? say('pieces_sent', { count: fulfilled_quantity }) : null,
        refunded_quantity > 0 ? say('pieces_refunded', { count: refunded_quantity }) : null,
      ]
      return html`<tr><td><strong>${product_name}</strong>
<small>${about.filter(Boolean).join(' · ')}</small></td>
<td class="number">${quantity} × ${price(unit_price)}</td><td class="number">${price(total_price)}</td></tr>`
    },
  )
  const bumps = (record.order_bumps?.items ?? []).map(
    (bump) =>
      html`<tr><td><strong>${bump.title}</strong></td><td></td><td class="number">${price(bump.price!)}</td></tr>`,
  )
  return panel(say('items'), html`<table class="plain"><tbody>${rows}${bumps}</tbody></table>${sums(visit, record)}`)
}

function sums(visit: Visit, record: Order): Html {
  const { say, price } = visit
  const { subtotal, discount_amount, discount_code, shipping_cost, total } = record
  const { captured_amount, refunded_amount } = record
  const line = (text: string, amount: number, isShown = amount !== 0) =>
    isShown ? html`<div><dt>${text}</dt><dd>${price(amount)}</dd></div>` : ''
  const taxes = taxSums(visit, record)
  const discount = discount_code ? `${say('discount')} (${discount_code})` : say('discount')
  return html`<dl class="sums">${line(say('subtotal'), subtotal, true)}${line(discount, -discount_amount)}
${line(say('shipping'), shipping_cost, true)}${taxes.added.map(([name, amount]) => line(name, amount))}
<div class="total"><dt>${say('total')}</dt><dd>${price(total)}</dd></div>
${taxes.included.map(([name, amount]) => line(name, amount))}
${line(say('paid'), captured_amount)}${line(say('refunded'), -refunded_amount)}</dl>`
}

function buyer({ say, base }: Visit, record: Order): Html {
  const { customer_id, customer_name, customer_email, customer_phone, tax_id, customer_notes } = record
  const all = html`<a href="${base}/orders?customer_id=${customer_id ?? ''}">${say('their_orders')}</a>`
  return panel(
    say('customer_name'),
    facts([
      [
        say('name'),
        customer_id ? html`<a href="${base}/customers/${customer_id}">${customer_name ?? ''}</a>` : customer_name,
      ],
      [say('email'), customer_email],
      [say('phone'), customer_phone],
      [say('tax_id'), tax_id],
      [say('customer_notes'), customer_notes],
      [say('orders'), customer_id ? all : null],
    ]),
  )
}

function destination({ say, language }: Visit, { record, offer }: Whole): Html {
  const { shipping_address, shipping_method, payment_method } = record
  const named = (methods: readonly { code: string; name: string | null }[], code: string | null) =>
    code && nameOf(methods.find((method) => method.code === code) ?? { code, name: null }, language)
  return panel(
    say('delivery'),
    facts([
      [say('shipping_address'), shipping_address ? addressLines(record) : '–'],
      [say('phone'), shipping_address?.phone ?? null],
      [say('address_notes'), shipping_address?.notes ?? null],
      [say('shipping_method'), named(offer.shipping_rates, shipping_method)],
      [say('payment_method'), named(offer.payment_methods, payment_method)],
    ]),
  )
}

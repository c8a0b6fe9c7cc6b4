// The lines of an order with their pictures, and its sums.
import { html } from 'hono/html'
import { discountRows } from '../../../commerce/orders/discountrows.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { panel } from '../../framework/parts.ts'
import { previewOf } from '../../framework/picturepreview.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import type { OrderDetails } from './orderdetails.ts'
import { taxSumsOf } from './taxes.ts'

type OrderedItem = Order['items'][number]

export function orderLines(context: PageContext, { record, pictures }: OrderDetails): Html {
  const { t, price } = context
  const rows = record.items.map(
    (item) => html`<tr><td>${thing(context, item, pictures)}</td>
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
function thing({ t, base, store }: PageContext, item: OrderedItem, pictures: OrderDetails['pictures']): Html {
  const { product_id, variant_id, product_name, variant_name, sku, fulfilled_quantity, refunded_quantity } = item
  const about = [
    variant_name,
    sku,
    fulfilled_quantity > 0 ? t('pieces_sent', { count: fulfilled_quantity }) : null,
    refunded_quantity > 0 ? t('pieces_refunded', { count: refunded_quantity }) : null,
  ]
  const image = pictures.get(variant_id ?? '') ?? pictures.get(product_id ?? '')
  const picture = image
    ? html`<img src="${previewOf(image, store.id)}" alt="" loading="lazy" width="40" height="40">`
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
  const taxes = taxSumsOf(context, record)
  const discounts = discountRows(record).map(({ name, amount }) =>
    line(name ? `${t('discount')} (${name})` : t('discount'), -amount),
  )
  return html`<dl class="sums">${line(t('subtotal'), subtotal, true)}${discounts}
${line(t('shipping'), shipping_cost, true)}${taxes.added.map(([name, amount]) => line(name, amount))}
<div class="total"><dt>${t('total')}</dt><dd>${price(total)}</dd></div>
${taxes.included.map(([name, amount]) => line(name, amount))}
${line(t('paid'), captured_amount)}${line(t('refunded'), -refunded_amount)}</dl>`
}

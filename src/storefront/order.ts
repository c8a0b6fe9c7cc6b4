// The order, for whoever has its link: a thank-you first, its state ever after.
import { html } from 'hono/html'
import { notFound } from '../kit/errors.ts'
import { uuidOf } from '../kit/ids.ts'
import { find } from '../kit/page.ts'
import { findThumbnails } from '../catalog/public.ts'
import { nameOf } from '../checkout/names.ts'
import { order as orders, type Order } from '../orders/order.ts'
import { orderOfLink } from './orderlink.ts'
import type { Html, Reply, Visit } from './page.ts'
import { dateIn } from './places.ts'
import { boughtLine, bumpLines } from './summary.ts'
import { frame, homeOf } from './view.ts'

export async function showOrder(visit: Visit): Promise<Reply> {
  const { db, store, params } = visit
  const id = orderOfLink(visit, params.link!)
  if (!id) throw notFound('Order')
  const order: Order = JSON.parse(await find(db, orders, store.id, id))
  const lines = order.items.map(({ product_id, variant_id }) => ({ product_id: product_id && uuidOf('prod', product_id), variant_id }))
  const known = lines.filter((line): line is { product_id: string; variant_id: string | null } => line.product_id !== null)
  const found = await findThumbnails(db, store.id, known)
  const thumbnails = lines.map((line) => found[known.indexOf(line as typeof known[number])] ?? null)
  return { page: orderPage(visit, order, thumbnails) }
}

function orderPage(visit: Visit, order: Order, thumbnails: Parameters<typeof boughtLine>[2][]): Html {
  const { say, language, store } = visit
  const { order_number, status, customer_name, created_at } = order
  const isEnded = ['cancelled', 'returned'].includes(status)
  const title = isEnded ? say('order', { number: order_number }) : say('thanks', { name: customer_name?.split(' ')[0] ?? '' }).replace(', !', '!')
  return frame(visit, { title: say('order', { number: order_number }), content: html`
<div class="order">
<div class="steps">
<h1>${title}</h1>
<p class="lead">${isEnded ? '' : `${say('order', { number: order_number })} · `}${dateIn(language, store, created_at)}</p>
${progress(visit, order)}
${paymentOf(visit, order)}
${delivery(visit, order)}
<p class="soft">${say('keep_link')}</p>
<p><a class="button" href="${homeOf(visit)}">${say('continue_shopping')}</a></p>
</div>
<aside class="summary" aria-labelledby="summary-title"><h2 id="summary-title">${say('summary')}</h2>
<ul class="lines">${order.items.map((item, index) => boughtLine(visit, item, thumbnails[index] ?? null))}${bumpLines(visit, order.order_bumps?.items ?? [])}</ul>
${totals(visit, order)}</aside>
</div>` })
}

const steps = ['pending', 'confirmed', 'in_progress', 'completed'] as const

function progress({ say }: Visit, { status }: Order): Html {
  const reached = steps.findIndex((step) => step === status)
  if (reached === -1) return html`<p class="notice warning">${say(status === 'returned' ? 'status_returned' : 'status_cancelled')}</p>`
  return html`<ol class="progress" aria-label="${say('status')}">${steps.map((step, index) =>
    html`<li${index <= reached ? html` class="done"` : ''}${index === reached ? html` aria-current="step"` : ''}>${say(`status_${step}`)}</li>`)}</ol>`
}

function paymentOf({ say, offer, language }: Visit, { payment_method, payment_status }: Order): Html | '' {
  if (payment_method === null) return ''
  const method = offer.payment_methods.find(({ code }) => code === payment_method) ?? { code: payment_method, name: null, instructions: null }
  const isOpen = payment_status === 'pending'
  return html`<section><h2>${say('payment')}</h2><p>${nameOf(method, language)} · ${say(`payment_${payment_status}`)}</p>
${isOpen && method.instructions ? html`<p class="instructions">${method.instructions}</p>` : ''}</section>`
}

function delivery({ say }: Visit, { shipping_address: address, customer_email, customer_phone }: Order): Html {
  const place = [address?.postal_code, address?.city, address?.province].filter(Boolean).join(' ')
  const lines = address?.address ? [address.name, address.address, place, address.country].filter(Boolean) : []
  const contacts = [customer_email, customer_phone].filter(Boolean)
  return html`${lines.length > 0 ? html`<section><h2>${say('address_title')}</h2><address>${lines.map((line) => html`${line}<br>`)}</address></section>` : ''}
<section><h2>${say('contact')}</h2><p>${contacts.join(' · ')}</p></section>`
}

function totals({ say, price }: Visit, order: Order): Html {
  const { subtotal, discount_amount, discount_code, shipping_cost, tax_amount, total } = order
  const row = (name: string, amount: string) => html`<div class="row"><dt>${name}</dt><dd>${amount}</dd></div>`
  return html`<dl class="totals">
${row(say('subtotal'), price(subtotal))}
${discount_amount > 0 ? row(discount_code ? say('discount_with', { code: discount_code }) : say('discount'), `−${price(discount_amount)}`) : ''}
${row(say('shipping'), shipping_cost > 0 ? price(shipping_cost) : say('free'))}
${tax_amount > 0 ? row(say('tax'), price(tax_amount)) : ''}
<div class="row total"><dt>${say('total')}</dt><dd>${price(total)}</dd></div></dl>`
}

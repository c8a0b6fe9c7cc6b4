// The order, for whoever has its link: a thank-you first, its state ever after.
import { html } from 'hono/html'
import { notFound } from '../../../kit/values/errors.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { linesIn } from '../../../commerce/catalog/lines.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import { nameOf } from '../../checkout/offers/names.ts'
import type { Fulfillment } from '../../../commerce/fulfillments/fulfillment.ts'
import { findSent } from '../../../commerce/fulfillments/operations.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { order as orders, type Order } from '../../../commerce/orders/order.ts'
import { findOrderRate, type OrderRate } from '../../../commerce/orders/rate.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { orderOfLink, orderPath } from './orderlink.ts'
import type { Html, Reply, Visit } from '../frame/page.ts'
import { dateIn } from './places.ts'
import { boughtLine, bumpLines, sumsOf } from './summary.ts'
import { frame, homeOf } from '../frame/view.ts'

export async function showOrder(visit: Visit): Promise<Reply> {
  const { db, store, params, translation } = visit
  const id = orderOfLink(visit, params.link!)
  if (!id) throw notFound('Order')
  const [{ entity: order }, parcels] = await Promise.all([
    findRecord(db, orders, store.id, id),
    findSent(db, store, id),
  ])
  const [items, thumbnails, rate] = await Promise.all([
    linesIn(db, store.id, translation, order.items),
    findThumbnails(db, store.id, order.items.map(lineOf)),
    findOrderRate(db, store.id, { id, code: order.shipping_method }),
  ])
  return { page: orderPage(visit, { order: { ...order, items }, parcels, thumbnails, rate }) }
}

// An item need not be a product of the store: then nothing is found.
const nothing = '00000000-0000-0000-0000-000000000000'

function lineOf({ product_id, variant_id }: Order['items'][number]) {
  return { product_id: (product_id && uuidOf('prod', product_id)) ?? nothing, variant_id }
}

type Shown = { order: Order; parcels: readonly Fulfillment[]; thumbnails: (Thumbnail | null)[]; rate: OrderRate | null }

function orderPage(visit: Visit, { order, parcels, thumbnails, rate }: Shown): Html {
  const { say, language, store } = visit
  const { order_number, status, customer_name, created_at } = order
  const isEnded = ['cancelled', 'returned'].includes(status)
  const numbered = say('order', { number: order_number })
  const [firstName] = customer_name?.trim().split(/\s+/) ?? []
  const thanks = firstName ? say('thanks_to', { name: firstName }) : say('thanks')
  const { discount_amount: discount, shipping_cost: shipping, tax_amount: tax, tax_lines: taxes } = order
  const sums = { ...order, discount, shipping, tax, taxes }
  return frame(visit, {
    title: numbered,
    content: html`
<div class="order">
<div class="steps">
<h1>${isEnded ? numbered : thanks}</h1>
<p class="lead">${isEnded ? '' : `${numbered} · `}${dateIn(language, store, created_at)}</p>
${progress(visit, order)}
${shipments(visit, order, parcels)}
${paymentOf(visit, order)}
${delivery(visit, order, rate)}
${keep(visit, order)}
<p><a class="button" href="${homeOf(visit)}">${say('continue_shopping')}</a></p>
</div>
<aside class="summary" aria-labelledby="summary-title"><h2 id="summary-title">${say('summary')}</h2>
<ul class="lines">${order.items.map((item, index) => boughtLine(visit, item, thumbnails[index]?.image))}
${bumpLines(visit, order.order_bumps?.items ?? [])}</ul>
${sumsOf(visit, sums)}</aside>
</div>`,
  })
}

/** Who gave no e-mail has nothing but the address of this page. */
function keep(visit: Visit, { id, order_number, customer_email }: Order): Html {
  const { say, root, offer, language } = visit
  if (customer_email !== null) {
    const finding = html`<a href="${root}/find-order">${say('find_order')}</a>`
    return html`<p class="soft">${say('keep_link')} ${finding}</p>`
  }
  const address = `${offer.storefront_url}${orderPath(visit, id)}?lang=${language}`
  const [subject, body] = [say('order', { number: order_number }), address].map(encodeURIComponent)
  return html`<section class="notice warning"><h2>${say('keep_title')}</h2>
<p>${say('keep_only_link')}</p>
<p class="field"><label for="address-of-order">${say('keep_address')}</label>
<input id="address-of-order" readonly value="${address}"></p>
<p class="buttons"><a class="button quiet" href="sms:?&amp;body=${body}">${say('send_sms')}</a>
<a class="button quiet" href="mailto:?subject=${subject}&amp;body=${body}">${say('send_mail')}</a></p></section>`
}

const steps = ['pending', 'confirmed', 'in_progress', 'completed'] as const

function progress({ say }: Visit, { status }: Order): Html {
  const reached = steps.findIndex((step) => step === status)
  if (reached === -1) {
    return html`<p class="notice warning">${say(status === 'returned' ? 'status_returned' : 'status_cancelled')}</p>`
  }
  const about = (index: number) =>
    attributes({ class: index <= reached && 'done', 'aria-current': index === reached && 'step' })
  return html`<ol class="progress" aria-label="${say('status')}">
${steps.map((step, index) => html`<li${about(index)}>${say(`status_${step}`)}</li>`)}</ol>`
}

function shipments(visit: Visit, order: Order, parcels: readonly Fulfillment[]): Html | '' {
  if (parcels.length === 0) return ''
  const { say } = visit
  const isAll = parcels.length === 1 && order.fulfillment_status === 'fulfilled'
  return html`<section><h2>${say('shipments')}</h2>
${parcels.map((parcel) => shipment(visit, parcel, isAll ? [] : piecesOf(order, parcel)))}
${order.fulfillment_status === 'partial' ? html`<p class="soft">${say('more_to_come')}</p>` : ''}</section>`
}

function shipment({ say, language, store }: Visit, parcel: Fulfillment, pieces: readonly string[]): Html {
  const { carrier, tracking_number, tracking_url, shipped_at, delivered_at } = parcel
  const date = dateIn(language, store, delivered_at ?? shipped_at)
  const number = tracking_number ?? say('track')
  const tracking = tracking_url
    ? html`<a href="${tracking_url}" rel="noopener noreferrer nofollow">${number}</a>`
    : tracking_number
  const details = [carrier, tracking].filter(Boolean)
  return html`<p>${say(delivered_at ? 'delivered_on' : 'shipped_on', { date })}
${details.map((detail) => html` · ${detail}`)}
${pieces.map((piece) => html`<br><span class="soft">${piece}</span>`)}</p>`
}

/** What a parcel holds, where it is not all of the order. */
function piecesOf({ items }: Order, parcel: Fulfillment): string[] {
  return parcel.items.flatMap(({ item_id, quantity }) => {
    const item = items.find(({ id }) => id === item_id)
    return item ? `${quantity} × ${[item.product_name, item.variant_name].filter(Boolean).join(' · ')}` : []
  })
}

function paymentOf({ say, offer, language }: Visit, { payment_method, payment_status }: Order): Html | '' {
  if (payment_method === null) return ''
  const unknown = { code: payment_method, name: null, instructions: null }
  const method = offer.payment_methods.find(({ code }) => code === payment_method) ?? unknown
  const isOpen = payment_status === 'pending'
  return html`<section><h2>${say('payment')}</h2>
<p>${nameOf(method, language)} · ${say(`payment_${payment_status}`)}</p>
${isOpen && method.instructions ? html`<p class="instructions">${method.instructions}</p>` : ''}</section>`
}

function delivery({ say, language, called }: Visit, order: Order, rate: OrderRate | null): Html {
  const { shipping_method, shipping_address: address, customer_email, customer_phone } = order
  const place = townLine(address, order.country_code)
  // What is fetched goes nowhere, whatever was typed before that was chosen.
  const isSent = address?.address && rate?.requires_address !== false
  const { name, company, address: street, address_2, country } = address ?? {}
  const lines = isSent ? [name, company, street, address_2, place, country].filter(Boolean) : []
  const contacts = [customer_email, customer_phone].filter(Boolean)
  const written = html`<address>${lines.map((line) => html`${line}<br>`)}</address>`
  const method = shipping_method && nameOf({ code: shipping_method, name: rate?.name ?? null }, language)
  const about = [rate?.description, rate?.pickup_address].flatMap((text) => (text ? called(text) : []))
  const shipped = html`<section><h2>${say('shipping')}</h2><p>${called(method ?? '')}</p>
${about.map((text) => html`<p class="pre">${text}</p>`)}</section>`
  return html`${method ? shipped : ''}
${lines.length > 0 ? html`<section><h2>${say('address_title')}</h2>${written}</section>` : ''}
<section><h2>${say('contact')}</h2><p>${contacts.join(' · ')}</p></section>`
}

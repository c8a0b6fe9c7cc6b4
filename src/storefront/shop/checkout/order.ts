// The order, for anyone with its link: first a thank-you page, later its state.
import { html } from 'hono/html'
import { notFound } from '../../../kit/values/errors.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { findRecord, entityPage } from '../../../kit/declare/page.ts'
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import { formatArrival, formatMethodName } from '../../checkout/offers/names.ts'
import type { Fulfillment } from '../../../commerce/fulfillments/fulfillment.ts'
import { findActiveFulfillments } from '../../../commerce/fulfillments/operations.ts'
import { showAnswers } from '../../../commerce/orders/answers.ts'
import { isConfirmedByEmail } from '../../../commerce/orders/mail.ts'
import { order as orders, type Order } from '../../../commerce/orders/order.ts'
import { shippedIn } from '../../../commerce/orders/load.ts'
import { findOrderRate, type OrderRate } from '../../../commerce/orders/rate.ts'
import { namePiece } from '../../../commerce/orders/parts.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { orderOfLink, orderPath } from './orderlink.ts'
import type { Html, ShopResult, ShopContext } from '../frame/page.ts'
import { dateIn } from './countries.ts'
import { dueNotice } from './payorder.ts'
import { summaryLine, bumpLines, renderTotals } from './summary.ts'
import { renderAddress } from '../frame/addresslines.ts'
import { frame, buildHomePath } from '../frame/view.ts'
import { sql } from '../../../kit/database/sql.ts'
import { readReturnable, type Returnable } from '../../../commerce/returns/returnable.ts'
import { orderReturn, type Return } from '../../../commerce/returns/return.ts'
import type { ShopMessageKey } from '../frame/messages.ts'

/** A new order's page says thanks; later visits show its state. */
const thanksMs = 24 * 60 * 60 * 1000

export async function showOrder(context: ShopContext): Promise<ShopResult> {
  const { db, store, params, translation } = context
  const id = orderOfLink(context, params.link!)
  if (!id) throw notFound('Order')
  const [{ entity: order }, parcels] = await Promise.all([
    findRecord(db, orders, store.id, id),
    findActiveFulfillments(db, store, id),
  ])
  const [items, thumbnails, rate, returns, isEmailed] = await Promise.all([
    translateLines(db, store.id, translation, order.items),
    findThumbnails(db, store.id, translation, order.items.map(toSellableKey)),
    findOrderRate(db, store.id, { id, code: order.shipping_method }),
    findReturns(context, id),
    isConfirmedByEmail(db, store.id, id),
  ])
  const shown = { ...order, items }
  const added = await context.deps.slots.order(context, shown)
  return { page: orderPage(context, { order: shown, parcels, thumbnails, rate, returns, isEmailed, added }) }
}

// A custom item has no product, so this ID finds nothing.
const noProduct = '00000000-0000-0000-0000-000000000000'

function toSellableKey({ product_id, variant_id }: Order['items'][number]) {
  return { product_id: (product_id && toUuid('prod', product_id)) ?? noProduct, variant_id }
}

type OrderProps = {
  order: Order
  parcels: readonly Fulfillment[]
  thumbnails: (Thumbnail | null)[]
  rate: OrderRate | null
  returns: OrderReturns
  isEmailed: boolean
  /** Parts of extensions. */
  added: Html | ''
}

function orderPage(context: ShopContext, props: OrderProps): Html {
  const { order, parcels, thumbnails, rate, returns, isEmailed, added } = props
  const { t, language, store } = context
  const now = context.db.clock.now()
  const { order_number, status, fulfillment_status, customer_name, created_at } = order
  const isEnded = ['cancelled', 'returned'].includes(status)
  const isNew = !isEnded && fulfillment_status === 'unfulfilled' && now.getTime() - created_at.getTime() < thanksMs
  const title = t('order', { number: order_number })
  const [firstName] = customer_name?.trim().split(/\s+/) ?? []
  const thanks = firstName ? t('thanks_to', { name: firstName }) : t('thanks')
  const { discount_amount: discount, shipping_cost: shipping, tax_amount: tax, tax_lines: taxes } = order
  const sums = { ...order, discount, shipping, tax, taxes }
  return frame(context, {
    title: title,
    content: html`
<div class="order">
<div class="steps">
<h1>${isNew ? thanks : title}</h1>
<p class="lead">${isNew ? `${title} · ` : ''}${dateIn(language, store, created_at)}</p>
${isNew && isEmailed ? html`<p>${t('emailed', { email: order.customer_email! })}</p>` : ''}
${progress(context, order, rate)}
${dueNotice(context, order, `${context.root}${orderPath(context, order.id)}`)}
${added}
${shipments(context, order, parcels)}
${renderReturns(context, order, returns)}
${renderOrderPayment(context, order)}
${delivery(context, order, rate)}
${renderAnswers(context, order)}
${keep(context, order)}
<p><a class="button" href="${buildHomePath(context)}">${t('continue_shopping')}</a></p>
</div>
<aside class="summary" aria-labelledby="summary-title"><h2 id="summary-title">${t('summary')}</h2>
<ul class="lines">${order.items.map((item, index) => summaryLine(context, item, thumbnails[index]?.image))}
${bumpLines(context, order.order_bumps?.items ?? [])}</ul>
${renderTotals(context, sums)}</aside>
</div>`,
  })
}

/** Customers without an email have only the URL of this page. */
function keep(context: ShopContext, { id, order_number, customer_email }: Order): Html {
  const { t, root, offer, language } = context
  if (customer_email !== null) {
    const finding = html`<a href="${root}/find-order">${t('find_order')}</a>`
    return html`<p class="soft">${t('keep_link')} ${finding}</p>`
  }
  const address = `${offer.storefront_url}${orderPath(context, id)}?lang=${language}`
  const [subject, body] = [t('order', { number: order_number }), address].map(encodeURIComponent)
  return html`<section class="notice warning"><h2>${t('keep_title')}</h2>
<p>${t('keep_only_link')}</p>
<p class="field"><label for="address-of-order">${t('keep_address')}</label>
<input id="address-of-order" readonly value="${address}"></p>
<p class="buttons"><a class="button quiet" href="sms:?&amp;body=${body}">${t('send_sms')}</a>
<a class="button quiet" href="mailto:?subject=${subject}&amp;body=${body}">${t('send_mail')}</a></p></section>`
}

const steps = ['pending', 'confirmed', 'in_progress', 'completed'] as const

/** Shipments advance the order, because merchants seldom change its status as well. */
function progress({ t }: ShopContext, { status, fulfillment_status }: Order, rate: OrderRate | null): Html {
  const stepIndex = steps.findIndex((step) => step === status)
  if (stepIndex === -1) {
    return html`<p class="notice warning">${t(status === 'returned' ? 'status_returned' : 'status_cancelled')}</p>`
  }
  const current = Math.max(stepIndex, fulfillment_status === 'unfulfilled' ? 0 : steps.indexOf('in_progress'))
  const isShipped = fulfillment_status === 'fulfilled' && rate?.requires_address !== false
  const nameOfStep = (step: (typeof steps)[number]) =>
    t(step === 'in_progress' && isShipped ? 'account_shipped' : `status_${step}`)
  const about = (index: number) =>
    attributes({ class: index <= current && 'done', 'aria-current': index === current && 'step' })
  return html`<ol class="progress" aria-label="${t('status')}">
${steps.map((step, index) => html`<li${about(index)}>${nameOfStep(step)}</li>`)}</ol>`
}

function shipments(context: ShopContext, order: Order, fulfillments: readonly Fulfillment[]): Html | '' {
  const parcels = fulfillments
    .map((one) => ({ ...one, items: one.items.filter(shippedIn(order.items)) }))
    .filter(({ items }) => items.length > 0)
  if (parcels.length === 0) return ''
  const { t } = context
  const isAll = parcels.length === 1 && order.fulfillment_status === 'fulfilled'
  return html`<section><h2>${t('shipments')}</h2>
${parcels.map((parcel) => shipment(context, parcel, isAll ? [] : formatShippedItems(order, parcel)))}
${order.fulfillment_status === 'partial' ? html`<p class="soft">${t('more_to_come')}</p>` : ''}</section>`
}

function shipment({ t, language, store }: ShopContext, parcel: Fulfillment, pieces: readonly string[]): Html {
  const { carrier, tracking_number, tracking_url, shipped_at, delivered_at } = parcel
  const date = dateIn(language, store, delivered_at ?? shipped_at)
  const number = tracking_number ?? t('track')
  const tracking = tracking_url
    ? html`<a href="${tracking_url}" rel="noopener noreferrer nofollow">${number}</a>`
    : tracking_number
  const details = [carrier, tracking].filter(Boolean)
  return html`<p>${t(delivered_at ? 'delivered_on' : 'shipped_on', { date })}
${details.map((detail) => html` · ${detail}`)}
${pieces.map((piece) => html`<br><span class="soft">${piece}</span>`)}</p>`
}

/** The items of a partial fulfillment. */
function formatShippedItems({ items }: Order, parcel: Fulfillment): string[] {
  return parcel.items.flatMap(({ item_id, quantity }) => {
    const item = items.find(({ id }) => id === item_id)
    return item ? `${quantity} × ${[item.product_name, item.variant_name].filter(Boolean).join(' · ')}` : []
  })
}

function renderOrderPayment({ t, offer, language, price }: ShopContext, order: Order): Html | '' {
  const { payment_method, payment_status, refunded_amount } = order
  if (payment_method === null) return ''
  const unknownMethod = { code: payment_method, name: null, instructions: null }
  const method = offer.payment_methods.find(({ code }) => code === payment_method) ?? unknownMethod
  const isOpen = payment_status === 'pending'
  return html`<section><h2>${t('payment')}</h2>
<p>${formatMethodName(method, language)} · ${t(`payment_${payment_status}`)}</p>
${refunded_amount > 0 ? html`<p>${t('refunded_price', { price: price(refunded_amount) })}</p>` : ''}
${isOpen && method.instructions ? html`<p class="instructions">${method.instructions}</p>` : ''}</section>`
}

function delivery(context: ShopContext, order: Order, rate: OrderRate | null): Html {
  const { shipping_method, shipping_address: address, billing_address: billing, customer_email, customer_phone } = order
  const { t, language, translateTerm: translate, store } = context
  // A pickup ignores an address that was typed before it was selected.
  const isSent = address?.address && rate?.requires_address !== false
  const contacts = [customer_email, customer_phone].filter(Boolean)
  const method = shipping_method && formatMethodName({ code: shipping_method, name: rate?.name ?? null }, language)
  const { timezone } = store
  const arrival = rate && formatArrival(rate, new Date(order.created_at), { language, timezone, items: order.items })
  const about = [rate?.description, rate?.pickup_address, rate?.pickup_hours]
    .flatMap((text) => (text ? translate(text) : []))
    .concat(arrival ?? [])
  const part = (title: string, content: Html) => html`<section><h2>${title}</h2>${content}</section>`
  const methodHtml = html`<p>${translate(method ?? '')}</p>
${about.map((text) => html`<p class="pre">${text}</p>`)}`
  const recipient = { ...address, name: address?.name ?? order.customer_name }
  return html`${method ? part(t('shipping'), methodHtml) : ''}
${isSent ? part(t('address_title'), renderAddress(recipient, order.country_code, language)) : ''}
${billing ? part(t('billing_title'), renderAddress(billing, billing.country_code ?? null, language)) : ''}
${part(t('contact'), html`<p>${contacts.join(' · ')}</p>`)}`
}

function renderAnswers({ t, language, translateTerm: translate }: ShopContext, order: Order): Html | '' {
  const answers = showAnswers(order, { language, yes: t('yes'), no: t('no'), translate })
  if (answers.length === 0) return ''
  const rows = answers.map(({ label, text }) => html`<dt class="soft">${label}</dt><dd class="pre">${text}</dd>`)
  return html`<section><h2>${t('answers')}</h2><dl>${rows}</dl></section>`
}

// Returns on the page of an order: their state, and the way to request one.

type OrderReturns = { returns: Return[]; returnable: Returnable }

const all = { page: 1, per_page: 100, sort: 'created_at', order: 'asc' } as const

/** `id` is the order's uuid. */
async function findReturns({ db, store }: ShopContext, id: string): Promise<OrderReturns> {
  const [{ data }, returnable] = await Promise.all([
    entityPage(db, orderReturn, store, all, sql`returns.order_id = ${id}`),
    readReturnable(db, store, id, db.clock.now()),
  ])
  return { returns: data, returnable }
}

function renderReturns(context: ShopContext, order: Order, { returns, returnable }: OrderReturns): Html | '' {
  const { t, root, language, store } = context
  const { is_open, until } = returnable
  if (returns.length === 0 && !is_open) return ''
  const path = `${root}${orderPath(context, order.id)}/return`
  const request = is_open
    ? html`<p><a class="button quiet" href="${path}">${t('return_request')}</a></p>
<p class="soft">${t('return_until', { date: dateIn(language, store, until!) })}</p>`
    : ''
  return html`<section><h2>${t('returns')}</h2>${returns.map((one) => state(context, order, one))}${request}</section>`
}

function state(context: ShopContext, order: Order, record: Return): Html {
  const { t, language, store } = context
  const { status, created_at, instructions, decline_reason } = record
  const text = status === 'approved' ? instructions : status === 'declined' ? decline_reason : null
  const items = new Map(order.items.map((item) => [item.id, item]))
  const pieces = record.items.flatMap(({ item_id, part, quantity }) => {
    const item = items.get(item_id)
    return item ? `${quantity} × ${namePiece(item, part)}` : []
  })
  return html`<p>${dateIn(language, store, created_at)} · ${t(stateText(record))}
${pieces.map((piece) => html`<br><span class="soft">${piece}</span>`)}</p>
${text ? html`<p class="pre">${text}</p>` : ''}${cancelButton(context, order, record)}`
}

function cancelButton(context: ShopContext, order: Order, { id, status, requested_by }: Return): Html | '' {
  if (status !== 'requested' || requested_by !== 'customer') return ''
  const { t, root } = context
  return html`<form method="post" action="${root}${orderPath(context, order.id)}/return/cancel" data-once>
${hidden('return_id', id)}<button class="quiet">${t('return_cancel')}</button></form>`
}

function stateText({ status, refund_id, exchange_order_id }: Return): ShopMessageKey {
  if (exchange_order_id) return 'return_is_exchanged'
  return refund_id ? 'return_is_refunded' : `return_is_${status}`
}

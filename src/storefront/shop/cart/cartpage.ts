// The cart: its lines at today's prices, and the way to the checkout.
import { html } from 'hono/html'
import { ApiError } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { findCalling } from '../../../commerce/catalog/lines.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { quoteCart, type Quote } from '../../checkout/cart/quote.ts'
import { takesOrders } from '../../checkout/offers/readiness.ts'
import { aboutField, attributes, faultOf, notice } from '../../../platform/pages/parts.ts'
import {
  beginCheckout,
  cartCookie,
  followCart,
  maximumQuantity,
  readCart,
  withQuantities,
  type Cart,
} from '../frame/cart.ts'
import { inWords } from '../frame/faults.ts'
import { field, fieldsNamed, type Html, type Reply, type Visit } from '../frame/page.ts'
import { frame, homeOf, note, offline, picture, spoken } from '../frame/view.ts'
import { checkoutFaults } from '../../checkout/errors.ts'

export function showCart(visit: Visit): Promise<Reply> {
  return cartPage(visit, readCart(visit))
}

/** Quantities as they were typed, one line taken out, or on to the checkout with them. */
export async function changeCart(visit: Visit): Promise<Reply> {
  const { form } = visit
  const cart = readCart(visit)
  const removed = field(form, 'remove')
  const typed = fieldsNamed(form, 'quantity')
  const quantities = cart.map(({ quantity }, index) =>
    removed === String(index) ? 0 : quantityOf(typed[index], quantity),
  )
  const faults = quantities.flatMap((quantity, index): Fault[] =>
    quantity === null ? [fault(`items.${index}.quantity`, checkoutFaults.not_a_quantity)] : [],
  )
  if (faults.length > 0) return { ...(await cartPage(visit, cart, { faults, typed })), status: 422 }

  const changed = withQuantities(cart, quantities as number[])
  const cookies = { cart: cartCookie(changed) }
  if (field(form, 'act') !== 'checkout' || changed.length === 0 || !takesOrders(visit.offer)) {
    await followCart(visit, changed)
    return { to: '/cart', cookies }
  }
  try {
    return { to: '/checkout', cookies: { ...cookies, checkout: await beginCheckout(visit, changed) } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const now = { ...visit, cookies: { ...visit.cookies, cart: cookies.cart ?? '' } }
    return { ...(await cartPage(now, changed)), status: 422, cookies }
  }
}

function quantityOf(typed: string | undefined, known: number): number | null {
  if (typed === undefined) return known
  return /^\s*\d{1,3}\s*$/.test(typed) ? Number(typed) : null
}

type Said = { faults?: Fault[]; typed?: string[] }

async function cartPage(visit: Visit, cart: Cart, { faults = [], typed = [] }: Said = {}): Promise<Reply> {
  const { db, store, offer, say, translation } = visit
  if (cart.length === 0) {
    return { page: note(visit, { title: say('cart'), text: say('cart_empty') }) }
  }
  const wanted = { items: [...cart], bump_ids: [], ...nothingElse }
  const [quote, thumbnails, calling] = await Promise.all([
    quoteCart(db, store, wanted, Promise.resolve(offer), { now: db.clock.now() }),
    findThumbnails(db, store.id, cart),
    findCalling(db, store.id, translation, cart),
  ])
  const said = inWords(visit, [...faults, ...quote.faults])
  return {
    page: frame(visit, {
      title: say('cart'),
      content: html`
<h1>${say('cart')}</h1>
${takesOrders(offer) ? '' : notice('warning', say('not_ready'))}
${visit.query.added && Object.keys(said).length === 0 ? notice('done', say('added')) : ''}
${offline(say)}
<form class="cart" method="post" action="${visit.root}/cart" novalidate data-once data-live="500">
<button class="hidden" tabindex="-1" aria-hidden="true">${say('update')}</button>
<ul class="lines" id="lines" data-swap="rows">${calling(quote.items).map((item, index) =>
        line(visit, { item, thumbnail: thumbnails[index] ?? null, index, said, typed: typed[index] }),
      )}</ul>
${totals(visit, quote)}
</form>
${spoken()}`,
    }),
  }
}

const nothingElse = {
  discount_code: null,
  shipping_method: null,
  payment_method: null,
  country_code: null,
  province: null,
  postal_code: null,
  email: null,
  tax_id: null,
}

type Line = {
  item: Checkout['items'][number]
  thumbnail: Thumbnail | null
  index: number
  said: Record<string, string>
  typed: string | undefined
}

function line(visit: Visit, { item, thumbnail, index, said, typed }: Line): Html {
  const { root, say, price } = visit
  const name = item.product_name || say('gone_product')
  const id = `line-${index}`
  const [field, fault] = Object.entries(said).find(([at]) => at.startsWith(`items.${index}.`)) ?? []
  const address = thumbnail && `${root}/products/${thumbnail.slug}`
  const title = html`${name}${item.variant_name ? html` <small>${item.variant_name}</small>` : ''}`
  const chosen = item.variant_id ? `?variant=${item.variant_id}` : ''
  const image = picture(visit, thumbnail?.image, name)
  const input = attributes({
    id: id,
    name: 'quantity',
    type: 'number',
    inputmode: 'numeric',
    min: 0,
    max: maximumQuantity,
    value: typed ?? item.quantity,
  })
  return html`<li>
${address ? html`<a href="${address}" tabindex="-1" aria-hidden="true">${image}</a>` : image}
<div>
<p class="name">${address ? html`<a href="${address}${chosen}">${title}</a>` : title}</p>
<p class="soft" id="${id}-price" data-swap>${price(item.unit_price)}</p>
<div class="pair"><label class="hidden" for="${id}">${say('quantity_of', { name })}</label>
<input${input}${aboutField(id, { fault, focus: field !== undefined && field === Object.keys(said)[0] })}>
<button class="link" name="remove" value="${index}">${say('remove')}<span class="hidden"> ${name}</span></button></div>
${faultOf(id, fault)}
</div>
<p class="sum" id="${id}-sum" data-swap>${price(item.total_price)}</p>
</li>`
}

function totals({ say, price, ...visit }: Visit, { subtotal, included_tax }: Quote): Html {
  return html`<div class="totals" id="totals" data-swap>
<p class="row total"><span>${say('subtotal')}</span> <span id="total">${price(subtotal.toString())}</span></p>
<p class="soft">${say(included_tax.isZero() ? 'then_shipping' : 'then_shipping_only')}</p>
${takesOrders(visit.offer) ? html`<button class="full" name="act" value="checkout">${say('to_checkout')}</button>` : ''}
<p class="pair"><button class="link" name="act" value="update">${say('update')}</button>
<a href="${homeOf(visit)}">${say('continue_shopping')}</a></p>
</div>`
}

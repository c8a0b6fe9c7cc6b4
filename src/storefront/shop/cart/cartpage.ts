// The cart: its lines at current prices, and a link to the checkout.
import { html } from 'hono/html'
import { ApiError } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { findLineTranslations } from '../../../commerce/catalog/linenames.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import { toAppliedDiscountViews } from '../../../commerce/orders/pricing.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { quoteCart, type Quote } from '../../checkout/cart/quote.ts'
import { takesOrders } from '../../checkout/offers/readiness.ts'
import { aboutField, attributes, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import {
  beginCheckout,
  cartCookie,
  followCart,
  maxQuantity,
  readCart,
  withQuantities,
  type ShopCart,
} from '../frame/cart.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { field, fieldsNamed, type Html, type ShopResult, type ShopContext } from '../frame/page.ts'
import { frame, buildHomePath, note, offline, picture, spoken } from '../frame/view.ts'
import { checkoutFaults } from '../../checkout/errors.ts'

export function showCart(context: ShopContext): Promise<ShopResult> {
  return cartPage(context, readCart(context))
}

/** Applies the typed quantities, removes a line, or continues to the checkout. */
export async function changeCart(context: ShopContext): Promise<ShopResult> {
  const { form } = context
  const cart = readCart(context)
  const removedLine = field(form, 'remove')
  const input = fieldsNamed(form, 'quantity')
  const quantities = cart.map(({ quantity }, index) =>
    removedLine === String(index) ? 0 : readQuantity(input[index], quantity),
  )
  const faults = quantities.flatMap((quantity, index): Fault[] =>
    quantity === null ? [fault(`items.${index}.quantity`, checkoutFaults.not_a_quantity)] : [],
  )
  if (faults.length > 0) return { ...(await cartPage(context, cart, { faults, input })), status: 422 }

  const newCart = withQuantities(cart, quantities as number[])
  const cookies = { cart: cartCookie(newCart) }
  if (field(form, 'act') !== 'checkout' || newCart.length === 0 || !takesOrders(context.offer)) {
    await followCart(context, newCart)
    return { to: '/cart', cookies }
  }
  try {
    return { to: '/checkout', cookies: { ...cookies, checkout: await beginCheckout(context, newCart) } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const current = { ...context, cookies: { ...context.cookies, cart: cookies.cart ?? '' } }
    return { ...(await cartPage(current, newCart)), status: 422, cookies }
  }
}

function readQuantity(input: string | undefined, current: number): number | null {
  if (input === undefined) return current
  return /^\s*\d{1,3}\s*$/.test(input) ? Number(input) : null
}

type CartErrors = { faults?: Fault[]; input?: string[] }

async function cartPage(
  context: ShopContext,
  cart: ShopCart,
  { faults = [], input = [] }: CartErrors = {},
): Promise<ShopResult> {
  const { db, store, offer, t, translation } = context
  if (cart.length === 0) {
    return { page: note(context, { title: t('cart'), text: t('cart_empty') }) }
  }
  const request = { items: [...cart], bump_ids: [], ...noChoices }
  const [quote, thumbnails, calling] = await Promise.all([
    quoteCart(db, store, request, Promise.resolve(offer), { now: db.clock.now() }),
    findThumbnails(db, store.id, cart),
    findLineTranslations(db, store.id, translation, cart),
  ])
  const errors = fieldErrors(context, [...faults, ...quote.faults])
  return {
    page: frame(context, {
      title: t('cart'),
      content: html`
<h1>${t('cart')}</h1>
${takesOrders(offer) ? '' : notice('warning', t('not_ready'))}
${context.query.added && Object.keys(errors).length === 0 ? notice('done', t('added')) : ''}
${offline(t)}
<form class="cart" method="post" action="${context.root}/cart" novalidate data-once data-live="500">
<button class="hidden" tabindex="-1" aria-hidden="true">${t('update')}</button>
<ul class="lines" id="lines" data-swap="rows">${calling(quote.items).map((item, index) =>
        line(context, { item, thumbnail: thumbnails[index] ?? null, index, errors, input: input[index] }),
      )}</ul>
${totals(context, quote)}
</form>
${spoken()}`,
    }),
  }
}

const noChoices = {
  discount_code: null,
  shipping_method: null,
  payment_method: null,
  country_code: null,
  province: null,
  postal_code: null,
  billing: null,
  email: null,
  phone: null,
  tax_id: null,
}

type CartLineProps = {
  item: Checkout['items'][number]
  thumbnail: Thumbnail | null
  index: number
  errors: Record<string, string>
  input: string | undefined
}

function line(context: ShopContext, { item, thumbnail, index, errors, input }: CartLineProps): Html {
  const { root, t, price } = context
  const name = item.product_name || t('gone_product')
  const id = `line-${index}`
  const [field, fault] = Object.entries(errors).find(([at]) => at.startsWith(`items.${index}.`)) ?? []
  const address = thumbnail && `${root}/products/${thumbnail.slug}`
  const title = html`${name}${item.variant_name ? html` <small>${item.variant_name}</small>` : ''}`
  const query = item.variant_id ? `?variant=${item.variant_id}` : ''
  const image = picture(context, thumbnail?.image, name)
  const control = attributes({
    id,
    name: 'quantity',
    type: 'number',
    inputmode: 'numeric',
    min: 0,
    max: maxQuantity,
    value: input ?? item.quantity,
  })
  return html`<li>
${address ? html`<a href="${address}" tabindex="-1" aria-hidden="true">${image}</a>` : image}
<div>
<p class="name">${address ? html`<a href="${address}${query}">${title}</a>` : title}</p>
<p class="soft" id="${id}-price" data-swap>${price(item.unit_price)}</p>
<div class="pair"><label class="hidden" for="${id}">${t('quantity_of', { name })}</label>
<input${control}${aboutField(id, { fault, focus: field !== undefined && field === Object.keys(errors)[0] })}>
<button class="link" name="remove" value="${index}">${t('remove')}<span class="hidden"> ${name}</span></button></div>
${renderFieldFault(id, fault)}
</div>
<p class="sum" id="${id}-sum" data-swap>${price(item.total_price)}</p>
</li>`
}

function totals({ t, price, ...context }: ShopContext, { subtotal, included_tax, discount, applied }: Quote): Html {
  const savings = toAppliedDiscountViews({ applied }).filter(({ amount }) => amount > 0)
  const renderCartTotalRow = (name: string, amount: string) =>
    html`<p class="row"><span>${name}</span> <span>${amount}</span></p>`
  return html`<div class="totals" id="totals" data-swap>
${savings.length > 0 ? renderCartTotalRow(t('subtotal'), price(subtotal.toString())) : ''}
${savings.map(({ label, amount }) => renderCartTotalRow(t('discount_with', { code: label }), `−${price(amount)}`))}
<p class="row total"><span>${t(savings.length > 0 ? 'after_discounts' : 'subtotal')}</span>
<span id="total">${price(subtotal.minus(discount).toString())}</span></p>
<p class="soft">${t(included_tax.isZero() ? 'then_shipping' : 'then_shipping_only')}</p>
${takesOrders(context.offer) ? html`<button class="full" name="act" value="checkout">${t('to_checkout')}</button>` : ''}
<p class="pair"><button class="link" name="act" value="update">${t('update')}</button>
<a href="${buildHomePath(context)}">${t('continue_shopping')}</a></p>
</div>`
}

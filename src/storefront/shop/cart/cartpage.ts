// The cart: its lines at current prices, and a link to the checkout.
import { html } from 'hono/html'
import type { EndGuard } from '../../../kit/declare/route.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { findLineTranslations } from '../../../commerce/catalog/linenames.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import { isAboutCode } from '../../../commerce/discounts/codes.ts'
import { lookUpLines } from '../../../commerce/orders/lines.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import { listCheckedDiscounts } from '../../../commerce/orders/checkeddiscounts.ts'
import { toAppliedDiscountViews } from '../../../commerce/orders/pricing.ts'
import type { CodeEdit } from '../../checkout/cart/codes.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { emptyCart, quoteCart, type Quote } from '../../checkout/cart/quote.ts'
import { notShipped, takesOrders } from '../../checkout/offers/readiness.ts'
import { aboutField, attributes, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import {
  beginCheckout,
  cartCookie,
  findCartCodes,
  followCart,
  maxQuantity,
  readCart,
  withQuantities,
  type ShopCart,
} from '../frame/cart.ts'
import { codeField, readCodeEdit } from './codes.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { field, fieldsNamed, type Html, type ShopResult, type ShopContext } from '../frame/page.ts'
import { frame, buildHomePath, note, offline, picture, renderParts, renderShipsFrom, spoken } from '../frame/view.ts'
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
  const codeEdit = readCodeEdit(form)
  const isAboutCodes = Boolean(codeEdit.add || codeEdit.remove)
  const goesOn = isAboutCodes || field(form, 'act') === 'checkout'
  const isOrderable = goesOn && newCart.length > 0 && (await takesCart(context, newCart))
  if (isAboutCodes && isOrderable) return changeCodes(context, newCart, codeEdit)
  if (field(form, 'act') !== 'checkout' || !isOrderable) {
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

/** Reads what is in the cart only where that decides. */
async function takesCart({ db, store, offer }: ShopContext, cart: ShopCart): Promise<boolean> {
  if (takesOrders(offer, []) || !takesOrders(offer, notShipped)) return takesOrders(offer, [])
  const { lines } = await lookUpLines(db, store, cart)
  return !areAnyShipped(lines)
}

/** The checkout has the codes, so the first one begins it. */
async function changeCodes(context: ShopContext, cart: ShopCart, codeEdit: CodeEdit): Promise<ShopResult> {
  const { guard, form } = context
  const { checkout: token = null } = context.cookies
  const own = { cart: cartCookie(cart) }
  let endTry: EndGuard | undefined
  try {
    if (codeEdit.add) endTry = await guard.tryCodes(token, { field: 'discount_code', count: 1 })
    const checkout = await beginCheckout(context, cart, codeEdit)
    await endTry?.()
    const to = field(form, 'act') === 'checkout' ? '/checkout' : '/cart'
    return { to, cookies: { ...own, checkout, codes: '1' } }
  } catch (error) {
    await endTry?.(error)
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const current = { ...context, cookies: { ...context.cookies, cart: own.cart ?? '' } }
    const faults = [...error.faults]
    return { ...(await cartPage(current, cart, { faults, code: codeEdit.add ?? '' })), status: 422, cookies: own }
  }
}

function readQuantity(input: string | undefined, current: number): number | null {
  if (input === undefined) return current
  return /^\s*\d{1,3}\s*$/.test(input) ? Number(input) : null
}

type CartErrors = { faults?: Fault[]; input?: string[]; code?: string }

async function cartPage(
  context: ShopContext,
  cart: ShopCart,
  { faults = [], input = [], code = '' }: CartErrors = {},
): Promise<ShopResult> {
  const { db, store, offer, t, translation } = context
  if (cart.length === 0) {
    return { page: note(context, { title: t('cart'), text: t('cart_empty') }) }
  }
  const request = { ...emptyCart, items: [...cart], discount_codes: await findCartCodes(context) }
  const [quote, thumbnails, calling] = await Promise.all([
    quoteCart(db, store, request, Promise.resolve(offer), { now: db.clock.now() }),
    findThumbnails(db, store.id, translation, cart),
    findLineTranslations(db, store.id, translation, cart),
  ])
  // The codes of the cart say themselves why they do not apply.
  const quoteFaults = quote.faults.filter((one) => !isAboutCode(one))
  const errors = fieldErrors(context, [...faults, ...quoteFaults])
  return {
    page: frame(context, {
      title: t('cart'),
      content: html`
<h1>${t('cart')}</h1>
${takesOrders(offer, quote.items) ? '' : notice('warning', t('not_ready'))}
${context.query.added && Object.keys(errors).length === 0 ? notice('done', t('added')) : ''}
${offline(t)}
<form class="cart" method="post" action="${context.root}/cart" novalidate data-once data-live="500">
<button class="hidden" tabindex="-1" aria-hidden="true">${t('update')}</button>
<ul class="lines" id="lines" data-swap="rows">${calling(quote.items).map((item, index) =>
        line(context, { item, thumbnail: thumbnails[index] ?? null, index, errors, input: input[index] }),
      )}</ul>
${totals(context, quote, { value: code, fault: errors.discount_code })}
</form>
${spoken()}`,
    }),
  }
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
${renderParts(thumbnail?.parts)}
${renderShipsFrom(context, item)}
<p class="soft" id="${id}-price" data-swap>${price(item.unit_price)}</p>
<div class="pair"><label class="hidden" for="${id}">${t('quantity_of', { name })}</label>
<input${control}${aboutField(id, { fault, focus: field !== undefined && field === Object.keys(errors)[0] })}>
<button class="link" name="remove" value="${index}">${t('remove')}<span class="hidden"> ${name}</span></button></div>
${renderFieldFault(id, fault)}
</div>
<p class="sum" id="${id}-sum" data-swap>${price(item.total_price)}</p>
</li>`
}

type TypedCode = { value: string; fault: string | undefined }

function totals(context: ShopContext, quote: Quote, typedCode: TypedCode): Html {
  const { t, price } = context
  const { subtotal, included_tax, discount, applied, codes } = quote
  const savings = toAppliedDiscountViews({ applied }).filter(({ amount }) => amount > 0)
  const paid = subtotal.minus(discount)
  const isOrderable = takesOrders(context.offer, quote.items)
  const isShownWithoutTax = context.taxView.way === 'excluded' && !included_tax.isZero()
  const renderCartTotalRow = (name: string, amount: string) =>
    html`<p class="row"><span>${name}</span> <span>${amount}</span></p>`
  const discounts = listCheckedDiscounts(quote)
  const codeParts = { codes: codes.map(({ code }) => code), discounts, ...typedCode }
  return html`<div class="totals" id="totals" data-swap>
${isOrderable ? codeField(context, codeParts) : ''}
${savings.length > 0 ? renderCartTotalRow(t('subtotal'), price(subtotal.toString())) : ''}
${savings.map(({ label, amount }) => renderCartTotalRow(t('discount_with', { code: label }), `−${price(amount)}`))}
<p class="row total"><span>${t(savings.length > 0 ? 'after_discounts' : 'subtotal')}</span>
<span id="total">${price(paid.toString())}</span></p>
${isShownWithoutTax ? renderCartTotalRow(t('tax_without'), price(paid.minus(included_tax).toString())) : ''}
<p class="soft">${t(included_tax.isZero() ? 'then_shipping' : 'then_shipping_only')}</p>
${isOrderable ? html`<button class="full" name="act" value="checkout">${t('to_checkout')}</button>` : ''}
<p class="pair"><button class="link" name="act" value="update">${t('update')}</button>
<a href="${buildHomePath(context)}">${t('continue_shopping')}</a></p>
</div>`
}

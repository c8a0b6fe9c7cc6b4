// The cart is in a cookie: products and quantities, no prices. Nothing is written before a checkout
// begins; from then on the checkout follows the cart.
import { ApiError } from '../../../kit/values/errors.ts'
import { normalizeDiscountCode } from '../../../commerce/discounts/discount.ts'
import type { CodeEdit } from '../../checkout/cart/codes.ts'
import { findCheckout, findDiscountCodes } from '../../checkout/cart/operations.ts'
import { firstDestination } from '../../checkout/offers/shipping.ts'
import type { CheckoutInput, NewCheckout } from '../../checkout/checkout.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { buildCheckoutPrefill } from './prefill.ts'
import { changeShopCheckout, createShopCheckout } from './changecheckout.ts'
import { findCurrentShopper } from './shopper.ts'
import type { ShopContext, ShopResult } from './page.ts'

/** IDs are UUIDs. */
export type CartLine = { product_id: string; variant_id: string | null; quantity: number }
export type ShopCart = readonly CartLine[]

// 50 lines of 50 characters fit into a cookie.
const maxLines = 50
export const maxQuantity = 999

export function readCart({ cookies }: Pick<ShopContext, 'cookies'>): ShopCart {
  const lines = (cookies.cart ?? '')
    .split('.')
    .map(parseCartLine)
    .filter((line) => line !== null)
  return lines.slice(0, maxLines)
}

/** The value of the cookie; null for an empty cart. */
export function cartCookie(cart: ShopCart): string | null {
  const short = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
  const texts = cart.map(
    ({ product_id, variant_id, quantity }) =>
      `${short(product_id)}${variant_id ? `~${short(variant_id)}` : ''}*${quantity}`,
  )
  return texts.length > 0 ? texts.join('.') : null
}

const lineForm = /^([\w-]{22})(?:~([\w-]{22}))?\*([1-9]\d{0,2})$/

function parseCartLine(text: string): CartLine | null {
  const [, product, variant, quantity] = lineForm.exec(text) ?? []
  if (!product) return null
  return {
    product_id: decodeUuid(product),
    variant_id: variant ? decodeUuid(variant) : null,
    quantity: Number(quantity),
  }
}

function decodeUuid(short: string): string {
  return Buffer.from(short, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function countCartUnits(cart: ShopCart): number {
  return cart.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Adds a line, or increases an existing one. Null if the cart is full. */
export function withLine(cart: ShopCart, newLine: CartLine): ShopCart | null {
  const existing = cart.find((line) => line.product_id === newLine.product_id && line.variant_id === newLine.variant_id)
  if (!existing) return cart.length < maxLines ? [...cart, newLine] : null
  const quantity = Math.min(existing.quantity + newLine.quantity, maxQuantity)
  return cart.map((line) => (line === existing ? { ...existing, quantity } : line))
}

/** Quantities in the order of the cart; 0 removes a line. */
export function withQuantities(cart: ShopCart, quantities: readonly number[]): ShopCart {
  return cart
    .map((line, index) => ({ ...line, quantity: quantities[index] ?? line.quantity }))
    .filter(({ quantity }) => quantity > 0)
}

export async function openCheckout({ db, store, cookies }: ShopContext): Promise<Checkout | null> {
  if (!cookies.checkout) return null
  return orNull(findCheckout(db, store, cookies.checkout))
}

/** Updates an open checkout with the current cart. Errors appear when the shopper returns to it. */
export async function followCart(context: ShopContext, cart: ShopCart): Promise<void> {
  const { checkout: token } = context.cookies
  if (token) await orNull(changeShopCheckout(context, token, { items: [...cart] }, { asks: false }))
}

/** The token of the open checkout with these lines, or of a new one. Throws errors about the lines. */
export async function beginCheckout(context: ShopContext, cart: ShopCart, codeEdit: CodeEdit = {}): Promise<string> {
  const { checkout: token } = context.cookies
  const items = [...cart]
  if (token) {
    const current = await changeShopCheckout(context, token, { items }, { codeEdit }).catch(nullIfGone)
    if (current) return token
  }
  await context.guard.begin()
  const discount_code = codeEdit.add ? normalizeDiscountCode(codeEdit.add) || null : null
  const create = (first: FirstInput) => createFirst(context, { items, discount_code, ...first })
  const shopper = await findCurrentShopper(context)
  if (!shopper) return create(buildFirstMethods(context))
  try {
    return await create(await buildCheckoutPrefill(context, shopper))
  } catch (error) {
    // A customer's record may have less data than a checkout requires.
    if (!(error instanceof ApiError) || !error.faults.some(({ field }) => isOfShopper.test(field))) throw error
    return create(buildFirstMethods(context))
  }
}

type FirstInput = Omit<CheckoutInput, 'items' | 'discount_code'>

/** The token of a new checkout. */
async function createFirst(context: ShopContext, first: NewCheckout): Promise<string> {
  return (await createShopCheckout(context, { locale: context.language, ...first })).token
}

const isOfShopper = /^(customer|shipping_address|billing_address)\b/

/** Preselects a destination and methods, so that the first total can be paid. */
function buildFirstMethods({ store, offer }: ShopContext) {
  const { country_code, ...methods } = firstDestination(offer, store.country_code)
  return { shipping_address: { country_code }, ...methods }
}

/** The codes of the open checkout. Read only if it has had some. */
export async function findCartCodes({ db, store, cookies }: ShopContext): Promise<string[]> {
  if (!cookies.codes || !cookies.checkout) return []
  return (await orNull(findDiscountCodes(db, store, cookies.checkout))) ?? []
}

/** Marks the cart as one whose checkout has codes, as long as it has some. */
export function rememberCodes({ cookies }: ShopContext, checkout: Checkout): Pick<ShopResult, 'cookies'> {
  const codes = checkout.discount_codes.length > 0 ? '1' : null
  return codes === (cookies.codes ?? null) ? {} : { cookies: { codes } }
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}

/** Null for a checkout that is completed, expired or unknown. */
function nullIfGone(error: unknown): null {
  if (error instanceof ApiError && [404, 409, 410].includes(error.status)) return null
  throw error
}

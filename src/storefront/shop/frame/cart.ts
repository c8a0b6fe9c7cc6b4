// The cart is in a cookie: products and quantities, no prices. Nothing is written before a checkout
// begins; from then on the checkout follows the cart.
import { ApiError } from '../../../kit/values/errors.ts'
import { createCheckout, changeCheckout, findCheckout } from '../../checkout/cart/operations.ts'
import { firstDestination } from '../../checkout/offers/shipping.ts'
import type { CheckoutInput } from '../../checkout/checkout.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { buildCheckoutPrefill } from './prefill.ts'
import { findCurrentShopper } from './shopper.ts'
import type { ShopContext } from './page.ts'

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
export async function followCart(
  { db, store, deps, cookies: { checkout: token } }: ShopContext,
  cart: ShopCart,
): Promise<void> {
  if (token) await orNull(db.transaction((tx) => changeCheckout(tx, store, token, { items: [...cart] }, deps)))
}

/** The token of the open checkout with these lines, or of a new one. Throws errors about the lines. */
export async function beginCheckout(context: ShopContext, cart: ShopCart): Promise<string> {
  const {
    db,
    store,
    deps,
    language,
    cookies: { checkout: token },
  } = context
  const items = [...cart]
  if (token) {
    const isCurrent = await db.transaction((tx) => changeCheckout(tx, store, token, { items }, deps)).catch(nullIfGone)
    if (isCurrent) return token
  }
  await context.guard.begin()
  const create = async (first: Omit<CheckoutInput, 'items'>) => {
    const input = { items, locale: language, ...first }
    return (await db.transaction((tx) => createCheckout(tx, store, input, deps))).token
  }
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

const isOfShopper = /^(customer|shipping_address|billing_address)\b/

/** Preselects a destination and methods, so that the first total can be paid. */
function buildFirstMethods({ store, offer }: ShopContext) {
  const { country_code, ...methods } = firstDestination(offer, store.country_code)
  return { shipping_address: { country_code }, ...methods }
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

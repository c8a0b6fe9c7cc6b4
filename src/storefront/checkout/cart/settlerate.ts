// The hosted checkout always has a rate that is offered, if there is one: weight, amount, address and apps may exclude
// the one that was chosen.
import type { Db } from '../../../kit/database/database.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import type { CheckoutItem, CheckoutRow } from '../checkout.ts'
import { deliversElsewhere, isPaidBy, methodsWith } from '../offers/shipping.ts'
import { quoteCart, type CartInput, type Quote } from './quote.ts'

type QuotedRow = { row: CheckoutRow; cart: CartInput; quote: Quote }

/**
 * Replaces a rate that is not offered by the first one that is, with a payment method that it allows. Where the store
 * delivers elsewhere, a delivery does not become a pickup by itself.
 */
export async function settleRate(
  db: Db,
  store: Store,
  { row, cart, quote }: QuotedRow,
  { now, existing = [] }: { now: Date; existing?: readonly CheckoutItem[] },
): Promise<Pick<QuotedRow, 'row' | 'quote'>> {
  const { shipping_method: chosen } = cart
  if (chosen === null || quote.rates.some(({ code }) => code === chosen)) return { row, quote }
  const before = quote.own_offer.shipping_rates.find(({ code }) => code === chosen)
  const place = { ...cart, isShipped: areAnyShipped(quote.items) }
  const isDelivered = before?.requires_address !== false && deliversElsewhere(quote.own_offer, place)
  const rate = quote.rates.find((one) => one.requires_address || !isDelivered) ?? null
  const { payment_method: method } = row
  const isPaid = !rate || (method !== null && isPaidBy(rate, { code: method }))
  const payment_method = isPaid ? cart.payment_method : (methodsWith(quote.offer, rate)[0]?.code ?? null)
  const methods = { shipping_method: rate?.code ?? null, payment_method }
  const offer = Promise.resolve(quote.own_offer)
  const settled = isPaid ? { ...row, shipping_method: methods.shipping_method } : withMethods(row, methods)
  return { row: settled, quote: await quoteCart(db, store, { ...cart, ...methods }, offer, { now, existing }) }
}

/** The payment method is chosen, and no preset any more. */
function withMethods(row: CheckoutRow, methods: Pick<CheckoutRow, 'shipping_method' | 'payment_method'>): CheckoutRow {
  return { ...row, ...methods, presets: row.presets.filter((name) => name !== 'payment_method') }
}

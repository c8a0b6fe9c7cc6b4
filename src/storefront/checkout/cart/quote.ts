// Quotes a cart at today's prices, and reports the faults that prevent the order.
import type { Db } from '../../../kit/database/database.ts'
import { pick } from '../../../kit/declare/row.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { isExemptBuyer } from '../../../commerce/customers/exemption.ts'
import { findDiscounts } from '../../../commerce/discounts/uses.ts'
import type { BillingInput } from '../../../commerce/orders/billing.ts'
import type { LineInput } from '../../../commerce/orders/item.ts'
import { findLoad, type Load } from '../../../commerce/orders/load.ts'
import { isUndelivered } from '../../../commerce/orders/rate.ts'
import { listRateReasons } from '../../../commerce/orders/rateoffer.ts'
import { repriceLine, lookUpLines, type OrderLine } from '../../../commerce/orders/lines.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkTaxId } from '../../../commerce/tax/taxid.ts'
import type { CustomValues } from '../../../tenancy/stores/customvalues.ts'
import { taxSale, type LocalPrices } from '../../../commerce/tax/prices.ts'
import { choosePlace } from '../../../commerce/tax/treatment.ts'
import type { ChosenBump, CheckoutItem } from '../checkout.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import type { OfferedBump, Offer, OfferedRate } from '../offers/offer.ts'
import { findOnlyRate, isPaidBy, listAllRates, methodsWith } from '../offers/shipping.ts'
import { applyQuotes, planQuotes, type ShippingQuotes } from '../offers/quotes.ts'
import { findQuotedRates, type QuotedRate } from '../../../tenancy/stores/ratequote.ts'
import { checkAnswers, type AnswerChanges } from '../offers/answers.ts'
import { computeCartTotals, type CartTotals } from './totals.ts'
import { checkoutFaults } from '../errors.ts'
import { orderFaults } from '../../../commerce/orders/errors.ts'

export type CartInput = {
  items: { product_id: string; variant_id?: string | null; quantity: number }[]
  bump_ids: string[]
  discount_codes: string[]
  shipping_method: string | null
  payment_method: string | null
  country_code: string | null
  province: string | null
  postal_code: string | null
  billing: BillingInput | null
  email: string | null
  phone: string | null
  tax_id: string | null
  /** All answers to custom fields, and those that the request has. */
  answers: AnswerChanges | null
  answered?: AnswerChanges | null | undefined
  /** The prices that apps quoted. */
  quotes?: ShippingQuotes | null
}

/** A cart without goods, choices and buyer. */
export const emptyCart: CartInput = {
  items: [],
  bump_ids: [],
  discount_codes: [],
  shipping_method: null,
  payment_method: null,
  country_code: null,
  province: null,
  postal_code: null,
  billing: null,
  email: null,
  phone: null,
  tax_id: null,
  answers: null,
}

export type Quote = CartTotals & {
  items: CheckoutItem[]
  order_bumps: ChosenBump[]
  /** The lines for the order: the shopper's, then those of bumps. Null for a line that cannot be sold. */
  lines: (OrderLine | null)[]
  rate: OfferedRate | null
  method: CheckoutMethod | null
  offer: Offer
  /** Without the prices that apps quoted. */
  own_offer: Offer
  custom_fields: CustomValues | null
}

/** The pending reads of a quote, with their parameters. */
export type CartReads = {
  asked: string
  lookup: ReturnType<typeof lookUpLines>
  discounts: ReturnType<typeof findDiscounts>
  isExempt: Promise<boolean>
}

export function readCart(db: Db, store: Store, cart: CartInput, lines: readonly LineInput[] = cart.items): CartReads {
  return {
    asked: buildCacheKey(cart, lines),
    lookup: lookUpLines(db, store, lines),
    discounts: findDiscounts(db, store, { codes: cart.discount_codes, withAutomatic: true, buyer: cart }),
    isExempt: isExemptBuyer(db, store.id, cart),
  }
}

function buildCacheKey({ discount_codes, email, phone, tax_id }: CartInput, lines: readonly LineInput[]): string {
  return JSON.stringify([lines, discount_codes, email, phone, tax_id])
}

/** `offered` may be pending. Unsellable lines stay as `existing`. `ahead` is used if its parameters match. */
export async function quoteCart(
  db: Db,
  store: Store,
  cart: CartInput,
  offering: Promise<Offer>,
  { now, existing = [], ahead }: { now: Date; existing?: readonly CheckoutItem[]; ahead?: CartReads | undefined },
): Promise<Quote> {
  const { lines, requestedBumps } = await listCartLines(cart, offering)
  const reads = ahead?.asked === buildCacheKey(cart, lines) ? ahead : readCart(db, store, cart, lines)
  const [lookup, discounts, isExempt, ownOffer, quoted] = await Promise.all([
    reads.lookup,
    reads.discounts,
    reads.isExempt,
    offering,
    findQuotedRates(db, store),
  ])
  const load = await findLoad(db, store, lookup.lines, ownOffer.shipping_rates)
  const fullOffer = load.isShipped ? ownOffer : { ...ownOffer, shipping_rates: listAllRates(ownOffer) }
  const offer = withQuotes(fullOffer, store, { cart, lines: lookup.lines, load, quoted })
  const parts = { cart, lines, lookup, requestedBumps, existing, discounts, isExempt, offer, load, now }
  const { rate: possibleRate, fault: rateFault } = chooseRate(cart, offer, load)
  const first = priceCart(parts, store, possibleRate)
  // Conditions on the amount are known now.
  const only = findOnlyRate(first.rates, offer, { ...cart, isShipped: load.isShipped })
  const isDecided = cart.shipping_method !== null || only === possibleRate
  const { lineBumps, ...priced } = isDecided ? first : priceCart(parts, store, only)
  const { method, fault: methodFault } = chooseMethod(cart, offer, priced.rate)
  const answered = checkAnswers(cart.answers, cart.answered, offer.custom_fields)
  const faults = [
    ...lookup.faults
      .map((fault) => withoutCount(fault, lookup.lines))
      .map((fault) => toBumpFault(fault, cart.items.length, lineBumps)),
    ...requestedBumps.filter(({ bump }) => !bump).map(notOffered),
    ...[rateFault, methodFault, taxIdFault(cart, store)].filter((fault) => fault !== null),
    ...priced.faults,
    ...answered.faults,
  ]
  return { ...priced, method, offer, own_offer: ownOffer, custom_fields: answered.answers, faults }
}

/** The lines of a cart, those of bumps last. */
export async function listCartLines(
  cart: CartInput,
  offering: Promise<Offer>,
): Promise<{ lines: LineInput[]; requestedBumps: RequestedBump[] }> {
  const requestedBumps = cart.bump_ids.length > 0 ? listRequestedBumps(cart, await offering) : []
  const bumpLines = requestedBumps.map(({ bump }) => toBumpLine(bump)).filter((line) => line !== null)
  return { lines: [...cart.items, ...bumpLines], requestedBumps }
}

type QuotedParts = Pick<CartParts, 'cart' | 'load'> & { lines: (OrderLine | null)[]; quoted: QuotedRate[] }

/** The offer with the prices that apps quoted for just this cart and address. */
function withQuotes(offer: Offer, store: Store, { cart, ...parts }: QuotedParts): Offer {
  if (parts.quoted.length === 0) return offer
  const plan = planQuotes(offer.shipping_rates, { place: cart, ...parts }, store)
  const answers = plan && cart.quotes?.digest === plan.digest ? cart.quotes.answers : []
  return { ...offer, shipping_rates: applyQuotes(offer.shipping_rates, parts.quoted, answers) }
}

type CartParts = {
  cart: CartInput
  lines: readonly LineInput[]
  lookup: Awaited<CartReads['lookup']>
  requestedBumps: RequestedBump[]
  existing: readonly CheckoutItem[]
  discounts: Awaited<CartReads['discounts']>
  isExempt: boolean
  offer: Offer
  load: Load
  now: Date
}

/** The cart with this rate, at the prices of its destination. */
function priceCart(parts: CartParts, store: Store, rate: OfferedRate | null) {
  const { cart, lines, lookup, requestedBumps, existing, discounts, isExempt, offer, load, now } = parts
  const billing = cart.billing && { country_code: null, ...cart.billing }
  const place = choosePlace(cart, billing, !rate || !isUndelivered(rate))
  const { treatment, prices } = taxSale(offer, store, place, { tax_id: cart.tax_id, is_exempt: isExempt })
  const pricedLines = lookup.lines.map((line) => line && repriceLine(line, prices))
  const lineBumps = requestedBumps.filter(({ bump }) => toBumpLine(bump) !== null)
  const getLineBump = (index: number) => lineBumps[index - cart.items.length]
  const items = lines.map((line, index) =>
    toCheckoutItem(line, pricedLines[index] ?? null, getLineBump(index)?.bump, existing[index]),
  )
  const order_bumps = requestedBumps.flatMap(({ bump }) => (bump && !bump.product_id ? [chosenBump(bump, prices)] : []))
  const goods = {
    items: items.map(({ total_price }, index) => ({
      product_id: lines[index]!.product_id ?? null,
      category_id: lookup.lines[index]?.category_id ?? null,
      requires_shipping: lookup.lines[index]?.requires_shipping,
      quantity: lines[index]!.quantity,
      total: new Decimal(total_price),
      parts: pricedLines[index]?.parts ?? null,
    })),
    bumps: order_bumps.map(({ price }) => ({ product_id: null, category_id: null, total: new Decimal(price) })),
  }
  const terms = { discounts, rate, load, treatment, prices, offered: offer.shipping_rates, place: cart }
  const context = { ...pick(store, ['currency', 'timezone']), now, items }
  const totals = computeCartTotals({ goods, discountCodes: cart.discount_codes, ...terms }, context)
  return { ...totals, items, order_bumps, lines: pricedLines, lineBumps, rate }
}

function taxIdFault({ tax_id, billing, country_code }: CartInput, store: Store): Fault | null {
  const country = billing?.country_code ?? country_code ?? store.country_code
  const isWrong = tax_id !== null && checkTaxId(tax_id, country).status === 'invalid'
  return isWrong
    ? fault(billing?.tax_id ? 'billing_address.tax_id' : 'tax_id', orderFaults.no_tax_id, { country })
    : null
}

function notOffered({ position }: RequestedBump): Fault {
  return fault(`order_bumps.${position}`, checkoutFaults.not_offered)
}

type RequestedBump = { bump: OfferedBump | undefined; position: number }

function listRequestedBumps({ bump_ids }: CartInput, { order_bumps }: Offer): RequestedBump[] {
  return bump_ids.map((id, position) => ({ bump: order_bumps.find((one) => one.id === id), position }))
}

function toBumpLine(bump: OfferedBump | undefined): LineInput | null {
  if (!bump?.product_id) return null
  return { product_id: bump.product_id, variant_id: bump.variant_id, quantity: 1, unit_price: bump.price }
}

function chosenBump({ id, title, price }: OfferedBump, prices: LocalPrices): ChosenBump {
  const there = prices.ofGoods(new Decimal(price), { category_id: null })
  return { bump_id: publicId('bump', id), title, price: toNumber(there) }
}

function toCheckoutItem(
  input: LineInput,
  line: OrderLine | null,
  bump: OfferedBump | undefined,
  existing: CheckoutItem | undefined,
): CheckoutItem {
  const product_id = publicId('prod', input.product_id!)
  if (!line && existing?.product_id === product_id) return existing
  return {
    product_id,
    variant_id: input.variant_id ?? null,
    product_name: line?.product_name ?? '',
    variant_name: line?.variant_name ?? null,
    quantity: input.quantity,
    unit_price: toNumber(line?.unit_price ?? new Decimal(0)),
    total_price: toNumber(line?.total ?? new Decimal(0)),
    bump_id: bump ? publicId('bump', bump.id) : null,
    available_on: line?.available_on ?? null,
    requires_shipping: line?.requires_shipping ?? true,
  }
}

/** Hides the stock count from shoppers unless it is low. */
function withoutCount(one: Fault, lines: readonly (OrderLine | null)[]): Fault {
  const [, index] = one.field.split('.')
  const isShown = one.code !== 'only_left' || lines[Number(index)]?.is_few
  return isShown ? one : fault(one.field, orderFaults.more_than_left)
}

/** Reports a fault of a bump's line on the bump. */
function toBumpFault(fault: Fault, ownLines: number, lineBumps: RequestedBump[]): Fault {
  const [, index, field] = /^items\.(\d+)\.(\w+)$/.exec(fault.field) ?? []
  const bump = index === undefined ? undefined : lineBumps[Number(index) - ownLines]
  if (!bump) return fault
  return field === 'quantity' ? { ...fault, field: notOffered(bump).field } : notOffered(bump)
}

/** The requested rate, or the only one. Conditions on the amount decide once the cart is priced. */
function chooseRate(
  { shipping_method: code, ...place }: CartInput,
  offer: Offer,
  load: Load,
): { rate: OfferedRate | null; fault: Fault | null } {
  const { shipping_rates: rates } = offer
  if (code === null) {
    const possible = rates.filter((rate) => listRateReasons(rate, { load, goods: null }, place).length === 0)
    return { rate: findOnlyRate(possible, offer, { ...place, isShipped: load.isShipped }), fault: null }
  }
  const rate = rates.find((one) => one.code === code) ?? null
  return { rate, fault: rate ? null : fault('shipping_method', checkoutFaults.not_offered) }
}

function chooseMethod(
  { payment_method: code }: CartInput,
  offer: Offer,
  rate: OfferedRate | null,
): { method: CheckoutMethod | null; fault: Fault | null } {
  if (code === null) {
    const possible = methodsWith(offer, rate)
    return { method: offer.has_own_methods && possible.length === 1 ? possible[0]! : null, fault: null }
  }
  const method = offer.payment_methods.find((one) => one.code === code) ?? null
  if (!method) return { method, fault: fault('payment_method', checkoutFaults.not_offered) }
  const isPossible = rate === null || isPaidBy(rate, method)
  return {
    method,
    fault: isPossible ? null : fault('payment_method', checkoutFaults.not_with_rate, { rate: rate.code }),
  }
}

// Prices a new order before it is written: its items, its buyer and its amounts. A checkout brings its amounts with it;
// for other callers, missing amounts are calculated as in the checkout.
import type { Db, Tx } from '../../kit/database/database.ts'
import type { Fault } from '../../kit/values/faults.ts'
import { Decimal } from '../../kit/values/money.ts'
import { pick, select, type Row } from '../../kit/declare/row.ts'
import { sql } from '../../kit/database/sql.ts'
import { readDiscountCodes } from '../discounts/codes.ts'
import type { AppliedDiscount } from '../discounts/combination.ts'
import { findDiscounts, type DiscountBuyer } from '../discounts/uses.ts'
import { shippingRate } from '../../tenancy/stores/shippingrate.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { basePrices, taxSale } from '../tax/prices.ts'
import { findTaxTerms, type TaxTerms } from '../tax/terms.ts'
import { choosePlace, type TaxPlace } from '../tax/treatment.ts'
import { addressCountry } from './address.ts'
import { findBillingFaults, mergeBillingAddress, type BillingAddress } from './billing.ts'
import { toBuyerContact, findBuyer, type Buyer } from './buyer.ts'
import { repriceLine, lookUpLines, type OrderLine } from './lines.ts'
import { areAnyShipped, findLoad } from './load.ts'
import type { NewOrder } from './order.ts'
import { priceOrder, type OrderPrice } from './pricing.ts'
import { digitalRate, isUndelivered, type QuotedTerms } from './rate.ts'

/** Data that the transaction has read before it creates the order. Nothing is read twice. */
export type Precomputed = {
  /** Used instead of items, with their final prices. */
  lines: OrderLine[]
  applied: readonly AppliedDiscount[]
  /** The uuid of the customer who has the buyer's email or phone. */
  customerId: string | null
  /** What an app has said of the shipping rate beside its price. */
  quotedRate?: QuotedTerms | undefined
}

export type OrderQuote = { lines: OrderLine[]; buyer: Buyer; billing_address: BillingAddress | null; price: OrderPrice }

/** `allLines`: null for each item that cannot be sold. */
export type OrderQuoteResult = { quote: OrderQuote; allLines: (OrderLine | null)[]; faults: Fault[] }

/** Returns the quote with all reasons why the order cannot be placed. */
export function quoteNewOrder(tx: Tx, store: Store, input: NewOrder, ready?: Precomputed): Promise<OrderQuoteResult> {
  return quoteFor(tx, store, input, {
    buyer: findBuyer(tx, store, input, ready?.customerId),
    known: ready,
    now: tx.now,
  })
}

type QuoteParts = { buyer: Promise<Buyer>; known?: Precomputed | undefined; now: Date }

/** The same for a buyer who is looked up otherwise. */
export async function quoteFor(
  db: Db,
  store: Store,
  input: NewOrder,
  { known, now, ...parts }: QuoteParts,
): Promise<OrderQuoteResult> {
  const [lookup, buyer, discounts, taxTerms, rate] = await Promise.all([
    known ? { lines: known.lines, faults: [] } : lookUpLines(db, store, input.items),
    parts.buyer,
    known ? undefined : findDiscountsForOrder(db, store, input),
    findTermsForOrder(db, store, input),
    findRateForOrder(db, store.id, input),
  ])
  const load = rate && (await findLoad(db, store, lookup.lines, [rate]))
  const billing_address = completeBillingAddress(store, input, buyer)
  const place = findPlace(input, billing_address, areAnyShipped(lookup.lines) ? rate : digitalRate)
  const terms = {
    discounts,
    applied: known?.applied,
    rate,
    ...(load ? { load } : {}),
    ...taxation(taxTerms, store, place, buyer),
  }
  const pricedLines = lookup.lines.map((line, index) =>
    line && !known && input.items[index]!.unit_price === undefined ? repriceLine(line, terms.prices) : line,
  )
  const lines = pricedLines.filter((line) => line !== null)
  const bumps = (input.order_bumps ?? []).map(({ price }) => ({
    product_id: null,
    category_id: null,
    total: new Decimal(price),
  }))
  const context = { currency: store.currency, now }
  const price = priceOrder({ items: lines, bumps }, input, terms, context)
  // A checkout has checked its own, and an order of the past keeps what it had.
  const billingFaults = known ? [] : findBillingFaults(billing_address)
  const faults = [...lookup.faults, ...buyer.faults, ...billingFaults, ...price.faults]
  return { quote: { lines, buyer, billing_address, price }, allLines: pricedLines, faults }
}

/** Manual prices are final: automatic discounts apply only to the store's own prices unless the caller asks. */
function findDiscountsForOrder(db: Db, store: Store, input: NewOrder) {
  const { items, discount_amount, discount_percentage } = input
  const isDiscounted = discount_amount !== undefined || discount_percentage !== undefined
  const isByHand = isDiscounted || items.some(({ unit_price }) => typeof unit_price === 'number')
  const withAutomatic = input.automatic_discounts ?? !isByHand
  const codes = readDiscountCodes(input) ?? []
  return findDiscounts(db, store, { codes, withAutomatic, buyer: toDiscountBuyer(input) })
}

/** The buyer who uses the order's discounts. */
export function toDiscountBuyer(input: NewOrder): DiscountBuyer {
  return { ...pick(toBuyerContact(input), ['email', 'phone']), id: input.customer_id ?? null }
}

/** Undefined if nothing is taxed or the caller gives the tax. */
async function findTermsForOrder(db: Db, store: Store, { taxes, tax_amount }: NewOrder): Promise<TaxTerms | undefined> {
  return store.has_taxes && !taxes && tax_amount === undefined ? findTaxTerms(db, store.id) : undefined
}

function taxation(terms: TaxTerms | undefined, store: Store, place: TaxPlace, { tax_id, isExempt }: Buyer) {
  if (!terms) return { treatment: null, prices: basePrices }
  return taxSale(terms, store, place, { tax_id, is_exempt: isExempt })
}

/** Without a country, it is in that of the delivery. */
function completeBillingAddress(store: Store, input: NewOrder, { contact }: Buyer): BillingAddress | null {
  const { billing_address: address, country_code, shipping_address } = input
  const country = country_code ?? addressCountry(shipping_address) ?? store.country_code
  return address ? mergeBillingAddress(null, address, { name: contact.name, country }) : null
}

function findPlace(
  { country_code, shipping_address: address, shipping_method }: NewOrder,
  billing: BillingAddress | null,
  rate: Pick<OrderRatePrice, 'code' | 'requires_address' | 'pickup_address'> | undefined,
): TaxPlace {
  const isNowhere = !shipping_method && !address && !country_code
  const delivery = { ...address, country_code: country_code ?? addressCountry(address) }
  return choosePlace(delivery, billing, !isNowhere && !(rate && isUndelivered(rate)))
}

const ratePrice = select(shippingRate, [
  'code',
  'price',
  'price_by',
  'tiers',
  'surcharges',
  'free_from',
  'free_by_code',
  'requires_address',
  'pickup_address',
])
type OrderRatePrice = Omit<Row<typeof ratePrice>, 'price'> & { price: Decimal.Value }

/** The store's rate with this code, unless neither its price nor the place of tax depends on it. */
async function findRateForOrder(
  db: Db,
  storeId: string,
  { shipping_method, shipping_cost, billing_address }: NewOrder,
): Promise<OrderRatePrice | undefined> {
  if (!shipping_method || (shipping_cost !== undefined && !billing_address)) return undefined
  const rate = await db.one<OrderRatePrice>(sql`
    select ${ratePrice.columns}
    from shipping_rates
    where store_id = ${storeId}
      and code = ${shipping_method}`)
  return rate ?? (shipping_method === digitalRate.code ? digitalRate : undefined)
}

// What a checkout comes to: items and bumps, discount, shipping, tax. Pure arithmetic over what orders are priced with.
import type { Fault } from '../kit/values/faults.ts'
import { Decimal, round, toNumber } from '../kit/values/money.ts'
import type { DiscountRow } from '../discounts/discount.ts'
import { discountOf, type DiscountLine } from '../discounts/pricing.ts'
import { priceOrder } from '../orders/pricing.ts'
import type { Offer, Rate } from './offer.ts'
import { costOf, isFree, type ShippingCost } from './shipping.ts'

type Terms = {
  rate: Rate | null
  /** All that could be chosen. */
  rates: readonly Rate[]
  tax: Pick<Offer, 'tax_rate' | 'tax_included' | 'tax_shipping'>
  /** What the code names, if anything. */
  discount: DiscountRow | undefined
  code: string | null
}

export type Totals = {
  subtotal: Decimal
  discount: Decimal
  shipping: Decimal
  /** What is added to the prices. */
  tax: Decimal
  /** What the prices contain already; no part of the sum. */
  included_tax: Decimal
  /** subtotal − discount + shipping + tax */
  total: Decimal
  free_shipping: boolean
  shipping_costs: ShippingCost[]
  faults: Fault[]
}

/** `lines` is everything that is bought, bumps without a product included. */
export function totalsOf(
  lines: readonly DiscountLine[],
  { rate, rates, tax, discount, code }: Terms,
  context: { currency: string; now: Date },
): Totals {
  const { currency } = context
  const found = code === null ? undefined : discountOf(discount, lines, context)
  const goods = lines.reduce((sum, { total }) => sum.plus(total), zero).minus(found?.amount ?? 0)
  const parcel = { goods, isWaived: found?.free_shipping ?? false, currency }
  const shipping = rate === null ? zero : costOf(rate, parcel)
  const free_shipping = parcel.isWaived || (rate !== null && isFree(rate, parcel))
  const taxed = tax.tax_shipping ? goods.plus(shipping) : goods
  const added = tax.tax_included ? zero : round(taxed.times(tax.tax_rate).dividedBy(100), currency)
  const within = tax.tax_included
    ? round(taxed.times(tax.tax_rate).dividedBy(new Decimal(tax.tax_rate).plus(100)), currency)
    : zero
  const given = { discount_code: code, shipping_cost: shipping.toNumber(), tax_amount: added.toNumber() }
  const price = priceOrder(lines, given, discount, context)
  return {
    subtotal: price.subtotal,
    discount: price.discount_amount,
    shipping: price.shipping_cost,
    tax: price.tax_amount,
    included_tax: within,
    total: price.total,
    free_shipping,
    shipping_costs: rates.map((rate) => ({ code: rate.code, price: toNumber(costOf(rate, parcel)) })),
    faults: price.faults,
  }
}

const zero = new Decimal(0)

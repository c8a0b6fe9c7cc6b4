// What a checkout comes to: items and bumps, discount, shipping, tax. Pure arithmetic over what orders are priced with.
import type { Fault } from '../kit/values/faults.ts'
import { Decimal, toNumber } from '../kit/values/money.ts'
import type { DiscountRow } from '../discounts/discount.ts'
import { discountOf, type DiscountLine } from '../discounts/pricing.ts'
import { priceOrder } from '../orders/pricing.ts'
import { taxedGoods, taxesOf, type Taxes } from '../tax/amounts.ts'
import type { PricesThere } from '../tax/prices.ts'
import type { Treatment } from '../tax/treatment.ts'
import type { Rate } from './offer.ts'
import { costOf, isFree, type ShippingCost } from './shipping.ts'

type Terms = {
  rate: Rate | null
  /** All that could be chosen. */
  rates: readonly Rate[]
  treatment: Treatment | null
  prices: PricesThere
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
  taxes: Taxes
  /** subtotal − discount + shipping + tax */
  total: Decimal
  free_shipping: boolean
  shipping_costs: ShippingCost[]
  faults: Fault[]
}

/** `lines` is everything that is bought: so many items, then bumps without a product. */
export function totalsOf(
  lines: readonly DiscountLine[],
  items: number,
  { rate, rates, treatment, prices, discount, code }: Terms,
  context: { currency: string; now: Date },
): Totals {
  const { currency } = context
  const found = code === null ? undefined : discountOf(discount, lines, context)
  const goods = lines.reduce((sum, { total }) => sum.plus(total), zero).minus(found?.amount ?? 0)
  const parcel = { goods, isWaived: found?.free_shipping ?? false, currency }
  const cost = (rate: Rate) => prices.ofShipping(costOf(rate, parcel))
  const shipping = rate === null ? zero : cost(rate)
  const free_shipping = rate === null ? parcel.isWaived : isFree(rate, parcel)
  const shares = found?.allocation ?? lines.map(() => zero)
  const taxes = taxesOf(taxedGoods(lines, items, shares), shipping, treatment, currency)
  const costs = { shipping_cost: shipping.toNumber(), tax_amount: taxes.added.toNumber() }
  const price = priceOrder(lines, { discount_code: code, free_shipping, ...costs }, discount, context)
  return {
    subtotal: price.subtotal,
    discount: price.discount_amount,
    shipping: price.shipping_cost,
    tax: price.tax_amount,
    included_tax: taxes.included,
    taxes,
    total: price.total,
    free_shipping,
    shipping_costs: rates.map((rate) => ({ code: rate.code, price: toNumber(cost(rate)) })),
    faults: price.faults,
  }
}

const zero = new Decimal(0)

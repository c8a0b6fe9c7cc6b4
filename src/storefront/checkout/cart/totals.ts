// The totals of a checkout, and the cost of each shipping rate.
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { AppliedDiscount } from '../../../commerce/discounts/combination.ts'
import { priceOrder, type OrderPrice, type PricedGoods, type PricingTerms } from '../../../commerce/orders/pricing.ts'
import { computeShippingCost } from '../../../commerce/orders/shippingcost.ts'
import type { Taxes } from '../../../commerce/tax/amounts.ts'
import type { LocalPrices } from '../../../commerce/tax/prices.ts'
import type { OfferedRate } from '../offers/offer.ts'
import type { ShippingCost } from '../offers/shipping.ts'

type PricedCart = PricingTerms & {
  goods: PricedGoods
  code: string | null
  prices: LocalPrices
  /** All rates that can be chosen. */
  rates: readonly OfferedRate[]
}

export type CartTotals = {
  subtotal: Decimal
  discount: Decimal
  shipping: Decimal
  /** Tax added to the prices. */
  tax: Decimal
  /** Tax included in the prices; not part of the sum. */
  included_tax: Decimal
  taxes: Taxes
  /** subtotal − discount + shipping + tax */
  total: Decimal
  free_shipping: boolean
  applied: readonly AppliedDiscount[]
  shipping_costs: ShippingCost[]
  faults: Fault[]
}

export function computeCartTotals(
  { goods: goods, code, rates, ...terms }: PricedCart,
  context: { currency: string; now: Date },
): CartTotals {
  const price = priceOrder(goods, { discount_code: code }, terms, context)
  const { parcel, faults } = price
  const cost = (rate: OfferedRate) => toNumber(terms.prices.ofShipping(computeShippingCost(rate, parcel)))
  return {
    ...toCartAmounts(price),
    shipping_costs: rates.map((rate) => ({ code: rate.code, price: cost(rate) })),
    faults,
  }
}

/** Maps the amounts of an order to their names in a checkout. */
export function toCartAmounts(price: OrderPrice): Omit<CartTotals, 'shipping_costs' | 'faults'> {
  const { subtotal, discount_amount, shipping_cost, tax_amount, taxes, total, free_shipping, applied } = price
  return {
    subtotal,
    discount: discount_amount,
    shipping: shipping_cost,
    tax: tax_amount,
    included_tax: taxes.included,
    taxes,
    total,
    free_shipping,
    applied,
  }
}

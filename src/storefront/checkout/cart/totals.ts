// The totals of a checkout, and the cost of each shipping rate.
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { DeliveryPlace } from '../../../kit/values/places.ts'
import type { AppliedDiscount, CodeResult } from '../../../commerce/discounts/combination.ts'
import { priceOrder, type OrderPrice, type PricedGoods, type PricingTerms } from '../../../commerce/orders/pricing.ts'
import { estimateArrival, type DatedItems } from '../../../commerce/orders/arrival.ts'
import { explainRate, type RateExplanation } from '../../../commerce/orders/rateoffer.ts'
import type { Taxes } from '../../../commerce/tax/amounts.ts'
import type { LocalPrices } from '../../../commerce/tax/prices.ts'
import type { OfferedRate } from '../offers/offer.ts'
import type { ShippingCost } from '../offers/shipping.ts'

type PricedCart = PricingTerms & {
  goods: PricedGoods
  discountCodes: readonly string[]
  rate: OfferedRate | null
  prices: LocalPrices
  /** All rates, of which those are offered that ship to the place. */
  offered: readonly OfferedRate[]
  place: DeliveryPlace
}

/** `cost` is its line in the checkout. */
type ExplainedRate = RateExplanation & { rate: OfferedRate; cost: ShippingCost }

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
  codes: readonly CodeResult[]
  /** All rates, each with its price at the destination. */
  explanations: ExplainedRate[]
  /** The rates that can be chosen. */
  rates: OfferedRate[]
  shipping_costs: ShippingCost[]
  faults: Fault[]
}

export function computeCartTotals(
  { goods, discountCodes, offered, place, ...terms }: PricedCart,
  context: { currency: string; now: Date; timezone: string; items: DatedItems },
): CartTotals {
  const { now, timezone, items } = context
  const discount_codes = discountCodes.length > 1 ? discountCodes : undefined
  const price = priceOrder(goods, { discount_codes }, terms, context)
  const { parcel, faults } = price
  const explanations = offered.map((rate): ExplainedRate => {
    const explanation = explainRate(rate, parcel, place)
    const cost = price.ofShipping(explanation.price)
    return { rate, ...explanation, price: cost, cost: toShippingCost(rate, cost, { now, timezone, items }) }
  })
  const available = explanations.filter(({ isOffered }) => isOffered)
  const chosen = explanations.find(({ rate }) => rate === terms.rate)
  return {
    ...toCartAmounts(price),
    explanations,
    rates: available.map(({ rate }) => rate),
    shipping_costs: available.map(({ cost }) => cost),
    faults: [...(chosen?.reasons ?? []).map((one) => ({ field: 'shipping_method', ...one })), ...faults],
  }
}

function toShippingCost(
  rate: OfferedRate,
  price: Decimal,
  { now, timezone, items }: { now: Date; timezone: string; items: DatedItems },
): ShippingCost {
  const arrival = estimateArrival(rate, now, timezone, items)
  return {
    code: rate.code,
    price: toNumber(price),
    arrives_from: arrival?.from ?? null,
    arrives_to: arrival?.to ?? null,
    ...(rate.quote?.source === 'app' && rate.name ? { name: rate.name } : {}),
  }
}

/** Maps the amounts of an order to their names in a checkout. */
export function toCartAmounts(
  price: OrderPrice,
): Omit<CartTotals, 'explanations' | 'rates' | 'shipping_costs' | 'faults'> {
  const { subtotal, discount_amount, shipping_cost, tax_amount, taxes, total, free_shipping, applied, codes } = price
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
    codes,
  }
}

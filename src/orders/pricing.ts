// What an order costs: pure arithmetic, the same for the API and the checkout.
import { fault, reason, type Fault, type Reason } from '../kit/values/faults.ts'
import { newId, publicId } from '../kit/values/ids.ts'
import { allocate, Decimal, maximumMoney, round, sum, toNumber } from '../kit/values/money.ts'
import type { DiscountRow } from '../discounts/discount.ts'
import { discountOf, type DiscountLine, type DiscountRefusal } from '../discounts/pricing.ts'
import type { Adjustment } from './item.ts'

type Terms = { currency: string; sellsWholesale: boolean }
type Tariff = { price: string; wholesale_price: string | null; wholesale_min_quantity: number | null }

/** Of one piece: the variant's price, else the product's; the wholesale price from its quantity on, if it is lower. */
export function unitPriceOf(
  product: Tariff,
  variantPrice: string | null,
  quantity: number,
  { currency, sellsWholesale }: Terms,
): Decimal {
  const price = round(variantPrice ?? product.price, currency)
  const { wholesale_price: lower, wholesale_min_quantity: least } = product
  const isWholesale = sellsWholesale && lower !== null && least !== null && quantity >= least
  return isWholesale ? Decimal.min(price, round(lower, currency)) : price
}

export type Given = {
  discount_code?: string | null
  /** Instead of what the code gives; without a code, a discount by hand. */
  discount_amount?: number
  shipping_cost?: number
  /** False: the code does not waive the cost of this way of shipping. */
  free_shipping?: boolean
  tax_amount?: number
}

type Context = { currency: string; now: Date }

export type Price = {
  subtotal: Decimal
  discount_amount: Decimal
  shipping_cost: Decimal
  tax_amount: Decimal
  /** subtotal − discount_amount + shipping_cost + tax_amount */
  total: Decimal
  free_shipping: boolean
  /** What of discount_amount falls on each line, in their order. */
  allocation: Decimal[]
  faults: Fault[]
}

/** `lines` is everything that is bought; `discount` is what the given code names, if anything. */
export function priceOrder(
  lines: readonly DiscountLine[],
  given: Given,
  discount: DiscountRow | undefined,
  context: Context,
): Price {
  const weights = lines.map(({ total }) => total)
  const subtotal = sum(weights)
  const found = given.discount_code ? discountOf(discount, lines, context) : undefined
  const free_shipping = found?.free_shipping === true && given.free_shipping !== false
  const discount_amount = new Decimal(given.discount_amount ?? found?.amount ?? 0)
  const isByHand = given.discount_amount !== undefined || !found
  const shipping_cost = new Decimal(free_shipping ? 0 : (given.shipping_cost ?? 0))
  const tax_amount = new Decimal(given.tax_amount ?? 0)
  const total = subtotal.minus(discount_amount).plus(shipping_cost).plus(tax_amount)

  const faults: Fault[] = []
  if (found?.reason) faults.push({ field: 'discount_code', ...reasonOf(found.reason, discount) })
  if (discount_amount.greaterThan(subtotal)) {
    faults.push(fault('discount_amount', 'above_subtotal', { subtotal: String(subtotal) }))
  }
  if (Decimal.max(subtotal, total).greaterThan(maximumMoney)) {
    faults.push(fault('items', 'too_valuable', { limit: maximumMoney }))
  }
  const allocation = isByHand ? allocate(discount_amount, weights, context.currency) : found.allocation
  return { subtotal, discount_amount, shipping_cost, tax_amount, total, free_shipping, allocation, faults }
}

function reasonOf(refusal: DiscountRefusal, discount: DiscountRow | undefined): Reason {
  switch (refusal) {
    case 'not_found':
      return reason('code_unknown')
    case 'expired':
      return reason('code_expired')
    case 'inactive':
      return reason('code_inactive')
    case 'not_started':
      return reason('code_early')
    case 'used_up':
      return reason('code_used_up')
    case 'minimum_not_met':
      return reason('code_minimum', { price: discount!.min_order_amount })
    case 'not_applicable':
      return reason('code_not_applicable')
  }
}

/** An item's share of the order's discount, as the item shows it. */
export function adjustmentsOf(share: Decimal, discount: DiscountRow | undefined, now: Date): Adjustment[] {
  if (share.isZero()) return []
  return [
    {
      id: newId('adj'),
      type: discount ? 'discount' : 'manual',
      code: discount?.code ?? null,
      label: discount?.code ?? 'Discount',
      amount: toNumber(share.negated()),
      source_id: discount ? publicId('disc', discount.id) : null,
      created_at: now.toISOString(),
    },
  ]
}

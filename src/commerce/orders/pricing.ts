// Calculates the price of an order, for checkouts and for orders created through the API or the dashboard alike. It has
// no side effects.
import { fault, reason, type Fault, type Reason } from '../../kit/values/faults.ts'
import { newId, publicId } from '../../kit/values/ids.ts'
import { allocate, Decimal, maxMoney, round, sum, toNumber } from '../../kit/values/money.ts'
import { formatDiscountLabel, type DiscountRow } from '../discounts/discount.ts'
import {
  bestCombination,
  fixedDiscount,
  type AppliedDiscount,
  type CodeRejection,
  type CodeResult,
  type DiscountChoice,
  type OfferedDiscounts,
} from '../discounts/combination.ts'
import { computeDiscount, type DiscountLine } from '../discounts/pricing.ts'
import {
  taxableGoods,
  computeTaxes,
  type TaxableAmount,
  type TaxableLine,
  type TaxedBefore,
  type Taxes,
} from '../tax/amounts.ts'
import { basePrices, type LocalPrices } from '../tax/prices.ts'
import type { Treatment } from '../tax/treatment.ts'
import type { AppliedDiscountView, ItemAdjustment } from './item.ts'
import { emptyLoad, type Load } from './load.ts'
import { computeShippingCost, isFree, type Parcel, type RatePrice } from './shippingcost.ts'
import { orderFaults } from './errors.ts'
import { discountFaults } from '../discounts/errors.ts'

type PriceTerms = { currency: string; sellsWholesale: boolean }
type ProductPrices = { price: string; wholesale_price: string | null; wholesale_min_quantity: number | null }

/**
 * The price of one unit: the variant's or product's price, or the wholesale price from its minimum quantity if that is
 * lower.
 */
export function computeUnitPrice(
  product: ProductPrices,
  variantPrice: string | null,
  quantity: number,
  { currency, sellsWholesale }: PriceTerms,
): Decimal {
  const price = round(variantPrice ?? product.price, currency)
  const { wholesale_price: wholesalePrice, wholesale_min_quantity: minQuantity } = product
  const isWholesale = sellsWholesale && wholesalePrice !== null && minQuantity !== null && quantity >= minQuantity
  return isWholesale ? Decimal.min(price, round(wholesalePrice, currency)) : price
}

/** All goods of an order. `bumps` are order bumps that are not products. */
export type PricedGoods = Record<
  'items' | 'bumps',
  readonly (DiscountLine & TaxedBefore & Pick<TaxableLine, 'parts' | 'requires_shipping'>)[]
>

/** Amounts given by the caller, which are kept. */
export type FixedAmounts = {
  /** Only named in faults: the codes are in `discounts` of the terms. */
  discount_codes?: readonly string[] | undefined
  /** Replaces the amount of the discount code; without a code, a manual discount. */
  discount_amount?: number
  /** A manual discount, in percent of the subtotal. */
  discount_percentage?: number
  shipping_cost?: number
  /** False: the discount code does not make this shipping rate free. */
  free_shipping?: boolean
  tax_amount?: number
  /** The components of tax_amount, and the taxes included in prices. */
  taxes?: Taxes
}

/** The store's settings from which the other amounts are calculated. */
export type PricingTerms = {
  /** The discounts of the given codes, and the automatic ones. */
  discounts?: OfferedDiscounts
  /** Replaces them with the discounts of a checkout's quote. */
  applied?: readonly AppliedDiscount[]
  /** Null until a shipping rate is chosen. */
  rate?: RatePrice | null
  /** What the price of the rate depends on. */
  load?: Load
  /** Null if nothing is taxed. */
  treatment?: Treatment | null
  prices?: LocalPrices
}

type PricingContext = { currency: string; now: Date }

export type OrderPrice = {
  subtotal: Decimal
  discount_amount: Decimal
  shipping_cost: Decimal
  tax_amount: Decimal
  /** subtotal − discount_amount + shipping_cost + tax_amount */
  total: Decimal
  free_shipping: boolean
  /** Each line's share of discount_amount, in order. */
  allocation: Decimal[]
  applied: readonly AppliedDiscount[]
  /** What each given code does. */
  codes: readonly CodeResult[]
  taxes: Taxes
  /** The input for pricing shipping rates. */
  parcel: Parcel
  /** The price of shipping at the destination. */
  ofShipping(price: Decimal): Decimal
  faults: Fault[]
}

export function priceOrder(
  { items, bumps }: PricedGoods,
  amounts: FixedAmounts,
  terms: PricingTerms,
  context: PricingContext,
): OrderPrice {
  const { currency } = context
  const lines = [...items, ...bumps]
  const weights = lines.map(({ total }) => total)
  const subtotal = sum(weights)
  const fixedAmounts = withPercentage(amounts, subtotal, currency)
  const { load = emptyLoad } = terms
  const choice = chooseDiscounts(lines, fixedAmounts, terms, { ...context, load })
  const { applied, codes } = choice
  const shares = applied.map(({ allocation }) => allocation)
  const discount_amount = new Decimal(fixedAmounts.discount_amount ?? sum(applied.map(({ amount }) => amount)))
  const allocation =
    fixedAmounts.discount_amount === undefined
      ? lines.map((_, index) => sum(shares.map((share) => share[index]!)))
      : allocate(discount_amount, weights, currency)

  const parcel = { load, goods: subtotal.minus(discount_amount), isWaived: choice.isWaived, currency }
  const goods = taxableGoods(lines, items.length, allocation, currency)
  const ofShipping = bindShipping(terms, goods)
  const shipping = computeShipping(fixedAmounts, terms, { ...parcel, isWaived: areAnyFree(applied) }, ofShipping)
  const treatment = fixedAmounts.tax_amount === undefined ? (terms.treatment ?? null) : null
  const taxes = fixedAmounts.taxes ?? computeTaxes(goods, shipping.shipping_cost, treatment, currency)
  const tax_amount = new Decimal(fixedAmounts.tax_amount ?? taxes.added)
  const total = parcel.goods.plus(shipping.shipping_cost).plus(tax_amount)

  const faults = findCodeFaults(codes, fixedAmounts)
  if (discount_amount.greaterThan(subtotal)) {
    faults.push(fault('discount_amount', orderFaults.above_subtotal, { subtotal: String(subtotal) }))
  }
  if (Decimal.max(subtotal, total).greaterThan(maxMoney)) {
    faults.push(fault('items', orderFaults.too_valuable, { limit: maxMoney }))
  }
  return {
    subtotal,
    discount_amount,
    ...shipping,
    tax_amount,
    total,
    allocation,
    applied,
    codes,
    taxes,
    parcel,
    ofShipping,
    faults,
  }
}

function withPercentage(
  { discount_percentage: percentage, ...amounts }: FixedAmounts,
  subtotal: Decimal,
  currency: string,
): FixedAmounts {
  if (percentage === undefined) return amounts
  return { ...amounts, discount_amount: round(subtotal.times(percentage).dividedBy(100), currency).toNumber() }
}

/** The discounts of a quote, or the best ones. A manual amount replaces the code's, without other discounts. */
function chooseDiscounts(
  lines: PricedGoods['items'],
  { discount_amount, ...fixed }: FixedAmounts,
  { discounts = { codes: [], automatic: [] }, applied, ...terms }: PricingTerms,
  { load, ...context }: PricingContext & { load: Load },
): Omit<DiscountChoice, 'applied'> & { applied: readonly AppliedDiscount[] } {
  const choose = (some: readonly AppliedDiscount[], codes: CodeResult[] = []) => {
    return { applied: some, codes, isWaived: areAnyFree(some) }
  }
  if (applied) return choose(applied)
  if (discount_amount !== undefined) {
    const [one, ...others] = discounts.codes
    if (!one || others.length > 0) return choose([])
    const { reason } = computeDiscount(one.discount, lines, context)
    const byHand = () => fixedDiscount(one.discount!, new Decimal(discount_amount), lines, context.currency)
    return choose(reason ? [] : [byHand()], [{ ...one, reason, rivals: [] }])
  }
  // Most orders have none, and their goods need not be priced for them.
  if (discounts.codes.length + discounts.automatic.length === 0) return choose([])
  const isKnown = Boolean(terms.rate) || fixed.shipping_cost !== undefined
  // The combinations are compared by the goods before the discount.
  const noShares = lines.map(() => new Decimal(0))
  const ofShipping = bindShipping(terms, taxableGoods(lines, lines.length, noShares, context.currency))
  const costOf = (goods: Decimal, isWaived: boolean) =>
    computeShipping(fixed, terms, { load, goods, isWaived, currency: context.currency }, ofShipping).shipping_cost
  return bestCombination(discounts, lines, { ...context, shipping: isKnown ? costOf : undefined })
}

function bindShipping(
  { prices = basePrices }: PricingTerms,
  goods: readonly TaxableAmount[],
): OrderPrice['ofShipping'] {
  return (price) => prices.ofShipping(price, goods)
}

const areAnyFree = (applied: readonly AppliedDiscount[]) => applied.some(({ free_shipping }) => free_shipping)

/** The rate's cost at the destination. A given cost is kept, unless the discount code waives it. */
function computeShipping(
  { shipping_cost, free_shipping }: FixedAmounts,
  { rate }: PricingTerms,
  parcel: Parcel,
  ofShipping: OrderPrice['ofShipping'],
): Pick<OrderPrice, 'shipping_cost' | 'free_shipping'> {
  if (rate && shipping_cost === undefined) {
    return { shipping_cost: ofShipping(computeShippingCost(rate, parcel)), free_shipping: isFree(rate, parcel) }
  }
  const isWaived = parcel.isWaived && free_shipping !== false
  return { shipping_cost: new Decimal(isWaived ? 0 : (shipping_cost ?? 0)), free_shipping: isWaived }
}

/** A code that another one leaves out is not a fault: the shopper has the better one. */
export function findCodeFaults(
  codes: readonly CodeResult[],
  { discount_codes, discount_amount }: Pick<FixedAmounts, 'discount_codes' | 'discount_amount'>,
): Fault[] {
  if (discount_amount !== undefined && discount_codes && discount_codes.length > 1) {
    return [fault('discount_codes', discountFaults.one_code)]
  }
  const isAnyApplied = codes.some(({ reason: rejection }) => rejection === null)
  return codes.flatMap(({ reason: rejection, discount, rivals }, index) => {
    const isLeftOut = rejection === 'saves_nothing' || (rejection === 'not_combined' && isAnyApplied)
    if (!rejection || isLeftOut) return []
    const field = discount_codes ? `discount_codes.${index}` : 'discount_code'
    return [{ field, ...explainRejection(rejection, discount, rivals) }]
  })
}

/** The reason why a discount code does not apply, for callers. */
export function explainRejection(
  rejection: CodeRejection,
  discount: DiscountRow | undefined,
  rivals: readonly DiscountRow[] = [],
): Reason {
  switch (rejection) {
    case 'not_found':
      return reason(discountFaults.code_unknown)
    case 'expired':
      return reason(discountFaults.code_expired)
    case 'inactive':
      return reason(discountFaults.code_inactive)
    case 'not_started':
      return reason(discountFaults.code_early)
    case 'used_up':
      return reason(discountFaults.code_used_up)
    case 'minimum_not_met':
      return reason(discountFaults.code_minimum, { price: discount!.min_order_amount })
    case 'not_applicable':
      return reason(discountFaults.code_not_applicable)
    case 'not_in_group':
      return reason(discountFaults.code_not_in_group)
    case 'already_used':
      return reason(discountFaults.code_already_used)
    case 'quantity_not_met':
      return reason(discountFaults.code_quantity)
    case 'automatic':
      return reason(discountFaults.code_automatic)
    case 'not_combined':
      return reason(discountFaults.code_not_combined, { other: rivals.map(formatDiscountLabel).join(', ') })
    case 'saves_nothing':
      return reason(discountFaults.code_saves_nothing)
  }
}

/** An item's shares of the order's discounts, as shown on the item. */
export function buildItemAdjustments({ applied, allocation }: OrderPrice, index: number, now: Date): ItemAdjustment[] {
  if (applied.length === 0) return adjustment(allocation[index]!, undefined, now)
  return applied.flatMap(({ discount, allocation: shares }) => adjustment(shares[index]!, discount, now))
}

function adjustment(share: Decimal, discount: DiscountRow | undefined, now: Date): ItemAdjustment[] {
  if (share.isZero()) return []
  return [
    {
      id: newId('adj'),
      type: discount ? 'discount' : 'manual',
      code: discount?.code ?? null,
      label: discount ? formatDiscountLabel(discount) : 'Discount',
      amount: toNumber(share.negated()),
      source_id: discount ? publicId('disc', discount.id) : null,
      created_at: now.toISOString(),
    },
  ]
}

/** The applied discounts as stored with the order. */
export function toAppliedDiscountViews({ applied }: Pick<OrderPrice, 'applied'>): AppliedDiscountView[] {
  return applied.map(({ discount, amount }) => ({
    id: publicId('disc', discount.id),
    code: discount.code,
    label: formatDiscountLabel(discount),
    is_automatic: discount.is_automatic,
    amount: toNumber(amount),
  }))
}

/** The discounts as rules, for edits of the order. Null if none applies or if an amount was given. */
export function listDiscountRules({ applied }: Pick<OrderPrice, 'applied'>): DiscountRow[] | null {
  const isByRule = applied.length > 0 && applied.every(({ by_hand }) => !by_hand)
  return isByRule ? applied.map(({ discount }) => discount) : null
}

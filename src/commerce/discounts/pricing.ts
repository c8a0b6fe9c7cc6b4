// Calculates one discount of an order, for orders, checkouts and validation alike. It has no side effects.
import { allocate, Decimal, round, sum } from '../../kit/values/money.ts'
import { discountedQuantities } from './buyxgety.ts'
import type { DiscountRow } from './discount.ts'
import { getUnusableReason, unusableReasons } from './usability.ts'

/** Reasons why a code does not apply, in the order of the checks. */
export const rejections = [
  'not_found',
  ...unusableReasons,
  'not_in_group', // this customer is in none of its groups
  'already_used', // by this customer, once per customer
  'minimum_not_met', // the subtotal is below min_order_amount
  'not_applicable', // it applies to other products and categories
  'quantity_not_met', // fewer items than min_quantity, or too few to buy and get
  'automatic', // it applies without its code
  'not_combined', // a better discount applies, and the two do not combine
] as const

export type DiscountRejection = (typeof rejections)[number]

/** IDs are uuids; `total` is unit price × quantity. An order bump has no quantity: it is one. */
export type DiscountLine = { product_id: string | null; category_id: string | null; quantity?: number; total: Decimal }

/** A discount with the known data of the buyer. */
export type FoundDiscount = DiscountRow & { buyer_has_used?: boolean; buyer_is_member?: boolean }

export type DiscountResult = {
  /** The discount on the lines; 0 if refused, and for free shipping, where the caller waives the shipping cost. */
  amount: Decimal
  free_shipping: boolean
  /** Each line's share of `amount`, in the order of the lines; the shares add up to it exactly. */
  allocation: Decimal[]
  reason: DiscountRejection | null
}

export type DiscountContext = {
  currency: string
  now: Date
  /** The amount compared with min_order_amount; defaults to the sum of all lines. */
  subtotal?: Decimal
}

/** `row` is the discount of a code, or undefined if there is none. */
export function computeDiscount(
  row: FoundDiscount | undefined,
  lines: readonly DiscountLine[],
  context: DiscountContext,
): DiscountResult {
  const reason = getDiscountRejection(row, lines, context)
  if (!row || reason) return { amount: zero, free_shipping: false, allocation: lines.map(() => zero), reason }
  const totals = lines.map(({ total }) => total)
  const allocation = allocateDiscount(row, lines, totals, context.currency)
  return { amount: sum(allocation), free_shipping: row.type === 'free_shipping', allocation, reason: null }
}

const zero = new Decimal(0)

export function getDiscountRejection(
  row: FoundDiscount | undefined,
  lines: readonly DiscountLine[],
  { now, subtotal = sum(lines.map(({ total }) => total)) }: DiscountContext,
): DiscountRejection | null {
  if (!row) return 'not_found'
  const reason = getUnusableReason(row, now)
  if (reason) return reason
  if (!isForBuyer(row)) return 'not_in_group'
  if (row.once_per_customer && row.buyer_has_used) return 'already_used'
  if (subtotal.lessThan(row.min_order_amount)) return 'minimum_not_met'
  if (!lines.some((line) => covers(row, line))) return 'not_applicable'
  return coveredQuantity(row, lines) < row.min_quantity || givesNothing(row, lines) ? 'quantity_not_met' : null
}

/** True if the buyer is in one of the discount's groups, or it has none. Not checked for a kept discount. */
export function isForBuyer({ customer_group_ids, buyer_is_member }: FoundDiscount): boolean {
  return customer_group_ids.length === 0 || buyer_is_member !== false
}

export function covers(row: DiscountRow, { product_id, category_id }: DiscountLine): boolean {
  return (
    row.applies_to_all ||
    (product_id !== null && row.applicable_product_ids.includes(product_id)) ||
    (category_id !== null && row.applicable_category_ids.includes(category_id))
  )
}

/** The quantity that is compared with min_quantity. */
export function coveredQuantity(row: DiscountRow, lines: readonly DiscountLine[]): number {
  return lines.reduce((count, line) => (covers(row, line) ? count + (line.quantity ?? 1) : count), 0)
}

function givesNothing(row: DiscountRow, lines: readonly DiscountLine[]): boolean {
  return row.type === 'buy_x_get_y' && countDiscountedUnits(row, lines).every((quantity) => quantity === 0)
}

function countDiscountedUnits(row: DiscountRow, lines: readonly DiscountLine[]): number[] {
  const pieces = lines.map((line) => ({
    quantity: line.quantity ?? 1,
    total: line.total,
    isBought: isBought(row, line),
    isGotten: covers(row, line),
  }))
  return discountedQuantities(row, pieces)
}

function isBought({ buy_product_ids, buy_category_ids }: DiscountRow, { product_id, category_id }: DiscountLine) {
  const isAny = buy_product_ids.length === 0 && buy_category_ids.length === 0
  return (
    isAny ||
    (product_id !== null && buy_product_ids.includes(product_id)) ||
    (category_id !== null && buy_category_ids.includes(category_id))
  )
}

/** The discount's share of each line, of which other discounts have left `remaining`. */
export function allocateDiscount(
  row: DiscountRow,
  lines: readonly DiscountLine[],
  remaining: readonly Decimal[],
  currency: string,
): Decimal[] {
  if (row.type === 'buy_x_get_y') {
    const quantities = countDiscountedUnits(row, lines)
    return lines.map(({ quantity = 1 }, index) => {
      if (quantities[index] === 0) return zero
      const part = remaining[index]!.times(quantities[index]!).dividedBy(quantity)
      return round(part.times(row.value).dividedBy(100), currency)
    })
  }
  const eligible = lines.map((line, index) => (covers(row, line) ? remaining[index]! : zero))
  return allocate(computeDiscountAmount(row, sum(eligible), currency), eligible, currency)
}

/** The amount of a discount other than buy X get Y on items that cost `eligible`. */
export function computeDiscountAmount({ type, value }: DiscountRow, eligible: Decimal, currency: string): Decimal {
  if (type === 'percentage') return round(eligible.times(value).dividedBy(100), currency)
  return type === 'fixed_amount' ? Decimal.min(round(value, currency), eligible) : zero
}

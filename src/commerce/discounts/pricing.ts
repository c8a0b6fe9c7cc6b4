// Calculates the discount of an order, for orders, checkouts and validation alike. It has no side effects.
import { allocate, Decimal, round, sum } from '../../kit/values/money.ts'
import type { DiscountRow } from './discount.ts'
import { unusableReasonOf, unusableReasons } from './usability.ts'

/** Reasons why a code does not apply, in the order of the checks. */
export const rejections = [
  'not_found',
  ...unusableReasons,
  'minimum_not_met', // the subtotal is below min_order_amount
  'not_applicable', // it applies to other products and categories
] as const

export type DiscountRejection = (typeof rejections)[number]

/** IDs are uuids; `total` is unit price × quantity. */
export type DiscountLine = { product_id: string | null; category_id: string | null; total: Decimal }

export type DiscountResult = {
  /** The discount on the lines; 0 if refused, and for free shipping, where the caller waives the shipping cost. */
  amount: Decimal
  free_shipping: boolean
  /** Each line's share of `amount`, in the order of the lines; the shares add up to it exactly. */
  allocation: Decimal[]
  reason: DiscountRejection | null
}

type DiscountContext = {
  currency: string
  now: Date
  /** The amount compared with min_order_amount; defaults to the sum of all lines. */
  subtotal?: Decimal
}

/** `row` is a result of findDiscountByCode. */
export function discountOf(
  row: DiscountRow | undefined,
  lines: readonly DiscountLine[],
  { currency, now, subtotal = sum(lines.map(({ total }) => total)) }: DiscountContext,
): DiscountResult {
  const reason = rejectionOf(row, lines, now, subtotal)
  if (!row || reason) return { amount: zero, free_shipping: false, allocation: lines.map(() => zero), reason }
  const eligible = lines.map((line) => (covers(row, line) ? line.total : zero))
  const amount = amountOf(row, sum(eligible), currency)
  const allocation = allocate(amount, eligible, currency)
  return { amount, free_shipping: row.type === 'free_shipping', allocation, reason: null }
}

const zero = new Decimal(0)

function rejectionOf(
  row: DiscountRow | undefined,
  lines: readonly DiscountLine[],
  now: Date,
  subtotal: Decimal,
): DiscountRejection | null {
  if (!row) return 'not_found'
  const reason = unusableReasonOf(row, now)
  if (reason) return reason
  if (subtotal.lessThan(row.min_order_amount)) return 'minimum_not_met'
  return lines.some((line) => covers(row, line)) ? null : 'not_applicable'
}

function covers(row: DiscountRow, { product_id, category_id }: DiscountLine): boolean {
  return (
    row.applies_to_all ||
    (product_id !== null && row.applicable_product_ids.includes(product_id)) ||
    (category_id !== null && row.applicable_category_ids.includes(category_id))
  )
}

function amountOf({ type, value }: DiscountRow, eligible: Decimal, currency: string): Decimal {
  switch (type) {
    case 'percentage':
      return round(eligible.times(value).dividedBy(100), currency)
    case 'fixed_amount':
      return Decimal.min(round(value, currency), eligible)
    case 'free_shipping':
      return zero
  }
}

// The discounts of an order, as the lines above its total.
import { Decimal, sum } from '../../kit/values/money.ts'
import type { AppliedDiscountView } from './item.ts'

type DiscountedOrder = {
  discount_amount: number
  discount_code: string | null
  discounts: readonly Pick<AppliedDiscountView, 'label' | 'amount'>[]
}

/** A line has no name if the discount was given by hand. Free shipping has none. */
export function discountRows(order: DiscountedOrder): { name: string | null; amount: number }[] {
  const { discount_amount, discount_code, discounts } = order
  const rows = discounts.filter(({ amount }) => amount > 0).map(({ label: name, amount }) => ({ name, amount }))
  // Orders from before discounts were kept with them, and those whose discount was changed.
  const isWhole = new Decimal(discount_amount).equals(sum(rows.map(({ amount }) => amount)))
  return isWhole ? rows : [{ name: discount_code, amount: discount_amount }]
}

/** The code that waives the shipping cost: its discount takes nothing off the goods. */
export function findWaiver({ discount_amount, discount_code, discounts }: DiscountedOrder): string | null {
  return discounts.find(({ amount }) => amount === 0)?.label ?? (discount_amount === 0 ? discount_code : null)
}

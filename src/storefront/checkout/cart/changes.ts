// Changes to show to a shopper: new prices since the checkout was last shown, and faults.
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import type { CheckoutRow, CheckoutItem } from '../checkout.ts'
import type { Quote } from './quote.ts'
import { checkoutFaults } from '../errors.ts'

/** `field` is that of the input. `from` and `to` are set when a price changed. */
export type CartChange = Fault & { from: number | null; to: number | null }

/** `sameCart`: the shopper did not change the cart, so the totals can be compared too. */
export function listCartChanges(before: CheckoutRow, quote: Quote, { sameCart }: { sameCart: boolean }): CartChange[] {
  const prices = quote.items.map((item, index) =>
    priceChange(
      `items.${index}.unit_price`,
      before.items.find((one) => isSame(one, item))?.unit_price,
      item.unit_price,
    ),
  )
  const bumps = quote.order_bumps.map(({ bump_id, price }, index) =>
    priceChange(`order_bumps.${index}`, before.order_bumps.find((one) => one.bump_id === bump_id)?.price, price),
  )
  const sums = (['discount', 'shipping', 'tax', 'total'] as const).map((name) =>
    sameCart ? priceChange(name, before[name], quote[name]) : null,
  )
  const faults = quote.faults.map((fault): CartChange => ({ ...fault, from: null, to: null }))
  return [...prices, ...bumps, ...sums, ...faults].filter((change) => change !== null)
}

function isSame(one: CheckoutItem, other: CheckoutItem): boolean {
  return one.product_id === other.product_id && one.variant_id === other.variant_id && one.bump_id === other.bump_id
}

function priceChange(field: string, before: Decimal.Value | undefined, now: Decimal.Value): CartChange | null {
  if (before === undefined || new Decimal(before).equals(now)) return null
  const [from, to] = [toNumber(new Decimal(before)), toNumber(new Decimal(now))]
  return { ...fault(field, checkoutFaults.changed, { from, to }), from, to }
}

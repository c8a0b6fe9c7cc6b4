// What a shopper has to be told: what costs something else than it did when it was last shown, and what cannot be had.
import { Decimal } from '../../../kit/values/money.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import type { CheckoutRow, Item } from '../checkout.ts'
import type { Quote } from './quote.ts'

/** In the terms of the input's fields. `from` and `to` are there when a price changed. */
export type Change = Fault & { from: number | null; to: number | null }

/** `sameCart`: nothing of what is bought was changed by the shopper, so that the sums can be compared too. */
export function changesOf(shown: CheckoutRow, quote: Quote, { sameCart }: { sameCart: boolean }): Change[] {
  const prices = quote.items.map((item, index) =>
    priceChange(`items.${index}.unit_price`, shown.items.find((one) => isSame(one, item))?.unit_price, item.unit_price),
  )
  const bumps = quote.order_bumps.map(({ bump_id, price }, index) =>
    priceChange(`order_bumps.${index}`, shown.order_bumps.find((one) => one.bump_id === bump_id)?.price, price),
  )
  const sums = (['discount', 'shipping', 'tax', 'total'] as const).map((name) =>
    sameCart ? priceChange(name, Number(shown[name]), quote[name].toNumber()) : null,
  )
  const faults = quote.faults.map((fault): Change => ({ ...fault, from: null, to: null }))
  return [...prices, ...bumps, ...sums, ...faults].filter((change) => change !== null)
}

function isSame(one: Item, other: Item): boolean {
  return one.product_id === other.product_id && one.variant_id === other.variant_id && one.bump_id === other.bump_id
}

function priceChange(field: string, from: number | undefined, to: number): Change | null {
  if (from === undefined || new Decimal(from).equals(to)) return null
  return { ...fault(field, 'changed', { from, to }), from, to }
}

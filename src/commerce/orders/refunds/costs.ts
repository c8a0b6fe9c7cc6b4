// What each part of an order has really cost, after discount and tax: the parts add up to its total. Pure arithmetic.
import { publicId } from '../../../kit/values/ids.ts'
import { allocate, Decimal, round, sum } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { ItemAdjustment } from '../item.ts'

export type SoldItem = {
  id: string
  quantity: number
  total_price: Decimal.Value
  adjustments: readonly ItemAdjustment[]
}

export type SoldOrder = {
  currency: string
  discount_amount: Decimal.Value
  shipping_cost: Decimal.Value
  tax_amount: Decimal.Value
  order_bumps: { total: Decimal.Value } | null
  tax_lines: readonly Pick<TaxLine, 'type' | 'item_id' | 'amount' | 'included'>[]
}

export type OrderCosts = {
  /** Of all pieces of each item, in their order. */
  items: Decimal[]
  /** Offers that are no products. */
  order_bumps: Decimal
  shipping: Decimal
  /** What of these is a tax that is known as a whole only: of each item, of bumps and of shipping. */
  manual_taxes: Decimal[]
}

/** `items` have their uuids. */
export function costsOf(sale: SoldOrder, items: readonly SoldItem[]): OrderCosts {
  const discounts = items.map(({ adjustments }) =>
    sum(adjustments.filter(({ type }) => discountTypes.has(type)).map(({ amount }) => amount)),
  )
  // Of the discount, bumps bear what the items do not.
  const bumps = new Decimal(sale.order_bumps?.total ?? 0).minus(sale.discount_amount).minus(sum(discounts))
  const prices = [
    ...items.map(({ total_price }, index) => discounts[index]!.plus(total_price)),
    bumps,
    new Decimal(sale.shipping_cost),
  ]
  const lineTaxes = lineTaxesOf(sale, items)
  const manualTaxes = manualTaxesOf(sale, prices, sum(lineTaxes))
  const costs = prices.map((price, index) => price.plus(lineTaxes[index]!).plus(manualTaxes[index]!))
  return {
    items: costs.slice(0, items.length),
    order_bumps: costs.at(-2)!,
    shipping: costs.at(-1)!,
    manual_taxes: manualTaxes,
  }
}

const discountTypes = new Set<ItemAdjustment['type']>(['discount', 'manual'])

/** What the order knows of the tax that was added to each item, to bumps and to shipping. */
function lineTaxesOf({ tax_lines }: SoldOrder, items: readonly SoldItem[]): Decimal[] {
  const added = tax_lines.filter(({ included }) => !included)
  const byPart = Map.groupBy(added, ({ type, item_id }) => item_id ?? type)
  const of = (part: string) => sum(byPart.get(part)?.map(({ amount }) => amount) ?? [])
  return [...items.map(({ id }) => of(publicId('item', id))), of('order_bump'), of('shipping')]
}

/** A tax that was given as a whole is on goods; on shipping only where nothing else has cost anything. */
function manualTaxesOf({ tax_amount, currency }: SoldOrder, prices: readonly Decimal[], lineTaxes: Decimal): Decimal[] {
  const goods = prices.slice(0, -1)
  const rest = new Decimal(tax_amount).minus(lineTaxes)
  const weights = sum(goods).isZero() ? goods.map(() => zero) : goods
  return sum(weights).isZero() ? [...weights, rest] : [...allocate(rest, weights, currency), zero]
}

const zero = new Decimal(0)

export type CostShare = { quantity: Decimal.Value; from: Decimal.Value; count: Decimal.Value; currency: string }

/**
 * Of `count` pieces of an item, those after the first `from`: whatever the parts, they add up to its cost, and so do
 * those of a tax in it.
 */
export function costOfPieces(cost: Decimal, { quantity, from, count, currency }: CostShare): Decimal {
  const upTo = (pieces: Decimal) =>
    pieces.equals(quantity) ? cost : round(cost.times(pieces).dividedBy(quantity), currency)
  return upTo(sum([from, count])).minus(upTo(new Decimal(from)))
}

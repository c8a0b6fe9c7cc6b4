// The price of each part of an order after discount and tax. The parts add up to its total. It has no side effects.
import { publicId } from '../../../kit/values/ids.ts'
import { allocate, allocateOrEqually, Decimal, sum } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { ItemAdjustment } from '../item.ts'
import { costUpTo, discountOfUnits, settledPrice, type PartialSale, type SettledUnits } from '../settled.ts'

export type SoldItem = {
  id: string
  quantity: number
  total_price: Decimal.Value
  adjustments: readonly ItemAdjustment[]
  settled?: SettledUnits | null
  /** The parts of one unit of a bundle. */
  parts?: readonly { price: Decimal.Value }[] | null
}

export type SoldOrder = {
  currency: string
  discount_amount: Decimal.Value
  shipping_cost: Decimal.Value
  tax_amount: Decimal.Value
  order_bumps: { total: Decimal.Value } | null
  tax_lines: readonly Pick<TaxLine, 'type' | 'item_id' | 'part' | 'amount' | 'included'>[]
}

export type OrderCosts = {
  /** The price of all units of each item, in order. */
  items: Decimal[]
  /** Order bumps that are not products. */
  order_bumps: Decimal
  shipping: Decimal
  /** The share of a tax known only for the whole order: of each item, of order bumps and of shipping. */
  manual_taxes: Decimal[]
  /** Of each item that is a bundle: what all units of each part cost. */
  parts: (PartCosts | null)[]
}

/** `goods`: after the discount, before added tax. `manual_tax`: the share of a tax for the whole order. */
type PartCosts = Record<'cost' | 'goods' | 'manual_tax', Decimal>[]

/** `items` are given by uuid. */
export function computeOrderCosts(sale: SoldOrder, items: readonly SoldItem[]): OrderCosts {
  const discounts = items.map(discountOfUnits)
  // Order bumps bear the part of the discount that the items do not.
  const bumps = new Decimal(sale.order_bumps?.total ?? 0).minus(sale.discount_amount).minus(sum(discounts))
  const prices = [
    ...items.map(({ total_price }, index) => discounts[index]!.plus(total_price)),
    bumps,
    new Decimal(sale.shipping_cost),
  ]
  const lineTaxes = sumLineTaxes(sale, items)
  const amounts = items.map((item) =>
    settledPrice(item.settled, new Decimal(item.total_price).dividedBy(item.quantity)),
  )
  const settledTaxes = items.map((item) => new Decimal(item.settled?.manual_tax ?? 0))
  const open = prices.map((price, index) => price.minus(amounts[index] ?? 0))
  const openTaxes = allocateManualTaxes(sale, open, sum([...lineTaxes, ...settledTaxes]))
  const manualTaxes = openTaxes.map((tax, index) => tax.plus(settledTaxes[index] ?? 0))
  const costs = prices.map((price, index) => price.plus(lineTaxes[index]!).plus(manualTaxes[index]!))
  return {
    items: costs.slice(0, items.length),
    order_bumps: costs.at(-2)!,
    shipping: costs.at(-1)!,
    manual_taxes: manualTaxes,
    parts: items.map((item, index) => costsOfParts(sale, item, prices[index]!, manualTaxes[index]!)),
  }
}

/** Shared as the taxes of the parts are. */
function costsOfParts(
  { tax_lines, currency }: SoldOrder,
  { id, parts }: SoldItem,
  price: Decimal,
  manualTax: Decimal,
): PartCosts | null {
  if (!parts) return null
  const goods = allocateOrEqually(
    price,
    parts.map((part) => new Decimal(part.price)),
    currency,
  )
  const manual = allocateOrEqually(manualTax, goods, currency)
  return goods.map((amount, index) => {
    const own = tax_lines.filter((line) => line.item_id === publicId('item', id) && line.part === index)
    const added = own.filter(({ included }) => !included).map((line) => line.amount)
    return { goods: amount, manual_tax: manual[index]!, cost: sum([amount, manual[index]!, ...added]) }
  })
}

/** The known tax added to each item, to order bumps and to shipping. */
function sumLineTaxes({ tax_lines }: SoldOrder, items: readonly SoldItem[]): Decimal[] {
  const addedTaxes = tax_lines.filter(({ included }) => !included)
  const byPart = Map.groupBy(addedTaxes, ({ type, item_id }) => item_id ?? type)
  const of = (part: string) => sum(byPart.get(part)?.map(({ amount }) => amount) ?? [])
  return [...items.map(({ id }) => of(publicId('item', id))), of('order_bump'), of('shipping')]
}

/** A tax given for the whole order applies to goods, and to shipping only if the goods were free. */
function allocateManualTaxes(
  { tax_amount, currency }: SoldOrder,
  prices: readonly Decimal[],
  lineTaxes: Decimal,
): Decimal[] {
  const goods = prices.slice(0, -1)
  const rest = new Decimal(tax_amount).minus(lineTaxes)
  const weights = sum(goods).isZero() ? goods.map(() => zero) : goods
  return sum(weights).isZero() ? [...weights, rest] : [...allocate(rest, weights, currency), zero]
}

const zero = new Decimal(0)

export type CostShare = Omit<PartialSale, 'quantity'> & {
  quantity: Decimal.Value
  from: Decimal.Value
  count: Decimal.Value
}

/**
 * The price of `count` units of an item after the first `from`. Whatever the parts, they add up to the item's price,
 * and so do the parts of its tax.
 */
export function costOfPieces(cost: Decimal, { from, count, ...sale }: CostShare): Decimal {
  const upTo = (pieces: Decimal) => costUpTo(cost, pieces, sale)
  return upTo(sum([from, count])).minus(upTo(new Decimal(from)))
}

/** What of an item is refunded: whole units, and units of single parts of a bundle beyond them. */
export type RefundedUnits = { whole: number; parts: readonly number[] }

/** One of the parts of a bundle: its units in one bundle, and its share of a sum of the item. */
type PartShare = { quantity: number; amount: Decimal }

/**
 * The share of a sum of an item for its refunded units. Units of parts cost a share of the part's own sum, and the last
 * ones have what is left, so that whatever was refunded before, all of it adds up to the sum.
 */
export function shareOfUnits(
  amount: Decimal,
  { whole, parts: units }: RefundedUnits,
  sale: PartialSale,
  parts: readonly PartShare[],
): Decimal {
  const ofWhole = costUpTo(amount, new Decimal(whole), sale)
  if (units.every((count) => count === 0)) return ofWhole
  const left = new Decimal(sale.quantity).minus(whole)
  if (parts.every(({ quantity }, part) => left.times(quantity).equals(units[part]!))) return amount
  const ofParts = parts.map((part, index) => {
    const quantity = new Decimal(sale.quantity).times(part.quantity)
    return costUpTo(part.amount, new Decimal(units[index]!), { quantity, currency: sale.currency })
  })
  return Decimal.min(amount, sum([ofWhole, ...ofParts]))
}

// Puts the refunded units of an order, whose price stays, together with what an edit has priced. It has no side
// effects.
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, sum, toNumber } from '../../../kit/values/money.ts'
import { keyOfLine, type TaxLine } from '../../tax/taxline.ts'
import type { AppliedDiscountView, ItemAdjustment } from '../item.ts'
import type { OrderPrice } from '../pricing.ts'
import { discountOfUnits, type SettledUnits } from '../settled.ts'
import type { EditedItem } from './lines.ts'
import type { Sale } from './sale.ts'

export type SettledTotals = { subtotal: Decimal; discount: Decimal; tax: Decimal; included: Decimal }

/** `tax` is added to the prices, `included` is in them. */
export function settledTotals(items: readonly EditedItem[]): SettledTotals {
  const parts = items.flatMap(({ settled, unit_price }) => (settled ? [{ settled, unit_price }] : []))
  const taxes = (isIncluded: boolean) =>
    parts.flatMap(({ settled: { tax_lines } }) =>
      tax_lines.filter(({ included }) => included === isIncluded).map(({ amount }) => amount),
    )
  return {
    subtotal: sum(parts.map(({ settled, unit_price }) => unit_price.times(settled.quantity))),
    discount: sum(parts.map(({ settled }) => discountOfUnits(settled))).negated(),
    tax: sum([...taxes(false), ...parts.map(({ settled }) => settled.manual_tax)]),
    included: sum(taxes(true)),
  }
}

export function addSettled(price: OrderPrice, settled: SettledTotals): OrderPrice {
  const { taxes } = price
  return {
    ...price,
    subtotal: price.subtotal.plus(settled.subtotal),
    discount_amount: price.discount_amount.plus(settled.discount),
    tax_amount: price.tax_amount.plus(settled.tax),
    total: price.total.plus(settled.subtotal).minus(settled.discount).plus(settled.tax),
    taxes: { ...taxes, included: taxes.included.plus(settled.included) },
  }
}

const keyOfAdjustment = ({ type, source_id }: ItemAdjustment) => `${type} ${source_id}`

/** The item's shares of discounts: of the units that were priced, with those of refunded ones. */
export function adjustmentsWith({ settled }: EditedItem, open: readonly ItemAdjustment[]): ItemAdjustment[] {
  const before = settled?.adjustments ?? []
  const same = (one: ItemAdjustment) => before.find((other) => keyOfAdjustment(other) === keyOfAdjustment(one))
  const added = open.map((one) => ({ ...one, amount: toNumber(sum([one.amount, same(one)?.amount ?? 0])) }))
  const keys = open.map(keyOfAdjustment)
  return [...before.filter((one) => !keys.includes(keyOfAdjustment(one))), ...added]
}

/** The discounts of the order, which add up to its discount. One that came off keeps what refunded units had of it. */
export function discountsWith(
  { discounts }: Sale,
  items: readonly EditedItem[],
  open: readonly AppliedDiscountView[],
): AppliedDiscountView[] {
  const adjustments = items.flatMap(({ settled }) => settled?.adjustments ?? [])
  const settledOf = (id: string) =>
    sum(adjustments.filter(({ source_id }) => source_id === id).map(({ amount }) => amount)).negated()
  const gone = discounts.filter(({ id }) => !open.some((one) => one.id === id) && !settledOf(id).isZero())
  return [
    ...gone.map((one) => ({ ...one, amount: toNumber(settledOf(one.id)) })),
    ...open.map((one) => ({ ...one, amount: toNumber(settledOf(one.id).plus(one.amount)) })),
  ]
}

/** A tax of the whole order is one line, with its part of refunded units. */
export function withManualTaxes(price: OrderPrice, items: readonly EditedItem[]): OrderPrice {
  const parts = items.flatMap(({ settled }) => (settled && settled.manual_tax > 0 ? [settled] : []))
  return {
    ...price,
    tax_amount: price.tax_amount.plus(sum(parts.map(({ manual_tax }) => manual_tax))),
    total: price.total.plus(sum(parts.map(({ amount }) => amount))),
  }
}

/** `open` are the taxes of the units that were priced, of order bumps and of shipping. */
export function taxLinesWith(items: readonly EditedItem[], open: readonly TaxLine[]): TaxLine[] {
  const ofItems = items.flatMap(({ id, settled }) => {
    const own = open.filter(({ item_id }) => item_id === publicId('item', id))
    return settled ? mergeLines(own, settled) : own
  })
  return [...ofItems, ...open.filter(({ type }) => type !== 'item')]
}

function mergeLines(open: readonly TaxLine[], { tax_lines }: SettledUnits): TaxLine[] {
  const same = (line: TaxLine) => tax_lines.find((other) => keyOfLine(other) === keyOfLine(line))
  const merged = open.map((line) => ({
    ...line,
    base: toNumber(sum([line.base, same(line)?.base ?? 0])),
    amount: toNumber(sum([line.amount, same(line)?.amount ?? 0])),
  }))
  const keys = open.map(keyOfLine)
  return [...tax_lines.filter((line) => !keys.includes(keyOfLine(line))), ...merged]
}

// Units of an item that were refunded before an edit: their price stays, and the edit prices the rest.
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, round, sum } from '../../kit/values/money.ts'
import { keyOfLine, type TaxLine } from '../tax/taxline.ts'
import type { ItemAdjustment } from './item.ts'

/** Units sold under discounts that a later edit has replaced. */
type ClosedUnits = { quantity: number; adjustments: readonly ItemAdjustment[] }

export type SettledUnits = ClosedUnits & {
  /** Their price, as it was refunded. */
  amount: number
  tax_lines: readonly TaxLine[]
  /** Their share of a tax given for the whole order. */
  manual_tax: number
  closed: ClosedUnits | null
}

export type PartialSale = {
  quantity: Decimal.Value
  currency: string
  /** Units with a price of their own, the first of the item. */
  settled?: { quantity: number; amount: Decimal.Value } | undefined
}

/** The price of the first `pieces` units of an item that costs `cost`. */
export function costUpTo(cost: Decimal, pieces: Decimal, { quantity, currency, settled }: PartialSale): Decimal {
  const share = (amount: Decimal, part: Decimal, of: Decimal) =>
    part.equals(of) ? amount : round(amount.times(part).dividedBy(of), currency)
  if (!settled) return share(cost, pieces, new Decimal(quantity))
  const before = new Decimal(settled.amount)
  if (pieces.lessThanOrEqualTo(settled.quantity)) return share(before, pieces, new Decimal(settled.quantity))
  const rest = share(cost.minus(before), pieces.minus(settled.quantity), new Decimal(quantity).minus(settled.quantity))
  return before.plus(rest)
}

/** An item before the edit. Its cost and its share of a tax for the whole order include those of settled units. */
export type SettlingItem = {
  id: string
  quantity: number
  refunded_quantity: number
  adjustments: readonly ItemAdjustment[]
  settled: SettledUnits | null
  cost: Decimal
  manual_tax: Decimal
}

/** Null if no unit is refunded. A refund that has failed since leaves its units to the edit. */
export function settleUnits(item: SettlingItem, taxLines: readonly TaxLine[], currency: string): SettledUnits | null {
  const { refunded_quantity: refundedQuantity, settled: before } = item
  if (refundedQuantity === 0) return null
  const part = (whole: Decimal.Value, part: Decimal.Value = 0) =>
    costUpTo(new Decimal(whole), new Decimal(refundedQuantity), {
      quantity: item.quantity,
      currency,
      settled: before ? { quantity: before.quantity, amount: part } : undefined,
    }).toNumber()
  const adjustments = item.adjustments.map((one) => {
    const same = before?.adjustments.find(({ type, source_id }) => type === one.type && source_id === one.source_id)
    return { ...one, amount: part(one.amount, same?.amount) }
  })
  const tax_lines = linesOfItem(taxLines, item.id).map((line) => {
    const same = before?.tax_lines.find((other) => keyOfLine(other) === keyOfLine(line))
    return { ...line, base: part(line.base, same?.base), amount: part(line.amount, same?.amount) }
  })
  const closing = before?.closed ?? null
  return {
    quantity: refundedQuantity,
    adjustments: adjustments.filter(({ amount }) => amount !== 0),
    amount: part(item.cost, before?.amount),
    tax_lines,
    manual_tax: part(item.manual_tax, before?.manual_tax),
    closed: closing && refundedQuantity < closing.quantity ? { quantity: refundedQuantity, adjustments } : closing,
  }
}

/** The units keep their discounts when others replace those of the order. */
export function closeUnits(units: SettledUnits): SettledUnits {
  const { quantity, adjustments } = units
  return { ...units, closed: { quantity, adjustments } }
}

export function linesOfItem(taxLines: readonly TaxLine[], id: string): TaxLine[] {
  return taxLines.filter(({ type, item_id }) => type === 'item' && item_id === publicId('item', id))
}

/** The price of settled units after their discount. */
export function settledPrice(units: SettledUnits | null | undefined, unitPrice: Decimal.Value): Decimal {
  if (!units) return new Decimal(0)
  return new Decimal(unitPrice).times(units.quantity).plus(discountOfUnits(units))
}

/** Below zero. */
export function discountOfUnits({ adjustments }: { adjustments: readonly ItemAdjustment[] }): Decimal {
  return sum(adjustments.filter(({ type }) => type === 'discount' || type === 'manual').map(({ amount }) => amount))
}

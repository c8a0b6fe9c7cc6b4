// The changes an edit made to an order, as reports count them on the day of the edit. It has no side effects.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { Decimal, sum, toNumber } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { AppliedDiscountView, ItemAdjustment } from '../item.ts'
import { discountOfUnits, settledPrice, type SettledUnits } from '../settled.ts'

type EditedUnits = {
  product_id: string | null
  product_name: string
  quantity: number
  unit_price: Decimal
  total: Decimal
  adjustments: readonly ItemAdjustment[]
  refunded_quantity: number
  settled: SettledUnits | null
}

/** An order before or after the edit. */
export type EditedSums = {
  subtotal: Decimal
  discount_amount: Decimal
  shipping_cost: Decimal
  tax_amount: Decimal
  included_tax: Decimal
  total: Decimal
  item_count: number
  /** The refunded part of the total. */
  refunded: Decimal
  items: readonly EditedUnits[]
  discount_code: string | null
  discounts: readonly AppliedDiscountView[]
  tax_lines: readonly TaxLine[]
}

type EditMark = { id: string; sold_at: Date }

/** Records the amounts that reports count on the day of the edit. */
export function recordDifference(tx: Tx, storeId: string, edit: EditMark, before: EditedSums, after: EditedSums): void {
  const less = (name: 'subtotal' | 'discount_amount' | 'shipping_cost' | 'tax_amount' | 'included_tax' | 'total') =>
    after[name].minus(before[name])
  const rows = (rowsOf: (order: EditedSums) => SumRow[]) => JSON.stringify(differences(rowsOf(before), rowsOf(after)))
  tx.later(sql`
    insert into order_edits (store_id, order_id, id, sold_at, item_count, subtotal, discount_amount, shipping_cost,
      tax_amount, included_tax, total, products, discounts, taxes, created_at)
    values (${storeId}, ${edit.id}, ${newUuid()}, ${edit.sold_at}, ${after.item_count - before.item_count},
      ${less('subtotal')}, ${less('discount_amount')}, ${less('shipping_cost')}, ${less('tax_amount')},
      ${less('included_tax')}, ${less('total')}, ${rows(buildProductSumRows)}, ${rows(buildDiscountSumRows)},
      ${rows(buildTaxSumRows)},
      ${tx.now})`)
}

/** Names and numbers; rows with the same names are one. */
type SumRow = { names: Record<string, string | number | null>; label?: string; sums: Record<string, Decimal.Value> }

function differences(before: readonly SumRow[], after: readonly SumRow[]): object[] {
  const negatives = before.map(({ sums, ...row }) => ({
    ...row,
    sums: Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, new Decimal(value).negated()])),
  }))
  const alike = Map.groupBy<string, SumRow>([...negatives, ...after], ({ names }) => JSON.stringify(names))
  return [...alike.values()].flatMap((rows) => {
    const { names, label, sums } = rows[0]!
    const totals = Object.keys(sums).map((name) => [name, toNumber(sum(rows.map((row) => row.sums[name]!)))] as const)
    if (totals.every(([, value]) => value === 0)) return []
    return [{ ...names, ...(label === undefined ? {} : { label }), ...Object.fromEntries(totals) }]
  })
}

/** An order counts once for each product. */
function buildProductSumRows({ items }: EditedSums): SumRow[] {
  const buildProductKey = ({ product_id, product_name }: EditedUnits) =>
    product_id ?? `:${[...product_name].slice(0, 200).join('')}`
  return [...Map.groupBy(items, buildProductKey)].map(([key, units]) => {
    const discount = sum(units.map(discountOfUnits)).negated()
    const cost = sum(units.map(({ total }) => total)).minus(discount)
    const pieces = units.reduce((count, { quantity }) => count + quantity, 0)
    const refunds = sum(units.map(refundedCost))
    return { names: { key }, label: units[0]!.product_name, sums: { orders: 1, pieces, discount, cost, refunds } }
  })
}

/** Matches how the report by product computes it from the rows. */
function refundedCost(item: EditedUnits): Decimal {
  const { quantity, refunded_quantity: refundedQuantity, unit_price, settled } = item
  const share = (cost: Decimal, pieces: number, of: number) =>
    cost.times(pieces).dividedBy(of).toDecimalPlaces(4, Decimal.ROUND_HALF_UP)
  const cost = discountOfUnits(item).plus(item.total)
  if (!settled) return share(cost, refundedQuantity, quantity)
  const before = settledPrice(settled, unit_price)
  if (refundedQuantity <= settled.quantity) return share(before, refundedQuantity, settled.quantity)
  return before.plus(share(cost.minus(before), refundedQuantity - settled.quantity, quantity - settled.quantity))
}

/** Credits discounts as reports do: each with its own amount. A separate row corrects the count of orders. */
function buildDiscountSumRows({
  discounts,
  discount_amount,
  discount_code,
  item_count,
  total,
  refunded,
}: EditedSums): SumRow[] {
  if (discount_code === null && discount_amount.isZero()) return []
  const row = (key: string, amount: Decimal.Value, times: number): SumRow => ({
    names: { key },
    sums: {
      orders: times,
      pieces: times * item_count,
      amount,
      refunds: refunded.times(times),
      total: total.times(times),
    },
  })
  const isWhole = discounts.length > 0 && sum(discounts.map(({ amount }) => amount)).equals(discount_amount)
  if (!isWhole) return [row(discount_code ?? '', discount_amount, 1)]
  const beyond = discounts.length > 1 ? [row(countedTwice, 0, 1 - discounts.length)] : []
  return [...discounts.map(({ code, amount }) => row(code, amount, 1)), ...beyond]
}

/** The key of the row that corrects orders with several discounts. No code has this form. */
export const countedTwice = '+'

/** An order counts once for each tax. */
function buildTaxSumRows({ tax_lines }: EditedSums): SumRow[] {
  const pickTaxNames = ({ country_code, province_code, name, rate, reason }: TaxLine) => {
    return { country_code, ...(province_code === undefined ? {} : { province_code }), name, rate, reason }
  }
  return [...Map.groupBy(tax_lines, (line) => JSON.stringify(pickTaxNames(line))).values()].map((lines) => ({
    names: pickTaxNames(lines[0]!),
    sums: { orders: 1, base: sum(lines.map(({ base }) => base)), amount: sum(lines.map(({ amount }) => amount)) },
  }))
}

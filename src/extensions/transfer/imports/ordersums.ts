// The sums of an order of the past: what it has beside its items, and how its total comes about.
import { Decimal } from '../../../kit/values/money.ts'
import { remark, rowNotes } from './notes.ts'
import type { Draft } from './record.ts'

const feeNames = { tip: 'Tip', duties: 'Duties', fees: 'Fees' } as const

/** Amounts beside the items are lines of their own. */
export function putFees(draft: Draft): void {
  for (const [field, name] of Object.entries(feeNames)) {
    const amount = draft.input.past[field]
    if (typeof amount === 'number' && amount > 0) putLine(draft, name, amount, field)
  }
}

function putLine({ input, places }: Draft, product_name: string, unit_price: number, field: string): void {
  places.set(`items.${input.items.length}`, places.get(field)!)
  input.items.push({ product_name, quantity: 1, unit_price, requires_shipping: null })
}

/**
 * Some systems give the items as they were ordered, and the amounts as they are after edits. If the file has the sum of
 * the goods, what an edit removed is a discount, and what was paid beyond it is a line.
 */
export function matchTotal(draft: Draft): void {
  const { input } = draft
  const { discount_amount = 0 } = input
  const { total, goods_total, taxes = 0, tip = 0, duties = 0, fees = 0 } = input.past
  if (!isNumber(total, goods_total, taxes, tip, duties, fees, discount_amount) || addedTax(input) !== null) return
  const shipping = isNumber(input.shipping_cost) ? input.shipping_cost : 0
  const beside = new Decimal(shipping).plus(tip).plus(duties).plus(fees)
  const change = new Decimal(goods_total).minus(computeGoodsTotal(input).minus(beside))
  const rest = new Decimal(total).minus(goods_total).minus(beside)
  const excess = rest.minus(taxes).isNegative() ? rest : rest.minus(taxes)
  // More than the goods again is not a tip.
  if (excess.isNegative() || excess.greaterThan(goods_total)) return
  if (change.isNegative()) {
    input.discount_amount = change.neg().plus(discount_amount).toNumber()
    const amount = String(change.neg())
    draft.notes.push(remark(draft.places.get('goods_total')!, rowNotes.edit_removed, { amount }))
  } else putRest(draft, 'Added by an edit', change, 'goods_total')
  putRest(draft, 'Tip or other charges', excess, 'total')
}

function putRest(draft: Draft, name: string, amount: Decimal, field: string): void {
  if (amount.isZero()) return
  putLine(draft, name, amount.toNumber(), field)
  draft.notes.push(remark(draft.places.get(field)!, rowNotes.beyond_items, { amount: String(amount) }))
}

/** The tax to add to the prices; null if the total is another. */
export function addedTax(input: Record<string, any>): number | null {
  const { total, taxes = 0 } = input.past
  const goods = computeGoodsTotal(input)
  if (total === undefined || goods.plus(taxes).equals(total)) return taxes
  return goods.equals(total) ? 0 : null
}

export function computeGoodsTotal({ items, discount_amount = 0, shipping_cost = 0 }: Record<string, any>): Decimal {
  const amounts = items.map(({ unit_price, quantity }: any) => (isNumber(unit_price, quantity) ? unit_price * 1 : 0))
  const subtotal = amounts.reduce(
    (sum: Decimal, price: number, index: number) =>
      sum.plus(new Decimal(price).times(Number(items[index].quantity) || 0)),
    new Decimal(0),
  )
  return isNumber(discount_amount, shipping_cost) ? subtotal.minus(discount_amount).plus(shipping_cost) : subtotal
}

const isNumber = (...values: unknown[]) => values.every((value) => typeof value === 'number')

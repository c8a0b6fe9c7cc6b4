// Buy X get Y: which units of an order get the discount. It has no side effects.
import type { Decimal } from '../../kit/values/money.ts'

type Terms = { buy_quantity: number; get_quantity: number; max_per_order: number }

/** A line, and whether its units count as bought (X) and can be gotten (Y). A unit is never both at once. */
type Pieces = { quantity: number; total: Decimal; isBought: boolean; isGotten: boolean }

/**
 * Of each line, the quantity that gets the discount. The cheapest units get it; for each `get_quantity` of them, or
 * part of it, `buy_quantity` other units are bought at their price.
 */
export function discountedQuantities(terms: Terms, lines: readonly Pieces[]): number[] {
  const taken = lines.map(() => 0)
  let bought = lines.reduce((count, line) => (line.isBought ? count + line.quantity : count), 0)
  let gotten = 0
  const fits = (line: Pieces, more: number) =>
    times(terms, gotten + more) * terms.buy_quantity <= bought - (line.isBought ? more : 0) &&
    (terms.max_per_order === 0 || times(terms, gotten + more) <= terms.max_per_order)
  for (const index of cheapestFirst(lines)) {
    const line = lines[index]!
    const more = largest(line.quantity, (count) => fits(line, count))
    taken[index] = more
    gotten += more
    if (line.isBought) bought -= more
    if (more < line.quantity) break
  }
  return taken
}

const times = ({ get_quantity }: Terms, gotten: number) => Math.ceil(gotten / get_quantity)

/** Lines that can be gotten, by unit price; of the same price, those first that do not count as bought. */
function cheapestFirst(lines: readonly Pieces[]): number[] {
  const indexes = lines.flatMap(({ isGotten }, index) => (isGotten ? [index] : []))
  return indexes.sort((a, b) => {
    const [one, other] = [lines[a]!, lines[b]!]
    // Unit prices are compared by cross-multiplication, without rounding.
    const byPrice = one.total.times(other.quantity).comparedTo(other.total.times(one.quantity))
    return byPrice || Number(one.isBought) - Number(other.isBought) || a - b
  })
}

/** The largest count up to `limit` that fits. What does not fit does not fit in a larger count either. */
function largest(limit: number, fits: (count: number) => boolean): number {
  let low = 0,
    high = limit
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

// Buy X get Y: chooses the units of an order that get the discount. It has no side effects.
import type { Decimal } from '../../kit/values/money.ts'

type Terms = { buy_quantity: number; get_quantity: number; max_per_order: number }

/** A line, and whether its units count as bought (X) and can be gotten (Y). A unit is never both at once. */
type Pieces = { quantity: number; total: Decimal; isBought: boolean; isGotten: boolean }

/**
 * Returns the discounted quantity of each line: as many units as can get the discount, cheapest first. For each
 * `get_quantity` of them, or part of it, `buy_quantity` other units are bought at their price.
 */
export function discountedQuantities(terms: Terms, lines: readonly Pieces[]): number[] {
  const count = (passes: (line: Pieces) => boolean) =>
    lines.filter(passes).reduce((units, { quantity }) => units + quantity, 0)
  const boughtCount = count(({ isBought }) => isBought)
  const eitherWay = count(({ isBought, isGotten }) => isBought && isGotten)
  const onlyGotten = count(({ isBought, isGotten }) => isGotten && !isBought)
  // Units that count as bought but are not needed to discount this many.
  const spare = (units: number) => Math.min(eitherWay, boughtCount - countRounds(terms, units) * terms.buy_quantity)
  const fits = (units: number) =>
    spare(units) >= 0 &&
    units <= onlyGotten + spare(units) &&
    (terms.max_per_order === 0 || countRounds(terms, units) <= terms.max_per_order)
  let remaining = largest(onlyGotten + eitherWay, fits)
  let leftOfBought = spare(remaining)
  const takenCounts = lines.map(() => 0)
  for (const index of cheapestFirst(lines)) {
    const { quantity, isBought } = lines[index]!
    const units = Math.min(quantity, remaining, isBought ? leftOfBought : remaining)
    takenCounts[index] = units
    remaining -= units
    if (isBought) leftOfBought -= units
  }
  return takenCounts
}

const countRounds = ({ get_quantity }: Terms, gotten: number) => Math.ceil(gotten / get_quantity)

/** Lines that can be gotten, by unit price; of the same price, those first that do not count as bought. */
function cheapestFirst(lines: readonly Pieces[]): number[] {
  const indexes = lines.flatMap(({ isGotten, quantity }, index) => (isGotten && quantity > 0 ? [index] : []))
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

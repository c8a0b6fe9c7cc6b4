// The discounts that an edit keeps. They apply to all that was sold under them; units that were refunded keep their
// share, and the units that are still there get the rest. It has no side effects.
import { publicId } from '../../../kit/values/ids.ts'
import { allocate, Decimal, sum } from '../../../kit/values/money.ts'
import { applyAll, type AppliedDiscount } from '../../discounts/combination.ts'
import type { DiscountRow } from '../../discounts/discount.ts'
import { covers, type DiscountLine } from '../../discounts/pricing.ts'
import type { ItemAdjustment } from '../item.ts'
import type { SettledUnits } from '../settled.ts'

/** A line after the edit with all its units, and those of them that were refunded before. */
export type EditedLine = DiscountLine & { settled: SettledUnits | null }

/** Without the units that were refunded. */
export function openLine<L extends EditedLine>(line: L): Omit<L, 'settled'> {
  return withoutUnits(line, line.settled?.quantity ?? 0)
}

/** Without units that were sold under discounts that others have replaced. */
function soldLine(line: EditedLine): DiscountLine {
  return withoutUnits(line, line.settled?.closed?.quantity ?? 0)
}

/** Lines without units are not part of the cart. */
export function soldLines(lines: readonly EditedLine[]): DiscountLine[] {
  return lines.map(soldLine).filter(({ quantity }) => quantity !== 0)
}

function withoutUnits<L extends EditedLine>({ settled: _, ...line }: L, units: number): Omit<L, 'settled'> {
  if (units === 0 || line.quantity === undefined) return line
  const quantity = line.quantity - units
  return { ...line, quantity, total: line.total.times(quantity).dividedBy(line.quantity) }
}

/** Takes the discounts off one after the other, as in a new order, less what refunded units have of each. */
export function applyKept(
  rows: readonly DiscountRow[],
  lines: readonly EditedLine[],
  currency: string,
): AppliedDiscount[] {
  const open = lines.map(openLine)
  let remaining = open.map(({ total }) => total)
  return applyAll(rows, lines.map(soldLine), currency).map((whole) => {
    const { discount } = whole
    const amounts = lines.map((line) => settledShare(line, discount))
    const eligible = open.map((line, index) => (covers(discount, line) ? remaining[index]! : zero))
    const rest = within(whole.amount.minus(sum(amounts)), sum(eligible))
    const allocation =
      discount.type === 'buy_x_get_y'
        ? whole.allocation.map((share, index) => within(share.minus(amounts[index]!), remaining[index]!))
        : allocate(rest, eligible, currency)
    remaining = remaining.map((amount, index) => amount.minus(allocation[index]!))
    return { ...whole, amount: sum(allocation), allocation }
  })
}

const zero = new Decimal(0)

function within(amount: Decimal, limit: Decimal): Decimal {
  return Decimal.max(0, Decimal.min(amount, limit))
}

function settledShare({ settled }: EditedLine, { id }: DiscountRow): Decimal {
  const of = (adjustments: readonly ItemAdjustment[] = []) =>
    sum(adjustments.filter(({ source_id }) => source_id === publicId('disc', id)).map(({ amount }) => amount))
  return of(settled?.closed?.adjustments).minus(of(settled?.adjustments))
}

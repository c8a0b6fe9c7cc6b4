// Applies a formula to an amount.
import { Decimal, round, toNumber } from '../../../../kit/values/money.ts'

export const ways = ['percent', 'add', 'set'] as const
export type Formula = { way: (typeof ways)[number]; amount: number | null; ending: Ending | null }

/** Amounts with this ending are `step` apart: .99 is 1, 9 is 10, 900 is 1000. */
export type Ending = { rest: number; step: number }

export function endingIn(text: string): Ending | null {
  const digits = text.trim().replace(',', '.')
  if (/^0?\.\d{1,4}$/.test(digits)) return { rest: Number(digits), step: 1 }
  return /^\d{1,6}$/.test(digits) ? { rest: Number(digits), step: 10 ** digits.length } : null
}

/** An amount of null stays null. */
export function applyFormula(formula: Formula, before: number | null, currency: string): number | null {
  const { way, amount, ending } = formula
  if (way === 'set') return amount === null ? null : roundToEnding(new Decimal(amount), ending, currency)
  if (before === null) return null
  const was = new Decimal(before)
  return roundToEnding(
    way === 'percent'
      ? was
          .mul(amount ?? 0)
          .div(100)
          .add(was)
      : was.add(amount ?? 0),
    ending,
    currency,
  )
}

/** The nearest amount with the ending; of two, the higher one. */
function roundToEnding(amount: Decimal, ending: Ending | null, currency: string): number {
  if (!ending || amount.lte(0)) return toNumber(round(amount, currency))
  const { rest, step } = ending
  const below = amount.sub(rest).div(step).floor().mul(step).add(rest)
  const above = below.add(step)
  const isBelow = below.gt(0) && amount.sub(below).lt(above.sub(amount))
  return toNumber(round(isBelow ? below : above, currency))
}

// Providers count in whole minor units, the house in decimals; neither loses anything on the way to the other.
import { Decimal } from '../../kit/values/money.ts'

/** `exponent`: how many decimals the provider knows; `step`: the least amount that it takes, in its units. */
export type Unit = { exponent: number; step: number }

/** Null: the provider cannot express the amount. */
export function toMinor(amount: number, { exponent, step }: Unit): number | null {
  const minor = new Decimal(amount).times(10 ** exponent)
  return minor.modulo(step).isZero() ? minor.toNumber() : null
}

export function fromMinor(minor: number, { exponent }: Unit): number {
  return new Decimal(minor).div(10 ** exponent).toNumber()
}

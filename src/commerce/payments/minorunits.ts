// Converts between decimal amounts and the integer minor units of providers, without loss.
import { Decimal } from '../../kit/values/money.ts'

/** `exponent` is the number of decimals, `step` the smallest amount in the provider's units. */
export type Unit = { exponent: number; step: number }

/** Null: the provider cannot express the amount. */
export function toMinor(amount: number, { exponent, step }: Unit): number | null {
  const minor = new Decimal(amount).times(10 ** exponent)
  return minor.modulo(step).isZero() ? minor.toNumber() : null
}

export function fromMinor(minor: number, { exponent }: Unit): number {
  return new Decimal(minor).div(10 ** exponent).toNumber()
}

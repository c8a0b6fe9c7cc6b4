// Money is decimal major units: a JSON number outside, numeric in the database, Decimal in arithmetic.
import { Decimal } from 'decimal.js'

// ISO 4217 minor units, where they are not 2. (Intl follows CLDR's cash rounding: it says 0 for COP, HUF and IQD.)
const exponents: Record<string, number> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}

export const maximumMoney = 999_999_999_999

export function exponentOf(currency: string): number {
  return exponents[currency] ?? 2
}

/** Half-up to the currency's minor unit. */
export function round(amount: Decimal.Value, currency: string): Decimal {
  return new Decimal(amount).toDecimalPlaces(exponentOf(currency), Decimal.ROUND_HALF_UP)
}

export function sum(amounts: readonly Decimal.Value[]): Decimal {
  return amounts.reduce<Decimal>((total, amount) => total.plus(amount), new Decimal(0))
}

/** Up to 12 whole digits and 4 decimals print as the same digits again, so a number carries money without loss. */
export function toNumber(amount: Decimal): number {
  return amount.toNumber()
}

export { Decimal }

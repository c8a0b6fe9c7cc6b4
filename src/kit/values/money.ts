// Money is decimal major units: a JSON number outside, numeric in the database, Decimal in arithmetic.
import currencies from 'currency-codes'
import { Decimal } from 'decimal.js'

const digits = new Map(currencies.data.map((currency) => [currency.code, currency.digits]))

export const maximumMoney = 999_999_999_999

/** ISO 4217 minor units. (Intl follows CLDR's cash rounding: it says 0 for COP, HUF and IQD.) */
export function exponentOf(currency: string): number {
  return digits.get(currency) ?? 2
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

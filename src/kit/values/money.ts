// Money is decimal major units: a JSON number outside, numeric in the database, Decimal in arithmetic.
import currencies from 'currency-codes'
import { Decimal } from 'decimal.js'

// The quotient of a product of 16 and 7 digits is right to the last digit kept.
Decimal.set({ precision: 40 })

const digits = new Map(currencies.data.map((currency) => [currency.code, currency.digits]))

export const maxMoney = 999_999_999_999

/** ISO 4217 minor units. (Intl follows CLDR's cash rounding: it says 0 for COP, HUF and IQD.) */
export function getCurrencyExponent(currency: string): number {
  return digits.get(currency) ?? 2
}

/** Rounds half-up to the currency's minor unit. */
export function round(amount: Decimal.Value, currency: string): Decimal {
  return new Decimal(amount).toDecimalPlaces(getCurrencyExponent(currency), Decimal.ROUND_HALF_UP)
}

export function sum(amounts: readonly Decimal.Value[]): Decimal {
  return amounts.reduce<Decimal>((total, amount) => total.plus(amount), new Decimal(0))
}

/** Splits an amount by weight. Each running total is rounded, so that no rounding remainder is lost or added. */
export function allocate(amount: Decimal, weights: readonly Decimal[], currency: string): Decimal[] {
  const zero = new Decimal(0)
  const whole = sum(weights)
  if (amount.isZero()) return weights.map(() => zero)
  let totalWeight = zero,
    sharedOut = zero
  return weights.map((weight) => {
    totalWeight = totalWeight.plus(weight)
    const due = totalWeight.equals(whole) ? amount : round(amount.times(totalWeight).dividedBy(whole), currency)
    const share = due.minus(sharedOut)
    sharedOut = due
    return share
  })
}

/** Like allocate, in equal shares if no weight is above zero. */
export function allocateOrEqually(amount: Decimal, weights: readonly Decimal[], currency: string): Decimal[] {
  return allocate(amount, sum(weights).isZero() ? weights.map(() => new Decimal(1)) : weights, currency)
}

/** The row with its amounts as Decimal: the database sends them as texts. Null stays null. */
export function withDecimals<R extends object>(row: R, names: readonly (keyof R)[]): R {
  const amounts = names.map((name) => [name, row[name] === null ? null : new Decimal(row[name] as Decimal.Value)])
  return { ...row, ...Object.fromEntries(amounts) }
}

/** Up to 12 whole digits and 4 decimals print as the same digits again, so a number carries money without loss. */
export function toNumber(amount: Decimal.Value): number {
  return new Decimal(amount).toNumber()
}

export { Decimal }

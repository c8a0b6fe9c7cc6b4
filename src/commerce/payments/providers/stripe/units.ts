// Stripe's minor units, which differ from ISO 4217 in places: https://docs.stripe.com/currencies
import { getCurrencyExponent } from '../../../../kit/values/money.ts'
import { fromMinor, type Unit } from '../../minorunits.ts'

// prettier-ignore
const whole = new Set(['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'VND', 'VUV', 'XAF',
                       'XOF', 'XPF'])
/** Currencies with three decimals, the last of which must be 0. */
const thousandths = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])
/** Currencies without minor units that Stripe still writes with two decimals. */
const formerHundredths = new Set(['ISK', 'UGX'])

/** The minimum charge: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
// prettier-ignore
export const minimums = {
  USD: 0.5, AED: 2, AUD: 0.5, BGN: 1, BRL: 0.5, CAD: 0.5, CHF: 0.5, CZK: 15, DKK: 2.5, EUR: 0.5, GBP: 0.3, HKD: 4,
  HUF: 175, INR: 0.5, JPY: 50, MXN: 10, MYR: 2, NOK: 3, NZD: 0.5, PLN: 2, RON: 2, SEK: 3, SGD: 0.5, THB: 10,
} as const

export function getStripeUnit(currency: string): Unit {
  if (whole.has(currency)) return { exponent: 0, step: 1 }
  if (thousandths.has(currency)) return { exponent: 3, step: 10 }
  if (formerHundredths.has(currency)) return { exponent: 2, step: 100 }
  return { exponent: getCurrencyExponent(currency), step: 1 }
}

/** The smallest amount, as a decimal. */
export function getSmallestAmount(currency: string): number {
  const unit = getStripeUnit(currency)
  return fromMinor(unit.step, unit)
}

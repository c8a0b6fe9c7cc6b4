// Amounts are whole numbers of the currency's smallest unit in the protocol, and decimals everywhere else.
import { Decimal, getCurrencyExponent, toNumber } from '../../kit/values/money.ts'

export function minorUnits(amount: Decimal.Value, currency: string): number {
  return toNumber(new Decimal(amount).times(new Decimal(10).pow(getCurrencyExponent(currency))))
}

export function majorUnits(units: number, currency: string): number {
  return toNumber(new Decimal(units).dividedBy(new Decimal(10).pow(getCurrencyExponent(currency))))
}

export type Price = { amount: number; currency: string }

export function toUcpPrice(amount: Decimal.Value, currency: string): Price {
  return { amount: minorUnits(amount, currency), currency }
}

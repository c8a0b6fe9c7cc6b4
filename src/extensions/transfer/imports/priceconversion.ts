// Prices of a file as those of the store: the tax is added, or taken out.
import { Decimal, round } from '../../../kit/values/money.ts'

/** `rate` is in percent. */
export type PriceConversion = { rate: number; adds: boolean; currency: string }

export function convertPrice(price: number, { rate, adds, currency }: PriceConversion): number {
  const factor = new Decimal(rate).plus(100).div(100)
  const amount = new Decimal(price)
  return round(adds ? amount.times(factor) : amount.div(factor), currency).toNumber()
}

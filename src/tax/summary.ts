// The tax of a checkout by rate, as its shopper sees it.
import { list, object } from '../kit/declare/composites.ts'
import { choice, decimal, flag, money, text } from '../kit/declare/scalars.ts'
import { sum, toNumber } from '../kit/values/money.ts'
import type { Taxes } from './amounts.ts'
import { taxReasons } from './taxzone.ts'

// prettier-ignore
const rateSummary = object({
  name:     text().nullable().required().example('VAT Germany'),
  rate:     decimal().required().example(19).describe('Percent'),
  reason:   choice(taxReasons).required(),
  base:     money().required().describe('What is taxed, without the tax'),
  amount:   money().required(),
  included: flag().required(),
})

export type TaxSummary = NonNullable<(typeof rateSummary)['type']>['value']

export const taxSummary = () => list(rateSummary, { max: 101 })

export function summaryOfTaxes({ lines, treatment }: Taxes): TaxSummary[] {
  const byRate = Map.groupBy(lines, ({ rate, reason }) => `${rate} ${reason}`)
  return [...byRate.values()].map((alike) => {
    const { rate, reason, included } = alike[0]!
    const tax = sum(alike.map((line) => line.tax))
    const whole = sum(alike.map((line) => line.amount))
    const base = included ? whole.minus(tax) : whole
    return { name: treatment!.name, rate, reason, base: toNumber(base), amount: toNumber(tax), included }
  })
}

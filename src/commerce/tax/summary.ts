// The taxes of a checkout by name and rate, as shown to its shopper.
import { list, object } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, money, text } from '../../kit/declare/scalars.ts'
import { sum, toNumber } from '../../kit/values/money.ts'
import { percentIn } from '../../kit/values/percents.ts'
import { keyOfTax, type Taxes } from './amounts.ts'
import { taxReasons } from './taxzone.ts'

// prettier-ignore
const rateSummary = object({
  name:     text().nullable().required().example('VAT Germany'),
  rate:     decimal().required().example(19).describe('Rate in percent'),
  reason:   choice(taxReasons).required(),
  base:     money().required().describe('Amount that the tax is charged on, without the tax'),
  amount:   money().required(),
  included: flag().required().describe('Whether the tax is included in the prices'),
})

/** A tax as shown to people, e.g. `QST 9.975%`. */
export function taxName({ name, rate }: { name: string | null; rate: number | null }, language: string): string {
  const percent = rate === null ? '' : percentIn(language, 4)(rate / 100)
  return [name, percent].filter(Boolean).join(' ')
}

type NamedTax = Pick<TaxSummary, 'name' | 'amount'> & { rate: number | null }

/** The amount of each tax, if there are several. `lines` are those of an order or a checkout. */
export function severalTaxes(lines: readonly NamedTax[]): NamedTax[] {
  const positive = lines.filter(({ amount }) => amount > 0)
  const byTax = [...Map.groupBy(positive, ({ name, rate }) => JSON.stringify([name, rate])).values()]
  if (byTax.length < 2) return []
  return byTax.map((alike) => ({ ...alike[0]!, amount: toNumber(sum(alike.map(({ amount }) => amount))) }))
}

export type TaxSummary = NonNullable<(typeof rateSummary)['type']>['value']

export const taxSummary = () => list(rateSummary, { max: 1000 })

export function summaryOfTaxes({ lines }: Taxes): TaxSummary[] {
  return [...Map.groupBy(lines, keyOfTax).values()].map((alike) => {
    const { name, rate, reason, included } = alike[0]!
    const base = toNumber(sum(alike.map((line) => line.base)))
    return { name, rate, reason, base, amount: toNumber(sum(alike.map(({ tax }) => tax))), included }
  })
}

// The price per unit of a measure, e.g. per kilogram (Directive 98/6/EC, as of 2026-11-28). Measures are written as in
// Google Merchant Center: https://support.google.com/merchants/answer/6324455
import { text } from '../../kit/declare/scalars.ts'
import { reason, type Reason } from '../../kit/values/faults.ts'
import { Decimal, round, toNumber } from '../../kit/values/money.ts'
import { catalogFaults } from './errors.ts'

/** The sizes of units that are compared; the price is that of the first. The SQL function measured_unit has them. */
// prettier-ignore
export const kinds: readonly Readonly<Record<string, number>>[] = [
  { kg: 1_000_000, g: 1000, mg: 1 },
  { lb: 16, oz: 1 },
  { l: 1000, cl: 10, ml: 1 },
  { floz: 1, pt: 16, qt: 32, gal: 128 },
  { cbm: 1 },
  { m: 100, cm: 1 },
  { ft: 12, in: 1, yd: 36 },
  { sqm: 1 },
  { sqft: 1 },
  { ct: 1 },
]

const sizes = new Map(
  kinds.flatMap((kind) => {
    const [base, perBase] = Object.entries(kind)[0]!
    return Object.entries(kind).map(([unit, size]) => [unit, { base, perBase, size }])
  }),
)

const form = /^(\d{1,7}(?:\.\d{1,3})?) ?([a-z]+)$/

export const unitMeasureField = () =>
  text({ min: 2, max: 16 })
    .becomes(withDecimalPoint)
    .rule(checkMeasure)
    .nullable()
    .example('750 ml')
    .describe('Content of one item, from which the price per unit follows: an amount and a unit, such as g, ml or ct')

/** `1,5 kg` is `1.5 kg`. A comma before three digits may separate thousands, unless a zero stands before it. */
function withDecimalPoint(measure: string): string {
  return /^(0,\d{1,3}|\d+,\d{1,2})(?!\d)/.test(measure) ? measure.replace(',', '.') : measure
}

function checkMeasure(measure: string): Reason | null {
  return readMeasure(measure) ? null : reason(catalogFaults.no_measure, { units: [...sizes.keys()].join(', ') })
}

function readMeasure(measure: string) {
  const [, amount = '', unit = ''] = form.exec(measure) ?? []
  const of = sizes.get(unit)
  return of && Number(amount) > 0 ? { amount: new Decimal(amount), ...of } : null
}

export type UnitPrice = { amount: number; unit: string }

/** The price of one unit. Null without a measure. */
export function computeUnitPrice(price: number, measure: string | null, currency: string): UnitPrice | null {
  const of = measure === null ? null : readMeasure(measure)
  if (!of) return null
  const perUnit = new Decimal(price).times(of.perBase).dividedBy(of.amount.times(of.size))
  return { amount: toNumber(round(perUnit, currency)), unit: of.base }
}

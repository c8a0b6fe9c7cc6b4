// The taxes that make up one rate, e.g. GST and QST, and what each takes of a net price. Pure arithmetic.
import { Decimal, sum } from '../../kit/values/money.ts'

type RateComponent = { rate: number; compound?: boolean }

/** Of 1.00 net, in their order. A compound tax is also charged on the taxes before it. */
export function sharesOf(components: readonly RateComponent[]): Decimal[] {
  let gross = new Decimal(1)
  return components.map(({ rate, compound }) => {
    const share = (compound ? gross : new Decimal(1)).times(rate).dividedBy(100)
    gross = gross.plus(share)
    return share
  })
}

/** Percent, to the 4 decimals that rates have. */
export function combinedRate(components: readonly RateComponent[]): number {
  return sum(sharesOf(components)).times(100).toDecimalPlaces(4).toNumber()
}

// The taxes that make up a rate, e.g. GST and QST, and their shares of a net price. It has no side effects.
import { Decimal, sum } from '../../kit/values/money.ts'

type RateComponent = { rate: number; compound?: boolean }

/** The tax on a net amount of 1.00, by component. A compound tax is also charged on the taxes before it. */
export function computeTaxShares(components: readonly RateComponent[]): Decimal[] {
  let gross = new Decimal(1)
  return components.map(({ rate, compound }) => {
    const share = (compound ? gross : new Decimal(1)).times(rate).dividedBy(100)
    gross = gross.plus(share)
    return share
  })
}

/** In percent, with the 4 decimals of rates. */
export function combinedRate(components: readonly RateComponent[]): number {
  return sum(computeTaxShares(components)).times(100).toDecimalPlaces(4).toNumber()
}

// What prices are where a sale goes to: as they are shown, or with the place's tax in the place of home's.
import { Decimal, round, sum } from '../../kit/values/money.ts'
import { sharesOf } from './components.ts'
import type { TaxTerms } from './terms.ts'
import { anybody, treatmentOf, type Treatment } from './treatment.ts'

export type PricesThere = {
  ofGoods(price: Decimal, categoryId: string | null): Decimal
  ofShipping(price: Decimal): Decimal
}

export const pricesAsShown: PricesThere = { ofGoods: (price) => price, ofShipping: (price) => price }

/** `home`: the store's country. */
export function pricesThere(terms: TaxTerms, home: string, there: Treatment | null, currency: string): PricesThere {
  const here = terms.tax_fixed_prices ? null : treatmentOf(terms, home, { country_code: home }, anybody)
  if (!here || !there) return pricesAsShown
  const moved = (price: Decimal, categoryId: string | null, containsTax: (by: Treatment) => boolean) => {
    const gross = (by: Treatment) => sum([1, ...(containsTax(by) ? sharesOf(by.rateOf(categoryId).components) : [])])
    return round(price.times(gross(there)).dividedBy(gross(here)), currency)
  }
  return {
    ofGoods: (price, categoryId) => moved(price, categoryId, ({ included }) => included),
    ofShipping: (price) => moved(price, null, ({ included, shipping }) => included && shipping),
  }
}

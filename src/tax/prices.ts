// What prices are where a sale goes to: as they are shown, or with the place's tax in the place of home's.
import { Decimal, round } from '../kit/values/money.ts'
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
    const percent = (by: Treatment) => new Decimal(containsTax(by) ? by.rateOf(categoryId).rate : 0).plus(100)
    return round(price.times(percent(there)).dividedBy(percent(here)), currency)
  }
  return {
    ofGoods: (price, categoryId) => moved(price, categoryId, ({ included }) => included),
    ofShipping: (price) => moved(price, null, ({ included, shipping }) => included && shipping),
  }
}

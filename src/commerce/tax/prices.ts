// Prices at the destination of a sale: as displayed, or with the destination's tax in place of the included home tax.
import { sql, type Sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { Decimal, getCurrencyExponent, round, sum, toNumber } from '../../kit/values/money.ts'
import { listShipped, type TaxableAmount } from './amounts.ts'
import { computeTaxShares } from './components.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { TaxTerms } from './terms.ts'
import { anonymousBuyer, resolveTaxTreatment, treatmentOf } from './treatment.ts'
import type { TaxBuyer, TaxedGoods, TaxPlace, Treatment } from './treatment.ts'

export type LocalPrices = {
  ofGoods(price: Decimal, goods: TaxedGoods): Decimal
  /** `goods` are sold with it, after the discount: shipping can contain their taxes. */
  ofShipping(price: Decimal, goods: readonly TaxableAmount[]): Decimal
}

export const basePrices: LocalPrices = { ofGoods: (price) => price, ofShipping: (price) => price }

/** The taxes of a sale, and its prices at the destination. */
export function taxSale(
  terms: TaxTerms,
  { country_code, currency }: Pick<Store, 'country_code' | 'currency'>,
  place: TaxPlace,
  buyer: TaxBuyer,
): { treatment: Treatment | null; prices: LocalPrices } {
  const treatment = resolveTaxTreatment(terms, country_code, place, buyer)
  return { treatment, prices: localPrices(terms, country_code, treatment, currency) }
}

/** `home` is the store's country. */
export function localPrices(terms: TaxTerms, home: string, there: Treatment | null, currency: string): LocalPrices {
  const here = terms.tax_fixed_prices ? null : resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  if (!here || !there) return basePrices
  return {
    ofGoods: (price, { category_id, ...goods }) => {
      const gross = computeIncluded(treatmentOf(goods, there), category_id)
      return round(price.times(gross).dividedBy(computeIncluded(here, category_id)), currency)
    },
    ofShipping: (price, goods) => {
      const [home, away] = [here, there].map((by) => computeShippingTax(by, there, goods)) as [Parts, Parts]
      const net = price.times(home.net).times(away.gross)
      return round(net.dividedBy(home.gross.times(away.net)), currency)
    },
  }
}

/** What 1.00 without tax costs as prices are shown. */
function computeIncluded(by: Treatment, categoryId: string | null): Decimal {
  return by.included ? computeGross(by, categoryId) : one
}

const one = new Decimal(1)

type Parts = { net: Decimal; gross: Decimal }

/**
 * What shipping costs without the tax that it contains, of what it costs with it. At the rates of the goods, it is
 * shared by their net prices, which are the same at home and there. Whole multiples keep the sums exact.
 */
function computeShippingTax(by: Treatment, there: Treatment, goods: readonly TaxableAmount[]): Parts {
  const { included, shipping } = by
  if (!included || shipping === 'none') return { net: one, gross: one }
  const lines = shipping === 'proportional' ? listShipped(goods) : []
  const grossThere = lines.map(({ category_id }) => computeIncluded(there, category_id))
  const multiple = [...new Set(grossThere.map(String))].reduce((product, gross) => product.times(gross), one)
  const nets = lines.map(({ amount }, index) => amount.times(multiple.dividedBy(grossThere[index]!)))
  const net = sum(nets)
  if (net.isZero()) return { net: one, gross: computeGross(by, null) }
  return { net, gross: sum(nets.map((amount, index) => amount.times(computeGross(by, lines[index]!.category_id)))) }
}

/** What 1.00 without tax costs with it. */
function computeGross(treatment: Treatment, categoryId: string | null): Decimal {
  return sum([1, ...computeTaxShares(treatment.rateOf(categoryId).components)])
}

/** Prices of the catalog with the tax of the store's country, or without it; null in a store that charges none. */
export function convertTax(
  terms: TaxTerms,
  { country_code: home, currency }: Pick<Store, 'country_code' | 'currency'>,
  isIncluded: boolean,
): ((price: number, categoryId: string | null) => number) | null {
  const treatment = resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  if (!treatment) return null
  return (price, categoryId) => {
    if (treatment.included === isIncluded) return price
    const gross = computeGross(treatment, categoryId)
    return toNumber(round(isIncluded ? gross.times(price) : new Decimal(price).dividedBy(gross), currency))
  }
}

/** The same as a column of products, for filters; null if prices are shown as the catalog has them. */
export function shownPriceColumn(
  terms: TaxTerms,
  { country_code: home, currency }: Pick<Store, 'country_code' | 'currency'>,
  isIncluded: boolean,
): Sql | null {
  const treatment = resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  if (!treatment || treatment.included === isIncluded) return null
  const ids = terms.tax_zones.flatMap((zone) => zone.category_rates.map(({ category_id }) => category_id))
  const categories = [...new Set(ids)].map((id) => toUuid('cat', id))
  const grossOf = (id: string | null) => computeGross(treatment, id).toFixed()
  const gross = sql`coalesce((
      select gross
      from unnest(${categories}::uuid[], ${categories.map(grossOf)}::numeric[]) as own (category_id, gross)
      where own.category_id = products.category_id), ${grossOf(null)}::numeric)`
  const price = isIncluded ? sql`products.price * ${gross}` : sql`products.price / ${gross}`
  return sql`round(${price}, ${getCurrencyExponent(currency)}::int)`
}

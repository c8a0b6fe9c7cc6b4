// Prices at the destination of a sale: as displayed, or with the destination's tax in place of the included home tax.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { allocate, Decimal, getCurrencyExponent, round, sum, toNumber } from '../../kit/values/money.ts'
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

/** A part of a bundle: `price` is that of its units in one bundle, by which they share the price of the bundle. */
export type PricedPart = { category_id: string | null; price: Decimal }

/** Converts a price of the catalog. That of a bundle is the sum of its parts, each by its own category. */
export type TaxConversion = (price: number, categoryId: string | null, parts?: readonly PricedPart[]) => number

type DisplayStore = Pick<Store, 'id' | 'country_code' | 'currency'> & Partial<Pick<Store, 'has_bundles'>>

/** Prices of the catalog with the tax of the store's country, or without it; null in a store that charges none. */
export function convertTax(
  terms: TaxTerms,
  { country_code: home, currency }: DisplayStore,
  isIncluded: boolean,
): { isIdentity: boolean; convert: TaxConversion } | null {
  const treatment = resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  if (!treatment) return null
  if (treatment.included === isIncluded) return { isIdentity: true, convert: (price) => price }
  const convertOne = (price: Decimal, categoryId: string | null) => {
    const gross = computeGross(treatment, categoryId)
    return round(isIncluded ? price.times(gross) : price.dividedBy(gross), currency)
  }
  return {
    isIdentity: false,
    convert: (price, categoryId, parts) => {
      const whole = new Decimal(price)
      if (!parts) return toNumber(convertOne(whole, categoryId))
      const weights = parts.map((part) => part.price)
      const shares = allocate(whole, weights, currency)
      return toNumber(sum(shares.map((share, index) => convertOne(share, parts[index]!.category_id))))
    },
  }
}

/** The same as a column of products, for filters; null if prices are shown as the catalog has them. */
export function shownPriceColumn(terms: TaxTerms, store: DisplayStore, isIncluded: boolean): Sql | null {
  const { id: storeId, country_code: home, currency, has_bundles } = store
  const treatment = resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  if (!treatment || treatment.included === isIncluded) return null
  const ids = terms.tax_zones.flatMap((zone) => zone.category_rates.map(({ category_id }) => category_id))
  const categories = [...new Set(ids)].map((id) => toUuid('cat', id))
  const grossOf = (id: string | null) => computeGross(treatment, id).toFixed()
  const exponent = sql`${getCurrencyExponent(currency)}::int`
  const convert = (price: Sql, categoryId: Sql) => {
    const gross = sql`coalesce((
      select gross
      from unnest(${categories}::uuid[], ${categories.map(grossOf)}::numeric[]) as own (category_id, gross)
      where own.category_id = ${categoryId}), ${grossOf(null)}::numeric)`
    return sql`round(${isIncluded ? sql`${price} * ${gross}` : sql`${price} / ${gross}`}, ${exponent})`
  }
  const plain = convert(sql`products.price`, sql`products.category_id`)
  if (!has_bundles) return plain
  return sql`coalesce(case when products.bundle_items is not null then (
      select sum(${convert(sql`(share.due - share.before)`, sql`share.category_id`)})
      from (${sharesOfParts(storeId, exponent)}) as share) end, ${plain})`
}

/** The parts of a bundle with their shares of its price, as `allocate` has them: `due` less what was due `before`. */
function sharesOfParts(storeId: string, exponent: Sql): Sql {
  return sql`
        select weighed.category_id, weighed.due, lag(weighed.due, 1, 0) over (order by weighed.position) as before
        from (
          select part.category_id, part.position, case when part.up_to = part.whole then products.price
            else round(products.price * part.up_to / part.whole, ${exponent}) end as due
          from (
            select parts.category_id, item.position,
              sum(${priceOfPart(exponent)}) over (order by item.position) as up_to,
              sum(${priceOfPart(exponent)}) over () as whole
            from ${partsOf(storeId, 'products')}) as part) as weighed`
}

/** The price of a part's units in one bundle. */
function priceOfPart(exponent: Sql): Sql {
  return sql`round(coalesce(part_variants.price, parts.price), ${exponent}) * item.quantity`
}

/** The rows of a bundle's parts that exist: `item`, `parts` and `part_variants`. */
function partsOf(storeId: string, bundles: string): Sql {
  return sql`rows from (
              jsonb_to_recordset(${raw(bundles)}.bundle_items) as (product_id uuid, variant_id uuid, quantity int)
            ) with ordinality as item (product_id, variant_id, quantity, position)
            join products as parts on parts.store_id = ${storeId}
              and parts.id = item.product_id
            left join variants as part_variants on part_variants.store_id = ${storeId}
              and part_variants.id = item.variant_id`
}

/** The parts of the bundles among these products and their variants, by the uuid of the product or the variant. */
export async function findPricedParts(
  db: Db,
  store: Pick<Store, 'id' | 'currency'>,
  products: readonly string[],
): Promise<Map<string, PricedPart[]>> {
  const exponent = sql`${getCurrencyExponent(store.currency)}::int`
  const rows = await db.rows<{ id: string; category_id: string | null; price: string }>(sql`
    select bundles.id, parts.category_id, ${priceOfPart(exponent)} as price
    from (
      select id, bundle_items
      from products
      where store_id = ${store.id}
        and id = any(${products}::uuid[])
        and bundle_items is not null
      union all
      select id, bundle_items
      from variants
      where store_id = ${store.id}
        and product_id = any(${products}::uuid[])
        and bundle_items is not null) as bundles
    cross join lateral ${partsOf(store.id, 'bundles')}
    order by bundles.id, item.position`)
  const parts = new Map<string, PricedPart[]>()
  for (const { id, category_id, price } of rows) {
    parts.set(id, [...(parts.get(id) ?? []), { category_id, price: new Decimal(price) }])
  }
  return parts
}

// What stands beside a price: the price per unit, the lowest price of the 30 days before a reduction, and the tax.
import { computeUnitPrice } from '../../../commerce/catalog/unitprices.ts'
import { euCountries } from '../../../kit/values/countries.ts'
import type { ProductCard } from '../../../commerce/catalog/productcard.ts'
import { computeListPrice, type ListPrice, type Prices } from './choice.ts'
import type { ShopContext } from '../frame/page.ts'
import type { TaxedProduct } from '../frame/taxview.ts'

/** How units are written where their sign in data is not the usual one. */
const signs: Readonly<Record<string, string>> = { floz: 'fl oz', cbm: 'm³', sqm: 'm²', sqft: 'sq ft' }

/** E.g. $16.67/l; empty without a measure. */
export function formatUnitPrice({ store, price, t }: ShopContext, prices: Prices): string {
  const unitPrice = computeUnitPrice(prices.price, prices.measure, store.currency)
  if (!unitPrice) return ''
  const amount = price(unitPrice.amount)
  return unitPrice.unit === 'ct'
    ? t('price_per_piece', { price: amount })
    : `${amount}/${signs[unitPrice.unit] ?? unitPrice.unit}`
}

/** Empty where the price is not reduced, or the store does not show it. */
export function formatLowestBefore({ offer, store, price, t }: ShopContext, { lowestBefore }: Prices): string {
  const { lowest_price_display: display } = offer
  const isShown = display === 'always' || (display === 'by_country' && euCountries.has(store.country_code))
  return isShown && lowestBefore !== null ? t('lowest_price', { price: price(lowestBefore) }) : ''
}

/** The prices of a product, or of one of its variants, as they are shown. */
export function showPrices<P extends Prices>(
  { taxView }: ShopContext,
  prices: P,
  product: TaxedProduct,
  variantId: string | null,
): P {
  const convert = (price: number) => taxView.convert(price, product, variantId)
  const shown = (price: number | null) => (price === null ? null : convert(price))
  const { price, compare, lowestBefore } = prices
  return { ...prices, price: convert(price), compare: shown(compare), lowestBefore: shown(lowestBefore) }
}

/** The prices of the cheapest choice as lists show them. */
export function showListPrice(context: ShopContext, product: ProductCard): ListPrice {
  return computeListPrice(product, (prices, variantId) => showPrices(context, prices, product, variantId))
}

/** Beside a price: whether it contains tax. */
export function taxNote({ taxView, t }: ShopContext): string | null {
  return taxView.way && t(taxView.way === 'included' ? 'tax_within' : 'tax_without')
}

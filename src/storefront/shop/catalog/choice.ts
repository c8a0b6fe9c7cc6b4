// The choices of a product with their prices and availability.
import type { ProductCard } from '../../../commerce/catalog/productcard.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import { buildTermTranslator } from '../../../tenancy/stores/terms.ts'

export type Prices = {
  price: number
  compare: number | null
  /** The lowest price of the 30 days before the reduction to `price`. */
  lowestBefore: number | null
  /** The content of one piece, e.g. 750 ml. */
  measure: string | null
}

/** One thing that can be put into a cart. */
export type Choice = Prices & {
  variant_id: string | null
  sku: string | null
  barcode: string | null
  image: string | null
  sells: boolean
  available_on: string | null
  /** False for what is not shipped. */
  ships: boolean
  /** The remaining stock if it is low. */
  left: number | null
  /** The value of each option, in their order. */
  values: string[]
  /** The values in the reader's language. */
  labels: string[]
}

/** The product's variants. A product without variants is its own only choice. */
export function listChoices(product: PublicProduct): Choice[] {
  const { main_image: image, is_purchasable: sells, stock_left: left, available_on, sku, barcode, options } = product
  const { requires_shipping: ships } = product
  if (product.variants.length === 0) {
    const prices = getPrices(product)
    return [{ variant_id: null, sku, barcode, ...prices, image, sells, left, available_on, ships, ...noValues }]
  }
  const translateTerm = buildTermTranslator(product.terms)
  return product.variants.map((variant) => {
    const values = options.map(
      ({ title }) => variant.option_values.find((one) => one.option_title === title)?.value ?? '',
    )
    return {
      variant_id: variant.id,
      sku: variant.sku ?? sku,
      barcode: variant.barcode,
      ...getVariantPrices(product, variant),
      image: variant.image ?? image,
      sells: variant.is_purchasable,
      left: variant.stock_left,
      available_on: variant.available_on ?? available_on,
      ships: variant.requires_shipping ?? ships,
      values,
      labels: values.map(translateTerm),
    }
  })
}

type ListedProduct = Omit<ProductCard, 'variants'>

function getPrices({ price, compare_price, lowest_prior_price, unit_pricing_measure }: ListedProduct): Prices {
  const compare = comparable(compare_price, price)
  return { price, compare, lowestBefore: lowest_prior_price, measure: unit_pricing_measure }
}

type ListedVariant = ProductCard['variants'][number]

/** A variant without a price of its own has that of the product. */
function getVariantPrices(product: ListedProduct, variant: Omit<ListedVariant, 'bundle_id'>): Prices {
  const isOwn = variant.price !== null
  const price = variant.price ?? product.price
  const compare = comparable(variant.compare_price ?? (isOwn ? null : product.compare_price), price)
  const measure = variant.unit_pricing_measure ?? product.unit_pricing_measure
  const lowestBefore = isOwn ? variant.lowest_prior_price : (variant.lowest_prior_price ?? product.lowest_prior_price)
  return { price, compare, lowestBefore, measure }
}

const noValues = { values: [], labels: [] }

function comparable(before: number | null, price: number): number | null {
  return before !== null && before > price ? before : null
}

/** The prices of the cheapest choice, `percent` off, which lists show. `isFrom` is true if other variants cost more. */
export type ListPrice = { lowest: Prices; isFrom: boolean; percent: number }

/** `show`: a choice's prices as they are shown; with a variant that is a bundle, its ID. */
export function computeListPrice(
  product: ProductCard,
  show: (prices: Prices, variantId: string | null) => Prices,
): ListPrice {
  const { variants } = product
  const choices =
    variants.length === 0
      ? [{ prices: getPrices(product), id: null }]
      : variants.map((variant) => ({ prices: getVariantPrices(product, variant), id: variant.bundle_id }))
  // The shown prices of bundles may have another order.
  const isAnyBundle = choices.some(({ id }) => id !== null)
  const compared = choices.map((one) => ({
    ...one,
    price: (isAnyBundle ? show(one.prices, one.id) : one.prices).price,
  }))
  const cheapest = compared.reduce((best, choice) => (choice.price < best.price ? choice : best))
  const isFrom = compared.some(({ price }) => price > cheapest.price)
  const { price, compare } = cheapest.prices
  const percent = compare === null ? 0 : computePercentOff(price, compare)
  return { lowest: show(cheapest.prices, cheapest.id), isFrom, percent }
}

/** Whole percents, halves upwards. Counts in thousandths, the smallest units of currencies, as floats are not exact. */
function computePercentOff(price: number, before: number): number {
  const [after, whole] = [Math.round(price * 1000), Math.round(before * 1000)]
  return Math.floor(((whole - after) * 100) / whole + 0.5)
}

/** True if an automatic discount lowers a price that is not lowered yet. The checkout says by how much. */
export function isOnSale({
  has_discount,
  compare_price,
  price,
}: Pick<ProductCard, 'has_discount' | 'compare_price' | 'price'>): boolean {
  return has_discount && comparable(compare_price, price) === null
}

/** The choice with exactly these values. */
export function matchChoice(choices: readonly Choice[], values: readonly string[]): Choice | undefined {
  return choices.find((choice) => choice.values.every((value, index) => value === values[index]))
}

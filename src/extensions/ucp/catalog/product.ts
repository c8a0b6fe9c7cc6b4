// A product for agents. Lines of carts need a variant, so a product without variants is its own only one.
// Merchants' texts are passed on unchanged, as data.
import { findDayAhead } from '../../../commerce/catalog/availableon.ts'
import { toGtin } from '../../../commerce/catalog/gtin.ts'
import { isFilm } from '../../../commerce/catalog/gallery.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Visit } from '../visit.ts'
import { minorUnits, toUcpPrice, type Price } from '../amounts.ts'

type CatalogVisit = Pick<Visit, 'db' | 'store'>

export type OptionChoice = { name: string; label: string }

export type UcpVariant = {
  id: string
  sku?: string
  barcodes?: { type: string; value: string }[]
  title: string
  description: { plain: string }
  url: string
  price: Price
  list_price?: Price
  availability: { available: boolean; status: string }
  options?: OptionChoice[]
  media?: object[]
  inputs?: { id: string; match: 'exact' | 'featured' }[]
}

export type UcpProduct = {
  id: string
  handle: string
  title: string
  description: { plain: string }
  url: string
  categories?: object[]
  price_range: { min: Price; max: Price }
  media?: object[]
  options?: { name: string; values: object[] }[]
  variants: UcpVariant[]
}

/** The product with all of its variants, available ones first. */
export function toUcpProduct(product: PublicProduct, { db, store }: CatalogVisit): UcpProduct {
  const variants = toUcpVariants(product, { db, store })
  const prices = variants.map(({ price }) => price.amount)
  const price = (amount: number): Price => ({ amount, currency: store.currency })
  const media = toUcpMedia(product)
  return {
    id: product.id,
    handle: product.slug,
    title: product.name,
    description: toUcpDescription(product),
    url: `${store.storefront_url}/products/${product.slug}`,
    ...(product.category_id ? { categories: [{ value: product.category_id, taxonomy: 'merchant' }] } : {}),
    price_range: { min: price(Math.min(...prices)), max: price(Math.max(...prices)) },
    ...(media.length > 0 ? { media } : {}),
    ...(product.options.length > 0 ? { options: product.options.map(toUcpOption) } : {}),
    variants,
  }
}

function toUcpOption({ title, values }: PublicProduct['options'][number]): { name: string; values: object[] } {
  return { name: title, values: values.map((label) => ({ label })) }
}

function toUcpVariants(product: PublicProduct, visit: CatalogVisit): UcpVariant[] {
  if (product.variants.length === 0) return [onlyVariant(product, visit)]
  const variants = product.variants.map((variant) => toUcpVariant(product, variant, visit))
  return [...variants.filter(isAvailable), ...variants.filter((variant) => !isAvailable(variant))]
}

export function isAvailable({ availability }: UcpVariant): boolean {
  return availability.available
}

function onlyVariant(product: PublicProduct, visit: CatalogVisit): UcpVariant {
  const { store } = visit
  return {
    id: product.id,
    ...toUcpIdentifiers(product),
    title: product.name,
    description: toUcpDescription(product),
    url: `${store.storefront_url}/products/${product.slug}`,
    ...toUcpPrices(product.price, product.compare_price, store),
    availability: toUcpAvailability(visit, product),
  }
}

function toUcpVariant(
  product: PublicProduct,
  variant: PublicProduct['variants'][number],
  visit: CatalogVisit,
): UcpVariant {
  const { store } = visit
  const image = variant.image ? [{ type: 'image', url: variant.image, alt_text: variant.title }] : null
  return {
    id: variant.id,
    ...toUcpIdentifiers(variant),
    title: variant.title,
    description: { plain: `${product.name}, ${variant.title}` },
    url: `${store.storefront_url}/products/${product.slug}`,
    ...toUcpPrices(variant.price ?? product.price, variant.compare_price ?? product.compare_price, store),
    availability: toUcpAvailability(visit, {
      is_purchasable: variant.is_purchasable,
      available_on: variant.available_on ?? product.available_on,
    }),
    options: variant.option_values.map(({ option_title, value }) => ({ name: option_title, label: value })),
    ...(image ? { media: image } : {}),
  }
}

function toUcpIdentifiers({ sku, barcode }: { sku: string | null; barcode: string | null }): Partial<UcpVariant> {
  const gtin = toGtin(barcode)
  return { ...(sku ? { sku } : {}), ...(gtin ? { barcodes: [{ type: 'GTIN', value: gtin }] } : {}) }
}

function toUcpPrices(
  price: number,
  comparePrice: number | null,
  { currency }: Store,
): Pick<UcpVariant, 'price' | 'list_price'> {
  const isLower = comparePrice !== null && minorUnits(comparePrice, currency) > minorUnits(price, currency)
  return { price: toUcpPrice(price, currency), ...(isLower ? { list_price: toUcpPrice(comparePrice, currency) } : {}) }
}

function toUcpAvailability(
  { db, store }: CatalogVisit,
  { is_purchasable: available, available_on }: Pick<PublicProduct, 'is_purchasable' | 'available_on'>,
): UcpVariant['availability'] {
  if (!available) return { available, status: 'out_of_stock' }
  return { available, status: findDayAhead(db, store, available_on) ? 'preorder' : 'in_stock' }
}

function toUcpDescription({ description, name }: PublicProduct): { plain: string } {
  return { plain: description?.trim() || name }
}

function toUcpMedia({ gallery, main_image, name }: PublicProduct): object[] {
  const items = gallery.map(({ url, alt_text }) => ({
    type: isFilm(url) ? 'video' : 'image',
    url,
    alt_text: alt_text ?? name,
  }))
  const isListed = items.some(({ url }) => url === main_image)
  return main_image && !isListed ? [{ type: 'image', url: main_image, alt_text: name }, ...items] : items
}

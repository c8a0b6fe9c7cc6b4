// An item of a feed in the attributes of Google Merchant Center, which agents' feeds share. It matches
// the product's page. https://support.google.com/merchants/answer/7052112
import { findDayAhead } from '../../../commerce/catalog/availableon.ts'
import { listProductImages } from '../../../commerce/catalog/gallery.ts'
import { toGtin } from '../../../commerce/catalog/gtin.ts'
import { computeUnitPrice } from '../../../commerce/catalog/unitprices.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import { emptyLoad } from '../../../commerce/orders/load.ts'
import { listRateReasons } from '../../../commerce/orders/rateoffer.ts'
import { computeShippingCost, type Parcel } from '../../../commerce/orders/shippingcost.ts'
import { stripMarkdown } from '../../../kit/values/markdown.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { startOfDay } from '../../../kit/values/timezone.ts'
import { buildTermTranslator } from '../../../tenancy/stores/terms.ts'
import { formatMethodName } from '../../checkout/offers/names.ts'
import type { OfferedRate } from '../../checkout/offers/offer.ts'
import { showPrices } from '../catalog/besideprice.ts'
import { listChoices, type Choice } from '../catalog/choice.ts'
import { toSchemaProperty } from '../catalog/structured.ts'
import { addressIn, requestedLanguage } from '../frame/meta.ts'
import type { ShopContext } from '../frame/page.ts'

export type FeedItem = {
  id: string
  title: string
  description: string
  link: string
  image_link: string | null
  additional_image_link: string[]
  availability: 'in_stock' | 'out_of_stock' | 'preorder'
  /** When a pre-order ships. */
  availability_date: string | null
  /** The stock as on the page: null unless it is low. */
  inventory_quantity: number | null
  /** Amount and currency. `sale_price` is lower than `price`, or null. */
  price: string
  sale_price: string | null
  /** The content of one piece, and what prices are compared by, e.g. 750 ml and 1 l. */
  unit_pricing_measure: string | null
  unit_pricing_base_measure: string | null
  condition: string
  brand: string | null
  gtin: string | null
  mpn: string | null
  product_type: string | null
  shipping: ItemShipping[]
  item_group_id: string | null
  item_group_title: string | null
  options: ItemOption[]
}

export type ItemShipping = { country: string; service: string; price: string }
/** `property`: the attribute for it, which is color, size, material or pattern. */
export type ItemOption = { property: string | null; title: string; value: string }

// Limits of the specification.
const maxTitle = 150
const maxDescription = 5000
const maxOtherPictures = 10
const maxShippingRates = 100

/** An item for each choice of a product. `categories`: names by ID. */
export function buildFeedItems(
  context: ShopContext,
  product: PublicProduct,
  categories: ReadonlyMap<string, string>,
): FeedItem[] {
  return listChoices(product).map((choice) => buildFeedItem(context, product, choice, categories))
}

function buildFeedItem(
  context: ShopContext,
  product: PublicProduct,
  choice: Choice,
  categories: ReadonlyMap<string, string>,
): FeedItem {
  const { name, description, condition, brand, id } = product
  const { variant_id, labels, image, sku, barcode, sells, left } = choice
  const { price, compare, measure } = showPrices(context, choice, product, variant_id)
  const unitPrice = computeUnitPrice(price, measure, context.store.currency)
  const others = listProductImages(product).filter((other) => other !== image)
  const inCurrency = (amount: number) => `${amount} ${context.store.currency}`
  return {
    id: variant_id ?? id,
    title: cutText(variant_id ? `${name} – ${labels.join(' / ')}` : name, maxTitle),
    description: cutText(stripMarkdown(description ?? name), maxDescription),
    link: buildProductUrl(context, product, variant_id),
    image_link: image,
    additional_image_link: others.slice(0, maxOtherPictures),
    ...buildFeedAvailability(context, choice),
    inventory_quantity: sells ? left : 0,
    price: inCurrency(compare ?? price),
    sale_price: compare === null ? null : inCurrency(price),
    unit_pricing_measure: measure,
    unit_pricing_base_measure: unitPrice && `1 ${unitPrice.unit}`,
    condition,
    brand,
    gtin: toGtin(barcode),
    // A manufacturer's number is useless without the manufacturer.
    mpn: brand && sku,
    product_type: (product.category_id && categories.get(product.category_id)) ?? null,
    shipping: buildItemShipping(context, choice),
    item_group_id: variant_id && id,
    item_group_title: variant_id && cutText(name, maxTitle),
    options: buildItemOptions(product, labels),
  }
}

function cutText(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}

export function buildProductUrl(
  context: ShopContext,
  { slug }: PublicProduct,
  variantId: string | null = null,
): string {
  const url = `${context.offer.storefront_url}/products/${slug}`
  return addressIn(variantId ? `${url}?variant=${variantId}` : url, requestedLanguage(context))
}

export function buildFeedAvailability(
  { db, store }: ShopContext,
  { sells, available_on }: Pick<Choice, 'sells' | 'available_on'>,
): Pick<FeedItem, 'availability' | 'availability_date'> {
  if (!sells) return { availability: 'out_of_stock', availability_date: null }
  const day = findDayAhead(db, store, available_on)
  return day
    ? { availability: 'preorder', availability_date: startOfDay(day, store.timezone).toISOString() }
    : { availability: 'in_stock', availability_date: null }
}

/** Shipping costs of one unit: each rate, to each of its countries or to the store's own. */
function buildItemShipping(
  { store, offer, language }: ShopContext,
  { price, ships }: Pick<Choice, 'price' | 'ships'>,
): ItemShipping[] {
  const load = { ...emptyLoad, pieces: 1, isShipped: ships }
  const goods = { load, goods: new Decimal(price), isWaived: false, currency: store.currency }
  const sentRates = offer.shipping_rates.filter(
    (rate) => offer.has_own_rates && rate.requires_address && isSameForAll(rate) && isOfferedFor(rate, goods),
  )
  const entries = sentRates.flatMap((rate) =>
    (rate.country_codes.length > 0 ? rate.country_codes : [store.country_code]).map((country) => ({
      country,
      service: formatMethodName(rate, language),
      price: `${computeShippingCost(rate, goods)} ${store.currency}`,
    })),
  )
  return entries.slice(0, maxShippingRates)
}

const isOfferedFor = (rate: OfferedRate, parcel: Parcel): boolean =>
  listRateReasons(rate, parcel, { country_code: null }).length === 0

/** False if the rate depends on the weight, the categories or a part of the country. */
function isSameForAll(rate: OfferedRate): boolean {
  const { price_by, surcharges, provinces, postal_codes, min_weight, max_weight, excluded_categories } = rate
  const isOfGoods = price_by === 'weight' || min_weight !== null || max_weight !== null
  return !isOfGoods && [surcharges, provinces, postal_codes, excluded_categories].every((list) => list.length === 0)
}

function buildItemOptions({ options, terms }: PublicProduct, labels: readonly string[]): ItemOption[] {
  const translateTerm = buildTermTranslator(terms)
  return options.map(({ title }, index) => ({
    property: toSchemaProperty(title),
    title: translateTerm(title),
    value: labels[index]!,
  }))
}

// The products for sale for other programs: Google Merchant Center, which many read, and lines of JSON. They say what
// the product's page says: its price and availability.
import { picturesOf } from '../../../commerce/catalog/gallery.ts'
import { walkPublicProducts, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { withTerms } from '../../../commerce/catalog/translations.ts'
import { nameOf } from '../../checkout/offers/names.ts'
import { costOf } from '../../../commerce/orders/shippingcost.ts'
import { plainOf } from '../../../kit/values/markdown.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { termsOf, type TranslateTerm } from '../../../tenancy/stores/terms.ts'
import { choicesOf, type Choice } from '../catalog/choice.ts'
import { fileOf } from './file.ts'
import { addressIn, requestedLanguage } from '../frame/meta.ts'
import type { ShopResult, ShopContext } from '../frame/page.ts'
import { propertyOf } from '../catalog/structured.ts'
import { element, xmlHead } from './xml.ts'

/** https://support.google.com/merchants/answer/7052112: RSS 2.0, an item for each thing that can be bought. */
export function googleFeed(context: ShopContext): Promise<ShopResult> {
  return fileOf(context, 'application/xml', googleItems)
}

/** A product on each line, its variants in it. */
export function productLines(context: ShopContext): Promise<ShopResult> {
  return fileOf(context, 'application/x-ndjson', lines)
}

async function* googleItems(context: ShopContext): AsyncGenerator<string> {
  const { db, store, offer } = context
  yield `${xmlHead}<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n`
  yield element('title', offer.store_title ?? store.name)
  yield element('link', offer.storefront_url)
  yield element('description', offer.description ?? store.name)
  for await (const products of walkPublicProducts(db, store.id, context.translation)) {
    yield products.flatMap((product) => choicesOf(product).map((choice) => item(context, product, choice))).join('')
  }
  yield '</channel>\n</rss>\n'
}

// Limits of the specification.
const maxTitle = 150
const maxDescription = 5000
const maxOtherPictures = 10

function item(context: ShopContext, product: PublicProduct, choice: Choice): string {
  const { store, offer } = context
  const { name, slug, description, condition, options, id, terms, brand } = product
  const { variant_id, labels, image, price, compare, sku, sells } = choice
  const url = `${offer.storefront_url}/products/${slug}`
  const title = variant_id ? `${name} – ${labels.join(' / ')}` : name
  const translateTerm = termsOf(terms)
  const inCurrency = (amount: number | null) => amount && `${amount} ${store.currency}`
  const others = picturesOf(product).filter((other) => other !== image)
  const parts = [
    element('g:id', variant_id ?? id),
    element('g:title', title.slice(0, maxTitle).toWellFormed()),
    element(
      'g:description',
      plainOf(description ?? name)
        .slice(0, maxDescription)
        .toWellFormed(),
    ),
    element('g:link', addressIn(variant_id ? `${url}?variant=${variant_id}` : url, requestedLanguage(context))),
    element('g:image_link', image),
    ...others.slice(0, maxOtherPictures).map((other) => element('g:additional_image_link', other)),
    element('g:availability', availabilityOf(sells)),
    element('g:price', inCurrency(compare ?? price)),
    element('g:sale_price', compare === null ? null : inCurrency(price)),
    element('g:condition', condition),
    // A number of the maker's means nothing without the maker.
    element('g:brand', brand),
    element('g:mpn', brand && sku),
    element('g:identifier_exists', brand && sku ? null : 'no'),
    ...shippingOf(context, price),
    element('g:item_group_id', variant_id && id),
    ...options.map((option, index) => optionOf(option.title, labels[index]!, translateTerm)),
  ]
  return `<item>\n${parts.join('')}</item>\n`
}

// Limits of the specification.
const maxShippingRates = 100

/** Shipping costs of one: by each rate, to each country that it names, or to the store's own. */
function shippingOf({ store, offer, language }: ShopContext, price: number): string[] {
  const goods = { goods: new Decimal(price), isWaived: false, currency: store.currency }
  const sent = offer.shipping_rates.filter(({ requires_address }) => offer.has_own_rates && requires_address)
  const entries = sent.flatMap((rate) =>
    (rate.country_codes.length > 0 ? rate.country_codes : [store.country_code]).map((country) => {
      const parts = [
        element('g:country', country),
        element('g:service', nameOf(rate, language)),
        element('g:price', `${costOf(rate, goods)} ${store.currency}`),
      ]
      return `<g:shipping>\n${parts.join('')}</g:shipping>\n`
    }),
  )
  return entries.slice(0, maxShippingRates)
}

function optionOf(title: string, value: string, translateTerm: TranslateTerm): string {
  const property = propertyOf(title)
  if (property) return element(`g:${property}`, value)
  const detail = element('g:attribute_name', translateTerm(title)) + element('g:attribute_value', value)
  return `<g:product_detail>\n${detail}</g:product_detail>\n`
}

function availabilityOf(sells: boolean): string {
  return sells ? 'in_stock' : 'out_of_stock'
}

async function* lines(context: ShopContext): AsyncGenerator<string> {
  const { db, store, offer } = context
  for await (const products of walkPublicProducts(db, store.id, context.translation)) {
    yield products
      .map((product) => {
        const url = addressIn(`${offer.storefront_url}/products/${product.slug}`, requestedLanguage(context))
        const availability = availabilityOf(product.is_purchasable)
        return `${JSON.stringify({ ...withTerms(product), url, currency: store.currency, availability })}\n`
      })
      .join('')
  }
}

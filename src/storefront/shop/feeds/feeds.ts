// The products for sale for other programs: Google Merchant Center, which many read, and lines of JSON. They say what
// the product's page says: its price and whether it can be had.
import { picturesOf } from '../../../commerce/catalog/gallery.ts'
import { walkPublicProducts, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { withTerms } from '../../../commerce/catalog/translations.ts'
import { nameOf } from '../../checkout/offers/names.ts'
import { costOf } from '../../../commerce/orders/shippingcost.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { termsOf, type TranslateTerm } from '../../../tenancy/stores/terms.ts'
import { choicesOf, type Choice } from '../catalog/choice.ts'
import { fileOf } from './file.ts'
import { addressIn, languageAsked } from '../frame/meta.ts'
import type { Reply, Visit } from '../frame/page.ts'
import { propertyOf } from '../catalog/structured.ts'
import { element, xmlHead } from './xml.ts'

/** https://support.google.com/merchants/answer/7052112: RSS 2.0, an item for each thing that can be bought. */
export function googleFeed(visit: Visit): Promise<Reply> {
  return fileOf(visit, 'application/xml', () => googleItems(visit))
}

/** A product on each line, its variants in it. */
export function productLines(visit: Visit): Promise<Reply> {
  return fileOf(visit, 'application/x-ndjson', () => lines(visit))
}

async function* googleItems(visit: Visit): AsyncGenerator<string> {
  const { db, store, offer } = visit
  yield `${xmlHead}<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n`
  yield element('title', offer.store_title ?? store.name)
  yield element('link', offer.storefront_url)
  yield element('description', offer.description ?? store.name)
  for await (const products of walkPublicProducts(db, store.id, visit.translation)) {
    yield products.flatMap((product) => choicesOf(product).map((choice) => item(visit, product, choice))).join('')
  }
  yield '</channel>\n</rss>\n'
}

// What the specification allows.
const maximumTitle = 150
const maximumDescription = 5000
const maximumOtherPictures = 10

function item(visit: Visit, product: PublicProduct, choice: Choice): string {
  const { store, offer } = visit
  const { name, slug, description, condition, options, id, terms, brand } = product
  const { variant_id, labels, image, price, compare, sku, sells } = choice
  const url = `${offer.storefront_url}/products/${slug}`
  const title = variant_id ? `${name} – ${labels.join(' / ')}` : name
  const called = termsOf(terms)
  const inCurrency = (amount: number | null) => amount && `${amount} ${store.currency}`
  const others = picturesOf(product).filter((other) => other !== image)
  const parts = [
    element('g:id', variant_id ?? id),
    element('g:title', title.slice(0, maximumTitle).toWellFormed()),
    element('g:description', (description ?? name).slice(0, maximumDescription).toWellFormed()),
    element('g:link', addressIn(variant_id ? `${url}?variant=${variant_id}` : url, languageAsked(visit))),
    element('g:image_link', image),
    ...others.slice(0, maximumOtherPictures).map((other) => element('g:additional_image_link', other)),
    element('g:availability', availabilityOf(sells)),
    element('g:price', inCurrency(compare ?? price)),
    element('g:sale_price', compare === null ? null : inCurrency(price)),
    element('g:condition', condition),
    // A number of the maker's means nothing without the maker.
    element('g:brand', brand),
    element('g:mpn', brand && sku),
    element('g:identifier_exists', brand && sku ? null : 'no'),
    ...shippingOf(visit, price),
    element('g:item_group_id', variant_id && id),
    ...options.map((option, index) => optionOf(option.title, labels[index]!, called)),
  ]
  return `<item>\n${parts.join('')}</item>\n`
}

// What the specification allows.
const maximumShipping = 100

/** What it costs to send one: by each rate, to each country that it names, or to the store's own. */
function shippingOf({ store, offer, language }: Visit, price: number): string[] {
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
  return entries.slice(0, maximumShipping)
}

function optionOf(title: string, value: string, called: TranslateTerm): string {
  const property = propertyOf(title)
  if (property) return element(`g:${property}`, value)
  const detail = element('g:attribute_name', called(title)) + element('g:attribute_value', value)
  return `<g:product_detail>\n${detail}</g:product_detail>\n`
}

function availabilityOf(sells: boolean): string {
  return sells ? 'in_stock' : 'out_of_stock'
}

async function* lines(visit: Visit): AsyncGenerator<string> {
  const { db, store, offer } = visit
  for await (const products of walkPublicProducts(db, store.id, visit.translation)) {
    yield products
      .map((product) => {
        const url = addressIn(`${offer.storefront_url}/products/${product.slug}`, languageAsked(visit))
        const availability = availabilityOf(product.is_purchasable)
        return `${JSON.stringify({ ...withTerms(product), url, currency: store.currency, availability })}\n`
      })
      .join('')
  }
}

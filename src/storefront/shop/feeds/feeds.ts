// Product feeds for other programs: Google Merchant Center, whose format many read, and JSON lines.
import { walkPublicProducts, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { listCategoryNames } from '../../../commerce/catalog/publicgroups.ts'
import { withTerms } from '../../../commerce/catalog/translations.ts'
import type { ShopResult, ShopContext } from '../frame/page.ts'
import { withBundles } from '../frame/taxview.ts'
import { buildFeedFile } from './file.ts'
import {
  buildProductUrl,
  buildFeedAvailability,
  buildFeedItems,
  type FeedItem,
  type ItemOption,
  type ItemShipping,
} from './item.ts'
import { element, xmlHead } from './xml.ts'

/** https://support.google.com/merchants/answer/7052112: RSS 2.0, with an item for each choice of a product. */
export function googleFeed(context: ShopContext): Promise<ShopResult> {
  return buildFeedFile(context, 'application/xml', googleItems)
}

/** One item per line, with the attributes of Google and of the Agentic Commerce Protocol. */
export function itemLines(context: ShopContext): Promise<ShopResult> {
  return buildFeedFile(context, 'application/x-ndjson', itemsInJson)
}

/** One product with its variants per line, as in the storefront API. */
export function productLines(context: ShopContext): Promise<ShopResult> {
  return buildFeedFile(context, 'application/x-ndjson', productsInJson)
}

async function* googleItems(context: ShopContext): AsyncGenerator<string> {
  const { store, offer } = context
  yield `${xmlHead}<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n`
  yield element('title', offer.store_title ?? store.name)
  yield element('link', offer.storefront_url)
  yield element('description', offer.description ?? store.name)
  yield* batches(context, (item) => `<item>\n${googleItem(item)}</item>\n`)
  yield '</channel>\n</rss>\n'
}

async function* itemsInJson(context: ShopContext): AsyncGenerator<string> {
  const seller = buildSellerFields(context)
  yield* batches(context, (item) => `${JSON.stringify({ ...agentItem(item), ...seller })}\n`)
}

async function* batches(context: ShopContext, write: (item: FeedItem) => string): AsyncGenerator<string> {
  const { db, store, translation } = context
  const categories = await listCategoryNames(db, store.id, translation)
  for await (const products of walkPublicProducts(db, store.id, translation)) {
    const shown = await withBundles(context, products)
    yield products.flatMap((product) => buildFeedItems(shown, product, categories).map(write)).join('')
  }
}

// Attributes for agents, which Google does not know.
function googleItem(item: FeedItem): string {
  const { additional_image_link, shipping, options, inventory_quantity: _, item_group_title: __, ...plain } = item
  const hasIdentifier = item.gtin !== null || (item.brand !== null && item.mpn !== null)
  return [
    ...Object.entries(plain).map(([name, value]) => element(`g:${name}`, value)),
    ...additional_image_link.map((url) => element('g:additional_image_link', url)),
    element('g:identifier_exists', hasIdentifier ? null : 'no'),
    ...shipping.map((rate) => formatNested('g:shipping', rate)),
    ...options.map(googleOption),
  ].join('')
}

function formatNested(name: string, parts: ItemShipping): string {
  const elements = Object.entries(parts).map(([part, value]) => element(`g:${part}`, value))
  return `<${name}>\n${elements.join('')}</${name}>\n`
}

function googleOption({ property, title, value }: ItemOption): string {
  if (property) return element(`g:${property}`, value)
  const detail = element('g:attribute_name', title) + element('g:attribute_value', value)
  return `<g:product_detail>\n${detail}</g:product_detail>\n`
}

/** One text for each shipping rate: country, region, service and price. */
function agentItem({ shipping, options, ...plain }: FeedItem): object {
  return withoutNulls({
    ...plain,
    shipping: shipping.map(({ country, service, price }) => `${country}::${service.replaceAll(':', ' ')}:${price}`),
    ...Object.fromEntries(options.flatMap(agentOption)),
    enable_search: true,
    // Agents check out with the Universal Commerce Protocol; this flag is about another one.
    enable_checkout: false,
  })
}

function agentOption({ property, title, value }: ItemOption, index: number): [string, string][] {
  if (property) return [[property, value]]
  return [
    [`custom_variant${index + 1}_category`, title],
    [`custom_variant${index + 1}_option`, value],
  ]
}

function buildSellerFields({ store, offer, face }: ShopContext): object {
  const linkTo = (kind: string) => {
    const policy = face.policies.find((policy) => policy.kind === kind)
    return policy ? `${offer.storefront_url}/pages/${policy.slug}` : null
  }
  return withoutNulls({
    seller_name: offer.store_title ?? store.name,
    seller_url: offer.storefront_url,
    seller_privacy_policy: linkTo('privacy'),
    seller_tos: linkTo('terms'),
    return_policy: linkTo('returns'),
    store_country: store.country_code,
  })
}

function withoutNulls(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && String(value) !== ''))
}

async function* productsInJson(context: ShopContext): AsyncGenerator<string> {
  const { db, store } = context
  for await (const products of walkPublicProducts(db, store.id, context.translation)) {
    yield products.map((product) => productLine(context, product)).join('')
  }
}

function productLine(context: ShopContext, product: PublicProduct): string {
  const { is_purchasable: sells, available_on } = product
  const { availability } = buildFeedAvailability(context, { sells, available_on })
  const facts = { url: buildProductUrl(context, product), currency: context.store.currency, availability }
  return `${JSON.stringify({ ...withTerms(product), ...facts })}\n`
}

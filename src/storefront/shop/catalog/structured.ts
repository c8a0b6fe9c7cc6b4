// https://schema.org data for search engines: the product, its place in the shop, and the seller.
import { html, raw } from 'hono/html'
import { findDayAhead } from '../../../commerce/catalog/availableon.ts'
import { listProductImages } from '../../../commerce/catalog/gallery.ts'
import { toGtin } from '../../../commerce/catalog/gtin.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import { joinNames, type PublicCategory } from '../../../commerce/catalog/publicgroups.ts'
import { computeUnitPrice } from '../../../commerce/catalog/unitprices.ts'
import { buildTermTranslator, type TranslateTerm } from '../../../tenancy/stores/terms.ts'
import type { ShownCustomValue } from '../../../tenancy/stores/customvalues.ts'
import { showPrices } from './besideprice.ts'
import type { Choice } from './choice.ts'
import { buildSeoTexts } from '../frame/meta.ts'
import type { Html, ShopContext } from '../frame/page.ts'

/** The seller and the search of the shop; on the home page of every store. */
export function shopData({ offer, store, face }: ShopContext): Html {
  const url = offer.storefront_url
  const name = offer.store_title ?? store.name
  return graph([
    {
      '@type': 'OnlineStore',
      '@id': `${url}#store`,
      name,
      legalName: face.legal_name ?? store.name,
      url,
      description: offer.description ?? undefined,
      currenciesAccepted: store.currency,
      logo: face.logo ?? undefined,
      email: face.contact_email ?? undefined,
      telephone: face.contact_phone ?? undefined,
      sameAs: face.social_links.length > 0 ? face.social_links : undefined,
      address: {
        '@type': 'PostalAddress',
        streetAddress: face.contact_address ?? undefined,
        addressCountry: store.country_code,
      },
    },
    {
      '@type': 'WebSite',
      '@id': `${url}#site`,
      name,
      url,
      publisher: { '@id': `${url}#store` },
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${url}/search?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    },
  ])
}

type ProductDataProps = { product: PublicProduct; choices: readonly Choice[]; categories: readonly PublicCategory[] }

/** A product with its offer; one with variants is a group. */
export function productData(context: ShopContext, { product, choices, categories }: ProductDataProps): Html {
  const here = { name: product.name, path: `/products/${product.slug}` }
  const offers =
    product.options.length > 0
      ? buildProductGroup(context, product, choices)
      : buildProductData(context, product, choices)
  const category = joinNames(categories.map(({ name }) => name)) || undefined
  return graph([{ ...offers, category }, buildBreadcrumbList(context, [...categories.map(categoryStep), here])])
}

/** A collection, or a category after those above it. */
export function groupData(context: ShopContext, steps: readonly Breadcrumb[]): Html {
  return graph([buildBreadcrumbList(context, steps)])
}

export function categoryStep({ name, path }: PublicCategory): Breadcrumb {
  return { name, path: `/categories/${path}` }
}

type Breadcrumb = { name: string; path: string }

function buildBreadcrumbList({ offer, store }: ShopContext, steps: readonly Breadcrumb[]): object {
  const home = { name: offer.store_title ?? store.name, path: '' }
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [home, ...steps].map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: offer.storefront_url + path,
    })),
  }
}

function buildProductData(context: ShopContext, product: PublicProduct, [choice]: readonly Choice[]): object {
  return {
    '@type': 'Product',
    ...buildCommonData(context, product),
    ...(choice && { ...toProductIdentifiers(product, choice), offers: buildOfferData(context, product, choice) }),
  }
}

function buildProductGroup(context: ShopContext, product: PublicProduct, choices: readonly Choice[]): object {
  const titles = product.options.map(({ title }) => title)
  const translateTerm = buildTermTranslator(product.terms)
  return {
    '@type': 'ProductGroup',
    ...buildCommonData(context, product),
    productGroupID: product.id,
    variesBy: titles.map((title) => toVariesByUrl(title) ?? translateTerm(title)),
    hasVariant: choices.map((choice) => ({
      '@type': 'Product',
      name: `${product.name} – ${choice.labels.join(' / ')}`,
      ...toProductIdentifiers(product, choice),
      image: choice.image ?? undefined,
      ...toOptionProperties(titles, choice, translateTerm),
      offers: buildOfferData(context, product, choice),
    })),
  }
}

/** A manufacturer's number is useless without the manufacturer. */
function toProductIdentifiers({ brand }: PublicProduct, { sku, barcode }: Choice): object {
  return { sku: sku ?? undefined, mpn: (brand && sku) ?? undefined, gtin: toGtin(barcode) ?? undefined }
}

function buildCommonData({ offer }: ShopContext, product: PublicProduct): object {
  const { name, slug, brand } = product
  const images = listProductImages(product)
  return {
    name,
    description: buildSeoTexts(product).description ?? undefined,
    image: images.length > 0 ? images : undefined,
    brand: brand === null ? undefined : { '@type': 'Brand', name: brand },
    url: `${offer.storefront_url}/products/${slug}`,
    additionalProperty: toProperties(product.custom_fields),
  }
}

/** Custom fields that the product has a value of. */
function toProperties(values: readonly ShownCustomValue[]): object[] | undefined {
  const properties = values.flatMap(({ label, type, value }) =>
    type === 'product' ? [] : [{ '@type': 'PropertyValue', name: label, value }],
  )
  return properties.length > 0 ? properties : undefined
}

// Options with a property in schema.org, by the names that merchants use.
// prettier-ignore
const properties: Record<string, RegExp> = {
  color:    /^(colou?rs?|cor(es)?|couleurs?|farben?|colore?s?)$/i,
  size:     /^(sizes?|tallas?|tama[nñ]os?|tamanhos?|tailles?|größen?|taglie?)$/i,
  material: /^(materials?|materiale?s?|mat[eé]riaux?|materiais)$/i,
  pattern:  /^(patterns?|estampados?|estampas?|motifs?|muster|fantasia)$/i,
}

/** The property of an option: color, size, material or pattern. */
export function toSchemaProperty(title: string): string | null {
  return Object.keys(properties).find((name) => properties[name]!.test(title.trim())) ?? null
}

function toVariesByUrl(title: string): string | null {
  const property = toSchemaProperty(title)
  return property && `https://schema.org/${property}`
}

function toOptionProperties(titles: readonly string[], { labels }: Choice, translateTerm: TranslateTerm): object {
  const pairs = titles.map((title, index) => ({ title, value: labels[index]!, property: toSchemaProperty(title) }))
  const others = pairs.filter(({ property }) => property === null)
  return {
    ...Object.fromEntries(pairs.flatMap(({ property, value }) => (property ? [[property, value]] : []))),
    additionalProperty:
      others.length > 0
        ? others.map(({ title, value }) => ({ '@type': 'PropertyValue', name: translateTerm(title), value }))
        : undefined,
  }
}

const conditions: Record<string, string> = {
  new: 'NewCondition',
  used: 'UsedCondition',
  refurbished: 'RefurbishedCondition',
}

function buildOfferData(context: ShopContext, product: PublicProduct, choice: Choice): object {
  const { offer, store, db } = context
  const { variant_id, price, sells, measure } = showPrices(context, choice, product, choice.variant_id)
  const day = sells ? findDayAhead(db, store, choice.available_on) : null
  const url = `${offer.storefront_url}/products/${product.slug}`
  return {
    '@type': 'Offer',
    url: variant_id ? `${url}?variant=${variant_id}` : url,
    price,
    priceCurrency: store.currency,
    priceSpecification: buildUnitPriceData(store.currency, price, measure),
    availability: `https://schema.org/${!sells ? 'OutOfStock' : day ? 'PreOrder' : 'InStock'}`,
    availabilityStarts: day ?? undefined,
    itemCondition: `https://schema.org/${conditions[product.condition] ?? 'NewCondition'}`,
    seller: { '@type': 'Organization', name: offer.store_title ?? store.name },
  }
}

// UN/CEFACT codes of the units that prices are compared by.
const unitCodes: Record<string, string> = {
  kg: 'KGM',
  lb: 'LBR',
  l: 'LTR',
  floz: 'OZA',
  cbm: 'MTQ',
  m: 'MTR',
  ft: 'FOT',
  sqm: 'MTK',
  sqft: 'FTK',
  ct: 'C62',
}

function buildUnitPriceData(currency: string, price: number, measure: string | null): object | undefined {
  const unitPrice = computeUnitPrice(price, measure, currency)
  return unitPrice
    ? {
        '@type': 'UnitPriceSpecification',
        price: unitPrice.amount,
        priceCurrency: currency,
        referenceQuantity: { '@type': 'QuantitativeValue', value: 1, unitCode: unitCodes[unitPrice.unit] },
      }
    : undefined
}

function graph(nodes: object[]): Html {
  return dataBlock('application/ld+json', { '@context': 'https://schema.org', '@graph': nodes })
}

/** Data in a script element that never runs, so the page's policy allows it. No text in it can close the element. */
export function dataBlock(type: string, data: unknown, id?: string): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="${type}"${id ? html` id="${id}"` : ''}>${raw(json)}</script>`
}

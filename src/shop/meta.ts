// What search engines and previews of links read.
import { html, raw } from 'hono/html'
import type { PublicProduct } from '../catalog/public.ts'
import { languages } from '../kit/values/language.ts'
import type { Choice } from './choice.ts'
import type { Html, Visit } from './page.ts'

type Meta = { title: string; description: string; path: string; type?: 'website' | 'product'; image?: string | null }

const maximumDescription = 160

export function metaOf({ offer, store }: Visit, { title, description, path, type = 'website', image }: Meta): Html {
  const url = offer.storefront_url + path
  const inLanguage = (language: string) => `${url}${path.includes('?') ? '&' : '?'}lang=${language}`
  const short = shortened(description)
  return html`<meta name="description" content="${short}">
<link rel="canonical" href="${url}">
${languages.map(
  (language) => html`<link rel="alternate" hreflang="${language}" href="${inLanguage(language)}">
`,
)}<meta property="og:site_name" content="${offer.store_title ?? store.name}">
<meta property="og:type" content="${type}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${short}">
<meta property="og:url" content="${url}">
${
  image
    ? html`<meta property="og:image" content="${image}">
<meta name="twitter:card" content="summary_large_image">`
    : html`<meta name="twitter:card" content="summary">`
}`
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= maximumDescription) return line
  return `${line.slice(0, maximumDescription).replace(/\s+\S*$/, '')}…`
}

const conditions: Record<string, string> = {
  new: 'NewCondition',
  used: 'UsedCondition',
  refurbished: 'RefurbishedCondition',
}

/** https://schema.org/Product, with an offer for each thing that can be bought. */
export function productData({ offer, store }: Visit, product: PublicProduct, choices: readonly Choice[]): Html {
  const url = `${offer.storefront_url}/products/${product.slug}`
  const pictures = [product.main_image, ...product.gallery.map((image) => image.url)]
  const images = [...new Set(pictures)].filter((image) => image !== null)
  const offers = choices.map(({ variant_id, sku, price, sells }) => ({
    '@type': 'Offer',
    url: variant_id ? `${url}?variant=${variant_id}` : url,
    sku: sku ?? undefined,
    price,
    priceCurrency: store.currency,
    availability: `https://schema.org/${sells ? 'InStock' : 'OutOfStock'}`,
    itemCondition: `https://schema.org/${conditions[product.condition] ?? 'NewCondition'}`,
  }))
  return dataBlock('application/ld+json', {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: product.name,
    description: product.description ?? undefined,
    sku: product.sku ?? undefined,
    image: images.length > 0 ? images : undefined,
    url,
    offers: offers.length === 1 ? offers[0] : offers,
  })
}

/** Data in a script element that is never run, so the page's policy lets it be; no text in it can end the element. */
export function dataBlock(type: string, data: unknown, id?: string): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="${type}"${id ? html` id="${id}"` : ''}>${raw(json)}</script>`
}

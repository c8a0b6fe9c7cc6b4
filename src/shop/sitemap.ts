// https://www.sitemaps.org: every page of the shop in every language, in parts when there are many.
import {
  listCategoryAddresses,
  listPartChanges,
  listProductAddresses,
  type Address,
  type CatalogueState,
} from '../catalog/addresses.ts'
import { languages } from '../kit/values/language.ts'
import { notFound } from '../kit/values/errors.ts'
import { fileOf } from './file.ts'
import { alternatesOf } from './meta.ts'
import type { Reply, Visit } from './page.ts'
import { element, xml, xmlHead } from './xml.ts'

const maximumAddresses = 10_000
/** Each has its plain address and one for each language. */
const productsOfPart = Math.floor(maximumAddresses / (1 + languages.length))
const type = 'application/xml'

export function sitemap(visit: Visit): Promise<Reply> {
  return fileOf(visit, type, (state) => (state.products > productsOfPart ? index(visit) : part(visit, 1, state)))
}

/** /sitemaps/1.xml, … */
export function sitemapPart(visit: Visit): Promise<Reply> {
  const number = Number(/^([1-9]\d{0,5})\.xml$/.exec(visit.params.part!)?.[1] ?? 0)
  if (number === 0) throw notFound('Page')
  return fileOf(visit, type, (state) => {
    if (number > Math.max(1, Math.ceil(state.products / productsOfPart))) throw notFound('Page')
    return part(visit, number, state)
  })
}

async function* index({ db, store, offer }: Visit): AsyncGenerator<string> {
  yield `${xmlHead}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`
  const changes = await listPartChanges(db, store.id, productsOfPart)
  for (const [at, changed] of changes.entries()) {
    const address = element('loc', `${offer.storefront_url}/sitemaps/${at + 1}.xml`)
    yield `<sitemap>\n${address}${element('lastmod', changed.toISOString())}</sitemap>\n`
  }
  yield '</sitemapindex>\n'
}

/** The first has the shop's own pages too. */
async function* part({ db, store, offer }: Visit, number: number, state: CatalogueState): AsyncGenerator<string> {
  yield `${xmlHead}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n`
  yield ' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
  if (number === 1) {
    yield entries(offer.storefront_url, state.changed)
    const categories = await listCategoryAddresses(db, store.id)
    yield* written(categories, `${offer.storefront_url}/categories/`)
  }
  const place = { offset: (number - 1) * productsOfPart, limit: productsOfPart }
  yield* written(await listProductAddresses(db, store.id, place), `${offer.storefront_url}/products/`)
  yield '</urlset>\n'
}

const addressesOfChunk = 200

function* written(addresses: readonly Address[], prefix: string): Generator<string> {
  for (let from = 0; from < addresses.length; from += addressesOfChunk) {
    const some = addresses.slice(from, from + addressesOfChunk)
    yield some.map(({ slug, updated_at }) => entries(prefix + slug, updated_at)).join('')
  }
}

/** A page once for each of its addresses, each naming all of them. */
function entries(url: string, changed: Date): string {
  const alternates = alternatesOf(url)
  const links = alternates.map(
    ({ hreflang, href }) => `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${xml(href)}"/>\n`,
  )
  const rest = element('lastmod', changed.toISOString()) + links.join('')
  return alternates.map(({ href }) => `<url>\n${element('loc', href)}${rest}</url>\n`).join('')
}

// https://www.sitemaps.org: every page of the shop in every language, split into parts.
import {
  listGroupEntries,
  listPartChanges,
  listProductEntries,
  type SitemapEntry,
  type CatalogState,
} from '../../../commerce/catalog/sitemap.ts'
import { listPageAddresses } from '../../branding/storepage.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { buildFeedFile } from './file.ts'
import { listAlternates } from '../frame/meta.ts'
import type { ShopResult, ShopContext } from '../frame/page.ts'
import { contactPath } from '../frame/headerfooter.ts'
import { element, xml, xmlHead } from './xml.ts'

const maxAddresses = 10_000
const type = 'application/xml'

export function sitemap(visit: ShopContext): Promise<ShopResult> {
  return buildFeedFile(visit, type, (context, state) =>
    state.products > sizeOfPart(context) ? index(context) : part(context, 1, state),
  )
}

/** /sitemaps/1.xml, … */
export function sitemapPart(visit: ShopContext): Promise<ShopResult> {
  const number = Number(/^([1-9]\d{0,5})\.xml$/.exec(visit.params.part!)?.[1] ?? 0)
  if (number === 0) throw notFound('Page')
  return buildFeedFile(visit, type, (context, state) => {
    if (number > Math.max(1, Math.ceil(state.products / sizeOfPart(context)))) throw notFound('Page')
    return part(context, number, state)
  })
}

/** Products per part: each has a plain URL and one for each language. */
function sizeOfPart({ languages }: ShopContext): number {
  return Math.floor(maxAddresses / (1 + languages.length))
}

async function* index(context: ShopContext): AsyncGenerator<string> {
  const { db, store, offer } = context
  yield `${xmlHead}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`
  const changes = await listPartChanges(db, store.id, sizeOfPart(context))
  for (const [at, date] of changes.entries()) {
    const address = element('loc', `${offer.storefront_url}/sitemaps/${at + 1}.xml`)
    yield `<sitemap>\n${address}${element('lastmod', date.toISOString())}</sitemap>\n`
  }
  yield '</sitemapindex>\n'
}

/** The first part also has the shop's own pages. */
async function* part(context: ShopContext, number: number, state: CatalogState): AsyncGenerator<string> {
  const { db, store, offer, face } = context
  yield `${xmlHead}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n`
  yield ' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
  if (number === 1) {
    yield entries(context, offer.storefront_url, state.updatedAt)
    for (const kind of ['categories', 'collections'] as const) {
      yield* writeEntries(context, await listGroupEntries(db, store.id, kind), `${offer.storefront_url}/${kind}/`)
    }
    yield* writeEntries(context, await listPageAddresses(db, store.id, null), `${offer.storefront_url}/pages/`)
    if (face.takes_enquiries) yield entries(context, offer.storefront_url + contactPath, state.updatedAt)
  }
  const limit = sizeOfPart(context)
  const range = { offset: (number - 1) * limit, limit }
  yield* writeEntries(context, await listProductEntries(db, store.id, range), `${offer.storefront_url}/products/`)
  yield '</urlset>\n'
}

const addressesOfChunk = 200

function* writeEntries(context: ShopContext, addresses: readonly SitemapEntry[], prefix: string): Generator<string> {
  for (let from = 0; from < addresses.length; from += addressesOfChunk) {
    const some = addresses.slice(from, from + addressesOfChunk)
    yield some.map(({ slug, updated_at }) => entries(context, prefix + slug, updated_at)).join('')
  }
}

/** One entry for each URL of a page; each entry lists all of them. */
function entries(context: ShopContext, url: string, date: Date): string {
  const alternates = listAlternates(context, url)
  const links = alternates.map(
    ({ hreflang, href }) => `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${xml(href)}"/>\n`,
  )
  const rest = element('lastmod', date.toISOString()) + links.join('')
  const addresses = alternates.length > 0 ? alternates.map(({ href }) => href) : [url]
  return addresses.map((href) => `<url>\n${element('loc', href)}${rest}</url>\n`).join('')
}

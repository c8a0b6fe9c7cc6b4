// https://www.sitemaps.org: every page of the shop in every language, in parts when there are many.
import {
  listGroupAddresses,
  listPartChanges,
  listProductAddresses,
  type Address,
  type CatalogueState,
} from '../../../commerce/catalog/addresses.ts'
import { listPageAddresses } from '../../branding/storepage.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { fileOf } from './file.ts'
import { alternatesOf } from '../frame/meta.ts'
import type { Reply, Visit } from '../frame/page.ts'
import { contactPath } from '../frame/surround.ts'
import { element, xml, xmlHead } from './xml.ts'

const maximumAddresses = 10_000
const type = 'application/xml'

export function sitemap(visit: Visit): Promise<Reply> {
  return fileOf(visit, type, (state) => (state.products > sizeOfPart(visit) ? index(visit) : part(visit, 1, state)))
}

/** /sitemaps/1.xml, … */
export function sitemapPart(visit: Visit): Promise<Reply> {
  const number = Number(/^([1-9]\d{0,5})\.xml$/.exec(visit.params.part!)?.[1] ?? 0)
  if (number === 0) throw notFound('Page')
  return fileOf(visit, type, (state) => {
    if (number > Math.max(1, Math.ceil(state.products / sizeOfPart(visit)))) throw notFound('Page')
    return part(visit, number, state)
  })
}

/** How many products: each has its plain address and one for each language. */
function sizeOfPart({ languages }: Visit): number {
  return Math.floor(maximumAddresses / (1 + languages.length))
}

async function* index(visit: Visit): AsyncGenerator<string> {
  const { db, store, offer } = visit
  yield `${xmlHead}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`
  const changes = await listPartChanges(db, store.id, sizeOfPart(visit))
  for (const [at, changed] of changes.entries()) {
    const address = element('loc', `${offer.storefront_url}/sitemaps/${at + 1}.xml`)
    yield `<sitemap>\n${address}${element('lastmod', changed.toISOString())}</sitemap>\n`
  }
  yield '</sitemapindex>\n'
}

/** The first has the shop's own pages too. */
async function* part(visit: Visit, number: number, state: CatalogueState): AsyncGenerator<string> {
  const { db, store, offer, face } = visit
  yield `${xmlHead}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n`
  yield ' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
  if (number === 1) {
    yield entries(visit, offer.storefront_url, state.changed)
    for (const kind of ['categories', 'collections'] as const) {
      yield* written(visit, await listGroupAddresses(db, store.id, kind), `${offer.storefront_url}/${kind}/`)
    }
    yield* written(visit, await listPageAddresses(db, store.id, null), `${offer.storefront_url}/pages/`)
    if (face.takes_enquiries) yield entries(visit, offer.storefront_url + contactPath, state.changed)
  }
  const limit = sizeOfPart(visit)
  const place = { offset: (number - 1) * limit, limit }
  yield* written(visit, await listProductAddresses(db, store.id, place), `${offer.storefront_url}/products/`)
  yield '</urlset>\n'
}

const addressesOfChunk = 200

function* written(visit: Visit, addresses: readonly Address[], prefix: string): Generator<string> {
  for (let from = 0; from < addresses.length; from += addressesOfChunk) {
    const some = addresses.slice(from, from + addressesOfChunk)
    yield some.map(({ slug, updated_at }) => entries(visit, prefix + slug, updated_at)).join('')
  }
}

/** A page once for each of its addresses, each naming all of them. */
function entries(visit: Visit, url: string, changed: Date): string {
  const alternates = alternatesOf(visit, url)
  const links = alternates.map(
    ({ hreflang, href }) => `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${xml(href)}"/>\n`,
  )
  const rest = element('lastmod', changed.toISOString()) + links.join('')
  const addresses = alternates.length > 0 ? alternates.map(({ href }) => href) : [url]
  return addresses.map((href) => `<url>\n${element('loc', href)}${rest}</url>\n`).join('')
}

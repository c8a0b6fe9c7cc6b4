// https://llmstxt.org: describes the shop in Markdown, with links for programs.
import { publicCategories, publicCollections } from '../../../commerce/catalog/publicgroups.ts'
import { listPageAddresses } from '../../branding/storepage.ts'
import type { ShopResult, ShopContext } from '../frame/page.ts'
import { profilePath } from './robots.ts'

const byName = { page: 1, per_page: 100, sort: 'name', order: 'asc' } as const
const byPosition = { ...byName, sort: 'position' } as const

export async function shopForModels({ db, store, offer, deps, translation }: ShopContext): Promise<ShopResult> {
  const url = offer.storefront_url
  const [categories, collections, pages] = await Promise.all([
    publicCategories.read(db, store, byName, translation),
    publicCollections.read(db, store, byPosition, translation),
    listPageAddresses(db, store.id, translation),
  ])
  return markdownReply([
    `# ${oneLine(offer.store_title ?? store.name)}`,
    '',
    ...(offer.description ? [`> ${oneLine(offer.description)}`, ''] : []),
    `An online store. Prices are in ${store.currency}.`,
    '',
    '## Products',
    '',
    `- [All products](${url}/feeds/products.jsonl): one JSON object per line, with prices, variants and availability`,
    `- [All items](${url}/feeds/items.jsonl): each product or variant in the attributes of ACP and Google`,
    `- [Google Merchant feed](${url}/feeds/google.xml): the same items as RSS`,
    `- [Sitemap](${url}/sitemap.xml): every page`,
    `- [Search](${url}/search?q=): search results for the words after q=`,
    ...section(
      'Categories',
      `${url}/categories`,
      categories.data.map(({ name, path }) => ({ name, slug: path })),
    ),
    ...section('Collections', `${url}/collections`, collections.data),
    ...section(
      'Pages and policies',
      `${url}/pages`,
      pages.map(({ title, slug }) => ({ name: title, slug })),
    ),
    '',
    '## Buying',
    '',
    ...(hasOrigin(url)
      ? [`- [UCP profile](${url}${profilePath}): how agents search, fill carts and place orders`]
      : []),
    `- [Storefront API](${deps.checkout.baseUrl}/storefront/${store.slug}): products and checkout, no key required`,
  ])
}

/** A UCP profile belongs to an origin, which a shop below a path shares with others. */
function hasOrigin(storefrontUrl: string): boolean {
  return new URL(storefrontUrl).pathname === '/'
}

function section(title: string, at: string, entries: readonly { name: string; slug: string }[]): string[] {
  const lines = entries.map(({ name, slug }) => `- [${oneLine(name)}](${at}/${slug})`)
  return lines.length > 0 ? ['', `## ${title}`, '', ...lines] : []
}

export function markdownReply(lines: readonly string[]): ShopResult {
  return {
    file: { type: 'text/markdown; charset=utf-8', body: `${lines.join('\n')}\n` },
    headers: { 'cache-control': 'public, max-age=3600' },
  }
}

/** Escapes a name for a Markdown link, so that it cannot end the link or the line. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\[\]<>`*_#|]/g, '\\$&')
}

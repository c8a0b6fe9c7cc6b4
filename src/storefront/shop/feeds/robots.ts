// robots.txt: the pages of a shop that programs may read.
import type { ShopResult, ShopContext } from '../frame/page.ts'

/** The path of the store's profile for shoppers' agents, on its own origin (https://ucp.dev). */
export const profilePath = '/.well-known/ucp'

/** Paths below the root of a store. Carts, checkouts and orders are private, and searches are endless. */
const closedPaths = [
  '/cart',
  '/checkout',
  '/orders/',
  '/pay/',
  '/find-order',
  '/account',
  '/recover/',
  '/continue/',
  '/unsubscribe/',
  '/search',
]
const openPaths = ['/feeds/', '/llms.txt']

/** Paths of the service itself, which a store's own domain reaches too. */
const closedHere = ['/v1/', '/oauth/', '/dashboard']
const openHere = [profilePath]

export function robots({ root, offer }: ShopContext): ShopResult {
  return robotsReply([root], [`${offer.storefront_url}/sitemap.xml`])
}

/** `roots`: the root paths of the shops. */
export function robotsReply(roots: readonly string[], sitemaps: readonly string[]): ShopResult {
  const below = (paths: readonly string[]) => roots.flatMap((root) => paths.map((path) => root + path))
  // Some programs follow the first matching line, so no line opens what another closes.
  const lines = [
    '# Product pages, feeds, llms.txt and the UCP profile are for search engines and agents.',
    'User-agent: *',
    ...[...closedHere, ...below(closedPaths)].map((path) => `Disallow: ${path}`),
    ...[...openHere, ...below(openPaths)].map((path) => `Allow: ${path}`),
    '',
    ...sitemaps.map((address) => `Sitemap: ${address}`),
  ]
  return {
    file: { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` },
    headers: { 'cache-control': 'public, max-age=3600' },
  }
}

// robots.txt: what of a shop is for programs too, and what for people alone.
import type { ShopResult, ShopContext } from '../frame/page.ts'

/** On the origin of a store: its profile for shoppers' agents (https://ucp.dev). */
export const profilePath = '/.well-known/ucp'

/** Below the root of a store. Carts, checkouts and orders are private, and searches are endless. */
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

/** Of the service itself, which a store's own domain leads to as well. */
const closedHere = ['/v1/', '/oauth/', '/dashboard']
const openHere = [profilePath]

export function robots({ root, offer }: ShopContext): ShopResult {
  return robotsReply([root], [`${offer.storefront_url}/sitemap.xml`])
}

/** `roots`: what the addresses of shops begin with. */
export function robotsReply(roots: readonly string[], sitemaps: readonly string[]): ShopResult {
  const below = (paths: readonly string[]) => roots.flatMap((root) => paths.map((path) => root + path))
  // Some programs heed the first line that fits, so nothing here opens what another line closes.
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

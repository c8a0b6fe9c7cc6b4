// robots.txt: what of a shop is for people alone.
import type { ShopResult, ShopContext } from '../frame/page.ts'

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

export function robots({ root, offer }: ShopContext): ShopResult {
  return robotsReply([root], [`${offer.storefront_url}/sitemap.xml`])
}

/** `roots`: what the addresses of shops begin with. */
export function robotsReply(
  roots: readonly string[],
  sitemaps: readonly string[],
  closed: readonly string[] = [],
): ShopResult {
  const shut = [...closed, ...roots.flatMap((root) => closedPaths.map((path) => root + path))]
  const lines = [
    'User-agent: *',
    ...shut.map((path) => `Disallow: ${path}`),
    '',
    ...sitemaps.map((address) => `Sitemap: ${address}`),
  ]
  return {
    file: { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` },
    headers: { 'cache-control': 'public, max-age=3600' },
  }
}

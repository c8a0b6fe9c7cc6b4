// robots.txt and llms.txt at the root of the service.
import type { PageResult } from '../platform/pages/page.ts'
import { markdownReply, oneLine } from '../storefront/shop/feeds/llms.ts'
import { profilePath, robotsReply } from '../storefront/shop/feeds/robots.ts'
import type { Shop } from './shoplist.ts'

/** For the shops in paths: robots look at the root alone. Those with a host of their own have their own file there. */
export function rootRobots(baseUrl: string, shops: readonly Shop[]): PageResult {
  const here = shops.filter(({ storefront_url: url }) => url.startsWith(`${baseUrl}/s/`))
  const sitemaps = here.map(({ storefront_url }) => `${storefront_url}/sitemap.xml`)
  return robotsReply(['/s/*'], sitemaps)
}

type SiteFacts = { baseUrl: string; authUrl: string; shops: readonly Shop[] }

/** https://llmstxt.org: for programs that read before they act. */
export function rootLlms({ baseUrl, authUrl, shops }: SiteFacts): PageResult {
  return markdownReply([
    '# Stoa',
    '',
    '> A commerce backend: online stores, a REST API, webhooks and an OAuth 2.1 authorization server.',
    '',
    '## For merchants and developers',
    '',
    `- [API reference](${baseUrl}/reference): every endpoint, explained`,
    `- [OpenAPI](${baseUrl}/openapi.json): the machine-readable description; /v1 requires an API key or a token`,
    `- [Authorization server](${authUrl}/.well-known/oauth-authorization-server): how to get an access token`,
    `- [MCP server](${baseUrl}/mcp): merchants' assistants find, explain and change what their scopes allow`,
    ...(shops.length > 0 ? ['', '## Online stores', ''] : []),
    ...(shops.length === 1
      ? [`- [UCP profile](${baseUrl}${profilePath}): how agents search the store and place orders`]
      : []),
    ...shops.map(({ name, storefront_url }) => `- [${oneLine(name)}](${storefront_url}/llms.txt)`),
  ])
}

// GET /: an overview of the service. A browser gets a page, a program gets JSON.
import { html, raw } from 'hono/html'
import type { Database } from '../kit/database/database.ts'
import type { Language } from '../kit/values/language.ts'
import { card, document } from '../platform/pages/frame.ts'
import type { Site } from '../platform/pages/mount.ts'
import type { Html, PageVisit, PageResult } from '../platform/pages/page.ts'
import { isBrowser, toPageError, errorPage } from '../platform/pages/errorpage.ts'
import { pageTranslator } from '../platform/pages/messages.ts'
import { shopList, type Shop } from './shoplist.ts'
import { markdownReply, oneLine } from '../storefront/shop/feeds/llms.ts'
import { profilePath, robotsReply } from '../storefront/shop/feeds/robots.ts'
import { readFile } from 'node:fs/promises'
import { assetPath } from '../platform/pages/assets.ts'

type HomeOptions = { db: Database; baseUrl: string; authUrl: string; listsShops: boolean }
type HomeContext = PageVisit & { isBrowser: boolean }

export function homeSite({ db, baseUrl, authUrl, listsShops }: HomeOptions): Site<HomeContext> {
  const openShops = shopList(db, listsShops)
  return {
    prefix: '',
    isSecure: baseUrl.startsWith('https:'),
    rootOf: () => '',
    originsOf: () => [],
    cookieOf: (name) => ({ name, path: '/', maxAge: 0 }),
    visitOf: async (request, context) => ({ ...context, isBrowser: isBrowser(request) }),
    refuse: (error, _request, { language }) => {
      const apiError = toPageError(error)
      return { status: apiError.status, page: errorPage(language, apiError) }
    },
    pages: [
      {
        method: 'GET',
        path: '/',
        run: async (context) => {
          const vary = { vary: 'accept, accept-language' }
          if (!context.isBrowser) return { json: JSON.stringify({ data: facts(baseUrl, authUrl) }), headers: vary }
          return { page: homePage(context.language, authUrl, (await openShops()).slice(0, maxShops)), headers: vary }
        },
      },
      { method: 'GET', path: '/glossary', run: async () => ({ page: await glossaryPage() }) },
      { method: 'GET', path: '/robots.txt', run: async () => rootRobots(baseUrl, await openShops()) },
      { method: 'GET', path: '/llms.txt', run: async () => rootLlms({ baseUrl, authUrl, shops: await openShops() }) },
    ],
  }
}

function facts(baseUrl: string, authUrl: string) {
  return {
    name: 'Stoa',
    api: `${baseUrl}/v1`,
    openapi: `${baseUrl}/openapi.json`,
    reference: `${baseUrl}/reference`,
    sign_in: `${authUrl}/dashboard`,
    authorization_server: authUrl,
  }
}

const maxShops = 12

function homePage(language: Language, authUrl: string, shops: readonly Shop[]): Html {
  const t = pageTranslator(language)
  const list = html`
<h2>${t('shops')}</h2>
<ul>${shops.map(({ name, storefront_url }) => html`<li><a href="${storefront_url}">${name}</a></li>`)}</ul>`
  return card(
    language,
    'Stoa',
    html`
<h1>Stoa</h1>
<p>${t('what_this_is')}</p>
<div class="pair"><a class="button" href="${authUrl}/dashboard">${t('sign_in')}</a>
<a class="button quiet" href="/reference">${t('reference')}</a></div>
${shops.length > 0 ? list : ''}`,
  )
}

// robots.txt and llms.txt at the root of the service.

/** For shops in paths: robots read only the root. Shops with their own host have their own file there. */
function rootRobots(baseUrl: string, shops: readonly Shop[]): PageResult {
  const here = shops.filter(({ storefront_url: url }) => url.startsWith(`${baseUrl}/s/`))
  const sitemaps = here.map(({ storefront_url }) => `${storefront_url}/sitemap.xml`)
  return robotsReply(['/s/*'], sitemaps)
}

type SiteFacts = { baseUrl: string; authUrl: string; shops: readonly Shop[] }

/** https://llmstxt.org: for programs that read before they act. */
function rootLlms({ baseUrl, authUrl, shops }: SiteFacts): PageResult {
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

// GET /glossary: the terms of the API and the dashboard, from docs/glossary.md.

const file = new URL('../../docs/glossary.md', import.meta.url)

let page: Promise<Html> | undefined

/** It is in English, like the API. */
function glossaryPage(): Promise<Html> {
  page ??= readPage()
  return page
}

async function readPage(): Promise<Html> {
  const { default: MarkdownIt } = await import('markdown-it')
  const text = await readFile(file, 'utf8')
  const markdown = new MarkdownIt({ html: false })
  // Links between documents lead nowhere here.
  markdown.renderer.rules.link_open = markdown.renderer.rules.link_close = () => ''
  return document('en', {
    title: 'Glossary',
    styles: [assetPath('card.css')],
    body: html`<main class="wide" tabindex="0">${raw(markdown.render(text))}</main>`,
  })
}

// GET /: what is here. A browser gets a page, a program the same as JSON.
import { html } from 'hono/html'
import type { Database } from '../kit/database/database.ts'
import type { Language } from '../kit/values/language.ts'
import { card } from '../platform/pages/frame.ts'
import type { Site } from '../platform/pages/mount.ts'
import type { Html, PageVisit } from '../platform/pages/page.ts'
import { isBrowser, apiErrorOf, errorPage } from '../platform/pages/errorpage.ts'
import { pageTranslator } from '../platform/pages/messages.ts'
import { glossaryPage } from './glossary.ts'
import { rootLlms, rootRobots } from './rootfiles.ts'
import { shopList, type Shop } from './shoplist.ts'

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
      const apiError = apiErrorOf(error)
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

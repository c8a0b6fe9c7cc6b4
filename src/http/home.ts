// GET /: what is here. A browser gets a page, a program the same as JSON.
import { html } from 'hono/html'
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import type { Language } from '../kit/values/language.ts'
import { card } from '../pages/frame.ts'
import type { Site } from '../pages/mount.ts'
import type { Html, Visit } from '../pages/page.ts'
import { isBrowser, refusalOf, refusalPage } from '../pages/refusal.ts'
import { pageWords } from '../pages/words.ts'

type HomeOptions = { db: Database; baseUrl: string; authUrl: string; listsShops: boolean }
type Shop = { name: string; slug: string }
type HomeVisit = Visit & { isBrowser: boolean }

export function homeSite({ db, baseUrl, authUrl, listsShops }: HomeOptions): Site<HomeVisit> {
  const openShops = listsShops ? shopList(db) : () => []
  return {
    prefix: '',
    isSecure: baseUrl.startsWith('https:'),
    rootOf: () => '',
    originsOf: () => [],
    cookieOf: (name) => ({ name, path: '/', maxAge: 0 }),
    visitOf: async (request, visit) => ({ ...visit, isBrowser: isBrowser(request) }),
    refuse: (error, _request, { language }) => {
      const refusal = refusalOf(error)
      return { status: refusal.status, page: refusalPage(language, refusal) }
    },
    pages: [
      {
        method: 'GET',
        path: '/',
        run: async (visit) => {
          const vary = { vary: 'accept, accept-language' }
          if (!visit.isBrowser) return { json: JSON.stringify({ data: facts(baseUrl, authUrl) }), headers: vary }
          return { page: homePage(visit.language, authUrl, await openShops()), headers: vary }
        },
      },
    ],
  }
}

function facts(baseUrl: string, authUrl: string) {
  return {
    name: 'Stoa',
    api: `${baseUrl}/v1`,
    openapi: `${baseUrl}/openapi.json`,
    reference: `${baseUrl}/reference`,
    sign_in: `${authUrl}/oauth/portal`,
    authorization_server: authUrl,
  }
}

const maximumShops = 12
const keptMs = 60_000

/** In the order of their names; read once a minute, since the stores are looked through for it. */
function shopList(db: Database): () => Promise<Shop[]> {
  let cache: { shops: Promise<Shop[]>; until: number } | null = null
  return () => {
    if (cache && cache.until > db.clock.elapsedMs()) return cache.shops
    const shops = readShops(db)
    cache = { shops, until: db.clock.elapsedMs() + keptMs }
    shops.catch(() => (cache = null))
    return shops
  }
}

function readShops(db: Database): Promise<Shop[]> {
  return db.rows<Shop>(sql`
    select name, slug
    from stores
    where status = 'active'
      and not maintenance_mode
    order by lower(name), slug
    limit ${maximumShops}`)
}

function homePage(language: Language, authUrl: string, shops: readonly Shop[]): Html {
  const say = pageWords(language)
  const list = html`
<h2>${say('shops')}</h2>
<ul>${shops.map(({ name, slug }) => html`<li><a href="/s/${slug}">${name}</a></li>`)}</ul>`
  return card(
    language,
    'Stoa',
    html`
<h1>Stoa</h1>
<p>${say('what_this_is')}</p>
<div class="pair"><a class="button" href="${authUrl}/oauth/portal">${say('sign_in')}</a>
<a class="button quiet" href="/reference">${say('reference')}</a></div>
${shops.length > 0 ? list : ''}`,
  )
}

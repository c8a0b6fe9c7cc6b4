// The sites of stores: whose they are, the shopper's language and cookies, and what is shown where there is no page.
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../kit/database/database.ts'
import { notFound, rateLimited } from '../../kit/values/errors.ts'
import { preferredLanguage, type Language } from '../../kit/values/language.ts'
import type { Site } from '../../platform/pages/mount.ts'
import type { PageResult as AnyReply, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import { apiErrorOf, notFoundPage } from '../../platform/pages/errorpage.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { currentSlug } from '../../commerce/catalog/slugs.ts'
import { guardOf } from '../checkout/cart/guard.ts'
import { findOffer } from '../checkout/offers/offer.ts'
import type { SettlementDeps } from '../checkout/checkout.ts'
import { requestsPerMinute, storefrontScope } from '../checkout/routes.ts'
import { faceFinder, type FindFace } from '../branding/face.ts'
import { offeredLanguages, ownLanguage } from '../../tenancy/stores/language.ts'
import { belowSlug, redirectStatus, successorOf } from '../../tenancy/stores/slugs.ts'
import {
  byDomain,
  bySlug,
  storefrontFinder,
  type FindStorefront,
  type NameStorefront,
} from '../../tenancy/stores/storefront.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import { closedPage, refusalPage } from './frame/closed.ts'
import { cookieDays, type CookieName, type Page, type Visit } from './frame/page.ts'
import { readerOf } from './frame/reader.ts'
import { pages } from './routes.ts'

export type ShopOptions = {
  db: Database
  tools: SettlementDeps
  limiter: RateLimiter
  baseUrl: string
  /** Hosts of this service: there a store is named in the path. Any other may be a store's own domain. */
  ownHosts: string[]
}

/** How a store is reached. */
type Door = { named: NameStorefront; find: FindStorefront; findFace: FindFace; nameOf(request: FastifyRequest): string }

export function shopSites(options: ShopOptions): Site<Visit>[] {
  const { db, baseUrl, ownHosts } = options
  const findFace = faceFinder(db)
  const byPath: Door = {
    findFace,
    named: bySlug,
    find: storefrontFinder(db, bySlug),
    nameOf: (request) => (request.params as { slug: string }).slug,
  }
  const byHost: Door = {
    findFace,
    named: byDomain,
    find: storefrontFinder(db, byDomain),
    nameOf: (request) => request.hostname.toLowerCase(),
  }
  return [
    {
      ...siteOf(byPath, options),
      prefix: '/s/:slug',
      isSecure: baseUrl.startsWith('https:'),
      rootOf: (request) => `/s/${byPath.nameOf(request)}`,
      originsOf: () => [new URL(baseUrl).origin],
    },
    {
      ...siteOf(byHost, options),
      prefix: '',
      constraints: { host: noneOf(ownHosts) },
      isSecure: true,
      rootOf: () => '',
      originsOf: ({ host }) => [`https://${host}`],
    },
  ]
}

function siteOf(
  door: Door,
  options: ShopOptions,
): Pick<Site<Visit>, 'pages' | 'policy' | 'cookieOf' | 'visitOf' | 'refuse'> {
  return {
    pages: [...pages.map(rememberingLanguage), nothing],
    policy: { imagesFrom: ['https:'], scripts: true },
    cookieOf: (name, { root }) => ({
      name: cookiePrefix + name,
      path: root || '/',
      maxAge: cookieDays[name as CookieName] * 24 * 60 * 60,
    }),
    visitOf: (request, visit) => visitOf(door, request, visit, options),
    refuse: (error, request, visit) => refuse(door, error, request, visit, options),
  }
}

/** Any other domain; addresses and names without a dot are none. */
function noneOf(hosts: string[]): RegExp {
  const own = hosts.map((host) => host.replaceAll(/[.[\]]/g, '\\$&'))
  return new RegExp(`^(?!(${[...own, '[\\d.]+'].join('|')})(:\\d+)?$)[^:[]+\\.[^:]+`, 'i')
}

/** What is chosen by ?lang= stays chosen. */
function rememberingLanguage(page: Page): Page {
  return {
    ...page,
    run: async (visit) => {
      const answer = await page.run(visit)
      return isOffered(visit, visit.query.lang)
        ? { ...answer, cookies: { ...answer.cookies, lang: visit.language } }
        : answer
    },
  }
}

const nothing: Page = {
  method: 'GET',
  path: '/*',
  run: ({ here, root }) => {
    // The store's address with a slash behind it.
    const [path, query] = here.split('?')
    if (root && path === `${root}/`) return { status: 301, location: root + (query === undefined ? '' : `?${query}`) }
    throw notFound('Page')
  },
}

async function visitOf(
  door: Door,
  request: FastifyRequest,
  visit: AnyVisit,
  { db, tools, limiter }: ShopOptions,
): Promise<Visit> {
  const hit = await limiter.hit(`storefront:${addressBlock(request.ip)}`, requestsPerMinute)
  if (!hit.allowed) throw rateLimited(waitSeconds(hit, db.clock.now()))
  const store = await door.find(door.nameOf(request))
  const cookies = shopCookies(visit)
  const language = languageOf(request, { ...visit, cookies }, store)
  const offer = await findOffer(db, store)
  const face = await door.findFace(store.id, offer.face_version)
  const guard = guardOf(limiter, () => db.clock.now(), request.ip)
  const { requestId, operation } = visit
  const cause = { requestId, actor: { kind: 'system', id: storefrontScope }, operation } as const
  return {
    ...visit,
    ...readerOf(store, language, { offer, face }),
    db: db.because(cause).ofStore(store.id),
    tools,
    store,
    guard,
    cookies,
  }
}

/** What is read by programs is in the language of its address: they have no other. */
const isFile = (path: string) => /\.(xml|jsonl|txt)(\?|$)/.test(path)

function languageOf(request: FastifyRequest, { query, cookies, here }: AnyVisit, store: Store): Language {
  const languages = offeredLanguages(store)
  const named = [query.lang, isFile(here) ? undefined : cookies.lang]
  const chosen = named.map((name) => languages.find((one) => one === name)).find((one) => one !== undefined)
  if (chosen || isFile(here)) return chosen ?? ownLanguage(store)
  return preferredLanguage(request.headers['accept-language'], languages) ?? ownLanguage(store)
}

// Of a path: what its part with this name is a slug of.
const named = { product: 'products', category: 'categories', collection: 'collections' } as const

/** Where the page is whose subject gave up the slug in the address. */
async function movedPage({ db, store, params, root, here }: Visit): Promise<string | null> {
  for (const [name, kind] of Object.entries(named)) {
    const slug = params[name] === undefined ? null : await currentSlug(db, store.id, kind, params[name])
    if (slug !== null) return belowSlug(`${root}/${kind}/`, here, slug)
  }
  return null
}

function isOffered({ languages }: Visit, name: string | undefined): boolean {
  return languages.some((language) => language === name)
}

function shopCookies({ cookies }: AnyVisit): Record<string, string | undefined> {
  const own = Object.entries(cookies).filter(([name]) => name.startsWith(cookiePrefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(cookiePrefix.length), value]))
}

const cookiePrefix = 'stoa_'

async function refuse(
  door: Door,
  error: unknown,
  request: FastifyRequest,
  visit: AnyVisit | Visit,
  { db }: ShopOptions,
): Promise<AnyReply> {
  const refusal = apiErrorOf(error)
  const { status } = refusal
  if ('store' in visit) {
    const location = status === 404 ? await movedPage(visit) : null
    if (location !== null) return { status: redirectStatus(request.method), location }
    return { status, page: refusalPage(visit, refusal) }
  }
  // The host may be another way to reach the service itself.
  if (visit.root === '' && status === 404) return notFoundPage(request)
  const successor = status === 404 ? await successorOf(db, door.nameOf(request)) : null
  if (successor !== null) {
    return { status: redirectStatus(request.method), location: belowSlug('/s/', visit.here, successor) }
  }
  const where = refusal.code === 'STORE_UNAVAILABLE' ? door.named(door.nameOf(request)) : null
  const shut = where ? await loadStore(db, where) : undefined
  const language = languageFor(request, shut)
  return { status, page: closedPage(language, refusal, shut?.name ?? null) }
}

function languageFor(request: FastifyRequest, store: Store | undefined): Language {
  const accepted = request.headers['accept-language']
  if (!store) return preferredLanguage(accepted) ?? 'en'
  return preferredLanguage(accepted, offeredLanguages(store)) ?? ownLanguage(store)
}

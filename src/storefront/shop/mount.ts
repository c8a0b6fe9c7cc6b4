// The sites of stores: finds the store, reads the shopper's language and cookies, and handles missing pages.
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../kit/database/database.ts'
import { buildWeakEtag } from '../../kit/declare/conditions.ts'
import { notFound } from '../../kit/values/errors.ts'
import { preferredLanguage, type Language } from '../../kit/values/language.ts'
import { basePath } from '../../platform/pages/address.ts'
import type { Site } from '../../platform/pages/mount.ts'
import type {
  PageResult as AnyReply,
  PageText,
  PageVisit as AnyVisit,
  RecalledPage,
  TaggedPage,
} from '../../platform/pages/page.ts'
import { toPageError, notFoundPage } from '../../platform/pages/errorpage.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { requireQuota, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { buildCheckoutGuard } from '../checkout/cart/guard.ts'
import { findOffer, offerFinder, type FindCurrentOffer } from '../checkout/offers/offer.ts'
import { requestsPerMinute, shopperActor } from '../checkout/routes.ts'
import { faceFinder, type FindFace } from '../branding/face.ts'
import type { ResponseCache, PendingEntry } from '../../tenancy/answers/answers.ts'
import { isOutdated } from '../../tenancy/answers/versions.ts'
import { offeredLanguages, ownLanguage, chooseTranslation } from '../../tenancy/stores/language.ts'
import type { StoreHosts } from '../../tenancy/stores/hosts.ts'
import { belowSlug, redirectStatus, findSlugSuccessor } from '../../tenancy/stores/slugs.ts'
import { bySlug, storefrontFinder, type FindStorefront, type NameStorefront } from '../../tenancy/stores/storefront.ts'
import { findStoreWhere, type Store } from '../../tenancy/stores/store.ts'
import { countCartUnits, readCart } from './frame/cart.ts'
import { cookiePrefix, shopCookies } from './frame/cookies.ts'
import { closedPage, errorPage } from './frame/errorpages.ts'
import {
  beginReads,
  cookieDays,
  type CookieName,
  type ShopContext,
  type ShopDeps,
  type ShopPage,
  type ShopResult,
} from './frame/page.ts'
import { readerContext } from './frame/reader.ts'
import { readTaxWay } from './frame/taxview.ts'
import type { ShopAdditions } from './extensions.ts'
import { presentAddress } from './oldaddresses.ts'
import { pages } from './routes.ts'

export { pages as shopPages } from './routes.ts'
export { assets as shopAssets } from './frame/view.ts'

export type ShopOptions = {
  db: Database
  deps: ShopDeps
  /** Pages of extensions. */
  addedPages: ShopAdditions['pages']
  limiter: RateLimiter
  baseUrl: string
  hosts: StoreHosts
  /** Cached pages; null without a cache. */
  answers: ResponseCache | null
}

/** Finds the store of a request by path or by host. */
type StoreLookup = {
  whereIs: NameStorefront
  find: FindStorefront
  findFace: FindFace
  findCurrentOffer: FindCurrentOffer
  nameOf(request: FastifyRequest): string
}

export function shopSites(options: ShopOptions): Site<ShopContext>[] {
  const { db, baseUrl, hosts } = options
  const finders = { findFace: faceFinder(db), findCurrentOffer: offerFinder() }
  const base = basePath(baseUrl)
  const byPath: StoreLookup = {
    ...finders,
    whereIs: bySlug,
    find: storefrontFinder(db, bySlug),
    nameOf: (request) => (request.params as { slug: string }).slug,
  }
  const byHost: StoreLookup = {
    ...finders,
    whereIs: hosts.whereIs,
    find: storefrontFinder(db, hosts.whereIs),
    nameOf: (request) => request.hostname.toLowerCase(),
  }
  return [
    {
      ...buildShopSite(byPath, options),
      prefix: '/s/:slug',
      isSecure: baseUrl.startsWith('https:'),
      base,
      rootOf: (request) => `${base}/s/${byPath.nameOf(request)}`,
      originsOf: () => [new URL(baseUrl).origin],
    },
    ...hosts.sites.map(({ isSecure, host }) => ({
      ...buildShopSite(byHost, options),
      prefix: '',
      constraints: { host },
      isSecure,
      rootOf: () => '',
      originsOf: (request: FastifyRequest) => [hosts.originOf(request)],
    })),
  ]
}

function buildShopSite(
  lookup: StoreLookup,
  options: ShopOptions,
): Pick<Site<ShopContext>, 'pages' | 'policy' | 'cookieOf' | 'visitOf' | 'recall' | 'refuse'> {
  const { answers, addedPages } = options
  return {
    pages: [...[...pages, ...addedPages].map(rememberingChoices), missingPage],
    policy: { imagesFrom: ['https:'], scripts: true },
    cookieOf: (name, { root }) => ({
      name: cookiePrefix + name,
      path: root || '/',
      maxAge: Math.round(cookieDays[name as CookieName] * 24 * 60 * 60),
    }),
    visitOf: (request, context, page) => buildShopContext(lookup, request, { ...context, begin: page.begin }, options),
    ...(answers ? { recall: (request, visit) => recall(lookup, request, visit, { ...options, answers }) } : {}),
    refuse: (error, request, context) => refuse(lookup, error, request, context, options),
  }
}

/** Keeps the choices of ?lang= and ?tax= in cookies. */
function rememberingChoices(page: ShopPage): ShopPage {
  return {
    ...page,
    run: async (context) => {
      const answer = await page.run(context)
      const { query, taxView } = context
      const cookies: ShopResult['cookies'] = {}
      if (hasLanguage(context, query.lang)) cookies.lang = context.language
      if (taxView.canSwitch && readTaxWay(query.tax)) cookies.tax = taxView.way
      return Object.keys(cookies).length > 0 ? { ...answer, cookies: { ...answer.cookies, ...cookies } } : answer
    },
  }
}

const missingPage: ShopPage = {
  method: 'GET',
  path: '/*',
  run: ({ here, root }) => {
    // The store's URL with a trailing slash.
    const [path, query] = here.split('?')
    if (root && path === `${root}/`) return { status: 301, location: root + (query === undefined ? '' : `?${query}`) }
    throw notFound('Page')
  },
}

/**
 * The context before anything of the store is read. `isProven`: the store is as its versions say that were read for
 * this request.
 */
type EntryContext = Pick<ShopContext, 'store' | 'cookies' | 'language' | 'year'> & { isProven?: boolean }

/** A visit whose reads are recorded for the cache. */
type SeenVisit = AnyVisit & { entered?: EntryContext; answer?: PendingEntry }

async function enter(
  lookup: StoreLookup,
  request: FastifyRequest,
  visit: AnyVisit,
  { db, limiter }: ShopOptions,
): Promise<EntryContext> {
  const now = db.clock.now()
  requireQuota(await limiter.hit(`storefront:${addressBlock(request.ip)}`, requestsPerMinute), now)
  const store = await lookup.find(lookup.nameOf(request))
  return { store, ...identifyReader(request, visit, store), year: now.getUTCFullYear() }
}

function identifyReader(
  request: FastifyRequest,
  visit: AnyVisit,
  store: Store,
): Pick<EntryContext, 'cookies' | 'language'> {
  const cookies = shopCookies(visit)
  return { cookies, language: choosePageLanguage(request, { ...visit, cookies }, store) }
}

/** The cache key of a catalog page: store, URL, language, the cart's count, with or without tax, and the year. */
async function recall(
  lookup: StoreLookup,
  request: FastifyRequest,
  visit: AnyVisit,
  options: ShopOptions & { answers: ResponseCache },
): Promise<RecalledPage> {
  const { answers } = options
  let entry = await enter(lookup, request, visit, options)
  const versions = await answers.versionsOf(entry.store.id)
  if (isOutdated(entry.store, versions)) {
    const store = await lookup.find(lookup.nameOf(request), true)
    entry = { ...entry, store, ...identifyReader(request, visit, store) }
  }
  const { store, cookies, language, year } = entry
  const units = countCartUnits(readCart({ cookies }))
  const key = [store.id, visit.root, visit.here, language, units, readTaxWay(cookies.tax) ?? '', year].join(' ')
  const answer = answers.find(key, versions)
  if (answer) return { kept: answer }
  const pendingEntry = answers.begin(key, store.id, versions)
  const seenVisit: SeenVisit = { ...visit, entered: { ...entry, isProven: versions !== null }, answer: pendingEntry }
  const keep = async ({ html, headers }: PageText): Promise<TaggedPage> => {
    const etag = buildWeakEtag(html)
    const proven = await pendingEntry.prove()
    return proven?.keep(html, { etag, headers, isCompressed: true }) ?? { headers, etag, body: html, gzip: null }
  }
  return { kept: null, visit: seenVisit, keep }
}

async function buildShopContext(
  lookup: StoreLookup,
  request: FastifyRequest,
  visit: SeenVisit & Pick<ShopPage, 'begin'>,
  options: ShopOptions,
): Promise<ShopContext> {
  const { db, deps, limiter } = options
  const { entered, answer, begin, ...context } = visit
  const { store, language, isProven = false, ...reader } = entered ?? (await enter(lookup, request, visit, options))
  const { requestId, operation } = context
  const cause = { requestId, actor: shopperActor, operation } as const
  const own = db.because(cause).ofStore(store.id, answer?.witness)
  const visiting = { ...context, db: own, store, translation: chooseTranslation(store, language) }
  const reads = begin && beginReads(begin, visiting)
  const isOfCatalog = begin !== undefined
  const offer = await (isOfCatalog && isProven
    ? lookup.findCurrentOffer(own, store)
    : findOffer(own, store, { isForCheckout: !isOfCatalog }))
  const face = await lookup.findFace(store.id, offer.face_version)
  const guard = buildCheckoutGuard(limiter, () => db.clock.now(), request.ip)
  return {
    ...context,
    ...reader,
    ...readerContext(store, language, { offer, face }, context.query.tax ?? reader.cookies?.tax),
    db: own,
    deps,
    store,
    guard,
    begun: reads,
  }
}

/** The language of files for programs depends only on their URL. */
const isFile = (path: string) => /\.(xml|jsonl|txt)(\?|$)/.test(path)

function choosePageLanguage(request: FastifyRequest, { query, cookies, here }: AnyVisit, store: Store): Language {
  const languages = offeredLanguages(store)
  const requestedLanguages = [query.lang, isFile(here) ? undefined : cookies.lang]
  const language = requestedLanguages
    .map((name) => languages.find((language) => language === name))
    .find((language) => language !== undefined)
  if (language || isFile(here)) return language ?? ownLanguage(store)
  return preferredLanguage(request.headers['accept-language'], languages) ?? ownLanguage(store)
}

function hasLanguage({ languages }: ShopContext, name: string | undefined): boolean {
  return languages.some((language) => language === name)
}

async function refuse(
  lookup: StoreLookup,
  error: unknown,
  request: FastifyRequest,
  context: AnyVisit | ShopContext,
  { db, baseUrl, hosts }: ShopOptions,
): Promise<AnyReply> {
  const refusal = toPageError(error)
  const { status } = refusal
  if ('store' in context) {
    const location = status === 404 ? await presentAddress(context, request.method) : null
    if (location !== null) return { status: redirectStatus(request.method), location }
    return { status, page: errorPage(context, refusal) }
  }
  const slug = context.root === '' ? hosts.slugOf(request.hostname) : lookup.nameOf(request)
  const successor = status === 404 && slug !== null ? await findSlugSuccessor(db, slug) : null
  if (successor !== null) {
    const shops = new URL(`${baseUrl}/s/`).pathname
    const location =
      context.root === '' ? hosts.urlOf(successor) + context.here : belowSlug(shops, context.here, successor)
    return { status: redirectStatus(request.method), location }
  }
  // The host may be another name of the service itself.
  if (context.root === '' && status === 404) return notFoundPage(request)
  const where = refusal.code === 'STORE_UNAVAILABLE' ? lookup.whereIs(lookup.nameOf(request)) : null
  const store = where ? await findStoreWhere(db, where) : undefined
  const language = languageFor(request, store)
  return { status, page: closedPage(language, refusal, store?.name ?? null) }
}

function languageFor(request: FastifyRequest, store: Store | undefined): Language {
  const header = request.headers['accept-language']
  if (!store) return preferredLanguage(header) ?? 'en'
  return preferredLanguage(header, offeredLanguages(store)) ?? ownLanguage(store)
}

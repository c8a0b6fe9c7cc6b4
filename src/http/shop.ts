// Hangs the pages of stores into Fastify: whose they are, the shopper's language and cookies, forms, and the headers
// that guard pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../kit/database/errors.ts'
import type { Database } from '../kit/database/database.ts'
import {
  ApiError,
  internal,
  invalid,
  notFound,
  rateLimited,
  tooLarge,
  unavailable,
  unknownRoute,
} from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { languages, preferredLanguage, type Language } from '../kit/values/language.ts'
import { priceIn } from '../kit/values/prices.ts'
import type { Log } from '../platform/process/log.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import type { RateLimiter } from '../ratelimit/ratelimit.ts'
import { pageHeaders } from '../accounts/view.ts'
import { languageOf } from '../checkout/names.ts'
import { guardOf } from '../checkout/guard.ts'
import { findOffer } from '../checkout/offer.ts'
import type { CheckoutTools } from '../checkout/checkout.ts'
import { fieldsOf, maximumFormBytes, takeForms } from '../pages/form.ts'
import { assets } from '../storefront/assets.ts'
import { closedPage, refusalPage } from '../storefront/closed.ts'
import { cookieDays, type CookieName, type Page, type Reply, type Visit } from '../storefront/page.ts'
import { pages } from '../storefront/routes.ts'
import { sayIn } from '../storefront/words.ts'
import { byDomain, bySlug, storefrontFinder, type FindStorefront, type NameStorefront } from '../stores/storefront.ts'
import { loadStore } from '../stores/store.ts'
import { cookiesOf, firstOfEach, isPlain } from './browsers.ts'
import { secondsUntil } from './mount.ts'
import { requestsPerMinute } from './storefront.ts'

export type ShopOptions = {
  db: Database
  tools: CheckoutTools
  limiter: RateLimiter
  log: Log
  baseUrl: string
  /** Hosts of this service: there a store is named in the path. Any other may be a store's own domain. */
  ownHosts: string[]
}

/** How a store is reached. */
type Door = {
  /** Before the paths of the pages. */
  prefix: string
  named: NameStorefront
  find: FindStorefront
  nameOf(request: FastifyRequest): string
  /** What addresses of the store begin with. */
  rootOf(name: string): string
  isSecure: boolean
  constraints?: { host: RegExp }
}

export function serveShop(app: FastifyInstance, options: ShopOptions): void {
  const { db, baseUrl, ownHosts } = options
  const doors: Door[] = [
    {
      prefix: '/s/:slug',
      named: bySlug,
      find: storefrontFinder(db, bySlug),
      isSecure: baseUrl.startsWith('https:'),
      nameOf: (request) => (request.params as { slug: string }).slug,
      rootOf: (slug) => `/s/${slug}`,
    },
    {
      prefix: '',
      named: byDomain,
      find: storefrontFinder(db, byDomain),
      isSecure: true,
      nameOf: (request) => request.hostname.toLowerCase(),
      rootOf: () => '',
      constraints: { host: noneOf(ownHosts) },
    },
  ]
  app.register(async (scope) => {
    takeForms(scope)
    scope.setErrorHandler((error, request, reply) => refuse(error, {}, request, reply, options))
    serveAssets(scope)
    scope.get('/s/:slug/', async (request, reply) => reply.redirect(request.url.replace(/\/(?=\?|$)/, ''), 301))
    for (const door of doors) {
      for (const page of [...pages, nothing]) {
        scope.route({
          method: page.method,
          url: page.path === '/' ? door.prefix || '/' : door.prefix + page.path,
          ...(door.constraints ? { constraints: door.constraints } : {}),
          handler: (request, reply) => show(page, door, request, reply, options),
        })
      }
    }
  })
}

/** Any other domain; addresses and names without a dot are none. */
function noneOf(hosts: string[]): RegExp {
  const own = hosts.map((host) => host.replaceAll(/[.[\]]/g, '\\$&'))
  return new RegExp(`^(?!(${[...own, '[\\d.]+'].join('|')})(:\\d+)?$)[^:[]+\\.[^:]+`, 'i')
}

const nothing: Page = {
  method: 'GET',
  path: '/*',
  run: () => {
    throw notFound('Page')
  },
}

function serveAssets(scope: FastifyInstance): void {
  for (const { path, type, bytes, gzipped } of assets) {
    scope.get(path, async (request, reply) => {
      reply.headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
      const zips = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
      return zips ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes)
    })
  }
}

async function show(
  page: Page,
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ShopOptions,
): Promise<FastifyReply> {
  let visit: Visit | undefined
  try {
    if (Object.values(request.params as object).some((value) => !isPlain(String(value)))) throw notFound('Page')
    const hit = await options.limiter.hit(`storefront:${addressBlock(request.ip)}`, requestsPerMinute)
    if (!hit.allowed) throw rateLimited(secondsUntil(hit, options.db.clock.now()))
    visit = await visitOf(door, request, options)
    if (page.method === 'POST' && !page.fromAnywhere) demandSameOrigin(request)
    return await send(page, await page.run(visit), visit, reply, door)
  } catch (error) {
    const isNobodys = !visit && door.prefix === '' && (error as ApiError).status === 404
    // The host may be another way to reach the service itself.
    if (isNobodys && page === nothing) return sendUnknown(request, reply)
    return refuse(error, { visit, door }, request, reply, options)
  }
}

function sendUnknown({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = unknownRoute(method, url.split('?')[0]!)
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

async function visitOf(door: Door, request: FastifyRequest, { db, tools, limiter }: ShopOptions): Promise<Visit> {
  const name = door.nameOf(request)
  const store = await door.find(name)
  const query = firstOfEach(request.query as Record<string, string | string[]>)
  const cookies = shopCookies(request)
  const language =
    languageIn(query.lang) ??
    languageIn(cookies.lang) ??
    preferredLanguage(request.headers['accept-language']) ??
    languageOf(store.country_code)
  return {
    db: db.ofStore(store.id),
    tools,
    store,
    query,
    cookies,
    language,
    params: request.params as Record<string, string>,
    offer: await findOffer(db, store),
    guard: guardOf(limiter, () => db.clock.now(), request.ip),
    say: sayIn(language),
    price: priceIn(language, store),
    form: fieldsOf(request),
    root: door.rootOf(name),
    here: request.url,
  }
}

function languageIn(text: string | undefined): Language | null {
  return languages.find((one) => one === text) ?? null
}

function shopCookies(request: FastifyRequest): Record<string, string> {
  const cookies = Object.entries(cookiesOf(request.headers.cookie)).filter(([name]) => name.startsWith(cookiePrefix))
  return Object.fromEntries(cookies.map(([name, value]) => [name.slice(cookiePrefix.length), value]))
}

const cookiePrefix = 'stoa_'

/**
 * Against forms of other sites, beside cookies that are SameSite=Lax. What says nothing of where it comes from is no
 * browser and carries nobody's cookie.
 */
function demandSameOrigin(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  const isSilent = origin === undefined && site === undefined
  const isOwn = site === 'same-origin' || (origin !== undefined && URL.parse(origin)?.host === request.host)
  if (!isSilent && !isOwn) throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'The form came from another site')
}

async function send(
  page: Page,
  answer: Reply,
  visit: Visit,
  reply: FastifyReply,
  { isSecure }: Door,
): Promise<FastifyReply> {
  const { root, query, language } = visit
  const cookies = { ...answer.cookies, ...(languageIn(query.lang) ? { lang: language } : {}) }
  for (const [name, value] of Object.entries(cookies)) {
    reply.header('set-cookie', cookieOf(name as CookieName, value, { root, isSecure }))
  }
  if (answer.empty) return reply.code(204).send()
  if (answer.to !== undefined) {
    return reply
      .code(303)
      .headers({ 'cache-control': 'no-store', location: root + answer.to })
      .send()
  }
  reply.code(answer.status ?? 200).headers(pageHeaders({ imagesFrom: ['https:'], scripts: true }))
  // A page of the catalogue may be shown again on the way back; one with what somebody typed is never kept.
  if (page.isCatalogue) reply.headers({ 'cache-control': 'private, no-cache', vary: 'accept-language, cookie' })
  return reply.send(String(await answer.page))
}

type Reach = { root: string; isSecure: boolean }

function cookieOf(name: CookieName, value: string | null, { root, isSecure }: Reach): string {
  const life = value === null ? 0 : cookieDays[name] * 24 * 60 * 60
  const attributes = [`Path=${root || '/'}`, 'HttpOnly', 'SameSite=Lax', `Max-Age=${life}`]
  return [`${cookiePrefix}${name}=${value ?? ''}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ')
}

type Known = { visit?: Visit | undefined; door?: Door }

async function refuse(
  error: unknown,
  { visit, door }: Known,
  request: FastifyRequest,
  reply: FastifyReply,
  { db, log }: ShopOptions,
): Promise<FastifyReply> {
  const known = errorOf(error)
  if (known.status >= 500 && known.code !== 'STORE_UNAVAILABLE') log.error({ err: error }, 'page failed')
  reply.code(known.status).headers({ ...pageHeaders({ imagesFrom: ['https:'], scripts: true }), ...known.headers })
  if (visit) return reply.send(String(await refusalPage(visit, known)))
  const where = known.code === 'STORE_UNAVAILABLE' ? door?.named(door.nameOf(request)) : null
  const shut = where ? await loadStore(db, where) : undefined
  const usual = shut ? languageOf(shut.country_code) : 'en'
  const language = preferredLanguage(request.headers['accept-language']) ?? usual
  return reply.send(String(await closedPage(language, known, shut?.name ?? null)))
}

function errorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode = 500 } = error as { statusCode?: number }
  if (statusCode === 413) return tooLarge(maximumFormBytes)
  if (statusCode < 500) return invalid(fault('body', 'unreadable'))
  return isDatabaseAway(error) ? unavailable() : internal()
}

// Mounts the pages of sites on Fastify: forms, cookies, the check against foreign forms, compression, and security
// headers. Each site defines its own visits and error pages.
import compress from '@fastify/compress'
import readCookies from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { isNotModified, buildWeakEtag } from '../../kit/declare/conditions.ts'
import { notFound, TurnedAway } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import { preferredLanguage, type Language } from '../../kit/values/language.ts'
import { addressWith } from './address.ts'
import { languageCookie, languageNamed, languageParameter, personLanguage } from './language.ts'
import type { Log } from '../process/log.ts'
import { iconBytes, serveAssets, type Assets } from './assets.ts'
import { readPageForm, isPlain, maxFields, acceptForms, type FormOptions } from './form.ts'
import { pageHeaders } from './frame.ts'
import { requireOwnForm } from './origin.ts'
import type { Page, ContentPolicy, PageResult, PageText, PageVisit, RecalledPage, TaggedPage } from './page.ts'
import { toPageError, errorPage } from './errorpage.ts'
import { readUpload } from './upload.ts'

export type Site<V extends PageVisit> = {
  /** The prefix of the paths of its pages. */
  prefix: string
  constraints?: { host: RegExp }
  /** False for a host at which its pages are not found, although its routes are. */
  isAt?(host: string): boolean
  pages: readonly Page<V>[]
  /** Cookies are sent over https only. */
  isSecure: boolean
  /** The path of the service, in which `prefix` is. */
  base?: string
  /** The start of the addresses of the site. */
  rootOf(request: FastifyRequest): string
  /** The origins of the site, beside the requested one. */
  originsOf(request: FastifyRequest): string[]
  /** The name of a cookie in the browser, its path, and its lifetime. */
  cookieOf(name: string, visit: PageVisit): { name: string; path: string; maxAge: number }
  policy?: ContentPolicy
  /** Its pages are for staff, who choose a language for all of them. Shops have a choice of their own. */
  isForStaff?: boolean
  visitOf(request: FastifyRequest, visit: PageVisit, page: Page<V>): Promise<V>
  /** Looks for a catalog page in memory before the visit is complete. */
  recall?(request: FastifyRequest, visit: PageVisit): Promise<RecalledPage>
  /** The page for anything thrown; `visit` is the site's own if it was made. */
  refuse(error: unknown, request: FastifyRequest, visit: PageVisit | V): PageResult | Promise<PageResult>
}

export function mountSites(app: FastifyInstance, sites: readonly Site<any>[], assets: Assets[], log: Log): void {
  app.register(async (scope) => {
    acceptForms(scope)
    scope.register(readCookies)
    scope.addHook('onSend', sendOnce)
    // Compressed bodies are not parsed; a small one could expand to any size.
    scope.register(compress, { encodings: ['gzip', 'identity'], globalDecompression: false })
    serveAssets(scope, assets)
    scope.get('/favicon.ico', (_request, reply) => reply.type('image/svg+xml').send(iconBytes()))
    scope.setErrorHandler((error, request, reply) => {
      const { site } = request.routeOptions.config as Partial<RouteSite>
      if (!site) throw error
      return refuse(site, error, request, reply, log)
    })
    scope.after(() => sites.forEach((site) => hang(scope, site, log)))
  })
}

/** Sends no body that the browser already has. */
async function sendOnce(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || reply.statusCode !== 200) return payload
  if (!reply.hasHeader('etag')) {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    reply.header('etag', buildWeakEtag(payload))
  }
  if (!isNotModified(request.headers['if-none-match'], String(reply.getHeader('etag')))) return payload
  reply.code(304)
  return ''
}

function isKeepable({ status, page, cookies }: PageResult): boolean {
  return page !== undefined && status === undefined && cookies === undefined
}

async function toPageText(answer: PageResult, { policy }: Site<any>): Promise<PageText> {
  const headers = { ...pageHeaders({ ...policy, ...answer }), ...answer.headers, ...catalogueHeaders }
  return { html: String(await answer.page), headers }
}

/** The browser may show a catalog page again on the way back; a page with a person's input is never cached. */
const catalogueHeaders = { 'cache-control': 'private, no-cache', vary: 'accept-language, cookie' }

function sendTagged(page: TaggedPage, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { headers, etag, body, gzip } = page
  reply.headers(headers)
  if (etag !== null) reply.header('etag', etag)
  if (etag !== null && isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send('')
  if (gzip === null || !acceptsGzip(request)) return reply.send(body)
  return reply.header('content-encoding', 'gzip').header('vary', `${headers.vary}, accept-encoding`).send(gzip)
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return (
    headers['accept-encoding'] !== undefined && new Negotiator({ headers }).encoding(['gzip', 'identity']) === 'gzip'
  )
}

/** The site of a route, for errors before its handler. */
type RouteSite = { site: Site<any> }

function hang<V extends PageVisit>(scope: FastifyInstance, site: Site<V>, log: Log): void {
  for (const page of site.pages) {
    scope.route({
      method: page.method,
      url: page.path === '/' ? site.prefix || '/' : site.prefix + page.path,
      bodyLimit: page.limits?.bytes,
      config: { site, limits: page.limits, takesFile: page.file !== undefined } satisfies RouteSite & FormOptions,
      ...(site.constraints ? { constraints: site.constraints } : {}),
      // Checked before the body and the session are read: no response can depend on, or repeat, a form of another site.
      onRequest: async (request) => {
        if (site.isAt && !site.isAt(request.host)) throw notFound('Page')
        if (page.method === 'POST' && !page.fromAnywhere) requireOwnForm(request, site.originsOf(request))
      },
      handler: (request, reply) => show(page, site, request, reply, log),
    })
  }
}

async function show<V extends PageVisit>(
  page: Page<V>,
  site: Site<V>,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): Promise<FastifyReply> {
  let visit: PageVisit | V = buildPageVisit(request, site)
  const language = site.isForStaff && page.method === 'GET' ? languageNamed(visit.query[languageParameter]) : null
  if (language) return keepLanguage(language, site, visit, reply)
  try {
    if (!Object.values(visit.params).every(isPlain)) throw notFound('Page')
    const recalledPage = page.isCatalogue && site.recall ? await site.recall(request, visit) : null
    if (recalledPage?.kept) return sendTagged(recalledPage.kept, request, reply)
    const whole = await site.visitOf(request, recalledPage?.visit ?? visit, page)
    visit = whole
    const complete = page.file ? { ...whole, ...(await readUpload(request, page.file)) } : whole
    const answer = await page.run(complete)
    if (recalledPage && isKeepable(answer))
      return sendTagged(await recalledPage.keep(await toPageText(answer, site)), request, reply)
    return await send(answer, site, visit, reply, page)
  } catch (error) {
    return refuse(site, error, request, reply, log, visit)
  }
}

function buildPageVisit<V extends PageVisit>(request: FastifyRequest, site: Site<V>): PageVisit {
  const query = Object.entries(request.query as Record<string, string | string[]>).slice(0, maxFields)
  const firsts = query.map(([name, value]): [string, string] => [name, [value].flat()[0] ?? ''])
  return {
    requestId: publicId('req', request.uuid),
    operation: `${request.method} ${request.routeOptions.url ?? ''}`,
    params: request.params as Record<string, string>,
    query: Object.fromEntries(firsts.filter(([, value]) => isPlain(value))),
    form: readPageForm(request),
    cookies: request.cookies ?? {},
    language: chooseVisitLanguage(request, site),
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    root: site.rootOf(request),
    here: toReturnUrl((site.base ?? '') + request.url),
  }
}

/** Requests refused before routing have no cookies yet. */
function chooseVisitLanguage({ headers, cookies }: FastifyRequest, { isForStaff }: Site<any>): Language {
  const header = headers['accept-language']
  return isForStaff ? personLanguage(cookies ?? {}, header) : (preferredLanguage(header) ?? 'en')
}

/** Remembers the choice and returns to the address without it. */
function keepLanguage(
  language: Language,
  { isSecure }: Site<any>,
  { root, here }: PageVisit,
  reply: FastifyReply,
): FastifyReply {
  const { name, maxAge } = languageCookie
  return reply
    .setCookie(name, language, { path: root || '/', maxAge, httpOnly: true, sameSite: 'lax', secure: isSecure })
    .header('cache-control', 'no-store')
    .redirect(addressWith(here, { [languageParameter]: null }), 303)
}

// Links of a page repeat its address, so a longer one is cut.
const maxAddressLength = 4000

function toReturnUrl(url: string): string {
  return url.length <= maxAddressLength ? url : url.split('?', 1)[0]!.slice(0, maxAddressLength)
}

async function send<V extends PageVisit>(
  answer: PageResult,
  site: Site<V>,
  visit: PageVisit,
  reply: FastifyReply,
  page?: Page<V>,
): Promise<FastifyReply> {
  for (const [key, value] of Object.entries(answer.cookies ?? {})) {
    const { name, path, maxAge } = site.cookieOf(key, visit)
    const life = { path, maxAge: value === null ? 0 : maxAge }
    reply.setCookie(name, value ?? '', { ...life, httpOnly: true, sameSite: 'lax', secure: site.isSecure })
  }
  reply.headers({ 'cache-control': 'no-store', ...answer.headers })
  if (answer.empty) return reply.code(204).send()
  const location = answer.to === undefined ? answer.location : visit.root + answer.to
  if (location !== undefined)
    return reply
      .code(answer.status ?? 303)
      .header('location', location)
      .send()
  reply.code(answer.status ?? 200)
  if (answer.json !== undefined) return reply.type('application/json; charset=utf-8').send(answer.json)
  if (answer.file) return reply.type(answer.file.type).send(answer.file.body)
  reply.headers({ ...pageHeaders({ ...site.policy, ...answer }), ...answer.headers })
  if (page?.isCatalogue) reply.headers(catalogueHeaders)
  return reply.send(String(await answer.page))
}

async function refuse<V extends PageVisit>(
  site: Site<V>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  visit: PageVisit = buildPageVisit(request, site),
): Promise<FastifyReply> {
  const answer = await answerTo(site, error, request, visit)
  const refusal = toPageError(error)
  // An error that the site handles, such as a redirect to sign-in, is not a failure.
  if (refusal.code === 'UNAVAILABLE') {
    if (!(refusal instanceof TurnedAway))
      log.warn({ reason: (error as Error).message }, 'page rejected: server overloaded')
  } else if (isFailure(answer) && refusal.code !== 'STORE_UNAVAILABLE') log.error({ err: error }, 'page failed')
  return send({ ...answer, headers: { ...refusal.headers, ...answer.headers } }, site, visit, reply)
}

function isFailure({ status = 200 }: PageResult): boolean {
  return status >= 500
}

/** A site that cannot even render its error, e.g. without its database, falls back to the general page. */
async function answerTo<V extends PageVisit>(
  site: Site<V>,
  error: unknown,
  request: FastifyRequest,
  visit: PageVisit,
): Promise<PageResult> {
  try {
    return await site.refuse(error, request, visit)
  } catch {
    const refusal = toPageError(error)
    return { status: refusal.status, page: errorPage(visit.language, refusal) }
  }
}

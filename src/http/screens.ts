// Hangs the screens into Fastify: session's cookie, language, forms, and the headers that guard pages.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import { ApiError, internal, invalid, notFound, tooLarge, unauthenticated, unavailable } from '../kit/values/errors.ts'
import { isDatabaseAway } from '../kit/database/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Vault } from '../kit/values/secrets.ts'
import type { Log } from '../platform/process/log.ts'
import type { Mail } from '../platform/outbound/mail.ts'
import type { RateLimiter } from '../ratelimit/ratelimit.ts'
import { fieldsOf, maximumFormBytes, takeForms } from '../pages/form.ts'
import { refusalIn } from '../accounts/refusal.ts'
import { deviceCookie, deviceLifeSeconds } from '../accounts/device.ts'
import { SignInNeeded, type Reply, type Screen, type Visit } from '../accounts/screen.ts'
import { findSession, lifeSeconds, sessionCookie } from '../accounts/session.ts'
import { message, pageHeaders } from '../accounts/view.ts'
import { languageOf, sayIn } from '../accounts/words.ts'
import { cookiesOf, firstOfEach, isPlain } from './browsers.ts'

export type ScreenOptions = {
  screens: readonly Screen[]
  db: Database
  limiter: RateLimiter
  mail: Mail
  vault: Vault
  log: Log
  /** AUTH_URL: scheme and host of the cookie, and the path under which the screens are. */
  siteUrl: string
}

export function serveScreens(app: FastifyInstance, options: ScreenOptions): void {
  const root = rootOf(options.siteUrl)
  app.register(async (scope) => {
    takeForms(scope)
    const asText = { parseAs: 'string', bodyLimit: maximumFormBytes } as const
    scope.addContentTypeParser('application/json', asText, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, request, reply) => refuse(error, request, reply, 'page', options))
    for (const screen of options.screens) {
      scope.route({
        method: screen.method,
        url: root + screen.path,
        exposeHeadRoute: false,
        handler: (request, reply) => show(screen, request, reply, options),
      })
    }
    const style = readFileSync(new URL('../accounts/style.css', import.meta.url))
    const etag = `"${createHash('sha256').update(style).digest('base64url')}"`
    scope.get(`${root}/oauth/style.css`, async (request, reply) => {
      reply.headers({ 'cache-control': 'public, max-age=300', etag })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-type', 'text/css; charset=utf-8').send(style)
    })
  })
}

async function show(
  screen: Screen,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ScreenOptions,
): Promise<FastifyReply> {
  try {
    if (Object.values(request.params as object).some((value) => !isPlain(String(value)))) throw notFound('Page')
    if (screen.method !== 'GET') demandSameOrigin(request, options.siteUrl)
    const visit = await visitOf(request, options)
    return await send(await screen.run(visit), reply, options)
  } catch (error) {
    return refuse(error, request, reply, screen.kind, options)
  }
}

/**
 * Against forms of other sites: a browser says where a request comes from, and the session's cookie is SameSite=Lax
 * besides. What says nothing is no browser and carries nobody's cookie.
 */
function demandSameOrigin(request: FastifyRequest, siteUrl: string): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  const isOwn = origin === undefined ? site === undefined || site === 'same-origin' : origin === new URL(siteUrl).origin
  if (!isOwn) throw elsewhere
}

const elsewhere = new ApiError(403, 'SCOPE_INSUFFICIENT', 'The form came from another site')

async function visitOf(request: FastifyRequest, { db, limiter, mail, vault, siteUrl }: ScreenOptions): Promise<Visit> {
  const cookies = cookiesOf(request.headers.cookie)
  const value = cookies[sessionCookie(siteUrl)]
  const language = languageOf(request.headers['accept-language'])
  return {
    db,
    limiter,
    mail,
    vault,
    siteUrl,
    language,
    say: sayIn(language),
    params: request.params as Record<string, string>,
    query: firstOfEach(request.query as Record<string, string | string[]>),
    body: bodyOf(request),
    cookies,
    session: value ? await findSession(db, value) : null,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    root: rootOf(siteUrl),
    here: request.url,
  }
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  if (typeof request.body !== 'string') return fieldsOf(request)
  try {
    const json: unknown = JSON.parse(request.body === '' ? '{}' : request.body)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  } catch {
    /* said below */
  }
  throw invalid(fault('body', 'not_json_object'))
}

function rootOf(siteUrl: string): string {
  return new URL(siteUrl).pathname.replace(/\/$/, '')
}

async function send(answer: Reply, reply: FastifyReply, { siteUrl }: ScreenOptions): Promise<FastifyReply> {
  reply.headers({ 'cache-control': 'no-store', ...answer.headers })
  const { session, device } = answer
  if (session !== undefined) {
    reply.header(
      'set-cookie',
      cookie(siteUrl, sessionCookie(siteUrl), session ?? '', session === null ? 0 : lifeSeconds),
    )
  }
  if (device) reply.header('set-cookie', cookie(siteUrl, deviceCookie(siteUrl), device, deviceLifeSeconds))
  if (answer.location !== undefined)
    return reply
      .code(answer.status ?? 303)
      .header('location', answer.location)
      .send()
  if (answer.json !== undefined) {
    reply.code(answer.status ?? 200).header('content-type', 'application/json; charset=utf-8')
    return reply.send(JSON.stringify(answer.json))
  }
  return reply
    .code(answer.status ?? 200)
    .headers(pageHeaders(answer))
    .send(String(await answer.page))
}

function cookie(siteUrl: string, name: string, value: string, lifeSeconds: number): string {
  const secure = siteUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifeSeconds}${secure}`
}

async function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: Screen['kind'],
  options: ScreenOptions,
): Promise<FastifyReply> {
  const language = languageOf(request.headers['accept-language'])
  const root = rootOf(options.siteUrl)
  if (error instanceof SignInNeeded && kind === 'page') {
    const next = request.method === 'GET' ? request.url : `${root}/oauth/portal`
    const again = error.again ? '&again=1' : ''
    return send({ location: `${root}/oauth/login?return_to=${encodeURIComponent(next)}${again}` }, reply, options)
  }
  const known = errorOf(error)
  if (known.status >= 500) options.log.error({ err: error }, 'screen failed')
  reply.headers(known.headers)
  if (kind === 'json') return send({ status: known.status, json: JSON.parse(known.body) }, reply, options)
  const say = sayIn(language)
  const text = known === elsewhere ? say('elsewhere') : refusalIn(say, known)
  const page = message({ language, root, say }, say('error_title'), text)
  return send({ status: known.status, page }, reply, options)
}

function errorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof SignInNeeded) return unauthenticated(`Sign in ${error.again ? 'again ' : ''}to do this`)
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status === 413) return tooLarge(maximumFormBytes)
  if (status < 500) return invalid(fault('body', 'unreadable'))
  return isDatabaseAway(error) ? unavailable() : internal()
}

// The HTTP server: limits, body parsing, and the error envelope, whatever goes wrong.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { isDatabaseAway } from '../kit/database/errors.ts'
import { ApiError, internal, invalid, tooLarge, TurnedAway, unavailable, unknownRoute } from '../kit/values/errors.ts'
import type { Clock } from '../kit/values/clock.ts'
import { fault } from '../kit/values/faults.ts'
import { preferredLanguage } from '../kit/values/language.ts'
import { newUuidAt, publicId, toUuid } from '../kit/values/ids.ts'
import { pageHeaders } from '../platform/pages/frame.ts'
import { isBrowser, errorPage } from '../platform/pages/errorpage.ts'
import type { Log } from '../platform/process/log.ts'
import type { RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { maxBodyBytes, parseJson } from './bodies.ts'
import { requireHeaders, securityHeaders, originForm } from './securityheaders.ts'
import { refuseMalformed } from './malformed.ts'
import { limitSlowClients, type SlowClientLimits } from './slowclients.ts'
import { anonymousHit, showLimit } from './routelimits.ts'
import { requestFaults } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its ID in the log of requests. */
    uuid: string
    /** True if X-Request-Id is the caller's own, who may have sent it before. */
    isNamed: boolean
  }
}

export function openServer({
  log,
  clock,
  limiter,
  trustedProxies,
  isSecure,
  slowClients,
}: {
  log: Log
  clock: Clock
  limiter: RateLimiter
  trustedProxies: string[]
  /** Clients reach this service by https. */
  isSecure: boolean
  slowClients?: Partial<SlowClientLimits> | undefined
}): FastifyInstance {
  const guardReply = securityHeaders(isSecure)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    // The maximum time without a byte in or out.
    connectionTimeout: 20_000,
    keepAliveTimeout: 65_000,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    genReqId: requestIds(clock),
    requestIdHeader: false,
    rewriteUrl: originForm,
    routerOptions: { maxParamLength: 500 },
    // A request on an open connection is still answered, with a header that closes it.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseMalformed(limiter),
    frameworkErrors: (error, request, reply) => {
      guardReply(request, reply as FastifyReply)
      sendAddressError(error, request, reply as FastifyReply, limiter)
    },
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000, maxHeaderSize: 16_384 } as never,
  })
  limitSlowClients(app.server, slowClients)
  addHooks(app, guardReply, { limiter, clock })
  app.setErrorHandler(sendError)
  parseJson(app)
  return app
}

/** Hooks of every request. */
function addHooks(
  app: FastifyInstance,
  guardReply: ReturnType<typeof securityHeaders>,
  { limiter, clock }: { limiter: RateLimiter; clock: Clock },
): void {
  app.decorateRequest('uuid', '')
  app.decorateRequest('isNamed', false)
  app.decorateRequest('access', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('versions', null)
  app.decorateRequest('file', null)
  app.decorateRequest('bytes', null)
  app.decorateRequest('undeclaredBytes', 0)
  app.decorateRequest('refusal', null)
  app.decorateRequest('trace', null)
  app.decorateRequest('answerText', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    request.isNamed = request.headers['x-request-id'] === request.id
    request.uuid = (request.isNamed ? null : toUuid('req', request.id)) ?? newUuidAt(clock.now())
    guardReply(request, reply)
    requireHeaders(request)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
  // Before its body is read: an unknown address is not found, regardless of the body.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    refuseUnknownRoute(request, reply, limiter).catch(done)
  })
}

async function refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply, limiter: RateLimiter): Promise<never> {
  await countMiss(request, reply, limiter)
  throw unknownRoute(request.method, request.url.split('?')[0]!)
}

/** Handles an address that the router cannot read: no hook sees it. */
async function sendAddressError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: RateLimiter,
): Promise<void> {
  const failure = await countMiss(request, reply, limiter).then(
    () => null,
    (cause: unknown) => cause,
  )
  sendError(failure ?? error, request, reply)
}

async function countMiss(request: FastifyRequest, reply: FastifyReply, limiter: RateLimiter): Promise<void> {
  if (request.url.startsWith('/v1')) showLimit(reply, await anonymousHit(limiter, request.ip))
}

/** A caller's own X-Request-Id is kept if it is harmless, so that both logs can be matched. */
function requestIds(clock: Clock) {
  return ({ headers }: { headers: Record<string, string | string[] | undefined> }): string => {
    const id = headers['x-request-id']
    return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : publicId('req', newUuidAt(clock.now()))
  }
}

/** Sends any error in the contract's envelope. The cause of a 5xx is logged, never sent. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = (request.refusal = toRequestError(error, request))
  if (apiError.code === 'NOT_FOUND' && (isPage(request) || (isBrowser(request) && !isApi(request)))) {
    return sendNotFoundPage(request, reply)
  }
  if (apiError instanceof TurnedAway) request.log.debug('request turned away')
  else if (apiError.status === 503)
    request.log.warn({ reason: readCauseMessage(error as Error) }, 'request rejected: server overloaded')
  else if (apiError.cause)
    request.log.warn({ reason: (apiError.cause as Error).message }, 'request failed after repeated write conflicts')
  else if (apiError.status >= 500) request.log.error({ err: error }, 'request failed')
  if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', request.id)
  return reply
    .code(apiError.status)
    .headers(apiError.headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(apiError.body)
}

/** Operators need the cause, e.g. a full disk, which clients are not told. */
function readCauseMessage({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message
}

/** A browser at an address of the API gets the API's answer. */
function isApi({ url }: FastifyRequest): boolean {
  return /^\/(v1|storefront)(\/|\?|$)/.test(url)
}

/** Sites of pages answer errors with a page, unless JSON is requested. */
function isPage({ url, headers }: FastifyRequest): boolean {
  if (headers.accept?.includes('json')) return false
  return url.startsWith('/s/') || url.split('?', 1)[0]!.includes('/dashboard/')
}

function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = unknownRoute(request.method, request.url.split('?')[0]!)
  const language = preferredLanguage(request.headers['accept-language']) ?? 'en'
  reply.code(apiError.status).headers(pageHeaders())
  Promise.resolve(errorPage(language, apiError)).then((whole) => reply.send(String(whole)))
  return reply
}

export function toRequestError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return tooLarge(request.routeOptions.bodyLimit ?? maxBodyBytes)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid(fault('body', requestFaults.wrong_content_type))
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid(fault('body', requestFaults.wrong_content_length))
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_STATIC_FORBIDDEN_PATH':
      return unknownRoute(request.method, request.url.split('?')[0]!)
  }
  return isDatabaseAway(error) ? unavailable() : internal()
}

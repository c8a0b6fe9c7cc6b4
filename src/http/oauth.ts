// Mounts the endpoints of the authorization server on Fastify. Bodies stay bytes for the library, limits are counted
// before it, and errors have the form of RFC 6749.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kit/values/clock.ts'
import { isDatabaseAway } from '../kit/database/errors.ts'
import { ApiError, tooManyFields } from '../kit/values/errors.ts'
import { admission } from '../identity/oauth/admission.ts'
import type { OauthEndpoint } from '../identity/oauth/endpoint.ts'
import { maxFields } from '../platform/pages/form.ts'
import type { Log } from '../platform/process/log.ts'
import type { RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { openToOrigins, preflight } from './cors.ts'

const maxBodyBytes = 16 * 1024
const exposedHeaders = 'Retry-After, WWW-Authenticate'

export function serveOauth(
  app: FastifyInstance,
  endpoints: readonly OauthEndpoint[],
  { limiter, clock, log }: { limiter: RateLimiter; clock: Clock; log: Log },
): void {
  const admit = admission(limiter, clock)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const
    scope.addContentTypeParser('*', asBytes, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async ({ url }) => requireFewFields(Buffer.from(url)))
    scope.addHook('preValidation', async ({ body }) => requireFewFields(body))
    scope.setErrorHandler((error, _request, reply) => sendFailure(error, reply, log))
    for (const endpoint of endpoints) {
      const { method, path: url, isOpen } = endpoint
      scope.route({ method, url, handler: (request, reply) => answer(endpoint, request, reply, admit) })
      if (isOpen) scope.options(url, preflightOauth)
    }
  })
}

async function answer(
  endpoint: OauthEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  admit: ReturnType<typeof admission>,
): Promise<unknown> {
  if ('document' in endpoint) {
    openToOrigins(reply)
    return endpoint.document(request.headers.host)
  }
  const { method, path, isOpen, limits, load, run } = endpoint
  // The library itself decides which origins may read its read-only endpoints.
  if (isOpen && method === 'POST' && request.headers.origin !== undefined) openToOrigins(reply, exposedHeaders)
  const { ip, raw, body } = request
  const call = { ip, raw, body: body instanceof Buffer ? body : null }
  const admission = await admit(call, path, limits)
  if ('waitSeconds' in admission) return tooMany(reply, admission.waitSeconds)
  // Fastify no longer handles failures after the next line.
  await load()
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value!)
  await run(call, reply.raw)
  await admission.settle(reply.raw.statusCode)
  return reply
}

async function preflightOauth(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const names = request.headers['access-control-request-headers']
  const headers = names && /^[\w\-, ]{1,500}$/.test(names) ? names : 'Authorization, Content-Type'
  reply.header('vary', 'Access-Control-Request-Headers')
  return preflight(reply, { methods: 'GET, POST', headers, maxAgeSeconds: 3600 })
}

/** Each separator of a form or an address begins a field; JSON is checked by its own parser. */
function requireFewFields(body: unknown): void {
  if (!(body instanceof Buffer) || body[0] === brace) return
  let separators = 0
  for (const byte of body) if (byte === ampersand) separators++
  if (separators >= maxFields) throw tooManyFields(maxFields)
}

const [ampersand, brace] = Buffer.from('&{')

function tooMany(reply: FastifyReply, waitSeconds: number): FastifyReply {
  reply.code(429).header('retry-after', waitSeconds)
  return send(reply, 'too_many_requests', `Rate limit exceeded. Try again in ${waitSeconds} seconds`)
}

function sendFailure(error: unknown, reply: FastifyReply, log: Log): FastifyReply {
  if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    reply.code(413)
    return send(reply, 'invalid_request', `The request body is larger than ${maxBodyBytes} bytes`)
  }
  if (error instanceof ApiError && error.status < 500) {
    return send(reply.code(error.status).headers(error.headers), 'invalid_request', error.message)
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status < 500) return send(reply.code(400), 'invalid_request', 'The request cannot be read')
  log.error({ err: error }, 'oauth request failed')
  if (error instanceof ApiError || isDatabaseAway(error)) {
    reply.code(503).header('retry-after', '1')
    return send(reply, 'temporarily_unavailable', 'The service is busy or starting')
  }
  return send(reply.code(500), 'server_error', 'An unexpected error occurred')
}

function send(reply: FastifyReply, error: string, error_description: string): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ error, error_description }))
}

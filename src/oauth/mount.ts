// oidc-provider inside Fastify: one explicit route for each endpoint, the limits before it, and a request that looks
// the same whatever the proxy in front did to it.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Clock } from '../kit/values/clock.ts'
import { isDatabaseAway } from '../kit/database/errors.ts'
import { ApiError, tooManyFields } from '../kit/values/errors.ts'
import { scopes } from '../apikeys/scopes.ts'
import { maximumFields } from '../pages/form.ts'
import type { Log } from '../platform/process/log.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../ratelimit/ratelimit.ts'
import { noteFailure } from './answers.ts'
import { protectedResource, type Issuer } from './issuer.ts'

/** wrong: failed client authentications of an address, RFC 7662 §4. */
type Limit = { by: 'ip' | 'client' | 'wrong'; count: number; windowSeconds: number }

const each = (by: Limit['by'], count: number, windowSeconds = 60): Limit => ({ by, count, windowSeconds })

// prettier-ignore
const limits: Record<string, Limit[]> = {
  '/oauth/register':   [each('ip', 10, 3600)],
  '/oauth/token':      [each('ip', 60), each('client', 30)],
  '/oauth/introspect': [each('wrong', 60), each('client', 1000)],
  '/oauth/revoke':     [each('ip', 300)],
  '/oauth/authorize':  [each('ip', 300)],
}

const maximumBodyBytes = 16 * 1024

export function mountOauth(
  app: FastifyInstance,
  {
    provider,
    issuer,
    limiter,
    clock,
    log,
  }: { provider: Provider; issuer: Issuer; limiter: RateLimiter; clock: Clock; log: Log },
): void {
  const handle = provider.callback()
  provider.on('server_error', (context, error) => {
    noteFailure(context, error)
    log.error({ err: error }, 'oauth request failed')
  })
  const pass = forwarder(handle, issuer, clock)
  const admit = admission(limiter, clock)

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer', bodyLimit: maximumBodyBytes } as const
    scope.addContentTypeParser('*', asBytes, (_request, body, done) => done(null, body))
    scope.addHook('preValidation', async ({ body }) => demandFewFields(body))
    scope.setErrorHandler((error, _request, reply) => refuse(error, reply, log))

    for (const path of ['/oauth/register', '/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      scope.options(issuer.path + path, (request, reply) => preflight(request, reply))
      scope.post(issuer.path + path, async (request, reply) => {
        openToOrigins(request, reply)
        const admitted = await admit(request, path)
        if (admitted.waitSeconds) return tooMany(reply, admitted.waitSeconds)
        await oneByOne(keyOf(request), () => pass(request, reply))
        await admitted.settle(reply.raw.statusCode)
        return reply
      })
    }
    scope.get(`${issuer.path}/oauth/authorize`, async (request, reply) => {
      const { waitSeconds } = await admit(request, '/oauth/authorize')
      if (waitSeconds) return tooMany(reply, waitSeconds)
      return pass(request, reply)
    })
    scope.get(`${issuer.path}/oauth/authorize/:uid`, (request, reply) => pass(request, reply))

    // RFC 8414 §3.1 puts the issuer's path behind the well-known part; clients of OpenID Connect look before it.
    const discovery = '/.well-known/oauth-authorization-server'
    for (const path of new Set([discovery, discovery + issuer.path, issuer.path + discovery])) {
      scope.get(path, (request, reply) => pass(request, reply, discovery))
      scope.options(path, (request, reply) => preflight(request, reply))
    }
    const ofApi = new URL(issuer.resourceMetadata)
    const documents = { [ofApi.pathname]: issuer.resource, '/.well-known/oauth-protected-resource': ofApi.origin }
    for (const [path, resource] of Object.entries(documents)) {
      scope.get(path, async (_request, reply) => {
        reply.header('access-control-allow-origin', '*')
        return protectedResource(issuer, resource, scopes)
      })
      scope.options(path, (request, reply) => preflight(request, reply))
    }
  })
}

/** The provider sees the path that it knows, the host of the issuer, and a body that can be read. */
function forwarder(handle: Handle, issuer: Issuer, clock: Clock) {
  // The answer's addresses are made from these (host header injection).
  const protocol = issuer.isSecure ? 'https' : 'http'
  const pinned = { host: issuer.host, 'x-forwarded-proto': protocol, 'x-forwarded-host': undefined }
  return async (request: FastifyRequest, reply: FastifyReply, path?: string): Promise<FastifyReply> => {
    const { raw } = request
    const url = path ?? request.url.slice(issuer.path.length)
    const headers = { ...raw.headers, ...pinned }
    const seen = {
      method: raw.method,
      url,
      headers,
      baseUrl: issuer.path,
      socket: raw.socket,
      httpVersion: raw.httpVersion,
      httpVersionMajor: raw.httpVersionMajor,
      arrivedAt: clock.now(),
      ...readable(request.body),
    }
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value!)
    await handle(seen as unknown as IncomingMessage, reply.raw)
    return reply
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The body was read before the limits: this much of a stream is what the library takes it from. */
function readable(body: unknown) {
  return {
    readable: true,
    async *iterator() {
      if (body instanceof Buffer) yield body
    },
  }
}

type Admitted = { waitSeconds?: number; settle: (status: number) => Promise<void> }

const maximumFamiliar = 10_000

/**
 * Counts the request against each limit of its endpoint. What turns out to be a wrong secret is forgotten again for the
 * client, and so is what was refused before its secret was looked at: else anybody could use up its window. Wrong ones
 * have a window of their address, which closes it to no client that was right there before.
 */
function admission(limiter: RateLimiter, clock: Clock) {
  const familiar = new LRUCache<string, true>({ max: maximumFamiliar })
  return async (request: FastifyRequest, path: string): Promise<Admitted> => {
    const block = addressBlock(request.ip)
    const client = clientOf(request)
    const place = `${client} ${block}`
    const whoBy = { ip: block, client, wrong: familiar.has(place) ? place : block }
    const ifWrong: (() => unknown)[] = []
    for (const { by, count, windowSeconds } of limits[path] ?? []) {
      const who = whoBy[by]
      if (!who) continue
      const name = `oauth:${path}:${by}:${who}`
      const add = (cost: number) => limiter.hit(name, count, { windowSeconds, cost })
      const hit = await add(by === 'wrong' ? 0 : 1)
      const isFull = by === 'wrong' ? hit.remaining === 0 : !hit.allowed
      if (isFull) {
        if (by === 'client') await add(-1)
        return { waitSeconds: waitSeconds(hit, clock.now(), windowSeconds), settle: async () => {} }
      }
      if (by !== 'ip') ifWrong.push(() => add(by === 'wrong' ? 1 : -1))
    }
    return {
      settle: async (status) => {
        if (status === 401) for (const act of ifWrong) await act()
        else if (client && status < 500) familiar.set(place, true)
      },
    }
  }
}

/** Who the request says that it is: by HTTP Basic, or in the body. */
function clientOf(request: FastifyRequest): string | undefined {
  const [scheme, credentials] = (request.headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'basic') return fieldOf(request, 'client_id')?.slice(0, 300)
  const id = Buffer.from(credentials ?? '', 'base64')
    .toString()
    .split(':')[0]
  return decoded(id ?? '').slice(0, 300)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Each separator of a form begins a field; JSON is taken apart by what reads it. */
function demandFewFields(body: unknown): void {
  if (!(body instanceof Buffer) || body[0] === brace) return
  let separators = 0
  for (const byte of body) if (byte === ampersand) separators++
  if (separators >= maximumFields) throw tooManyFields(maximumFields)
}

const [ampersand, brace] = Buffer.from('&{')

function fieldOf(request: FastifyRequest, name: string): string | undefined {
  if (!(request.body instanceof Buffer)) return undefined
  return new URLSearchParams(request.body.toString()).get(name) ?? undefined
}

/** What may be used only once: requests with the same one take turns. */
function keyOf(request: FastifyRequest): string | undefined {
  if (!request.url.endsWith('/token')) return undefined
  const value = fieldOf(request, 'code') ?? fieldOf(request, 'refresh_token')
  return value && createHash('sha256').update(value).digest('base64')
}

const turns = new Map<string, Promise<unknown>>()

/** So that the first has its tokens before a replay revokes them. Other nodes are held by the adapter's statement. */
async function oneByOne<T>(key: string | undefined, run: () => Promise<T>): Promise<T> {
  if (!key) return run()
  const before = turns.get(key)
  const turn = (before ?? Promise.resolve()).then(run, run)
  turns.set(key, turn)
  try {
    return await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
  }
}

function openToOrigins(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined) return
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', 'Retry-After, WWW-Authenticate')
}

function preflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const asked = request.headers['access-control-request-headers']
  return reply
    .code(204)
    .headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': asked && /^[\w\-, ]{1,500}$/.test(asked) ? asked : 'Authorization, Content-Type',
      'access-control-max-age': '3600',
      vary: 'Access-Control-Request-Headers',
    })
    .send()
}

function tooMany(reply: FastifyReply, waitSeconds: number): FastifyReply {
  reply.code(429).header('retry-after', waitSeconds)
  return send(reply, 'too_many_requests', `Rate limit exceeded. Try again in ${waitSeconds} seconds`)
}

function refuse(error: unknown, reply: FastifyReply, log: Log): FastifyReply {
  if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    reply.code(413)
    return send(reply, 'invalid_request', `The request body is larger than ${maximumBodyBytes} bytes`)
  }
  if (error instanceof ApiError && error.status === 413) return send(reply.code(413), 'invalid_request', error.message)
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

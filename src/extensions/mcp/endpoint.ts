// /mcp: the MCP server for merchants' agents. Callers are authenticated and counted as at /v1; the protocol is the
// package's, which is loaded with the first request.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../kit/values/lazy.ts'
import { ApiError } from '../../kit/values/errors.ts'
import type { Log } from '../../platform/process/log.ts'
import type { ProtectedResource } from '../../identity/oauth/issuer.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'
import { admit, challenge, type AdmissionOptions } from '../../http/admission.ts'
import { agentRoute } from '../../http/authenticate.ts'
import { maxBodyBytes } from '../../http/bodies.ts'
import { openToOrigins, preflight } from '../../http/cors.ts'
import { toRequestError } from '../../http/server.ts'
import { chargeWeight } from '../../http/weight.ts'
import type { AgentRequest } from './call.ts'
import type { McpOptions } from './server.ts'

export type McpServing = McpOptions &
  Pick<AdmissionOptions, 'authenticate' | 'answers' | 'limiter'> & {
    /** The protected resource at the host of a request. */
    mcpResource: (host: string | undefined) => ProtectedResource
    /** The host names of this service. */
    ownHosts: readonly string[]
    log: Log
  }

const browserHeaders = [
  'accept, authorization, content-type, last-event-id, x-api-key',
  'mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
].join(', ')

/** Scopes that an assistant requests at first: it can read, and its changes become proposals. */
const initialScopes = scopes.filter(
  (scope) =>
    /^propose:(products|inventory|orders|customers|discounts)$/.test(scope) ||
    /^read:(checkout_drafts|webhooks|requests)$/.test(scope),
)

export function serveMcp(app: FastifyInstance, { mcpResource: resource, ownHosts, ...options }: McpServing): void {
  const server = lazy(async () => (await import('./server.ts')).openMcp(options))
  let isUsed = false
  const load = () => {
    isUsed = true
    return server()
  }
  const admission = { ...options, resourceMetadata: (host?: string) => resource(host).metadata, initialScopes }
  const requireOwnHost = hostCheck(ownHosts)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler(sendFailure)
    // Streams of subscriptions would keep the server from closing.
    scope.addHook('preClose', async () => {
      if (isUsed) await (await server()).close()
    })
    // Pages of this machine, such as the inspector, ask before they send their credential.
    scope.options('/mcp', (request, reply) => {
      requireOwnHost(request)
      return preflight(reply, { methods: 'GET, POST, DELETE', headers: browserHeaders, maxAgeSeconds: 3600 })
    })
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      bodyLimit: maxBodyBytes,
      onRequest: async (request, reply) => {
        requireOwnHost(request)
        if (request.headers.origin !== undefined) openToOrigins(reply, 'www-authenticate, x-request-id')
        await admit(request, reply, agentRoute, admission)
      },
      handler: async (request, reply) => {
        const agent: AgentRequest = { request, access: request.access!, refusal: null }
        refuseBatch(request)
        const { answer } = await load()
        const protectedResource = resource(request.headers.host)
        const response = await answer(webRequest(request, reply, protectedResource), agent)
        if (isSubscription(request))
          return sendResponse(reply, response, Readable.fromWeb(response.body as ReadableStream))
        // Older clients get an event stream, which ends with its answer.
        const text = await response.text()
        requireScope(agent, protectedResource)
        await chargeWeight(request, reply, text.length, options)
        return sendResponse(reply, response, text)
      },
    })
  })
}

/**
 * Specification, Security Warning: a page of another site, or of a name that was rebound to this machine, may not call.
 * Programs send no Origin.
 */
function hostCheck(names: readonly string[]): (request: FastifyRequest) => void {
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  const own = new Set(names.some((name) => loopback.includes(name)) ? [...names, ...loopback] : names)
  const isOwn = (url: string) => URL.canParse(url) && own.has(new URL(url).hostname)
  return ({ host, headers: { origin } }) => {
    if (!isOwn(`http://${host}`)) throw forbidden('The Host header does not name this server: see BASE_URL')
    if (origin !== undefined && !isOwn(origin)) throw forbidden('Web pages of other origins may not call this server')
  }
}

function forbidden(message: string): ApiError {
  return new ApiError(403, 'BAD_REQUEST', message)
}

/** A token that lacks the scope of the operation gets the answer that lets its client ask for more. */
function requireScope({ refusal, access, request }: AgentRequest, { metadata }: ProtectedResource): void {
  if (refusal?.code !== 'SCOPE_INSUFFICIENT' || !access.bearer) return
  challenge(refusal, request, [String(refusal.values.scope)], metadata)
  throw refusal
}

/** Each message is a request, and counts as one: batches went with release 2025-06-18 of the protocol. */
function refuseBatch({ body }: FastifyRequest): void {
  if (!(body instanceof Buffer) || !/^\s*\[/.test(body.toString('latin1', 0, 1000))) return
  throw new ApiError(400, 'BAD_REQUEST', 'Batches are not supported: send each message as a request')
}

function webRequest(
  { method, headers, body }: FastifyRequest,
  reply: FastifyReply,
  { url }: ProtectedResource,
): Request {
  const disconnect = new AbortController()
  reply.raw.once('close', () => disconnect.abort())
  const forwarded = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && /^(accept|content-type|mcp-[\w-]+)$/.test(entry[0]),
  )
  const hasBody = method === 'POST' && body instanceof Buffer
  const content = hasBody ? { body: new Uint8Array(body) } : {}
  return new Request(url, { method, headers: forwarded, signal: disconnect.signal, ...content })
}

/** A stream that stays open. The package refuses a header that disagrees with the message. */
function isSubscription({ headers }: FastifyRequest): boolean {
  return headers['mcp-method'] === 'subscriptions/listen'
}

function sendResponse(reply: FastifyReply, response: Response, content: string | Readable): FastifyReply {
  for (const name of ['content-type', 'allow']) {
    const value = response.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  return reply.code(response.status).send(content)
}

/** An error before the protocol, in the protocol's form. `data` is the API's envelope. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRequestError(error, request)
  if (refusal.status === 500) request.log.error({ err: error }, 'MCP request failed')
  const { error: data } = refusal.envelope as { error: object }
  return reply
    .code(refusal.status)
    .headers(refusal.headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: null,
        error: { code: toJsonRpcCode(refusal), message: refusal.message, data },
      }),
    )
}

/** JSON-RPC: -32603 is an internal error, -32600 no valid request, -32000 an error of the server's own. */
function toJsonRpcCode({ status }: ApiError): number {
  if (status === 400) return -32600
  return status >= 500 ? -32603 : -32000
}

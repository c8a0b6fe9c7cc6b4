// The Universal Commerce Protocol on the origin of each store: its profile, and its operations by REST and MCP.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../kit/database/database.ts'
import { buildWeakEtag, isNotModified } from '../../kit/declare/conditions.ts'
import { notFound, type ApiError } from '../../kit/values/errors.ts'
import { isDatabaseAway } from '../../kit/database/errors.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { faceFinder } from '../../storefront/branding/face.ts'
import { buildCheckoutGuard } from '../../storefront/checkout/cart/guard.ts'
import { shopperActor, type ShopperDeps } from '../../storefront/checkout/routes.ts'
import { agentFinder, profileIn } from './agent.ts'
import { answerRpc, problemAnswer, type RpcAnswer } from './mcp.ts'
import { operations, type Operation } from './operations.ts'
import { performCall, toProblem, type AgentCaller } from './perform.ts'
import { Problem } from './problems.ts'
import { profilePath } from '../../storefront/shop/feeds/robots.ts'
import { businessProfile, endpointPath, mcpPath, olderProfilePath } from './profile.ts'
import { isRelease, newest, type Release } from './releases.ts'
import { publishedKeys } from './signingkeys.ts'
import { openCaused } from '../../tenancy/dispatch/serve.ts'
import type { StoreHosts } from '../../tenancy/stores/hosts.ts'
import { bySlug, storefrontFinder } from '../../tenancy/stores/storefront.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { RequestLog } from '../../developer/requests/log.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import type { AdmissionOptions } from '../../http/admission.ts'
import { toAnsweredRequest, buildRequestRow, buildRouteFacts } from '../../http/requestrecord.ts'
import { toRequestError } from '../../http/server.ts'
import { shopList } from '../../http/shoplist.ts'
import { openTiers } from './tiers.ts'

export type UcpOptions = {
  db: Database
  requestLog: RequestLog | null
  limiter: RateLimiter
  authenticate: AdmissionOptions['authenticate']
  deps: ShopperDeps & { guardedFetch: GuardedFetch }
  baseUrl: string
  /** Hosts of this service: they lead to its only store, if stores are listed and there is exactly one. */
  hosts: StoreHosts
  listsShops: boolean
}

/** Data for the request log, once the caller is known. */
type AgentCallFacts = { store: Store; agent: string; operation: Operation; body: unknown }

declare module 'fastify' {
  interface FastifyRequest {
    agentCall: AgentCallFacts | null
  }
}

function logOperation(request: FastifyRequest, reply: FastifyReply, { store, agent, operation, body }: AgentCallFacts) {
  const isTool = request.routeOptions.url === mcpPath
  const facts = { ...buildRouteFacts(operation, endpointPath), ...(isTool ? { pattern: mcpPath } : {}) }
  const tool = isTool ? operation.name : null
  const access = { store, actor: shopperActor }
  return { ...buildRequestRow({ ...toAnsweredRequest(request, reply, access), body, tool }, facts), agent }
}

/** A store, with the origin of the request. */
type StorePlace = { store: Store; origin: string }

export function serveUcp(app: FastifyInstance, options: UcpOptions): void {
  const findPlace = placeFinder(options)
  const tiers = openTiers(options)
  const findKnownAgent = agentFinder(options.deps.guardedFetch, options.db.clock)
  const identifyCaller = callers(options)
  const admit = async (request: FastifyRequest, reply: FastifyReply, operation: string) => {
    await tiers.countAddress(request, reply)
    const place = await findPlace(request)
    const countProfile = () => tiers.countProfile(request)
    const { refreshed } = findKnownAgent
    const findAgent = Object.assign((profile: string | null) => findKnownAgent(profile, countProfile), { refreshed })
    const signer = await tiers.identify(request, reply, place.store, findAgent)
    return identifyCaller(request, place, { operation, signer, findAgent })
  }
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendProblem(error, request, reply))
    scope.decorateRequest('agentCall', null)
    scope.addHook('onResponse', (request, reply, done) => {
      done()
      if (request.agentCall) options.requestLog?.add(logOperation(request, reply, request.agentCall))
    })
    const showProfile = async (request: FastifyRequest, reply: FastifyReply, release: Release) => {
      await tiers.countAddress(request, reply)
      const { store, origin } = await findPlace(request)
      const keys = await publishedKeys(options.db, options.deps.vault)
      const profile = await businessProfile(options.db.ofStore(store.id), store, { origin, release, keys })
      return sendProfile(request, reply, profile)
    }
    scope.get(profilePath, (request, reply) => showProfile(request, reply, newest))
    scope.get(olderProfilePath, async (request, reply) => {
      const { release } = request.params as { release: string }
      if (!isRelease(release)) throw notFound('Release')
      return showProfile(request, reply, release)
    })
    for (const operation of operations) {
      scope.route({
        method: operation.method,
        url: endpointPath + operation.path.replace('{id}', ':id'),
        handler: async (request, reply) => {
          const caller = await admit(request, reply, operation.name)
          const { id = '' } = request.params as { id?: string }
          const call = { operation, ...readAgentHeaders(request), id, body: request.body }
          const json = await performCall(caller, call)
          return send(reply.code(isOutcome(json) ? 200 : operation.status), json)
        },
      })
    }
    scope.post(mcpPath, async (request, reply) => {
      const caller = await admit(request, reply, 'mcp')
      const answer = await answerRpc(caller, request.body, readAgentHeaders(request))
      return sendRpc(reply, answer)
    })
    scope.get(mcpPath, (_request, reply) => {
      const problem = new Problem('method_not_allowed', 'This server sends no streams: use POST')
      return sendRpc(reply.header('allow', 'POST'), problemAnswer(null, problem))
    })
  })
}

/** An answer without a record. */
function isOutcome(json: string): boolean {
  return /^\{"ucp":\{"version":"[\d-]+","status":"error"/.test(json)
}

function readAgentHeaders({ headers }: FastifyRequest): { profile: string | null; key: string | null } {
  const key = headers['idempotency-key']
  return { profile: profileIn(headers['ucp-agent']), key: typeof key === 'string' ? key : null }
}

function placeFinder({ db, baseUrl, hosts, listsShops }: UcpOptions) {
  const ofHost = storefrontFinder(db, hosts.whereIs)
  const ofSlug = storefrontFinder(db, bySlug)
  const openShops = shopList(db, listsShops)
  const whereIs = async (request: FastifyRequest): Promise<StorePlace> => {
    const host = request.hostname.toLowerCase()
    if (!hosts.isOwn(host)) return { store: await ofHost(host), origin: hosts.originOf(request) }
    const [shop, ...others] = await openShops()
    if (!shop || others.length > 0) throw notFound('Store')
    return { store: await ofSlug(shop.slug), origin: baseUrl }
  }
  return async (request: FastifyRequest): Promise<StorePlace> => {
    const place = await whereIs(request)
    if (!place.store.agent_checkouts) throw notFound('Store')
    return place
  }
}

type CallParts = Pick<AgentCaller, 'findAgent' | 'signer' | 'operation'>

function callers({ db, limiter, deps }: UcpOptions) {
  const context = { db, deps, findFace: faceFinder(db), transport: { deps, open: openCaused(db) } }
  return (request: FastifyRequest, { store, origin }: StorePlace, parts: CallParts): AgentCaller => ({
    ...context,
    ...parts,
    store,
    origin,
    request,
    guard: buildCheckoutGuard(limiter, () => db.clock.now(), request.ip),
    note: ({ name }, { operation, body }) => {
      request.agentCall = { store, agent: name, operation, body }
    },
  })
}

/** The specification requires caching for at least a minute, also by shared caches. */
function sendProfile({ headers }: FastifyRequest, reply: FastifyReply, profile: object): FastifyReply {
  const json = JSON.stringify(profile)
  const etag = buildWeakEtag(json)
  reply.headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*', etag })
  if (isNotModified(headers['if-none-match'], etag)) return reply.code(304).send('')
  return reply.type('application/json; charset=utf-8').send(json)
}

function send(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(json)
}

function sendRpc(reply: FastifyReply, { status, body, headers = {} }: RpcAnswer): FastifyReply {
  reply.code(status).headers(headers)
  return body === null ? reply.send() : send(reply, body)
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = asProblem(error, request)
  if (problem.status >= 500 && problem.code === 'internal_error') request.log.error({ err: error }, 'request failed')
  if (request.routeOptions.url === mcpPath) return sendRpc(reply, problemAnswer(null, problem))
  const body = JSON.stringify({ code: problem.code, content: problem.message })
  return send(reply.code(problem.status).headers(problem.headers), body)
}

function isUnreadable(error: ApiError): boolean {
  return error.faults.some(({ field }) => field === 'body')
}

function asProblem(error: unknown, request: FastifyRequest): Problem {
  const apiError = toRequestError(error, request)
  if (isUnreadable(apiError)) return new Problem('parse_error', apiError.message)
  const problem = toProblem(error)
  if (problem instanceof Problem) return problem
  if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Problem('request_too_large', `The request is larger than ${request.routeOptions.bodyLimit} bytes`)
  }
  if (apiError.status < 500) return new Problem('invalid_request', apiError.message, apiError.headers, apiError.status)
  if (isDatabaseAway(error)) return new Problem('unavailable', 'The service is starting. Try again shortly')
  return new Problem('internal_error', 'An unexpected error occurred')
}

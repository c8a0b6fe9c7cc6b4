// Mounts the route table on Fastify. Every request passes the same checks in the same order:
// authenticate → rate limit → scope → feature → body and query → path ids → operation.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { StoreDatabase } from '../kit/database/database.ts'
import type { Cause } from '../kit/values/cause.ts'
import { buildEtag } from '../kit/declare/conditions.ts'
import { stripOneTimeFields } from '../kit/declare/onetime.ts'
import type { WriteAnswer } from '../kit/declare/idempotency.ts'
import type { FileSent, Route, RouteTable } from '../kit/declare/route.ts'
import { newTrace } from '../kit/values/trace.ts'
import type { Vault } from '../kit/values/secrets.ts'
import {
  toComparedContent,
  parse,
  perform,
  type Endpoint,
  type PerformOptions,
  type CallInput,
} from '../tenancy/dispatch/perform.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { admit, recheckAccess, type AdmissionOptions } from './admission.ts'
import type { Access } from './authenticate.ts'
import { formBytes, type FileRouteConfig } from './bodies.ts'
import { tellDeprecated } from './deprecation.ts'
import { listFileForms, sendFile, wantedForm } from './files.ts'
import { readOnceKey } from './idempotency.ts'
import { buildEndpoint } from './operations.ts'
import type { RequestLog } from '../developer/requests/log.ts'
import { readPreference } from './prefer.ts'
import { isCacheable, serveCached } from './recall.ts'
import { waitsForNews } from './overload.ts'
import { wrapInEnvelope, sendJson } from './reply.ts'
import { recording } from './requestrecord.ts'
import { performDryRun, wantsDryRun } from './dryrun.ts'
import { showLimit } from './routelimits.ts'
import { remainingWeight } from './weight.ts'

declare module 'fastify' {
  interface FastifyRequest {
    file: FileSent | null
  }
}

export type MountOptions<Tools extends { vault: Vault } = any> = AdmissionOptions &
  Pick<RouteTable, 'maxBodyBytes'> & {
    prefix: string
    routes: readonly Route<Store, Tools>[]
    /** Dependencies of the operations, beside the database. */
    tools: Tools
    /** The log in which stores read their requests; null if there is none. */
    requestLog?: RequestLog | null
  }

export function mount<Tools extends { vault: Vault }>(app: FastifyInstance, options: MountOptions<Tools>): void {
  for (const route of options.routes) {
    const endpoint = buildEndpoint(route, options.routes)
    const url = (options.prefix + route.path).slice(app.prefix.length).replaceAll(/\{(\w+)\}/g, ':$1')
    const own = {
      bodyLimit: route.file ? route.file.maxBytes + formBytes : options.maxBodyBytes,
      config: {
        takesFile: route.file?.field ?? null,
        ...(route.waitSeconds ? waitsForNews : {}),
      } satisfies FileRouteConfig,
      onRequest: (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, route, options),
      handler: (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, endpoint, options),
      ...recording(route, options),
    }
    app.route({ ...own, method: route.method, url })
    for (const form of listFileForms(route))
      app.route({ ...own, config: { form }, method: 'GET', url: `${url}.${form}` })
  }
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  options: MountOptions,
): Promise<FastifyReply> {
  const { route } = endpoint
  const caller = request.caller!
  const input = readCallInput(request)
  tellDeprecated(request, reply, route)
  const form = wantedForm(request, route)
  const { answers, tools } = options
  const chargeQuota = (length: number) => chargeWeight(request, reply, caller.quota, length, options)
  if (answers && !form && isCacheable(route) && request.headers.prefer === undefined) {
    return serveCached(request, reply, {
      endpoint,
      answers,
      open: (witness) => options.db.ofStore(caller.store.id, witness),
      run: async (db, sawCaller) => (await perform(endpoint, caller, input, { db, tools }, { sawCaller })).body,
      weigh: chargeQuota,
    })
  }
  const db = databaseFor(request, caller, endpoint, options)
  const deps = { db, tools }
  if (form) {
    const call = await parse(route, caller, input, deps)
    return sendFile(reply, form, route, { ...call, db: db.fromReplica() })
  }
  const isDryRun = wantsDryRun(request, options)
  const { waitSeconds } = route
  const waiting = waitSeconds ? { ...input, signal: abortOnClose(request, reply, waitSeconds) } : input
  const how: PerformOptions = {
    once: () => readOnceKey(request, toComparedContent(input)),
    ifMatch: request.headers['if-match'],
    ...(isDryRun ? { dryRun: (effect) => performDryRun(db, caller, effect, input.body) } : {}),
  }
  const performed = await guarded(request, endpoint, options, () => perform(endpoint, caller, waiting, deps, how))
  if (waitSeconds) await recheckAccess(request, reply, route, options)
  await chargeQuota(performed.body.length)
  if (isDryRun) return sendJson(reply.code(performed.status), performed.body)
  return send(reply, endpoint, performed, route.method === 'GET' ? request.headers['if-none-match'] : undefined)
}

/** Applies the guard of the route, if it declares one. */
async function guarded<T>(
  { ip, body, params, caller }: FastifyRequest,
  { route }: Endpoint,
  { tools }: MountOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { store } = caller!
  const end = await route.guard?.({ ip, body, params: params as Record<string, string>, store }, tools)
  if (!end) return work()
  let failure: unknown
  try {
    return await work()
  } catch (error) {
    failure = error
    throw error
  } finally {
    // The client may repeat at once after the response: the count is right before that.
    await end(failure)
  }
}

/** A write's transaction names its cause, for the audit log. */
function databaseFor(
  request: FastifyRequest,
  { store, actor }: Access,
  { route, operation }: Endpoint,
  { db }: MountOptions,
): StoreDatabase {
  if (route.method === 'GET') return db.ofStore(store.id)
  const trace = (request.trace = newTrace())
  return db.because({ ...readRequestCause(request), actor, operation, trace }).ofStore(store.id)
}

function readRequestCause({ id, uuid, isNamed }: FastifyRequest): Pick<Cause, 'requestId' | 'requestUuid'> {
  return { requestId: id, ...(isNamed ? { requestUuid: uuid } : {}) }
}

function readCallInput(request: FastifyRequest): CallInput {
  return {
    path: request.url.split('?')[0]!,
    params: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    file: request.file,
    isStrict: readPreference(request.headers, 'handling')?.toLowerCase() === 'strict',
  }
}

const marginSeconds = 5

/** Keeps the connection open while it waits for the response; aborts when the client closes it. */
function abortOnClose(request: FastifyRequest, reply: FastifyReply, seconds: number): AbortSignal {
  request.raw.socket.setTimeout((seconds + marginSeconds) * 1000)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

async function chargeWeight(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, limit }: Access['quota'],
  length: number,
  { limiter }: MountOptions,
): Promise<void> {
  const cost = remainingWeight(request, length)
  if (cost > 0) showLimit(reply, await limiter.hit(name, limit, { cost }))
}

function send(
  reply: FastifyReply,
  { route, record }: Endpoint,
  { status, body, location, replayed }: WriteAnswer,
  ifNoneMatch?: string,
): FastifyReply {
  if (location) reply.header('location', location)
  if (replayed) reply.header('idempotent-replayed', 'true')
  const etag = record.isAnswered ? buildEtag(stripOneTimeFields(route.returns, body)) : null
  return sendJson(reply.code(status), wrapInEnvelope(route, body), { etag, ifNoneMatch })
}

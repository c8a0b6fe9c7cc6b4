// Mounts the route table on Fastify. Every request passes the same checks in the same order:
// authenticate → rate limit → scope → feature → body and query → path ids → operation.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ReadWitness } from '../kit/database/database.ts'
import { buildEtag } from '../kit/declare/conditions.ts'
import { stripOneTimeFields } from '../kit/declare/onetime.ts'
import type { WriteAnswer } from '../kit/declare/idempotency.ts'
import type { FileSent, Route, RouteTable } from '../kit/declare/route.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { toComparedContent, parse, type Endpoint, type CallInput } from '../tenancy/dispatch/perform.ts'
import { openCaused, serveCall, type Transport } from '../tenancy/dispatch/serve.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { admit, recheckAccess, type AdmissionOptions } from './admission.ts'
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
import { chargeWeight } from './weight.ts'

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
    deps: Tools
    /** The log in which stores read their requests; null if there is none. */
    requestLog?: RequestLog | null
  }

export function mount<Tools extends { vault: Vault }>(app: FastifyInstance, options: MountOptions<Tools>): void {
  const transport: Transport = { deps: options.deps, open: openCaused(options.db) }
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
      handler: (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, endpoint, transport, options),
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
  transport: Transport,
  options: MountOptions,
): Promise<FastifyReply> {
  const { route } = endpoint
  const caller = request.caller!
  const input = readCallInput(request)
  tellDeprecated(request, reply, route)
  const form = wantedForm(request, route)
  const { answers, db, deps } = options
  if (form) {
    const call = await parse(route, caller, input, { deps })
    return sendFile(reply, form, route, { ...call, db: db.ofStore(caller.store.id).fromReplica() })
  }
  const weigh = (length: number) => chargeWeight(request, reply, length, options)
  if (answers && isCacheable(route) && request.headers.prefer === undefined) {
    const run = (witness: ReadWitness) =>
      serveCall(transport, { endpoint, admitted: caller, input, request, witness, weigh })
    return serveCached(request, reply, { endpoint, answers, run, weigh })
  }
  const isDryRun = wantsDryRun(request, options)
  const { waitSeconds } = route
  const writeAnswer = await serveCall(transport, {
    endpoint,
    admitted: caller,
    input: waitSeconds ? { ...input, signal: abortOnClose(request, reply, waitSeconds) } : input,
    request,
    once: () => readOnceKey(request, toComparedContent(input)),
    ifMatch: request.headers['if-match'],
    rehearse: isDryRun ? performDryRun : undefined,
    weigh: waitSeconds ? (length) => recheckAccess(request, reply, route, options).then(() => weigh(length)) : weigh,
  })
  if (isDryRun) return sendJson(reply.code(writeAnswer.status), writeAnswer.body)
  return send(reply, endpoint, writeAnswer, route.method === 'GET' ? request.headers['if-none-match'] : undefined)
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
  const disconnect = new AbortController()
  reply.raw.once('close', () => disconnect.abort())
  return disconnect.signal
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

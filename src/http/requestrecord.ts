// A row of the request log, collected when the request is answered. Only authenticated callers have a log: a request
// with an unknown key is in no log.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../kit/declare/field.ts'
import type { Route } from '../kit/declare/route.ts'
import type { ApiError } from '../kit/values/errors.ts'
import { readUuidTime } from '../kit/values/ids.ts'
import type { Trace } from '../kit/values/trace.ts'
import type { RequestLog, RequestRow } from '../developer/requests/log.ts'
import { maskedText, maskName, maskText } from '../kit/values/masking.ts'
import { mask } from '../developer/requests/mask.ts'
import { labelStatement } from '../developer/requests/statement.ts'
import { type Access } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The reason for a refusal, if any. */
    refusal: ApiError | null
    /** The database statements of a write. */
    trace: Trace | null
    /** The response body of a write. */
    answerText: string | null
  }
}

type Recorder = { requestLog?: RequestLog | null; prefix: string }

/** Hooks of a route. */
export function recording(route: Route, { requestLog, prefix }: Recorder): object {
  if (!requestLog) return {}
  const facts = buildRouteFacts(route, prefix)
  const isWrite = route.method !== 'GET'
  const onSend = (request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: SendCallback) => {
    if (typeof payload === 'string') request.answerText = payload
    done(null, payload)
  }
  const onResponse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    done()
    if (request.access) requestLog.add(buildRequestRow(toAnsweredRequest(request, reply, request.access), facts))
  }
  return isWrite ? { onSend, onResponse } : { onResponse }
}

type SendCallback = (error: null, payload: unknown) => void

/** A request and its outcome. */
export type AnsweredRequest = Pick<
  FastifyRequest,
  'id' | 'uuid' | 'method' | 'url' | 'query' | 'body' | 'refusal' | 'trace' | 'answerText'
> & {
  access: Pick<Access, 'store' | 'actor'>
  status: number
  durationMs: number
  bytesIn: number
  bytesOut: number
  isDryRun: boolean
  /** The tool of /mcp that made it. */
  tool: string | null
}

export function toAnsweredRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  access: AnsweredRequest['access'],
): AnsweredRequest {
  const { id, uuid, method, url, query, body, refusal, trace, answerText } = request
  return {
    ...{ id, uuid, method, url, query, body, refusal, trace, answerText, access },
    status: reply.statusCode,
    durationMs: reply.elapsedTime,
    bytesIn: Number(request.headers['content-length'] ?? 0),
    bytesOut: Number(reply.getHeader('content-length') ?? 0),
    isDryRun: reply.hasHeader('preference-applied'),
    tool: null,
  }
}

export type RouteFacts = { pattern: string; query: JsonSchema; body: JsonSchema; answer: JsonSchema }

/** Facts that all requests of a route share. */
export function buildRouteFacts({ path, query, body, returns }: Route, prefix: string): RouteFacts {
  const answer = { type: 'object', properties: { data: returns } }
  return { pattern: prefix + path, query: query?.schema ?? {}, body: body?.schema ?? {}, answer }
}

export function buildRequestRow(request: AnsweredRequest, facts: RouteFacts): RequestRow {
  const { method, id: request_id, uuid: id, url, refusal, tool } = request
  const { store, actor } = request.access
  const questionMark = url.indexOf('?')
  return {
    store_id: store.id,
    id,
    request_id,
    method,
    route: facts.pattern,
    path: maskPath(facts.pattern, questionMark < 0 ? url : url.slice(0, questionMark)),
    query: questionMark < 0 ? null : maskQuery(request.query as object, facts.query),
    credential: actor.kind === 'system' ? null : actor.id,
    status: request.status,
    code: refusal && refusal.code,
    error: refusal && maskError(refusal),
    duration_ms: Math.round(request.durationMs * 10) / 10,
    bytes_in: request.bytesIn,
    bytes_out: request.bytesOut,
    request_body: method === 'GET' ? null : mask(request.body, facts.body),
    answer_body: request.answerText === null || refusal ? null : maskAnswer(request.answerText, facts.answer),
    trace: request.trace && formatTrace(request.trace),
    is_rehearsal: request.isDryRun,
    tool,
    agent: null,
    created_at: readUuidTime(id),
  }
}

function formatTrace({ statements, count, roundTrips, durationMs }: Trace): string {
  const duration_ms = Math.round(durationMs * 10) / 10
  return JSON.stringify({ statements: statements.map(labelStatement), count, round_trips: roundTrips, duration_ms })
}

const maxPath = 500

/** A token in a path grants access, and anything may have been pasted in place of an ID. */
function maskPath(pattern: string, path: string): string {
  const parts = pattern.split('/')
  const maskedParts = path.split('/').map((part, at) => (parts[at]?.includes('{token}') ? maskedText : maskPart(part)))
  return maskedParts.join('/').slice(0, maxPath)
}

/** Leaves a part as it was sent unless its decoded text is masked. */
function maskPart(part: string): string {
  const text = decode(part.slice(0, maxPath))
  return maskText(text) === text ? part : maskedText
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const maxQuery = 1000
const freeOfPeople = /^([a-z]+_[0-9a-z]{26}(,|$))+$/

/** The query string, cut at the maximum. */
function maskQuery(query: object, { properties = {} }: JsonSchema): string {
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (text.length >= maxQuery) break
    const schema = Object.hasOwn(properties as object, name)
      ? (properties as Record<string, JsonSchema>)[name]
      : undefined
    text += `${text ? '&' : ''}${schema ? name : maskName(name)}=${maskQueryValue(String(value), schema)}`
  }
  return text.slice(0, maxQuery).replaceAll('\0', '').toWellFormed()
}

/** A parameter of free text keeps only IDs. */
function maskQueryValue(value: string, { type, enum: choices, format }: JsonSchema = { type: 'string' }): string {
  const isFree = type === 'string' && !choices && format !== 'date-time'
  return isFree && !freeOfPeople.test(value) ? maskedText : value.slice(0, maxQuery)
}

const maxDetails = 20

function maskError({ envelope }: ApiError): string {
  const { code, message, details } = (envelope as { error: { code: string; message: string; details?: unknown } }).error
  const maskedDetails = Array.isArray(details) ? details.slice(0, maxDetails).map(maskDetail) : details
  return maskText(JSON.stringify({ code, message, ...(maskedDetails ? { details: maskedDetails } : {}) }))
}

/** The name of an unknown field is user input. */
function maskDetail(detail: unknown): unknown {
  const { field } = detail as { field?: unknown }
  return typeof field === 'string' ? { ...(detail as object), field: maskName(field) } : detail
}

// A longer answer would take longer to mask than to make.
const maxAnswer = 64 * 1024

function maskAnswer(text: string, schema: JsonSchema): string | null {
  return text.length > maxAnswer ? null : mask(JSON.parse(text), schema)
}

// Serves a tool call like a request to /v1. A caller that can only propose a write gets a proposal.
import { Buffer } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../../kit/database/errors.ts'
import type { WriteAnswer } from '../../kit/declare/idempotency.ts'
import { ApiError, internal, invalid, unavailable } from '../../kit/values/errors.ts'
import type { RequestLog } from '../../developer/requests/log.ts'
import type { Log } from '../../platform/process/log.ts'
import { toComparedContent, proposalScope } from '../../tenancy/dispatch/perform.ts'
import { serveCall, type NamedRequest, type Transport } from '../../tenancy/dispatch/serve.ts'
import type { Access } from '../../http/authenticate.ts'
import { performDryRun } from '../../http/dryrun.ts'
import { readOnceKey } from '../../http/idempotency.ts'
import { wrapInEnvelope } from '../../http/reply.ts'
import { buildRequestRow, type AnsweredRequest } from '../../http/requestrecord.ts'
import { findOperation, type OperationIndex } from './operations.ts'
import { argumentNames, readToolCall, requireArguments, type Tool, type ToolCall, type ToolOperation } from './tool.ts'

export type AgentRequest = {
  request: Pick<FastifyRequest, 'id' | 'uuid' | 'isNamed' | 'ip' | 'headers'>
  access: Access
  /** The error of its operation, if it was refused. */
  refusal: ApiError | null
}

export type ToolDeps = {
  transport: Transport
  requestLog: RequestLog | null
  log: Log
  /** Creates a proposal. */
  proposing: ToolOperation
}

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  agent: AgentRequest,
  deps: ToolDeps,
): Promise<ToolResult> {
  const call = readToolCall(tool, input)
  const isProposed = mustPropose(call, agent.access)
  const toolCall = isProposed ? toProposal(call, deps.proposing) : call
  try {
    const answer = await performLogged(tool.listed.name, toolCall, agent, deps, () =>
      requireArguments(call, agent.access.store),
    )
    const text = isProposed && !toolCall.isDryRun ? `{"proposal":${answer.body}}` : toResultText(toolCall, answer)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    agent.refusal = error
    const { faults } = error
    return toErrorResult(faults.length > 0 ? invalid(...argumentNames(call.operation, faults)) : error)
  }
}

function toErrorResult({ body }: ApiError): ToolResult {
  return { content: [{ type: 'text', text: body }], isError: true }
}

/** The result of find_operation, which performs no operation of a store: it is not in the request log. */
export function callFindOperation(index: OperationIndex, input: Record<string, unknown>): ToolResult {
  try {
    const text = findOperation(index, input)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    if (error instanceof ApiError) return toErrorResult(error)
    throw error
  }
}

/** A dry run returns its whole body, with the other effects. */
function toResultText(
  { operation, isDryRun, row }: Pick<ToolCall, 'operation' | 'isDryRun' | 'row'>,
  { body }: WriteAnswer,
): string {
  if (isDryRun) return body
  const text = wrapInEnvelope(operation.endpoint.route, body)
  return row ? shortenRows(text, row) : text
}

/** Keeps the named fields of each row. */
function shortenRows(text: string, names: readonly string[]): string {
  const { data, ...rest } = JSON.parse(text) as { data: Record<string, unknown>[] }
  const rows = data.map((record) =>
    Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]])),
  )
  return JSON.stringify({ data: rows, ...rest })
}

/** True for a write that the scopes allow to propose, but not to make. */
function mustPropose({ operation, isDryRun }: ToolCall, { scopes }: Access): boolean {
  const { route } = operation.endpoint
  const acceptedScopes = [route.scope].flat()
  if (route.method === 'GET' || isDryRun || acceptedScopes.some((scope) => scopes.has(scope))) return false
  return acceptedScopes.some((scope) => scopes.has(proposalScope(scope)))
}

function toProposal({ operation, input, note, ...call }: ToolCall, proposing: ToolOperation): ToolCall {
  const { method } = operation.endpoint.route
  const body = { method, path: input.path, body: input.body, ...(note === undefined ? {} : { note }) }
  return { ...call, note, operation: proposing, input: { path: proposing.path, params: {}, isStrict: true, body } }
}

/** The log has a row for each operation, even if it fails. */
async function performLogged(
  tool: string,
  { operation, input, isDryRun, key }: ToolCall,
  { request, access }: AgentRequest,
  { transport, requestLog, log }: ToolDeps,
  check: () => void,
): Promise<WriteAnswer> {
  const { endpoint, facts } = operation
  const { method } = endpoint.route
  const { id, uuid, isNamed, ip } = request
  const namedRequest: NamedRequest = { id, uuid, isNamed, ip, trace: null }
  const headers = { 'idempotency-key': key }
  const startedAt = performance.now()
  const record = (outcome: Pick<AnsweredRequest, 'status' | 'refusal' | 'bytesOut' | 'answerText'>) => {
    const { path, query, body } = input
    const url = Object.keys((query ?? {}) as object).length > 0 ? `${path}?` : path
    const durationMs = performance.now() - startedAt
    const bytesIn = Number(request.headers['content-length'] ?? 0)
    const entry = { ...namedRequest, method, url, query, body, access, durationMs, bytesIn, isDryRun, tool }
    requestLog?.add(buildRequestRow({ ...entry, ...outcome }, facts))
  }
  try {
    const answer = await serveCall(transport, {
      endpoint,
      caller: access,
      input,
      request: namedRequest,
      check,
      once: () => readOnceKey({ headers, method, url: input.path }, toComparedContent(input)),
      rehearse: isDryRun ? performDryRun : undefined,
    })
    const answerText = method === 'GET' ? null : toResultText({ operation, isDryRun, row: undefined }, answer)
    record({ status: answer.status, refusal: null, bytesOut: Buffer.byteLength(answer.body), answerText })
    return answer
  } catch (error) {
    const refusal = toToolError(error, log)
    record({ status: refusal.status, refusal, bytesOut: refusal.body.length, answerText: null })
    throw refusal
  }
}

function toToolError(error: unknown, log: Log): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseAway(error)) return unavailable()
  log.error({ err: error }, 'tool call failed')
  return internal()
}

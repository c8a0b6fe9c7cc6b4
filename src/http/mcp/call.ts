// Performs a tool call like a request to /v1: quota, scope, plan, validation, policy, transaction, audit
// log and request log. A caller that can only propose a write gets a proposal.
import { Buffer } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../kit/database/database.ts'
import { isDatabaseAway } from '../../kit/database/errors.ts'
import type { WriteAnswer } from '../../kit/declare/idempotency.ts'
import { ApiError, internal, invalid, unavailable } from '../../kit/values/errors.ts'
import { newTrace } from '../../kit/values/trace.ts'
import type { RequestLog } from '../../developer/requests/log.ts'
import type { Log } from '../../platform/process/log.ts'
import { authorize, toComparedContent, perform, proposalScope, type CallDeps } from '../../tenancy/dispatch/perform.ts'
import type { Access } from '../authenticate.ts'
import { performDryRun } from '../dryrun.ts'
import { readOnceKey } from '../idempotency.ts'
import { wrapInEnvelope } from '../reply.ts'
import { buildRequestRow, type AnsweredRequest } from '../requestrecord.ts'
import { argumentNames, readToolCall, requireArguments, type Tool, type ToolCall, type ToolOperation } from './tool.ts'

export type AgentRequest = {
  request: Pick<FastifyRequest, 'id' | 'uuid' | 'isNamed' | 'headers'>
  access: Access
  /** The error of its operation, if it was refused. */
  refusal: ApiError | null
}

export type ToolDeps = {
  db: Database
  tools: CallDeps['tools']
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
  sent: Record<string, unknown>,
  agent: AgentRequest,
  deps: ToolDeps,
): Promise<ToolResult> {
  const call = readToolCall(tool, sent)
  const isProposed = mustPropose(call, agent.access)
  const made = isProposed ? toProposal(call, deps.proposing) : call
  try {
    const answer = await performLogged(tool.listed.name, made, agent, deps, () =>
      requireArguments(call, agent.access.store),
    )
    const text = isProposed && !made.isDryRun ? `{"proposal":${answer.body}}` : toResultText(made, answer)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    agent.refusal = error
    const { faults } = error
    const named = faults.length > 0 ? invalid(...argumentNames(call.operation, faults)) : error
    return { content: [{ type: 'text', text: named.body }], isError: true }
  }
}

/** A dry run returns its whole body, with the other effects. */
function toResultText({ operation, isDryRun }: ToolCall, { body }: WriteAnswer): string {
  return isDryRun ? body : wrapInEnvelope(operation.endpoint.route, body)
}

/** True for a write that the scopes allow to propose, but not to make. */
function mustPropose({ operation, isDryRun }: ToolCall, { scopes }: Access): boolean {
  const { route } = operation.endpoint
  const accepted = [route.scope].flat()
  if (route.method === 'GET' || isDryRun || accepted.some((scope) => scopes.has(scope))) return false
  return accepted.some((scope) => scopes.has(proposalScope(scope)))
}

function toProposal({ operation, input, note, ...call }: ToolCall, proposing: ToolOperation): ToolCall {
  const { method } = operation.endpoint.route
  const body = { method, path: input.path, body: input.body, ...(note === undefined ? {} : { note }) }
  return { ...call, note, operation: proposing, input: { path: proposing.path, params: {}, isStrict: true, body } }
}

/** The log has a row for each operation, even if it fails. */
async function performLogged(
  tool: string,
  call: ToolCall,
  agent: AgentRequest,
  deps: ToolDeps,
  check: () => void,
): Promise<WriteAnswer> {
  const { request, access } = agent
  const startedAt = performance.now()
  const { route } = call.operation.endpoint
  const isWrite = route.method !== 'GET'
  const { query, body } = call.input
  const asked: AnsweredRequest = {
    id: request.id,
    uuid: request.uuid,
    method: route.method,
    url: formatCallPath(call),
    query,
    body,
    access,
    refusal: null,
    trace: isWrite ? newTrace() : null,
    answerText: null,
    status: 200,
    durationMs: 0,
    bytesIn: Number(request.headers['content-length'] ?? 0),
    bytesOut: 0,
    isDryRun: call.isDryRun,
    tool,
  }
  try {
    const answer = await performCall(call, asked, agent, deps, check)
    const answerText = isWrite ? toResultText(call, answer) : null
    Object.assign(asked, { status: answer.status, bytesOut: Buffer.byteLength(answer.body), answerText })
    return answer
  } catch (error) {
    const refusal = toToolError(error, deps.log)
    Object.assign(asked, { status: refusal.status, refusal, bytesOut: refusal.body.length })
    throw refusal
  } finally {
    asked.durationMs = performance.now() - startedAt
    deps.requestLog?.add(buildRequestRow(asked, call.operation.facts))
  }
}

async function performCall(
  { operation, input, isDryRun, key }: ToolCall,
  { uuid, trace, method }: AnsweredRequest,
  { request, access }: AgentRequest,
  { db: all, tools }: ToolDeps,
  check: () => void,
): Promise<WriteAnswer> {
  const { endpoint } = operation
  const { store, actor } = access
  const authorized = authorize(access, endpoint.route, { isProposed: isDryRun })
  check()
  const uniqueness = request.isNamed ? { requestUuid: uuid } : {}
  const cause = { requestId: request.id, ...uniqueness, actor, operation: endpoint.operation }
  const db = trace ? all.because({ ...cause, trace }).ofStore(store.id) : all.ofStore(store.id)
  const headers = { 'idempotency-key': key }
  return perform(
    endpoint,
    authorized,
    input,
    { db, tools },
    {
      once: () => readOnceKey({ headers, method, url: input.path }, toComparedContent(input)),
      ...(isDryRun ? { dryRun: (effect) => performDryRun(db, access, effect, input.body) } : {}),
    },
  )
}

function formatCallPath({ input: { path, query } }: ToolCall): string {
  return Object.keys((query ?? {}) as object).length > 0 ? `${path}?` : path
}

function toToolError(error: unknown, log: Log): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseAway(error)) return unavailable()
  log.error({ err: error }, 'tool call failed')
  return internal()
}

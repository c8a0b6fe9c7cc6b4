// The MCP transport: JSON-RPC 2.0 with one response per request, without sessions and streams. It serves clients of
// all MCP releases: older ones call initialize first, newer ones discover. The package that serves /mcp cannot: it
// answers errors with 200, where the protocol has a status for each, and only clients that send the headers and the
// envelope of the newest release get JSON; others get an event stream, and no discovery.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { operations, type Operation } from './operations.ts'
import { performCall, type AgentCaller } from './perform.ts'
import { Problem } from './problems.ts'

/** `body` null: the message needs no response. */
export type RpcAnswer = { status: number; body: string | null; headers?: Record<string, string> }

type Id = string | number | null
type RpcRequest = { id: Id; isCall: boolean; method: string; params: Record<string, unknown> }

const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const serverInfo = { name: 'stoa-ucp', version: '1' }
const toolsSeconds = 300

/** `profile` and `key`: from the headers of the request, unless the call contains them. */
export async function answerRpc(
  caller: AgentCaller,
  sentMessage: unknown,
  headers: { profile: string | null; key: string | null },
): Promise<RpcAnswer> {
  const message = messageIn(sentMessage)
  if (!message) return buildFailure(null, 400, -32600, 'Not a JSON-RPC 2.0 request')
  const { id, isCall, method, params } = message
  if (!isCall) return { status: 202, body: null }
  switch (method) {
    case 'initialize':
      return result(id, { protocolVersion: versionFor(params), capabilities: { tools: {} }, serverInfo })
    case 'server/discover':
      return result(id, { supportedVersions: protocolVersions, capabilities: { tools: {} }, serverInfo })
    case 'ping':
      return result(id, {})
    case 'tools/list':
      return result(id, { tools, ttlMs: toolsSeconds * 1000, cacheScope: 'public' })
    case 'tools/call':
      return callTool(caller, message, headers)
    default:
      return buildFailure(id, 200, -32601, `Unknown method: ${method}`)
  }
}

function messageIn(message: unknown): RpcRequest | null {
  if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return null
  const { id, method, params = {} } = message
  const isCall = Object.hasOwn(message, 'id')
  if (!isObject(params) || (isCall && typeof id !== 'string' && typeof id !== 'number' && id !== null)) return null
  return { id: (id ?? null) as Id, isCall, method, params }
}

function versionFor({ protocolVersion }: Record<string, unknown>): string {
  return protocolVersions.find((version) => version === protocolVersion) ?? protocolVersions[1]!
}

async function callTool(
  caller: AgentCaller,
  { id, params }: RpcRequest,
  headers: { profile: string | null; key: string | null },
): Promise<RpcAnswer> {
  const operation = operations.find(({ name }) => name === params.name)
  if (!operation) return buildFailure(id, 400, -32602, `Unknown tool: ${String(params.name).slice(0, 100)}`)
  try {
    const parameters = readArguments(operation, params.arguments)
    const json = await performCall(caller, {
      operation,
      ...parameters,
      profile: parameters.profile ?? headers.profile,
      key: parameters.key ?? headers.key,
    })
    const content = [{ type: 'text', text: json }]
    const whole = `{"resultType":"complete","structuredContent":${json},"content":${JSON.stringify(content)}}`
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${whole}}` }
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(id, error)
    throw error
  }
}

function readArguments({ argument, hasId, name }: Operation, parameters: unknown) {
  if (!isObject(parameters)) throw new Problem('invalid_request', `${name} needs arguments`)
  const meta = parameters.meta ?? {}
  if (!isObject(meta)) throw new Problem('invalid_request', 'meta must be an object')
  const agent = meta['ucp-agent']
  const { id = '' } = parameters
  if (hasId && (typeof id !== 'string' || id === '')) throw new Problem('invalid_request', 'id is required')
  if (argument && !isObject(parameters[argument])) throw new Problem('invalid_request', `${argument} is required`)
  return {
    profile: isObject(agent) ? textOrNull(agent.profile) : null,
    key: textOrNull(meta['idempotency-key']),
    id: String(id),
    body: argument ? parameters[argument] : undefined,
  }
}

function textOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function problemAnswer(id: Id, problem: Problem): RpcAnswer {
  const { status, jsonRpcCode, message, code, headers } = problem
  const after = headers['retry-after']
  const data = { code, content: message, ...(after ? { retry_after: Number(after) } : {}) }
  return { ...buildFailure(id, status, jsonRpcCode, message, data), headers }
}

function buildFailure(id: Id, status: number, code: number, message: string, data?: object): RpcAnswer {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } }) }
}

function result(id: Id, own: object): RpcAnswer {
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...own } }) }
}

const tools = operations.map((operation) => ({
  name: operation.name,
  description: operation.summary,
  inputSchema: buildToolSchema(operation),
  annotations: { readOnlyHint: operation.isRead, ...(operation.isRead ? {} : { destructiveHint: operation.needsKey }) },
}))

function buildToolSchema({ argument, body, hasId, needsKey }: Operation): JsonSchema {
  const meta: JsonSchema = {
    type: 'object',
    properties: {
      'ucp-agent': {
        type: 'object',
        properties: { profile: { type: 'string', format: 'uri', description: "URL of the agent's profile" } },
        required: ['profile'],
      },
      'idempotency-key': { type: 'string', format: 'uuid' },
    },
    required: ['ucp-agent', ...(needsKey ? ['idempotency-key'] : [])],
  }
  return {
    type: 'object',
    properties: {
      meta,
      ...(hasId ? { id: { type: 'string' } } : {}),
      ...(argument ? { [argument]: body!.schema } : {}),
    },
    required: ['meta', ...(hasId ? ['id'] : []), ...(argument ? [argument] : [])],
  }
}

// Errors of calls. A problem with the call itself ends it with a status; a store's objections to a
// purchase are messages in a response.
import type { UcpMessage } from './messages.ts'

const jsonRpcCodes: Record<number, number> = { 404: -32601, 405: -32600, 500: -32603 }

/** Codes of the specification (overview, "Error Codes"), and our own for requests that it does not cover. */
const statuses = {
  invalid_profile_url: 400,
  profile_unreachable: 424,
  profile_malformed: 422,
  version_unsupported: 422,
  signature_missing: 401,
  signature_invalid: 401,
  key_not_found: 401,
  digest_mismatch: 400,
  algorithm_unsupported: 400,
  unauthorized: 401,
  parse_error: 400,
  invalid_request: 400,
  request_too_large: 413,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  idempotency_key_required: 400,
  rate_limited: 429,
  store_unavailable: 503,
  unavailable: 503,
  internal_error: 500,
} as const
export type ProblemCode = keyof typeof statuses

const discoveryCodes: ProblemCode[] = [
  'invalid_profile_url',
  'profile_unreachable',
  'profile_malformed',
  'version_unsupported',
]
const malformedCodes: ProblemCode[] = ['digest_mismatch', 'algorithm_unsupported']
const argumentCodes: ProblemCode[] = ['invalid_request', 'request_too_large', 'idempotency_key_required']

export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, content: string, headers: Record<string, string> = {}, status?: number) {
    super(content)
    this.code = code
    this.status = status ?? statuses[code]
    this.headers = headers
  }

  get jsonRpcCode(): number {
    if (this.code === 'parse_error') return -32700
    if (discoveryCodes.includes(this.code)) return -32001
    if (malformedCodes.includes(this.code)) return -32600
    if (argumentCodes.includes(this.code)) return -32602
    return jsonRpcCodes[this.status] ?? -32000
  }
}

/** A response without a cart, a checkout or an order. */
export class Refusal extends Error {
  readonly messages: readonly UcpMessage[]

  constructor(...messages: UcpMessage[]) {
    super(messages[0]!.content)
    this.messages = messages
  }
}

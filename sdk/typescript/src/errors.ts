// Errors of the API, a class for each code.
import type { ErrorCode } from './types.ts'

export type Fault = { field: string; message: string }

type Response = { status: number; code: string; message: string; details?: unknown; headers?: Headers }

/** A response that is not a success. Branch on `code`, or on the class. */
export class StoaError extends Error {
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly details: unknown
  /** Everything that is wrong with the input; empty unless the code is VALIDATION_ERROR. */
  readonly faults: readonly Fault[]
  /** Quote it to the operator, or read it with `requests.explain`. */
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor({ status, code, message, details, headers }: Response, options?: ErrorOptions) {
    const faults: Fault[] = Array.isArray(details) ? details : []
    super(faults.length > 1 ? `${message}: ${faults.map(inWords).join('; ')}` : message, options)
    this.name = new.target.name
    this.status = status
    this.code = code
    this.details = details
    this.faults = faults
    this.requestId = headers?.get('x-request-id') ?? null
    const seconds = headers?.get('retry-after')
    this.retryAfterSeconds = seconds && /^\d+$/.test(seconds) ? Number(seconds) : null
  }
}

function inWords({ field, message }: Fault): string {
  return `${field} ${message}`
}

/** No response: the network failed, or the time was over. */
export class ConnectionError extends StoaError {}
export class AuthenticationError extends StoaError {}
export class ScopeError extends StoaError {}
export class PlanLimitError extends StoaError {}
export class PolicyError extends StoaError {}
export class FeatureError extends StoaError {}
export class NotFoundError extends StoaError {}
export class ConflictError extends StoaError {}
export class NotRevertibleError extends ConflictError {}
export class OutdatedError extends ConflictError {}
export class GoneError extends StoaError {}
/** The record has changed since it was read: read, edit and send it again. */
export class PreconditionError extends StoaError {}
export class PayloadTooLargeError extends StoaError {}
export class ValidationError extends StoaError {}
export class RateLimitError extends StoaError {}
export class UnavailableError extends StoaError {}
export class InternalError extends StoaError {}

const classes: Partial<Record<string, typeof StoaError>> = {
  AUTHENTICATION_ERROR: AuthenticationError,
  SCOPE_INSUFFICIENT: ScopeError,
  PLAN_LIMIT_EXCEEDED: PlanLimitError,
  POLICY_EXCEEDED: PolicyError,
  FEATURE_ACCESS_DENIED: FeatureError,
  NOT_FOUND: NotFoundError,
  MOVED: NotFoundError,
  CONFLICT: ConflictError,
  NOT_REVERTIBLE: NotRevertibleError,
  OUTDATED: OutdatedError,
  GONE: GoneError,
  PRECONDITION_FAILED: PreconditionError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  VALIDATION_ERROR: ValidationError,
  RATE_LIMITED: RateLimitError,
  UNAVAILABLE: UnavailableError,
  STORE_UNAVAILABLE: UnavailableError,
  INTERNAL_ERROR: InternalError,
} satisfies Record<ErrorCode, typeof StoaError>

/** The error of a response; what is not the API's envelope, such as a page of a proxy, gets the code HTTP_502. */
export function errorOf(status: number, headers: Headers, body: unknown): StoaError {
  const envelope = (body as { error?: { code: string; message: string; details?: unknown } } | null)?.error
  const { code, message, details } = envelope ?? { code: `HTTP_${status}`, message: `HTTP status ${status}` }
  const Class = classes[code] ?? (status === 429 ? RateLimitError : status >= 500 ? UnavailableError : StoaError)
  return new Class({ status, code, message, details, headers })
}

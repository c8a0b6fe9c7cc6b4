// Every error that a client may see is made here: code, status and words of the contract's envelope.

import { fault, formatReason, type Fault, type FaultValue, generalFaults } from './faults.ts'

export type Code =
  | 'AUTHENTICATION_ERROR'
  | 'SCOPE_INSUFFICIENT'
  | 'PLAN_LIMIT_EXCEEDED'
  | 'POLICY_EXCEEDED'
  | 'FEATURE_ACCESS_DENIED'
  | 'NOT_FOUND'
  | 'MOVED'
  | 'CONFLICT'
  | 'NOT_REVERTIBLE'
  | 'OUTDATED'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'PAYLOAD_TOO_LARGE'
  | 'PRECONDITION_FAILED'
  | 'UNAVAILABLE'
  | 'GONE'
  | 'STORE_UNAVAILABLE'
  | 'BAD_REQUEST'
  | 'HEADERS_TOO_LARGE'
  | 'REQUEST_TIMEOUT'

/** An expected error. `details` is present only where the contract names it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: Code
  readonly details: object | undefined
  /** The values of the message, for pages that word it themselves. */
  readonly values: Record<string, FaultValue>
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: Code,
    message: string,
    more: { details?: object; values?: Record<string, FaultValue>; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = more.details
    this.values = more.values ?? {}
    // RFC 9110 §15.6.4: a 503 tells when to try again.
    this.headers = { ...(status === 503 ? { 'retry-after': '1' } : {}), ...more.headers }
  }

  /** The faults of VALIDATION_ERROR; empty for other codes. */
  get faults(): readonly Fault[] {
    return Array.isArray(this.details) ? (this.details as Fault[]) : []
  }

  get envelope(): object {
    const details = Array.isArray(this.details) ? this.faults.map(inWords) : this.details
    return { error: { code: this.code, message: this.message, ...(details ? { details } : {}) } }
  }

  get body(): string {
    return JSON.stringify(this.envelope)
  }
}

export function unauthenticated(message: string): ApiError {
  return new ApiError(401, 'AUTHENTICATION_ERROR', message)
}

export function notFound(what: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', `${what} not found`)
}

export function unknownRoute(method: string, path: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', `Route ${method} ${path} not found`)
}

/** The resource has a new address, to which the same request may be sent. */
export function movedPermanently(location: string, status: 301 | 308): ApiError {
  return new ApiError(status, 'MOVED', `This resource has moved to ${location}`, { headers: { location } })
}

/** The resource existed, and will not come back. */
export function gone(message: string): ApiError {
  return new ApiError(410, 'GONE', message)
}

/** `reason` is for pages, which word it themselves. */
export function conflict(message: string, reason?: string): ApiError {
  return new ApiError(409, 'CONFLICT', message, reason === undefined ? {} : { values: { reason } })
}

/** Other requests kept changing the same records, through all retries. */
export function collided(why: ErrorOptions = {}): ApiError {
  const error = new ApiError(409, 'CONFLICT', 'Another request changed this record at the same time. Try again', {
    headers: { 'retry-after': '1' },
  })
  return Object.assign(error, why)
}

/** If-Match does not name the record's current ETag. */
export function preconditionFailed(): ApiError {
  return new ApiError(
    412,
    'PRECONDITION_FAILED',
    'The record has changed: If-Match is not its current ETag. Fetch it again',
  )
}

/** Reports the first hundred faults, and the number of the others. */
export function invalid(...faults: Fault[]): ApiError {
  const [first] = faults
  const message =
    faults.length === 1 ? `${first!.field}: ${formatReason(first!)}` : `The request has ${faults.length} errors`
  const more = faults.length - maxFaults
  const details =
    more > 0 ? [...faults.slice(0, maxFaults), fault('body', generalFaults.more_faults, { count: more })] : faults
  return new ApiError(422, 'VALIDATION_ERROR', message, { details })
}

export const maxFaults = 100

/** A fault as a response has it. */
export function inWords(fault: Fault): { field: string; message: string } {
  return { field: fault.field, message: formatReason(fault) }
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes`)
}

/** A request body in a coding that is not read, such as gzip. */
export function unsupportedCoding(): ApiError {
  return new ApiError(415, 'BAD_REQUEST', 'Content-Encoding is not supported: send the body as it is', {
    headers: { 'accept-encoding': 'identity' },
  })
}

export function tooManyFields(max: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The form has more than ${max} fields`)
}

/** The code of a response that took the server itself too long. */
export const lateAnswer = 'LATE_ANSWER'

/** The error for bytes that are no valid request, by Node's error code. */
export function malformed(reason: string | undefined): ApiError {
  switch (reason) {
    case lateAnswer:
      return unavailable()
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, 'HEADERS_TOO_LARGE', 'The request headers are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive')
    default:
      return new ApiError(400, 'BAD_REQUEST', 'The request is not valid HTTP')
  }
}

/** For senders that would repeat any other status, such as webhooks of payment providers. */
export function malformedBody(message: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', message)
}

export function rateLimited(waitSeconds: number): ApiError {
  return new ApiError(429, 'RATE_LIMITED', `Rate limit exceeded. Try again in ${waitSeconds} seconds`, {
    headers: { 'retry-after': String(waitSeconds) },
  })
}

const busyMessage = 'The service is busy or starting. Try again shortly'

export function unavailable(): ApiError {
  return new ApiError(503, 'UNAVAILABLE', busyMessage)
}

/** The server has too much under way: nothing was done for the request. Logged by count, not one by one. */
export class TurnedAway extends ApiError {
  constructor() {
    super(503, 'UNAVAILABLE', busyMessage)
  }
}

export function internal(): ApiError {
  return new ApiError(500, 'INTERNAL_ERROR', 'An unexpected error occurred')
}

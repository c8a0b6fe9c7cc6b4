// The refusals of a route: those implied by its declaration and its table, and those that it declares.
import { notFoundResponse, type ErrorResponse } from '../../kit/declare/errorresponse.ts'
import type { Route, RouteTable } from '../../kit/declare/route.ts'
import {
  collided,
  conflict,
  internal,
  invalid,
  preconditionFailed,
  rateLimited,
  tooLarge,
  unauthenticated,
  unavailable,
} from '../../kit/values/errors.ts'
import { missingFeature, planLimit } from '../../tenancy/plans/errors.ts'
import { missingScope, beyondPolicy } from '../../tenancy/dispatch/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { maxBodyBytes } from '../bodies.ts'
import { isRepeatable } from '../idempotency.ts'

/** The refusals of a route, by status; its declared ones replace the implied ones. */
export function listRefusals(route: Route, table: RouteTable, hasPrecondition: boolean): Map<number, ErrorResponse> {
  const { method, params = {} } = route
  const isWrite = method !== 'GET'
  const answers = [
    ...(table.isPublic ? [] : [unknownCaller, forbidden]),
    ...(Object.keys(params).length > 0 ? [notFoundResponse] : []),
    ...(isWrite ? [takesKey(route, table) ? answer : overtaken, largeBody(table.maxBodyBytes)] : []),
    ...(hasPrecondition ? [conflictAnswer] : []),
    invalidInput,
    rateLimit,
    unexpectedAnswer,
    busy,
  ]
  const refusals = [...answers, ...(table.refuses ?? []), ...(route.refuses ?? [])]
  return new Map(refusals.map((refusal) => [requireOneStatus(refusal), refusal]))
}

/** Shoppers share one credential, so one's Idempotency-Key could fetch another's response; people's are by store. */
export function takesKey(route: Route, table: RouteTable): boolean {
  return isRepeatable(route) && !table.isPublic && !route.session
}

function requireOneStatus({ name, examples }: ErrorResponse): number {
  const [status, ...others] = new Set(Object.values(examples).map((error) => error.status))
  if (status === undefined || others.length > 0) throw new Error(`the examples of ${name} are not of one status`)
  return status
}

const unknownCaller: ErrorResponse = {
  name: 'Unauthenticated',
  description: 'The API key, access token or session is missing, malformed, unknown, inactive or expired.',
  examples: {
    missing: unauthenticated('Missing X-API-Key header'),
    malformed: unauthenticated('Invalid API key format'),
    unknown: unauthenticated('Invalid or inactive API key'),
    expired: unauthenticated('API key has expired'),
    signedOut: unauthenticated('Sign in to continue'),
  },
}

const forbidden: ErrorResponse = {
  name: 'Forbidden',
  description:
    'The credential lacks the scope or exceeds its policy, or the plan lacks the feature or has reached its limit.',
  examples: {
    scope: missingScope('write:products'),
    limit: planLimit('product', 50, 50),
    policy: beyondPolicy('max_per_hour', 20, 'This credential is limited to 20 writes per hour'),
    feature: missingFeature('inventory'),
  },
}

const answer: ErrorResponse = {
  name: 'Conflict',
  description:
    'The record already exists, a request with the same Idempotency-Key is still being processed, or another request ' +
    'changed the record at the same time.',
  examples: {
    duplicate: conflict('A category with the name Bags already exists'),
    inFlight: conflict('A request with the same Idempotency-Key is still being processed'),
    collided: collided(),
  },
}

const overtaken: ErrorResponse = {
  name: 'Overtaken',
  description: 'Another request changed the record at the same time. Retry.',
  examples: { collided: collided() },
}

const conflictAnswer: ErrorResponse = {
  name: 'PreconditionFailed',
  description: 'The record has changed: no ETag in If-Match is current.',
  examples: { changed: preconditionFailed() },
}

function largeBody(bytes = maxBodyBytes): ErrorResponse {
  const isUsual = bytes === maxBodyBytes
  return {
    name: isUsual ? 'PayloadTooLarge' : `PayloadOver${bytes / 1024}KiB`,
    description: isUsual ? 'The request body is too large.' : `The request body is larger than ${bytes / 1024} KiB.`,
    examples: { tooLarge: tooLarge(bytes) },
  }
}

const invalidInput: ErrorResponse = {
  name: 'Invalid',
  description: 'The request is invalid; details lists every error.',
  examples: {
    one: invalid(fault('price', generalFaults.not_above, { limit: 0 })),
    many: invalid(
      fault('name', generalFaults.required),
      fault('shipping_address.city', generalFaults.wrong_type, { type: 'a string' }),
    ),
  },
}

const rateLimit: ErrorResponse = {
  name: 'RateLimited',
  description: 'The rate limit for this minute is exceeded.',
  examples: { exceeded: rateLimited(42) },
}

const unexpectedAnswer: ErrorResponse = {
  name: 'InternalError',
  description: 'An unexpected error occurred. Give the operator the X-Request-Id.',
  examples: { unexpected: internal() },
}

const busy: ErrorResponse = {
  name: 'Unavailable',
  description: 'The service is starting or overloaded.',
  examples: { busy: unavailable() },
}

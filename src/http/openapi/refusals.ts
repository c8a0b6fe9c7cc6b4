// What a route refuses: what follows from its declaration, from its table, and what it says of itself.
import { noRecord, type Refusal } from '../../kit/declare/refusal.ts'
import type { Route, Table } from '../../kit/declare/route.ts'
import {
  collided,
  conflict,
  internal,
  invalid,
  missingFeature,
  missingScope,
  beyondPolicy,
  planLimit,
  preconditionFailed,
  rateLimited,
  tooLarge,
  unauthenticated,
  unavailable,
} from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { maximumBodyBytes } from '../bodies.ts'
import { isRepeatable } from '../idempotency.ts'

/** The refusals of a route, by status; what it declares itself stands before what follows from the rest. */
export function refusalsOf(route: Route, table: Table, hasPrecondition: boolean): Map<number, Refusal> {
  const { method, params = {} } = route
  const isWrite = method !== 'GET'
  const implied = [
    ...(table.isPublic ? [] : [unknownCaller, forbidden]),
    ...(Object.keys(params).length > 0 ? [noRecord] : []),
    ...(isWrite ? [takesKey(route, table) ? repeated : overtaken, largeBody(table.maximumBodyBytes)] : []),
    ...(hasPrecondition ? [changed] : []),
    invalidInput,
    rateLimit,
    unexpected,
    busy,
  ]
  const refusals = [...implied, ...(table.refuses ?? []), ...(route.refuses ?? [])]
  return new Map(refusals.map((refusal) => [statusOf(refusal), refusal]))
}

/** Shoppers share one credential, so that one's Idempotency-Key could fetch another's answer; people's are by store. */
export function takesKey(route: Route, table: Table): boolean {
  return isRepeatable(route) && !table.isPublic && !route.session
}

function statusOf({ name, examples }: Refusal): number {
  const [status, ...others] = new Set(Object.values(examples).map((error) => error.status))
  if (status === undefined || others.length > 0) throw new Error(`the examples of ${name} are not of one status`)
  return status
}

const unknownCaller: Refusal = {
  name: 'Unauthenticated',
  description: 'The API key, the token or the session is missing, malformed, unknown, inactive or expired.',
  examples: {
    missing: unauthenticated('Missing X-API-Key header'),
    malformed: unauthenticated('Invalid API key format'),
    unknown: unauthenticated('Invalid or inactive API key'),
    expired: unauthenticated('API key has expired'),
    signedOut: unauthenticated('Sign in to do this'),
  },
}

const forbidden: Refusal = {
  name: 'Forbidden',
  description:
    'The credential lacks the scope, its policy forbids it, or the plan of the store lacks the feature or the room.',
  examples: {
    scope: missingScope('write:products'),
    limit: planLimit('product', 50, 50),
    policy: beyondPolicy('max_per_hour', 20, 'This credential may write 20 times an hour at most'),
    feature: missingFeature('inventory'),
  },
}

const repeated: Refusal = {
  name: 'Conflict',
  description:
    'The record exists already, a request with the same Idempotency-Key is still being processed, or another request ' +
    'changed the same at this moment.',
  examples: {
    duplicate: conflict('A category with the name Bags already exists'),
    inFlight: conflict('A request with the same Idempotency-Key is still being processed'),
    collided: collided(),
  },
}

const overtaken: Refusal = {
  name: 'Overtaken',
  description: 'Another request changed the same at this moment: try again.',
  examples: { collided: collided() },
}

const changed: Refusal = {
  name: 'PreconditionFailed',
  description: 'The record is no longer as If-Match says.',
  examples: { changed: preconditionFailed() },
}

function largeBody(bytes = maximumBodyBytes): Refusal {
  const isUsual = bytes === maximumBodyBytes
  return {
    name: isUsual ? 'PayloadTooLarge' : `PayloadOver${bytes / 1024}KiB`,
    description: isUsual ? 'The body is too large.' : `The body is larger than ${bytes / 1024} KiB.`,
    examples: { tooLarge: tooLarge(bytes) },
  }
}

const invalidInput: Refusal = {
  name: 'Invalid',
  description: 'The input is not valid: details name every fault at once.',
  examples: {
    one: invalid(fault('price', 'not_above', { limit: 0 })),
    many: invalid(fault('name', 'required'), fault('shipping_address.city', 'wrong_type', { type: 'a string' })),
  },
}

const rateLimit: Refusal = {
  name: 'RateLimited',
  description: 'The quota of this minute is used up.',
  examples: { exceeded: rateLimited(42) },
}

const unexpected: Refusal = {
  name: 'InternalError',
  description: 'Something unexpected happened; the cause is in the log of the service, under the X-Request-Id.',
  examples: { unexpected: internal() },
}

const busy: Refusal = {
  name: 'Unavailable',
  description: 'The service is starting or overloaded.',
  examples: { busy: unavailable() },
}

// The error responses of the document: their examples are made by the functions that make the errors.
import {
  conflict,
  gone,
  internal,
  invalid,
  missingFeature,
  missingScope,
  notFound,
  planLimit,
  preconditionFailed,
  rateLimited,
  storeUnavailable,
  tooLarge,
  unauthenticated,
  unavailable,
  type ApiError,
} from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'

type Refusal = {
  status: number
  name: string
  description: string
  headers?: string[]
  examples: Record<string, ApiError>
}

// prettier-ignore
const refusals: Refusal[] = [
  {
    status: 401, name: 'Unauthenticated',
    description: 'The API key, the token or the session is missing, malformed, unknown, inactive or expired.',
    examples: {
      missing:   unauthenticated('Missing X-API-Key header'),
      malformed: unauthenticated('Invalid API key format'),
      unknown:   unauthenticated('Invalid or inactive API key'),
      expired:   unauthenticated('API key has expired'),
      signedOut: unauthenticated('Sign in to do this'),
    },
  },
  {
    status: 403, name: 'Forbidden',
    description: 'The credential lacks the scope, or the plan of the store lacks the feature or the room.',
    examples: {
      scope:   missingScope('write:products'),
      limit:   planLimit('product', 50, 50),
      feature: missingFeature('inventory'),
    },
  },
  {
    status: 404, name: 'NotFound', description: 'There is no such record in this store.',
    examples: { missing: notFound('Product') },
  },
  {
    status: 409, name: 'Conflict',
    description: 'The record exists already, or a request with the same Idempotency-Key is still being processed.',
    examples: {
      duplicate: conflict('A category with the name Bags already exists'),
      inFlight:  conflict('A request with the same Idempotency-Key is still being processed'),
    },
  },
  {
    status: 409, name: 'CheckoutCompleted',
    description: 'The checkout has become an order and cannot be changed any more.',
    examples: { completed: conflict('This checkout is completed: it cannot be changed any more') },
  },
  {
    status: 410, name: 'CheckoutExpired', description: 'The checkout has expired: begin another.',
    examples: { expired: gone('This checkout has expired') },
  },
  {
    status: 412, name: 'PreconditionFailed', description: 'The record is no longer as If-Match says.',
    examples: { changed: preconditionFailed() },
  },
  {
    status: 413, name: 'PayloadTooLarge', description: 'The body is too large.',
    examples: { tooLarge: tooLarge(1024 * 1024) },
  },
  {
    status: 422, name: 'Invalid', description: 'The input is not valid: details name every fault at once.',
    examples: {
      one:  invalid(fault('price', 'not_above', { limit: 0 })),
      many: invalid(
        fault('name', 'required'),
        fault('shipping_address.city', 'wrong_type', { type: 'a string' }),
      ),
    },
  },
  {
    status: 429, name: 'RateLimited', description: 'The quota of this minute is used up.', headers: ['Retry-After'],
    examples: { exceeded: rateLimited(42) },
  },
  {
    status: 500, name: 'InternalError',
    description: 'Something unexpected happened; the cause is in the log of the service, under the X-Request-Id.',
    examples: { unexpected: internal() },
  },
  {
    status: 503, name: 'Unavailable', description: 'The service is starting or overloaded.', headers: ['Retry-After'],
    examples: { busy: unavailable() },
  },
  {
    status: 503, name: 'StorefrontUnavailable', headers: ['Retry-After'],
    description: 'The store is paused, suspended or in maintenance; or the service is starting or overloaded.',
    examples: { shut: storeUnavailable('This store is paused'), busy: unavailable() },
  },
]

/** Name of a response component → its status. */
export const refusalStatuses = new Map(refusals.map(({ status, name }) => [name, status]))

export function refusalResponses(headers: (names: string[]) => object): Record<string, object> {
  return Object.fromEntries(
    refusals.map(({ name, description, headers: more = [], examples }) => [
      name,
      {
        description,
        headers: headers(more),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${name}` },
            examples: Object.fromEntries(
              Object.entries(examples).map(([key, error]) => [key, { value: error.envelope }]),
            ),
          },
        },
      },
    ]),
  )
}

/** One schema a status: the envelope, with the details that its codes carry. */
export function refusalSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    refusals.map(({ name, examples }) => {
      const variants = new Map(Object.values(examples).map((error) => [error.code, errorSchema(error)]))
      const [only, ...others] = variants.values()
      return [
        name,
        {
          type: 'object',
          properties: { error: others.length > 0 ? { oneOf: [only, ...others] } : only },
          required: ['error'],
          additionalProperties: false,
          examples: [Object.values(examples)[0]!.envelope],
        },
      ]
    }),
  )
}

function errorSchema({ code, details }: ApiError): JsonSchema {
  const known = details === undefined ? {} : { details: Array.isArray(details) ? faults : feature }
  return {
    type: 'object',
    properties: { code: { type: 'string', const: code }, message: { type: 'string' }, ...known },
    required: ['code', 'message', ...Object.keys(known)],
    additionalProperties: false,
  }
}

const faults: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: { field: { type: 'string', description: 'In dot notation' }, message: { type: 'string' } },
    required: ['field', 'message'],
    additionalProperties: false,
  },
}

const feature: JsonSchema = {
  type: 'object',
  properties: { feature: { type: 'string' } },
  required: ['feature'],
  additionalProperties: false,
}

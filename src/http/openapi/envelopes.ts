// The components of a refusal: its response, with the headers that its errors have, and the schema of its envelope.
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import type { ApiError } from '../../kit/values/errors.ts'
import { responseHeaders } from './headers.ts'

export function refusalResponse({ name, description, examples }: ErrorResponse): object {
  const errors = Object.entries(examples)
  const canWait = errors.some(([, { headers }]) => 'retry-after' in headers)
  return {
    description,
    headers: responseHeaders(canWait ? ['Retry-After'] : []),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        examples: Object.fromEntries(errors.map(([key, error]) => [key, { value: error.envelope }])),
      },
    },
  }
}

/** The envelope, with the details that its codes carry. */
export function refusalSchema({ examples }: ErrorResponse): JsonSchema {
  const errors = Object.values(examples)
  const variants = new Map(errors.map((error) => [error.code, errorSchema(error)]))
  const [only, ...others] = variants.values()
  return {
    type: 'object',
    properties: { error: others.length > 0 ? { oneOf: [only, ...others] } : only },
    required: ['error'],
    additionalProperties: false,
    examples: [errors[0]!.envelope],
  }
}

function errorSchema({ code, details }: ApiError): JsonSchema {
  const detailsSchema = details === undefined ? {} : { details: chooseDetailsSchema(details) }
  return {
    type: 'object',
    properties: { code: { type: 'string', const: code }, message: { type: 'string' }, ...detailsSchema },
    required: ['code', 'message', ...Object.keys(detailsSchema)],
    additionalProperties: false,
  }
}

function chooseDetailsSchema(details: NonNullable<ApiError['details']>): JsonSchema {
  if (Array.isArray(details)) return faults
  if ('feature' in details) return feature
  if ('policy' in details) return policy
  return 'changed' in details ? answer : obstacles
}

const policy: JsonSchema = {
  type: 'object',
  properties: { policy: { type: 'string', description: 'Name of the limit' }, limit: { type: 'number' } },
  required: ['policy', 'limit'],
  additionalProperties: false,
}

const faults: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      field: { type: 'string', description: 'Path of the field in dot notation, such as shipping_address.city' },
      message: { type: 'string' },
    },
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

const obstacle: JsonSchema = {
  type: 'object',
  properties: {
    resource: { type: 'string' },
    id: { type: 'string' },
    field: { type: ['string', 'null'], description: 'Field that stands in the way; null for the record as a whole' },
    reason: { type: 'string' },
    later: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          request_id: { type: ['string', 'null'] },
          operation: { type: 'string' },
          created_at: { type: 'string', format: 'date-time' },
        },
        required: ['request_id', 'operation', 'created_at'],
      },
    },
  },
  required: ['resource', 'id', 'field', 'reason', 'later'],
}

const obstacles: JsonSchema = {
  type: 'object',
  properties: { obstacles: { type: 'array', items: obstacle } },
  required: ['obstacles'],
}

const orNull = { type: ['string', 'null'] }

const answer: JsonSchema = {
  type: 'object',
  properties: {
    changed: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          resource: { ...orNull, description: 'Kind of record; null if the response would differ for another reason' },
          id: orNull,
          field: { type: 'string' },
        },
        required: ['resource', 'id', 'field'],
      },
    },
  },
  required: ['changed'],
}

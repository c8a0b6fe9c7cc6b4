// A refusal is data too: what an endpoint may answer instead, as the reference shows it.
import { notFound, type ApiError } from '../values/errors.ts'

export type ErrorResponse = {
  /** The name of its component in the reference. */
  name: string
  description: string
  /** All of one status; the functions that make the errors make them. */
  examples: Record<string, ApiError>
}

export const notFoundResponse: ErrorResponse = {
  name: 'NotFound',
  description: 'There is no such record in this store.',
  examples: { missing: notFound('Product') },
}

// The error responses that an endpoint declares, as the reference shows them.
import { notFound, type ApiError } from '../values/errors.ts'

export type ErrorResponse = {
  /** The name of its component in the reference. */
  name: string
  description: string
  /** All share one status and come from the functions that create the errors. */
  examples: Record<string, ApiError>
}

export const notFoundResponse: ErrorResponse = {
  name: 'NotFound',
  description: 'The record does not exist in this store.',
  examples: { missing: notFound('Product') },
}

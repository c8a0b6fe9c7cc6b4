import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, unavailable } from './errors.ts'

test('a 503 always has a Retry-After', () => {
  assert.equal(unavailable().headers['retry-after'], '1')
  assert.equal(new ApiError(503, 'UNAVAILABLE', 'The database is not writable').headers['retry-after'], '1')
  const later = new ApiError(503, 'STORE_UNAVAILABLE', 'Closed for now', { headers: { 'retry-after': '300' } })
  assert.equal(later.headers['retry-after'], '300')
  assert.deepEqual(new ApiError(500, 'INTERNAL_ERROR', 'Oh').headers, {})
})

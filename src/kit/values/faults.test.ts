import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidValue, invalidValue } from '../declare/invalidvalue.ts'
import { createBody } from '../declare/shape.ts'
import { list, object } from '../declare/composites.ts'
import { text } from '../declare/scalars.ts'
import { ApiError, invalid } from './errors.ts'
import { fault, generalFaults } from './faults.ts'

test('a hundred faults are reported, and then the number of the others', () => {
  const faults = Array.from({ length: 250 }, (_, index) => fault(`items.${index}`, generalFaults.required))
  const { error } = JSON.parse(invalid(...faults).body)
  assert.equal(error.message, 'The request has 250 errors')
  assert.equal(error.details.length, 101)
  assert.deepEqual(error.details.slice(-2), [
    { field: 'items.99', message: 'is required' },
    { field: 'body', message: 'has 150 more errors' },
  ])
  assert.equal(JSON.parse(invalid(...faults.slice(0, 100)).body).error.details.length, 100)
})

test('a value of a body is never taken for an invalid value', () => {
  const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: new Date() }
  const body = createBody({ note: object({ refused: text() }), notes: list(object({ refused: text() }), { max: 2 }) })
  const given = { note: { refused: 'must not' }, notes: [{ refused: 'must not' }] }
  assert.deepEqual(body.read(given, context), given)
  assert.ok(invalidValue(generalFaults.required) instanceof InvalidValue)
  assert.throws(() => body.read({ notes: [{ refused: 1 }] }, context), ApiError)
})

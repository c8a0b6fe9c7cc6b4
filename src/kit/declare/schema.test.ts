import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault, generalFaults } from '../values/faults.ts'
import type { JsonSchema } from './field.ts'
import { schemaFaults } from './schema.ts'

/** A list that counts how many of its elements were looked at. */
function watched(length: number): { list: unknown[]; reads: () => number } {
  let reads = 0
  const list = new Proxy(
    Array.from({ length }, () => ({})),
    {
      get: (target, name, receiver) => {
        if (typeof name === 'string' && Number.isInteger(Number(name))) reads++
        return Reflect.get(target, name, receiver)
      },
    },
  )
  return { list, reads: () => reads }
}

const elements = { type: 'array', maxItems: 20, uniqueItems: true, items: { type: 'string' } }
const schema: JsonSchema = { type: 'object', properties: { ids: elements } }

test('a list over its maximum is one fault, and its elements are not checked', () => {
  const { list, reads } = watched(100_000)
  assert.deepEqual(schemaFaults(schema)({ ids: list }), [fault('ids', generalFaults.too_many_elements, { limit: 20 })])
  assert.equal(reads(), 0)
})

test('the elements of a list at its maximum are checked', () => {
  const { list, reads } = watched(20)
  const faults = schemaFaults(schema)({ ids: list })
  assert.deepEqual(faults.map(({ field }) => field).slice(0, 2), ['ids.0', 'ids.1'])
  assert.ok(reads() >= 20)
})

test('the limits hold inside of every kind of schema', () => {
  const nested = { anyOf: [{ type: 'null' }, { type: 'object', properties: { ids: elements } }] }
  const { list, reads } = watched(21)
  const faults = schemaFaults({ type: 'object', properties: { all: { type: 'array', maxItems: 2, items: nested } } })
  assert.deepEqual(
    faults({ all: [{ ids: list }] }).map(({ field, code }) => [field, code]),
    [['all.0', 'no_accepted_form']],
  )
  assert.equal(reads(), 0)
})

test('a text over its maximum is not matched against its pattern', () => {
  const text = { type: 'string', maxLength: 5, pattern: '^(a+)+$' }
  const faults = schemaFaults({ type: 'object', properties: { name: text } })
  assert.deepEqual(faults({ name: `${'a'.repeat(64)}!` }), [fault('name', generalFaults.too_long, { limit: 5 })])
  assert.deepEqual(faults({ name: 'b' }), [fault('name', generalFaults.wrong_form, { pattern: '^(a+)+$' })])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { list, many, object, set } from './composites.ts'
import { derive, type Fields } from './field.ts'
import { resource } from './resource.ts'
import { choice, decimal, flag, id, integer, money, text, time, uuid } from './scalars.ts'
import { raw } from '../database/sql.ts'

const uuids = ['01912d68-783e-7a03-8467-5661c1243ad4', '01912d68-783e-7a03-8467-5661c1243ad5'] as const
const ids = ['prod_01j4ppgy1yf81r8stpc70j8epm', 'prod_01j4ppgy1yf81r8stpc70j8epn']

const part = resource(
  'parts',
  { id: uuid(), title: text(), price: money() },
  {},
  { noun: 'Part', parent: { column: 'whole_id', order: 'id' } },
)

// A field of every kind: the text of its column, its JSON, and its value.
const kinds: [Fields, string | null, string, unknown][] = [
  [{ id: id('prod') }, uuids[0], `"${ids[0]}"`, ids[0]],
  [{ text: text() }, 'a "b" \u2028', '"a \\"b\\" \u2028"', 'a "b" \u2028'],
  [{ nothing: text().nullable() }, null, 'null', null],
  [{ choice: choice(['live', 'test']) }, 'live', '"live"', 'live'],
  [{ integer: integer() }, '-3', '-3', -3],
  [{ decimal: decimal() }, '16.000', '16.000', 16],
  [{ money: money() }, '1500.50', '1500.50', 1500.5],
  [{ yes: flag() }, 't', 'true', true],
  [{ no: flag() }, 'f', 'false', false],
  [{ time: time() }, '2026-11-21 10:10:29.1+00', '"2026-11-21T10:10:29.100Z"', new Date('2026-11-21T10:10:29.100Z')],
  [{ uuid: uuid() }, uuids[0], `"${uuids[0]}"`, uuids[0]],
  [{ list: list(text(), { max: 2 }) }, '["a", "b"]', '["a", "b"]', ['a', 'b']],
  [{ set: set(text(), { max: 2 }) }, '["a","b"]', '["a","b"]', ['a', 'b']],
  [{ ids: set(id('prod'), { max: 2 }) }, JSON.stringify(uuids), JSON.stringify(ids), ids],
  [{ object: object({ a: money() }) }, '{"a": 1.50}', '{"a": 1.50}', { a: 1.5 }],
  [{ derived: derive(integer(), raw('1')) }, '1', '1', 1],
]

const parts = [
  [uuids[0], 'Lid', '2.50'],
  [uuids[1], 'Cup', '7.00'],
]
const whole = resource(
  'wholes',
  { ...Object.assign({}, ...kinds.map(([field]) => field)), parts: many(part) } as Fields,
  {},
  { noun: 'Whole' },
)
const row = [...kinds.map(([, column]) => column), '1'] as string[]
const children = { parts: new Map([[uuids[0] as string, parts]]) }

test('a row is sent as its columns have it, money to the cent', () => {
  const cells = kinds.map(([field, , json]) => `"${Object.keys(field)[0]}":${json}`)
  const own = parts.map(([uuid, title, price]) => `{"id":"${uuid}","title":"${title}","price":${price}}`)
  assert.equal(whole.record(row, children).json, `{${cells.join(',')},"parts":[${own.join(',')}]}`)
})

test('the same row as an object has values', () => {
  const values = kinds.map(([field, , , value]) => [Object.keys(field)[0], value])
  const own = parts.map(([uuid, title, price]) => ({ id: uuid, title, price: Number(price) }))
  assert.deepEqual(whole.record(row, children).entity, { ...Object.fromEntries(values), parts: own })
})

test('the object has everything that is sent', () => {
  const { id, json, entity } = whole.record(row, children)
  assert.equal(id, ids[0])
  assert.deepEqual(JSON.parse(JSON.stringify(entity)), JSON.parse(json))
})

test('a row without children has an empty list of them', () => {
  assert.deepEqual(whole.read(row).parts, [])
  assert.match(whole.serialise(row), /"parts":\[\]\}$/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstUuidAt, newStoreId, newUuid, newUuidAt, publicId, toUuid } from './ids.ts'
import { fc } from '../../../test/random.ts'

// https://github.com/jetify-com/typeid/blob/main/spec/valid.json
const published = [
  ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
] as const

test('ids are encoded as the TypeID specification publishes', () => {
  for (const [uuid, suffix] of published) {
    assert.equal(publicId('prod', uuid), `prod_${suffix}`)
    assert.equal(toUuid('prod', `prod_${suffix}`), uuid)
  }
})

test('every uuid comes back from its public id', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => toUuid('ord', publicId('ord', uuid)) === uuid))
})

test('an id without the prefix has no uuid', () => {
  const id = publicId('prod', newUuid())
  const others = [
    '',
    id.slice(1),
    id.slice(0, -1),
    `${id}0`,
    id.toUpperCase(),
    id.replace('prod_', 'cat_'),
    'prod_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'prod_0000000000000000000000000u',
    'prod_0000000000000000000000000\0',
    'prod_00000000000000000000000%20',
  ]
  for (const other of others) assert.equal(toUuid('prod', other), null, other)
})

test('ids are in the order of their creation', () => {
  const ids = Array.from({ length: 1000 }, () => publicId('evt', newUuid()))
  assert.deepEqual(ids, ids.toSorted())
})

test('an id of a time lies between the first ids of that millisecond and the next', () => {
  const time = new Date('2026-11-21T12:00:00.123Z')
  const ids = [firstUuidAt(time), ...[0, 1, 2].map((position) => newUuidAt(time, position))]
  assert.deepEqual(ids, ids.toSorted())
  assert.ok(ids.at(-1)! < firstUuidAt(new Date(time.getTime() + 1)))
  assert.equal(firstUuidAt(new Date(-1)), '00000000-0000-0000-0000-000000000000')
  assert.match(firstUuidAt(new Date(8.64e15)), /^ffffffff-ffff-/)
})

test('a store id is two capitals, a dash and 8 characters of Crockford base32', () => {
  for (let i = 0; i < 100; i++) assert.match(newStoreId(), /^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$/)
})

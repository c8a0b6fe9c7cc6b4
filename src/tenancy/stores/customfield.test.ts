import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const path = '/v1/store/custom-fields'
const material = { applies_to: 'product', key: 'material', label: 'Material' }

type Answer = { status: number; error: { details: { field: string; message: string }[] } }

const faultsOf = ({ status, error }: Answer) => [status, error.details.map(({ field, message }) => [field, message])]

test('a store defines fields of its own for each kind of record', async () => {
  const { api } = await world.newStore()
  const field = dataOf(await api.post(path, { ...material, type: 'choice', choices: ['Linen', 'Wool'] }), 201)
  assert.match(field.id, /^cfld_/)
  const { id: _, created_at: __, updated_at: ___, ...own } = field
  assert.deepEqual(own, {
    ...material,
    description: null,
    type: 'choice',
    choices: ['Linen', 'Wool'],
    is_required: false,
    visibility: 'staff',
    asked_at_checkout: false,
    position: 0,
    is_active: true,
  })
  dataOf(await api.post(path, { ...material, applies_to: 'customer', position: 1 }), 201)
  const changed = dataOf(await api.patch(`${path}/${field.id}`, { label: 'Fabric', visibility: 'shop' }), 200)
  assert.deepEqual([changed.label, changed.visibility], ['Fabric', 'shop'])
  const labels = async (query = '') => (await api.get(path + query)).data.map(({ label }: any) => label)
  assert.deepEqual(await labels(), ['Fabric', 'Material'])
  assert.deepEqual(await labels('?applies_to=customer'), ['Material'])
  dataOf(await api.delete(`${path}/${field.id}`), 200)
  assert.deepEqual(await labels(), ['Material'])
})

test('a key is unique among the fields of its kind, and has small letters, digits and underscores', async () => {
  const { api } = await world.newStore()
  dataOf(await api.post(path, material), 201)
  const again = await api.post(path, material)
  assert.deepEqual([again.status, again.error.code], [409, 'CONFLICT'])
  for (const key of ['a.b', 'Size', '_id', 'größe', 'a'.repeat(41), 'a\n'])
    assert.equal((await api.post(path, { ...material, key })).status, 422, key)
  dataOf(await api.post(path, { ...material, key: 'a'.repeat(40) }), 201)
})

test('what does not fit together is refused with all faults at once', async () => {
  const { api } = await world.newStore()
  assert.deepEqual(faultsOf(await api.post(path, { ...material, choices: ['Linen'], asked_at_checkout: true })), [
    422,
    [
      ['choices', 'is only for the type choice'],
      ['asked_at_checkout', 'is only for fields of orders'],
    ],
  ])
  assert.deepEqual(faultsOf(await api.post(path, { ...material, type: 'choice' })), [
    422,
    [['choices', 'is required for the type choice']],
  ])
  assert.deepEqual(faultsOf(await api.post(path, { ...material, applies_to: 'customer', visibility: 'shop' })), [
    422,
    [['visibility', 'must be staff for a customer']],
  ])
  assert.deepEqual((await api.get(path)).data, [])
})

test('a store has at most 50 custom fields of one kind', async () => {
  const { api } = await world.newStore()
  for (let n = 1; n <= 50; n++) dataOf(await api.post(path, { ...material, key: `key_${n}` }), 201)
  const full = [422, [['body', 'exceeds the limit: a store can have at most 50 custom fields of one kind']]]
  assert.deepEqual(faultsOf(await api.post(path, material)), full)
  const { id } = dataOf(await api.post(path, { ...material, applies_to: 'order' }), 201)
  assert.deepEqual(faultsOf(await api.patch(`${path}/${id}`, { applies_to: 'product' })), full)
  dataOf(await api.patch(`${path}/${id}`, { applies_to: 'variant' }), 200)
})

test('a change of a custom field can be undone', async () => {
  const { api } = await world.newStore()
  const { id } = dataOf(await api.post(path, material), 201)
  const { headers } = await api.patch(`${path}/${id}`, { label: 'Fabric' })
  dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`, {}), 200)
  assert.equal((await api.get(`${path}/${id}`)).data.label, 'Material')
})

test('while records have values, a field keeps its key and type, and the choices that they have', async () => {
  const { api } = await world.newStore()
  const choices = ['Linen', 'Wool', 'Silk']
  const { id } = dataOf(await api.post(path, { ...material, type: 'choice', choices }), 201)
  const mug = dataOf(
    await api.post('/v1/products', { name: 'Shirt', price: 5, custom_fields: { material: 'Wool' } }),
    201,
  )
  const change = async (body: object) => (await api.patch(`${path}/${id}`, body)).status
  for (const body of [
    { key: 'fabric' },
    { type: 'text', choices: [] },
    { applies_to: 'variant' },
    { choices: ['Linen'] },
  ])
    assert.equal(await change(body), 409, JSON.stringify(body))
  const refused = await api.delete(`${path}/${id}`)
  assert.deepEqual(
    [refused.status, refused.error.message],
    [409, 'Records have values of this custom field: remove them first, or deactivate the field'],
  )
  assert.equal(await change({ choices: ['Wool', 'Cotton'], label: 'Fabric', is_active: false }), 200)
  dataOf(await api.patch(`/v1/products/${mug.id}`, { custom_fields: { material: null } }), 200)
  assert.equal(await change({ key: 'fabric', type: 'text', choices: [] }), 200)
  dataOf(await api.delete(`${path}/${id}`), 200)
})

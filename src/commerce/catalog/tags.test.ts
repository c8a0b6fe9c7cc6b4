// Tags of products: their bounds, and lists that are narrowed by them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('lists are narrowed to products with any of the tags, whatever the case', async () => {
  const [{ api }, other] = [await world.newStore(), await world.newStore()]
  const make = async (name: string, tags?: string[]) => (await api.post('/v1/products', { name, price: 1, tags })).data
  await make('Mug', ['Summer', 'Gift'])
  await make('Cup', ['gift'])
  assert.deepEqual((await make('Hat')).tags, [])
  await other.api.post('/v1/products', { name: 'Theirs', price: 1, tags: ['gift'] })
  const namesOf = async (query: string) => {
    const { data, body } = await api.get(`/v1/products?sort=name&order=asc&${query}`)
    assert.equal(body.pagination.total, data.length)
    assert.equal((await api.get(`/v1/products/count?${query}`)).data.count, data.length)
    return data.map(({ name }: any) => name)
  }
  assert.deepEqual(await namesOf('tag=GIFT'), ['Cup', 'Mug'])
  assert.deepEqual(await namesOf('tag=summer,none'), ['Mug'])
  assert.deepEqual(await namesOf('tag=none'), [])
  assert.deepEqual(await namesOf('tag=,'), [])
})

test('500 characters, none, a comma, a tag twice and 51 tags are faults of the field', async () => {
  const { api } = await world.newStore()
  const faultOf = async (tags: unknown) => {
    const { status, error } = await api.post('/v1/products', { name: 'Mug', price: 1, tags })
    assert.equal(status, 422)
    return error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  assert.deepEqual(await faultOf(['ok', 'x'.repeat(500)]), ['tags.1 must be at most 255 characters long'])
  assert.deepEqual(await faultOf([' ']), ['tags.0 must not be blank'])
  assert.deepEqual(await faultOf(['a,b']), ['tags.0 must match the pattern ^[^,\\r\\n]*$'])
  assert.deepEqual(await faultOf(['a', 'a']), ['tags must not contain duplicates: items 0 and 1 are the same'])
  const many = Array.from({ length: 51 }, (_, index) => `t${index}`)
  assert.deepEqual(await faultOf(many), ['tags must contain at most 50 items'])
})

test('a change of tags is undone like any other', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/products', { name: 'Mug', price: 1, tags: ['a', 'b'] })
  await api.patch(`/v1/products/${data.id}`, { tags: ['c'] }, { headers: { 'x-request-id': 'tags-1' } })
  const [entry] = (await api.get('/v1/audit?request_id=tags-1')).data
  assert.deepEqual([entry.changes[0].before.tags, entry.changes[0].after.tags], [['a', 'b'], ['c']])
  assert.equal((await api.post('/v1/changes/tags-1/revert', {})).status, 200)
  assert.deepEqual((await api.get(`/v1/products/${data.id}`)).data.tags, ['a', 'b'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('customers have tags, and lists are narrowed by any of some, whatever their case', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const create = async (name: string, tags: string[]) =>
    dataOf(await shop.api.post('/v1/customers', { name, tags }), 201)
  const ana = await create('Ana', ['VIP', 'press'])
  await create('Bo', ['wholesale'])
  await create('Cy', [])
  dataOf(await other.api.post('/v1/customers', { name: 'Di', tags: ['vip'] }), 201)
  const named = async (tag: string) => {
    const query = `tag=${encodeURIComponent(tag)}`
    const { data } = await shop.api.get(`/v1/customers?sort=name&order=asc&${query}`)
    assert.equal((await shop.api.get(`/v1/customers/count?${query}`)).data.count, data.length)
    return data.map(({ name }: any) => name)
  }
  assert.deepEqual(ana.tags, ['VIP', 'press'])
  assert.deepEqual(await named('vip'), ['Ana'])
  assert.deepEqual(await named('press, Wholesale'), ['Ana', 'Bo'])
  assert.deepEqual(await named('none'), [])
})

test('tags change as a whole, with one event; the same tags change nothing', async () => {
  const { api, events } = await world.newStore()
  const { id, updated_at } = dataOf(await api.post('/v1/customers', { name: 'Ana', tags: ['vip'] }), 201)
  await events()
  const path = `/v1/customers/${id}`
  assert.equal(dataOf(await api.patch(path, { tags: ['vip'] }), 200).updated_at, updated_at)
  assert.deepEqual(await events(), [])
  const { data, headers } = await api.patch(path, { tags: ['vip', 'press'] })
  assert.deepEqual(data.tags, ['vip', 'press'])
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['customer.updated'],
  )
  dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  assert.deepEqual((await api.get(path)).data.tags, ['vip'])
})

test('a tag of 500 characters, with a comma or blank, and the 51st are refused, each beside itself', async () => {
  const { api } = await world.newStore()
  const faults = async (tags: string[]) => {
    const { status, error } = await api.post('/v1/customers', { name: 'Ana', tags })
    assert.equal(status, 422)
    return error.details.map(({ field }: any) => field)
  }
  assert.deepEqual(await faults(['ok', 'x'.repeat(500), 'a,b', ' ']), ['tags.1', 'tags.2', 'tags.3'])
  assert.deepEqual(await faults(Array.from({ length: 51 }, (_, at) => `t${at}`)), ['tags'])
})

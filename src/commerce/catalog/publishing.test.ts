import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const hour = 3600

const inHours = (hours: number) => new Date(world.clock.now().getTime() + hours * hour * 1000).toISOString()
const publish = () => world.app.jobs.run('publish products')
const make = async ({ api }: TestStore, body: object = {}) =>
  dataOf(await api.post('/v1/products', { name: 'Mug', price: 10, product_status: 'draft', ...body }), 201)
const read = async ({ api }: TestStore, { id }: { id: string }) => (await api.get(`/v1/products/${id}`)).data
const eventsOf = async ({ events }: TestStore) =>
  (await events()).map(({ event, body }) => [event, body.product.product_status])
const timesOf = ({ product_status, publish_at, unpublish_at }: any) => [product_status, publish_at, unpublish_at]

/** What shoppers find. */
async function shownIn({ store }: TestStore): Promise<number[]> {
  const ask = (path: string) => fetch(`${world.url}${path}`)
  const list: any = await (await ask(`/storefront/${store.slug}/products`)).json()
  const page = await ask(`/s/${store.slug}/products/mug`)
  return [list.pagination.total, list.data.length, page.status]
}

test('a draft becomes active at its time, not before, for shoppers too, with its event and audit entry', async () => {
  const shop = await world.newStore()
  const collection = dataOf(await shop.api.post('/v1/collections', { name: 'Cups' }), 201)
  const mug = await make(shop, { publish_at: inHours(1) })
  await shop.api.post(`/v1/collections/${collection.id}/products`, { product_ids: [mug.id] })
  await shop.events()
  world.clock.advance(hour - 60)
  await publish()
  // Asked twice, the answer is kept.
  assert.deepEqual(
    [await shownIn(shop), await shownIn(shop)],
    [
      [0, 0, 404],
      [0, 0, 404],
    ],
  )
  assert.deepEqual(await eventsOf(shop), [])
  world.clock.advance(60)
  await publish()
  assert.deepEqual(await shownIn(shop), [1, 1, 200])
  assert.deepEqual(timesOf(await read(shop, mug)), ['active', null, null])
  assert.deepEqual(await eventsOf(shop), [['product.updated', 'active']])
  const { data }: any = await (await fetch(`${world.url}/storefront/${shop.store.slug}/collections/cups`)).json()
  assert.equal(data.products_count, 1)
  const [entry] = (await shop.api.get('/v1/audit')).data
  assert.deepEqual([entry.operation, entry.changes[0].after.product_status], ['publish products', 'active'])
})

test('an active product becomes a draft at its end; one whose both times have passed has ended', async () => {
  const shop = await world.newStore()
  const first = await make(shop, { product_status: 'active', unpublish_at: inHours(2) })
  const second = await make(shop, { name: 'Cup', publish_at: inHours(1), unpublish_at: inHours(2) })
  await shop.events()
  world.clock.advance(2 * hour)
  await publish()
  for (const one of [first, second]) assert.deepEqual(timesOf(await read(shop, one)), ['draft', null, null])
  assert.deepEqual(await eventsOf(shop), [
    ['product.updated', 'active'],
    ['product.updated', 'draft'],
    ['product.updated', 'draft'],
  ])
  assert.equal((await shop.api.get('/v1/products?status=draft')).body.pagination.total, 2)
})

test('times that are over, in the wrong order or without use are refused beside each other', async () => {
  const shop = await world.newStore()
  const refusals = async (body: object) => {
    const { status, error } = await shop.api.post('/v1/products', { name: 'Mug', price: 10, ...body })
    return [status, ...error.details.map(({ field, message }: any) => `${field} ${message}`)]
  }
  assert.deepEqual(await refusals({ product_status: 'draft', publish_at: inHours(0), unpublish_at: inHours(-1) }), [
    422,
    'publish_at must be in the future',
    'unpublish_at applies only to products that are active or have a publish_at',
  ])
  assert.deepEqual(await refusals({ publish_at: inHours(1), unpublish_at: inHours(-1) }), [
    422,
    'publish_at applies only to drafts: set product_status to draft',
    'unpublish_at must be in the future',
  ])
  const later = inHours(2)
  assert.deepEqual(await refusals({ product_status: 'draft', publish_at: later, unpublish_at: later }), [
    422,
    'unpublish_at must be after publish_at',
  ])
})

test('a change of status by hand ends the times that no longer apply, in bulk too', async () => {
  const shop = await world.newStore()
  const times = { publish_at: inHours(1), unpublish_at: inHours(2) }
  const [first, second, third] = [await make(shop, times), await make(shop, times), await make(shop, times)]
  await shop.api.patch(`/v1/products/${first.id}`, { product_status: 'active' })
  assert.deepEqual(timesOf(await read(shop, first)), ['active', null, times.unpublish_at])
  await shop.api.patch(`/v1/products/${first.id}`, { product_status: 'archived' })
  assert.deepEqual(timesOf(await read(shop, first)), ['archived', null, null])
  const products = [
    { id: second.id, product_status: 'active' },
    { id: third.id, product_status: 'draft', price: 11 },
  ]
  dataOf(await shop.api.post('/v1/products/batch', { products }), 200)
  assert.deepEqual(timesOf(await read(shop, second)), ['active', null, times.unpublish_at])
  assert.deepEqual(timesOf(await read(shop, third)), ['draft', times.publish_at, times.unpublish_at])
})

test('undoing a change does not bring back a time that has passed', async () => {
  const shop = await world.newStore()
  const mug = await make(shop, { publish_at: inHours(1) })
  await shop.api.patch(`/v1/products/${mug.id}`, { publish_at: null, price: 12 })
  const [{ request_id }] = (await shop.api.get('/v1/audit')).data
  world.clock.advance(2 * hour)
  assert.equal((await shop.api.post(`/v1/changes/${request_id}/revert`, {})).status, 200)
  const now = await read(shop, mug)
  assert.deepEqual([now.price, ...timesOf(now)], [10, 'draft', null, null])
})

test('scheduled drafts are listed and counted by themselves', async () => {
  const shop = await world.newStore()
  const mug = await make(shop, { publish_at: inHours(1) })
  await make(shop)
  const { body } = await shop.api.get('/v1/products?status=scheduled')
  assert.deepEqual([body.data.map(({ id }: { id: string }) => id), body.pagination.total], [[mug.id], 1])
  assert.equal((await shop.api.get('/v1/products?status=draft')).body.pagination.total, 2)
})

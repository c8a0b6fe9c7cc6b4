// Tags and archiving of orders, and lists that are narrowed by them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()

const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
const place = async ({ api }: Pick<TestStore, 'api'>, body: object = {}) =>
  dataOf(await api.post('/v1/orders', { items, ...body }), 201)

/** The numbers of the orders of a list, which its total and its count agree with. */
async function numbersOf({ api }: TestStore, query: string): Promise<number[]> {
  const { data, body } = await api.get(`/v1/orders?sort=order_number&order=asc&${query}`)
  const { data: counted } = await api.get(`/v1/orders/count?${query}`)
  assert.deepEqual([body.pagination.total, counted.count], [data.length, data.length], query)
  return data.map(({ order_number }: any) => order_number)
}

test('lists are narrowed to orders with any of the tags, whatever the case', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  await place(shop, { tags: ['VIP', 'Gift'] })
  const second = await place(shop)
  assert.deepEqual(second.tags, [])
  await place(other, { tags: ['gift'] })
  const { data } = await shop.api.patch(`/v1/orders/${second.id}`, { tags: ['gift'] })
  assert.deepEqual(data.tags, ['gift'])
  assert.deepEqual(await numbersOf(shop, 'tag=GIFT'), [1001, 1002])
  assert.deepEqual(await numbersOf(shop, 'tag=vip,none'), [1001])
  assert.deepEqual(await numbersOf(shop, 'tag=none'), [])
})

test('a tag of 500 characters is a fault of the field, on a new order and on an old one', async () => {
  const shop = await world.newStore()
  const { id } = await place(shop)
  const tags = ['ok', 'x'.repeat(500)]
  for (const { status, error } of [
    await shop.api.post('/v1/orders', { items, tags }),
    await shop.api.patch(`/v1/orders/${id}`, { tags }),
  ]) {
    assert.equal(status, 422)
    assert.deepEqual(error.details, [{ field: 'tags.1', message: 'must be at most 255 characters long' }])
  }
})

test('an archived order stays in every list of the API that does not leave it out', async () => {
  const shop = await world.newStore()
  const { id, is_archived, archived_at } = await place(shop)
  assert.deepEqual([is_archived, archived_at], [false, null])
  await place(shop)
  const imported = await place(shop, { is_archived: true })
  assert.ok(imported.archived_at)
  await shop.events()
  world.clock.advance(1)
  const { data: archived } = await shop.api.patch(`/v1/orders/${id}`, { is_archived: true })
  assert.equal(archived.archived_at, archived.updated_at)
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order]),
    [['order.updated', { id }]],
  )
  assert.deepEqual(await numbersOf(shop, ''), [1001, 1002, 1003])
  assert.deepEqual(await numbersOf(shop, 'is_archived=false'), [1002])
  assert.deepEqual(await numbersOf(shop, 'is_archived=true'), [1001, 1003])
  assert.deepEqual(await numbersOf(shop, 'is_archived=true&needs_fulfillment=true'), [1001, 1003])
  const { data: again } = await shop.api.patch(`/v1/orders/${id}`, { is_archived: true })
  assert.deepEqual([again.archived_at, (await shop.events()).length], [archived.archived_at, 0])
  const { data: back } = await shop.api.patch(`/v1/orders/${id}`, { is_archived: false })
  assert.equal(back.archived_at, null)
  assert.deepEqual(await numbersOf(shop, 'is_archived=false'), [1001, 1002])
})

test('an order is to be paid while it is open and its payment is pending or failed', async () => {
  const shop = await world.newStore()
  const { id } = await place(shop)
  await place(shop, { payment_status: 'paid' })
  const failed = await place(shop)
  await shop.api.patch(`/v1/orders/${failed.id}`, { payment_status: 'failed' })
  assert.deepEqual(await numbersOf(shop, 'needs_payment=true'), [1001, 1003])
  assert.deepEqual(await numbersOf(shop, 'needs_payment=false'), [1002])
  await shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled' })
  assert.deepEqual(await numbersOf(shop, 'needs_payment=true'), [1003])
})

test('tags and archiving are undone; what else an order has moved is not', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const { id } = await place(shop, { tags: ['a', 'b'] })
  const change = async (body: object, requestId: string) => {
    world.clock.advance(1)
    return dataOf(await api.patch(`/v1/orders/${id}`, body, { headers: { 'x-request-id': requestId } }), 200)
  }
  const undo = (requestId: string) => api.post(`/v1/changes/${requestId}/revert`, {})
  const first = await change({ tags: ['c'], is_archived: true }, 'order-1')
  assert.equal((await undo('order-1')).status, 200)
  const { data: after } = await api.get(`/v1/orders/${id}`)
  assert.deepEqual([after.tags, after.is_archived, after.archived_at], [['a', 'b'], false, null])
  await change({ is_archived: true }, 'order-2')
  await change({ is_archived: false }, 'order-3')
  assert.equal((await undo('order-3')).status, 200)
  const { data: again } = await api.get(`/v1/orders/${id}`)
  assert.equal(again.is_archived, true)
  assert.ok(again.archived_at > first.archived_at)
  assert.deepEqual(await numbersOf(shop, 'is_archived=true'), [1001])
  await change({ status: 'confirmed' }, 'order-4')
  const refused = await undo('order-4')
  assert.equal(refused.status, 409)
  assert.deepEqual(
    refused.error.details.obstacles.map(({ field, reason }: any) => [field, reason]),
    [['status', 'refused']],
  )
  await change({ payment_status: 'paid' }, 'order-5')
  assert.equal((await undo('order-5')).status, 409)
})

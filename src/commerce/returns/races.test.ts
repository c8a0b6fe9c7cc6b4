// Returns beside each other, refunds and fulfillments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

async function shipped(shop: Shop, count: number) {
  const mug = await shop.product({ stock_quantity: count })
  const order = await shop.order([sold(mug, count)], { payment_status: 'paid', payment_method: 'cash' })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  return { mug, order, item: order.items[0] }
}

test('of requests at once, no more units are taken than were shipped', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < 3; round++) {
    const { order, item } = await shipped(shop, 5)
    const items = [{ item_id: item.id, quantity: 2, reason: 'other' }]
    const ask = () => shop.api.post(`/v1/orders/${order.id}/returns`, { items, status: 'requested' })
    const answers = await Promise.all(Array.from({ length: 6 }, ask))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 2)
    assert.deepEqual(made.map(({ data }) => data.number).sort(), [1, 2])
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(faultsOf(answer), { 'items.0.quantity': 'exceeds the units that can still be returned (1)' })
    }
  }
})

test('a return that is received several times at once is restocked once, and likewise refunded once', async () => {
  const shop = await newShop(world)
  const { mug, order, item } = await shipped(shop, 3)
  const items = [{ item_id: item.id, quantity: 2, reason: 'other' }]
  const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
  const twice = async (what: string) => {
    const ask = () => shop.api.post(`/v1/returns/${made.id}/${what}`, {})
    const answers = await Promise.all([ask(), ask(), ask()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422], what)
  }
  await twice('receive')
  assert.equal(await shop.stockOf(mug), 2)
  await twice('refund')
  const { data } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.deepEqual([data.refunded_amount, data.items[0].returned_quantity], [20, 2])
  await assertSums(world, shop)
})

test('the refund of a return and one of the whole order at once: never more than was paid', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < 4; round++) {
    const { order, item } = await shipped(shop, 2)
    const items = [{ item_id: item.id, quantity: 1, reason: 'other' }]
    const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
    dataOf(await shop.api.post(`/v1/returns/${made.id}/receive`, {}), 200)
    const answers = await Promise.all([
      shop.api.post(`/v1/returns/${made.id}/refund`, {}),
      shop.api.post(`/v1/orders/${order.id}/refunds`, {}),
    ])
    for (const { status } of answers) assert.ok([200, 201, 422].includes(status), String(status))
    const { data } = await shop.api.get(`/v1/orders/${order.id}`)
    assert.deepEqual([data.refunded_amount, data.payment_status], [20, 'refunded'])
  }
  await assertSums(world, shop)
})

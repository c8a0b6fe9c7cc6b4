// Payments of many orders that are captured at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/deliveries.ts'
import { fakeProvider, payingShop } from '../../../test/payments.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld()
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

/** An order of 20 with an authorized payment. */
async function heldOrder(shop: Shop) {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment, { status: 'authorized', authorized: 20, captured: 0 })
  const { data } = await shop.shopper.complete(token)
  return { id: data.order.id as string, payment }
}

type Order = Awaited<ReturnType<typeof heldOrder>>

const captureAll = ({ api }: Shop, orders: Pick<Order, 'id'>[], headers: Record<string, string> = {}) =>
  api.post('/v1/captures/batch', { orders: orders.map(({ id }) => ({ id })) }, { headers })

const answered = ({ store }: Shop) =>
  until(async () => {
    const asked = await world.app.db.rows(sql`
      select from payment_sessions
      where store_id = ${store.id}
        and asked_id is not null`)
    return asked.length === 0
  })

async function orderOf({ api }: Shop, { id }: Pick<Order, 'id'>) {
  const { payment_status, captured_amount, status } = (await api.get(`/v1/orders/${id}`)).data
  return [payment_status, captured_amount, status]
}

test('each order is captured up to its total; one without an authorization holds up no other', async () => {
  const shop = await payingShop(world)
  const held = [await heldOrder(shop), await heldOrder(shop)]
  const partly = await heldOrder(shop)
  await shop.api.post(`/v1/orders/${partly.id}/capture`, { amount: 12 })
  await answered(shop)
  const { data: free } = await shop.api.post('/v1/orders', {
    items: [{ product_name: 'Card', unit_price: 1, quantity: 1 }],
  })
  await shop.events()
  const { status, data } = await captureAll(shop, [...held, partly, free])
  assert.deepEqual([status, data.done, data.failed], [200, 3, 1])
  assert.deepEqual(data.orders[3].error, {
    field: 'amount',
    code: 'nothing_held',
    message: 'cannot be captured: no authorized payment',
  })
  await answered(shop)
  for (const one of [...held, partly]) assert.deepEqual(await orderOf(shop, one), ['paid', 20, 'pending'])
  assert.deepEqual(
    [...held, partly].map(({ payment }) => payment.captured),
    [20, 20, 20],
  )
  assert.equal((await captureAll(shop, held)).data.failed, 2)
  await assertSums(world, shop)
})

test('of ten batches at once one takes the money, once', async () => {
  const shop = await payingShop(world)
  const held = [await heldOrder(shop), await heldOrder(shop), await heldOrder(shop)]
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => captureAll(shop, index % 2 === 0 ? held : held.toReversed())),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(
    answers.reduce((sum, { data }) => sum + data.done, 0),
    3,
  )
  await answered(shop)
  for (const { payment } of held) assert.deepEqual([payment.captured, payment.keys.length], [20, 1])
  await assertSums(world, shop)
})

test('a dry run names the requests that it would make, and makes none', async () => {
  const shop = await payingShop(world)
  const held = [await heldOrder(shop), await heldOrder(shop)]
  const { body } = await captureAll(shop, held, { prefer: 'dry-run' })
  assert.equal(body.data.done, 2)
  assert.deepEqual(
    body.rehearsal.provider_requests.map(({ asks }: any) => asks),
    ['capture', 'capture'],
  )
  assert.deepEqual(await orderOf(shop, held[0]!), ['pending', 0, 'pending'])
})

test('orders that were sent first complete with the capture, if the store wants this', async () => {
  const shop = await payingShop(world)
  await shop.api.patch('/v1/store', { auto_complete_orders: true })
  const [sent, unsent] = [await heldOrder(shop), await heldOrder(shop)]
  await shop.api.post(`/v1/orders/${sent.id}/fulfillments`, {})
  await captureAll(shop, [sent, unsent])
  await answered(shop)
  assert.deepEqual(await orderOf(shop, sent), ['paid', 20, 'completed'])
  assert.deepEqual(await orderOf(shop, unsent), ['paid', 20, 'pending'])
  await shop.api.post('/v1/fulfillments/batch', { orders: [{ id: unsent.id }] })
  assert.deepEqual(await orderOf(shop, unsent), ['paid', 20, 'completed'])
})

// Exchanges: an order of its own replaces what was returned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const paid = { payment_status: 'paid', payment_method: 'cash' }

/** A received return of one shirt of 20.00. */
async function received(shop: Shop, body: object = {}) {
  const shirt = await shop.product({ name: 'Shirt', price: 20 })
  const order = await shop.order([sold(shirt, 2)], { ...paid, customer_email: 'eva@example.com', ...body })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'does_not_fit' }]
  const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
  dataOf(await shop.api.post(`/v1/returns/${made.id}/receive`, {}), 200)
  await shop.events()
  return { shirt, order, made }
}

const exchange = ({ api }: Shop, { id }: any, body: object) => api.post(`/v1/returns/${id}/exchange`, body)
const orderOf = async ({ api }: Shop, id: string) => dataOf(await api.get(`/v1/orders/${id}`), 200)

test('for the same price, the new order is paid, and stock follows', async () => {
  const shop = await newShop(world)
  const { shirt, order, made } = await received(shop)
  const other = await shop.product({ name: 'Shirt XL', price: 20 })
  const after = dataOf(await exchange(shop, made, { items: [sold(other)] }), 200)
  assert.deepEqual([after.status, after.refund_id], ['closed', null])
  const replacement = await orderOf(shop, after.exchange_order_id)
  const { subtotal, discount_amount, total, payment_status, status, customer_email, customer_id } = replacement
  assert.deepEqual([subtotal, discount_amount, total, payment_status, status], [20, 20, 0, 'paid', 'confirmed'])
  assert.deepEqual([customer_email, customer_id], ['eva@example.com', order.customer_id])
  assert.deepEqual([await shop.stockOf(shirt), await shop.stockOf(other)], [4, 4])
  assert.equal((await orderOf(shop, order.id)).refunded_amount, 0)
  const events = (await shop.events()).map(({ event }: any) => event)
  assert.deepEqual(events, ['order.created', 'return.exchanged'])
  // The exchanged unit does not come back a second time.
  const { items } = dataOf(await shop.api.get(`/v1/orders/${order.id}/returnable`), 200)
  assert.deepEqual(items, [{ item_id: order.items[0].id, quantity: 1, parts: null }])
  await assertSums(world, shop)
})

test('for a higher price, the difference is due on the new order', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.patch('/v1/store', { tax_rate: 10 }), 200)
  const { made } = await received(shop)
  const dearer = await shop.product({ name: 'Coat', price: 50 })
  const { exchange_order_id } = dataOf(await exchange(shop, made, { items: [sold(dearer)], shipping_cost: 4 }), 200)
  const { total, amount_due, payment_status, tax_amount } = await orderOf(shop, exchange_order_id)
  assert.deepEqual([total, amount_due, payment_status, tax_amount], [37, 37, 'pending', 3])
  const link = await shop.api.post(`/v1/orders/${exchange_order_id}/payment-link`, { send: false })
  assert.equal(dataOf(link, 200).amount, 37)
  await assertSums(world, shop)
})

test('for a lower price, the difference is refunded with its tax, unless it is kept', async () => {
  for (const refund of [true, false]) {
    const shop = await newShop(world)
    dataOf(await shop.api.patch('/v1/store', { tax_rate: 10 }), 200)
    const { order, made } = await received(shop)
    const cheaper = await shop.product({ name: 'Cap', price: 5 })
    const after = dataOf(await exchange(shop, made, { items: [sold(cheaper)], refund }), 200)
    const { total, payment_status } = await orderOf(shop, after.exchange_order_id)
    assert.deepEqual([total, payment_status], [0, 'paid'])
    // 22.00 was paid for the shirt, of which a quarter is used.
    assert.equal((await orderOf(shop, order.id)).refunded_amount, refund ? 16.5 : 0)
    assert.equal(after.refund_id !== null, refund)
    await assertSums(world, shop)
  }
})

test('what was refunded already is no credit', async () => {
  const shop = await newShop(world)
  const { order, made } = await received(shop)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 35 }), 201)
  const other = await shop.product({ price: 20 })
  const { exchange_order_id } = dataOf(await exchange(shop, made, { items: [sold(other)] }), 200)
  assert.equal((await orderOf(shop, exchange_order_id)).amount_due, 15)
  await assertSums(world, shop)
})

test('only a received return is exchanged, for items that are there', async () => {
  const shop = await newShop(world)
  const { made } = await received(shop)
  const rare = await shop.product({ stock_quantity: 1 })
  assert.deepEqual(faultsOf(await exchange(shop, made, { items: [sold(rare, 2)] })), {
    'items.0.quantity': 'exceeds the quantity left (1)',
  })
  assert.deepEqual(faultsOf(await exchange(shop, made, {})), { items: 'is required' })
  dataOf(await exchange(shop, made, { items: [sold(rare)] }), 200)
  assert.deepEqual(faultsOf(await exchange(shop, made, { items: [sold(rare)] })), {
    status: 'cannot be exchanged: the return is closed',
  })
})

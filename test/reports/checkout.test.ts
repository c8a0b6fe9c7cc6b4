import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, setUp, shopperOf } from '../checkouts.ts'
import { dataOf, newShop, sold } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

async function cart() {
  const shop = await setUp(await newShop(world))
  const mug = await shop.product({ price: 10 })
  const shopper = shopperOf(world, shop)
  const body = { items: [sold(mug, 2)], ...buyer(), payment_method: 'cod', shipping_method: 'standard' }
  return { ...shop, mug, shopper, checkout: dataOf(await shopper.begin(body), 201) }
}

// spree/spree#11801, solidusio/solidus#6206, swipestripe/silverstripe-swipestripe#102
test('a cart has the price of now, not the one it began with', async () => {
  const { api, mug, shopper, checkout } = await cart()
  await api.patch(`/v1/products/${mug.id}`, { price: 15 })
  assert.deepEqual([checkout.total, (await shopper.read(checkout.token)).data.total], [20, 30])
})

// shopware/shopware#1741
test('an order is not placed for another total than the shopper agreed to', async () => {
  const { api, mug, shopper, checkout } = await cart()
  await api.patch(`/v1/products/${mug.id}`, { price: 15 })
  const { status } = await shopper.complete(checkout.token, { total: 20 })
  assert.deepEqual([status, (await api.get('/v1/orders')).data.length], [422, 0])
})

// mrvautin/expressCart#168
test('a checkout that is completed twice at once is one order', async () => {
  const { api, shopper, checkout } = await cart()
  const answers = await Promise.all([shopper.complete(checkout.token), shopper.complete(checkout.token)])
  assert.equal(new Set(answers.map(({ data }) => data?.order?.id).filter(Boolean)).size, 1)
  assert.equal((await api.get('/v1/orders')).data.length, 1)
})

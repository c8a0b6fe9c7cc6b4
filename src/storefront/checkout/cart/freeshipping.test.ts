// A free-shipping code of a checkout applies, and is used up, only where it makes the chosen rate free.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function shopWithRates() {
  const shop = await world.newStore()
  for (const rate of [
    { code: 'standard', price: 5, free_from: 100 },
    { code: 'express', price: 15, free_by_code: false },
    { code: 'slow', name: 'Slow', price: 0 },
  ]) {
    dataOf(await shop.api.post('/v1/store/shipping-rates', rate), 201)
  }
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const combines_with = ['order', 'product']
  const own = { code: 'SX', type: 'free_shipping', value: 0, max_uses: 5, combines_with }
  const { id } = dataOf(await shop.api.post('/v1/discounts', own), 201)
  const uses = async () => (await shop.api.get(`/v1/discounts/${id}`)).data.current_uses
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  return { shop, shopper: shopperOf(world, shop), items, uses, path: `/v1/discounts/${id}` }
}

const effectOf = ({ discounts, shipping }: any) =>
  [shipping, ...discounts.map((one: any) => [one.code, one.applied, one.free_shipping, one.reason])].flat()
const pricesOf = ({ shipping_costs }: any) =>
  Object.fromEntries(shipping_costs.map(({ code, price }: any) => [code, price]))

test('a code that frees nothing stays with its reason, and keeps its use', async () => {
  const { shop, shopper, items, uses } = await shopWithRates()
  const begun = dataOf(await shopper.begin({ items, ...buyer(), discount_codes: ['sx'] }), 201)
  // It applies until a rate is chosen.
  assert.deepEqual(effectOf(begun), [0, 'SX', true, true, null])
  const change = async (body: object) => (await shopper.change(begun.token, body)).data
  const idle = ['SX', false, true, 'saves_nothing']
  const express = await change({ shipping_method: 'express' })
  assert.deepEqual(effectOf(express), [15, ...idle])
  assert.deepEqual([express.discount_code, express.discount_codes, express.changes], ['SX', ['SX'], []])
  // The other rates are shown as they would be with the code.
  assert.deepEqual(pricesOf(express), { standard: 0, express: 15, slow: 0 })
  assert.deepEqual(effectOf(await change({ shipping_method: 'slow' })), [0, ...idle])
  assert.deepEqual(effectOf(await change({ shipping_method: 'standard' })), [0, 'SX', true, true, null])
  const many = items.map((item) => ({ ...item, quantity: 5 }))
  assert.deepEqual(effectOf(await change({ items: many })), [0, ...idle])
  await change({ items, shipping_method: 'express' })
  const { order } = dataOf(await shopper.complete(begun.token, { payment_method: 'cod' }), 201)
  const { data } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.deepEqual(
    [data.discount_code, data.discounts, data.free_shipping, data.shipping_cost, await uses()],
    [null, [], false, 15, 0],
  )
})

test('with others, the code is left out alone; where it frees the shipping, it is used', async () => {
  const { shop, shopper, items, uses } = await shopWithRates()
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10, combines_with: ['shipping'] })
  const body = { items, ...buyer(), discount_codes: ['SX', 'TEN'], payment_method: 'cod' }
  for (const [shipping_method, code, codes, cost] of [
    ['express', 'TEN', ['TEN'], 15],
    ['standard', 'SX', ['TEN', 'SX'], 0],
  ]) {
    const { token } = dataOf(await shopper.begin({ ...body, shipping_method }), 201)
    const { order } = dataOf(await shopper.complete(token), 201)
    const { data } = await shop.api.get(`/v1/orders/${order.id}`)
    const applied = data.discounts.map((one: any) => one.code)
    assert.deepEqual([data.discount_code, applied, data.shipping_cost], [code, codes, cost])
  }
  assert.equal(await uses(), 1)
})

test('an automatic one that frees nothing is not used either', async () => {
  const { shop, shopper, items, uses, path } = await shopWithRates()
  dataOf(await shop.api.patch(path, { is_automatic: true }), 200)
  for (const [shipping_method, count] of [
    ['express', 0],
    ['standard', 1],
  ] as const) {
    const { token, ...cart } = dataOf(await shopper.begin({ items, ...buyer(), shipping_method }), 201)
    assert.equal(cart.discounts.length, count)
    dataOf(await shopper.complete(token, { payment_method: 'cod' }), 201)
    assert.equal(await uses(), count)
  }
})

test('nothing is freed where nothing is shipped', async () => {
  const { shop, shopper, uses } = await shopWithRates()
  const { id } = await productOf(shop, { requires_shipping: false })
  const items = [{ product_id: id, quantity: 1 }]
  const body = { items, ...buyer(), discount_code: 'SX', payment_method: 'cod' }
  const { token, ...cart } = dataOf(await shopper.begin(body), 201)
  assert.deepEqual([cart.shipping_method ?? 'digital', ...effectOf(cart)].slice(0, 3), ['digital', 0, 'SX'])
  assert.equal(cart.discounts[0].reason, 'saves_nothing')
  dataOf(await shopper.complete(token), 201)
  assert.equal(await uses(), 0)
})

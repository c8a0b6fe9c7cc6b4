import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

test('a code with which the cart would cost more does not take the place of the better one', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6, country_codes: ['MX'] })
  await shop.api.post('/v1/discounts', { code: 'SHIPFREE', type: 'free_shipping', value: 0 })
  await shop.api.post('/v1/discounts', { code: 'TENTH', type: 'percentage', value: 10 })
  await shop.api.post('/v1/discounts', { code: 'SIX', type: 'fixed_amount', value: 6 })
  const product = await productOf(shop, { price: 20 })
  const items = [{ product_id: product.id, quantity: 1 }]
  const begun = { items, ...buyer(), shipping_method: 'standard', discount_code: 'SHIPFREE' }
  const first = await shopper.begin(begun)
  const { token, total } = dataOf(first, 201)
  assert.equal(total, 20)
  const less = 'discount_code: saves less than SHIPFREE, which is applied; remove that code first to use this one'
  assert.deepEqual(faultsOf(await shopper.change(token, { discount_code: 'tenth' })), [less])
  const kept = (await shopper.change(token, { customer_notes: 'Ring twice' })).data
  assert.deepEqual([kept.discount_code, kept.total], ['SHIPFREE', 20])
  // An equal one is taken, and on a larger cart the tenth is worth more.
  const equal = (await shopper.change(token, { discount_code: 'SIX' })).data
  assert.deepEqual([equal.discount_code, equal.total], ['SIX', 20])
  const larger = { items: [{ product_id: product.id, quantity: 4 }], discount_code: 'TENTH' }
  const better = (await shopper.change(token, larger)).data
  assert.deepEqual([better.discount_code, better.total], ['TENTH', 78])
  // Who removes the better code can use any.
  assert.equal((await shopper.change(token, { items, discount_code: null })).data.total, 26)
  assert.equal((await shopper.change(token, { discount_code: 'TENTH' })).data.total, 24)
})

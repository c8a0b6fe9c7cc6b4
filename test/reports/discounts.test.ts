import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, setUp, shopperOf } from '../checkouts.ts'
import { dataOf, newShop, sold } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

async function shopWith(discount: object, options?: Parameters<typeof newShop>[1]) {
  const shop = await setUp(await newShop(world, options))
  return { ...shop, discount: dataOf(await shop.api.post('/v1/discounts', { code: 'SAVE', ...discount }), 201) }
}

const code = { discount_code: 'SAVE' }

// Sylius/Sylius#6247, inklabs/kommerce-core#84
test('no discount takes more than all, and none adds to the price', async () => {
  const { api } = await newShop(world)
  for (const value of [100.01, 200, 0, -5]) {
    const { status, error } = await api.post('/v1/discounts', { code: 'A', type: 'percentage', value })
    assert.deepEqual([status, error.details[0].field], [422, 'value'], String(value))
  }
})

// awesomemotive/easy-digital-downloads#218, OFFLINE-GmbH/oc-mall-plugin#383
test('a fixed discount larger than the goods leaves what shipping costs to be paid', async () => {
  const { product, order } = await shopWith({ type: 'fixed_amount', value: 7000 })
  const placed = await order(await product({ price: 60 }), { ...code, shipping_cost: 5, tax_amount: 0 })
  assert.deepEqual([placed.discount_amount, placed.total], [60, 5])
})

// PrestaShop/PrestaShop#29493, nopSolutions/nopCommerce#6487
test('a code for one use is used by one of two shoppers who have it in their carts', async () => {
  const shop = await shopWith({ type: 'percentage', value: 50, max_uses: 1 })
  const items = [sold(await shop.product())]
  const carts = []
  for (const email of ['ana@example.com', 'ben@example.com']) {
    const shopper = shopperOf(world, shop)
    const { token } = dataOf(await shopper.begin({ items, ...buyer(email), ...code, payment_method: 'cod' }), 201)
    carts.push(() => shopper.complete(token))
  }
  await Promise.all(carts.map((complete) => complete()))
  const { data } = await shop.api.get('/v1/orders')
  const reduced = data.filter(({ discount_amount }: any) => discount_amount > 0)
  assert.equal(reduced.length, 1)
  assert.equal((await shop.api.get(`/v1/discounts/${shop.discount.id}`)).data.current_uses, 1)
})

// woocommerce/woocommerce#22564
test('a code once for each customer is refused to a guest who writes the email in capitals', async () => {
  const { api, product, order } = await shopWith({ type: 'percentage', value: 50, once_per_customer: true })
  const mug = await product()
  await order(mug, { ...code, customer_name: 'Ana', customer_email: 'ana@example.com' })
  const again = { items: [sold(mug)], ...code, customer_name: 'Ana', customer_email: 'ANA@example.com' }
  assert.equal((await api.post('/v1/orders', again)).status, 422)
})

// awesomemotive/easy-digital-downloads#9618, mitodl/mitxpro#991
test('a discount ends at its moment, not at the end or the beginning of its day', async () => {
  const { api, product } = await newShop(world)
  const mug = await product()
  const expires_at = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  dataOf(await api.post('/v1/discounts', { code: 'SAVE', type: 'percentage', value: 10, expires_at }), 201)
  const buy = async () => (await api.post('/v1/orders', { items: [sold(mug)], ...code })).status
  world.clock.advance(3599)
  assert.equal(await buy(), 201)
  world.clock.advance(1)
  assert.equal(await buy(), 422)
})

// solidusio/solidus#1957, magento/magento2-jp#34
test('a percentage of yen is whole yen, rounded half up', async () => {
  const { product, order } = await shopWith({ type: 'percentage', value: 10 }, { currency: 'JPY' })
  // 10 % of 1,235 are 123.5.
  const placed = await order(await product({ price: 1235 }), { ...code, tax_amount: 0, shipping_cost: 0 })
  assert.deepEqual([placed.discount_amount, placed.total], [124, 1111])
})

// woocommerce/woocommerce#17274, woocommerce/woocommerce#11232, magento/magento2#12682
test('a discount that brings the goods below the limit of free shipping ends it', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 8, free_from: 50 })
  await shop.api.post('/v1/discounts', { code: 'SAVE', type: 'fixed_amount', value: 10 })
  const cart = { items: [sold(await shop.product({ price: 53 }))], ...buyer(), shipping_method: 'standard' }
  const costs = async (more: object) => dataOf(await shopperOf(world, shop).begin({ ...cart, ...more }), 201)
  const [whole, reduced] = [await costs({}), await costs(code)]
  assert.deepEqual([whole.shipping, whole.total], [0, 53])
  assert.deepEqual([reduced.shipping, reduced.total], [8, 51])
})

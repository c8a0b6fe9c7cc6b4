// A store that is not set up says so: to the merchant what is missing, to shoppers that it takes no orders yet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../../../test/browser.ts'
import { buyer, faultsOf, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const readinessOf = async ({ api }: TestStore) => (await api.get('/v1/store/readiness')).data
const notReady = /This store isn’t taking orders yet\. Check back soon\./

test('GET /v1/store/readiness tells what the pages of a store lack to take orders', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const all = ['shipping_rates', 'payment_methods']
  assert.deepEqual(await readinessOf(shop), { is_ready: false, missing: all })
  assert.equal((await shopper.get()).data.is_ready, false)
  const { data: rate } = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  assert.deepEqual(await readinessOf(shop), { is_ready: false, missing: ['payment_methods'] })
  await shop.api.post('/v1/store/payment-methods', { code: 'cash' })
  assert.deepEqual(await readinessOf(shop), { is_ready: true, missing: [] })
  assert.equal((await shopper.get()).data.is_ready, true)
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 6, payment_methods: ['card'] })
  assert.deepEqual(await readinessOf(shop), { is_ready: true, missing: ['payment_methods_of_rates'] })
  await shop.api.patch(`/v1/store/shipping-rates/${rate.id}`, { is_active: false })
  assert.deepEqual(await readinessOf(shop), { is_ready: false, missing: ['payment_methods_of_rates'] })
})

test('a store whose only rate or method is switched off sells nothing by the usual ones', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { data: rate } = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  const { data: method } = await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const { data } = await shopper.begin({ items, ...buyer() })
  await shop.api.patch(`/v1/store/shipping-rates/${rate.id}`, { is_active: false })
  await shop.api.patch(`/v1/store/payment-methods/${method.id}`, { is_active: false })
  const refused = ['shipping_address.country_code: does not ship to this address', 'payment_method: is required']
  assert.deepEqual(faultsOf(await shopper.complete(data.token)), refused)
  const named = { shipping_method: 'standard', payment_method: 'cod' }
  assert.deepEqual(faultsOf(await shopper.complete(data.token, named)), [
    'shipping_method: is not available',
    'payment_method: is not available',
  ])
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
})

test('the pages of a store that is not set up say so before anything is typed, and take no order', async () => {
  const shop = await world.newStore()
  const product = await productOf(shop)
  const root = `${world.url}/s/${shop.store.slug}`
  const browser = openBrowser({ 'accept-language': 'en' })
  const page = await browser.visit(`${root}/products/${product.slug}`)
  assert.match(page.text, notReady)
  const add = (form: Record<string, string>) => new URLSearchParams(form)
  await browser.visit(`${root}/products/${product.slug}`, { method: 'POST', body: add({ quantity: '1' }) })
  const cart = await browser.go(`${root}/cart`)
  assert.match(cart.text, notReady)
  assert.doesNotMatch(cart.text, /value="checkout"/)
  const begun = await browser.visit(`${root}/cart`, { method: 'POST', body: add({ act: 'checkout' }) })
  assert.deepEqual([begun.status, begun.location], [303, `${root}/cart`])

  await shop.api.post('/v1/store/shipping-rates', { code: 'digital', price: 0 })
  const { data: method } = await shop.api.post('/v1/store/payment-methods', { code: 'card' })
  assert.doesNotMatch((await browser.go(`${root}/cart`)).text, notReady)
  await browser.visit(`${root}/cart`, { method: 'POST', body: add({ act: 'checkout' }) })
  const checkout = await browser.visit(`${root}/checkout`)
  assert.equal(checkout.status, 200)
  await shop.api.patch(`/v1/store/payment-methods/${method.id}`, { is_active: false })
  const gone = await browser.go(`${root}/checkout`)
  assert.match(gone.text, notReady)
})

test('a method that takes no money is had only where the store says so, and makes no store ready', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const product = await productOf(shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const test = { code: 'card', provider: 'test' }
  const refused = await shop.api.post('/v1/store/payment-methods', test)
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.error.details, [
    { field: 'provider', message: "requires the store's test_payments to be true" },
  ])
  assert.equal((await shop.api.patch('/v1/store', { test_payments: true })).data.test_payments, true)
  const { data: method } = await shop.api.post('/v1/store/payment-methods', test)
  assert.deepEqual(await readinessOf(shop), { is_ready: false, missing: ['payment_methods'] })
  assert.equal((await shopper.get()).data.is_ready, true, 'its pages can be tried out')
  const begin = async () => {
    const items = [{ product_id: product.id, quantity: 1 }]
    return (await shopper.begin({ items, ...buyer(), payment_method: 'card' })).data.token
  }
  assert.equal((await shopper.complete(await begin())).status, 201)

  const token = await begin()
  await shop.api.patch('/v1/store', { test_payments: false })
  assert.equal((await shopper.complete(token)).status, 422)
  assert.equal((await shopper.complete(token, {}, '?pay=ok')).status, 422)
  assert.equal((await shopper.get()).data.is_ready, false)
  const other = await shop.api.patch(`/v1/store/payment-methods/${method.id}`, {
    provider: 'test',
    settings: {},
    position: 5,
  })
  assert.equal(other.status, 422)
})

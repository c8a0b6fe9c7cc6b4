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

test('a store that ships nothing needs no shipping rate, until it sells something that is shipped', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const states = async () => [await readinessOf(shop), (await shopper.get()).data.is_ready]
  const sells = async (isShipped: boolean) =>
    assert.deepEqual(await states(), [
      { is_ready: !isShipped, missing: isShipped ? ['shipping_rates'] : [] },
      !isShipped,
    ])
  const patch = (id: string, fields: object) => shop.api.patch(`/v1/products/${id}`, fields)
  await shop.api.post('/v1/store/payment-methods', { code: 'card' })
  await sells(true) // As long as it has no products.
  const guide = await productOf(shop, { name: 'City guide', requires_shipping: false })
  await sells(false)
  const mug = await productOf(shop, { name: 'Mug' })
  await sells(true)
  await patch(mug.id, { product_status: 'draft' })
  await sells(false)
  const set = await productOf(shop, { name: 'Set', bundle_items: [{ product_id: guide.id }] })
  await sells(false)
  await patch(set.id, { bundle_items: [{ product_id: guide.id }, { product_id: mug.id }] })
  await sells(true)
  await patch(set.id, { product_status: 'archived' })
  await sells(false)
  const options = (shipped: (boolean | null)[]) =>
    shipped.map((requires_shipping, index) => ({
      option_values: [{ option_title: 'Format', value: `F${index}` }],
      requires_shipping,
    }))
  const isOfVariants = async (requires_shipping: boolean, shipped: (boolean | null)[]) =>
    productOf(shop, { name: 'Book', requires_shipping, variants: options(shipped) })
  const ebooks = await isOfVariants(true, [false, false])
  await sells(false)
  await patch(ebooks.id, { product_status: 'archived' })
  const prints = await isOfVariants(false, [null, true])
  await sells(true)
  await patch(prints.id, { product_status: 'archived' })
  await isOfVariants(true, [false, null])
  await sells(true)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  await sells(false)
})

test('without a shipping rate, the pages take orders of what is not shipped only', async () => {
  const shop = await world.newStore()
  const guide = await productOf(shop, { name: 'City guide', requires_shipping: false })
  const mug = await productOf(shop, { name: 'Mug' })
  const book = await productOf(shop, {
    name: 'Book',
    variants: [true, false].map((requires_shipping) => ({
      option_values: [{ option_title: 'Format', value: requires_shipping ? 'Print' : 'PDF' }],
      requires_shipping,
    })),
  })
  const root = `${world.url}/s/${shop.store.slug}`
  const browser = openBrowser({ 'accept-language': 'en' })
  const post = (path: string, form: Record<string, string>) =>
    browser.visit(`${root}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const says = async (path: string) => notReady.test((await browser.go(`${root}${path}`)).text)
  assert.equal(await says(`/products/${guide.slug}`), true, 'nobody can pay')
  await shop.api.post('/v1/store/payment-methods', { code: 'cash' })
  const pages = [guide, mug, book].map(({ slug }) => `/products/${slug}`)
  assert.deepEqual(await Promise.all(pages.map(says)), [false, true, false])

  await post(`/products/${guide.slug}`, { quantity: '1' })
  await post(`/products/${mug.slug}`, { quantity: '1' })
  assert.equal(await says('/cart'), true)
  assert.equal((await post('/cart', { act: 'checkout' })).location, `${root}/cart`)
  await post('/cart', { remove: '1' })
  const cart = await browser.go(`${root}/cart`)
  assert.doesNotMatch(cart.text, notReady)
  assert.match(cart.text, /value="checkout"/)
  assert.equal((await post('/cart', { act: 'checkout' })).location, `${root}/checkout`)
  const { text } = await browser.go(`${root}/checkout`)
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!
  const form = { checkout: hidden('checkout'), total: hidden('total'), shipping_method: 'digital' }
  const contact = { 'customer.name': 'Ana Torres', 'customer.email': 'ana@example.com', payment_method: 'cash' }

  await post(`/products/${mug.slug}`, { quantity: '1' })
  await post('/checkout', { ...form, ...contact, act: 'place' })
  assert.equal((await browser.visit(`${root}/checkout`)).location, `${root}/cart`)
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
  await post('/cart', { remove: '1' })
  const placed = await post('/checkout', { ...form, ...contact, act: 'place' })
  assert.match(placed.location!, /\/orders\//)
  const [order] = (await shop.api.get('/v1/orders')).data
  assert.deepEqual([order.shipping_method, order.total, order.shipping_address], ['digital', 20, null])
})

test('without a shipping rate, checkouts by API take what is not shipped', async () => {
  const shop = await world.newStore()
  const guide = await productOf(shop, { name: 'City guide', requires_shipping: false })
  await shop.api.post('/v1/store/payment-methods', { code: 'cash' })
  const shopper = shopperOf(world, shop)
  const { data } = await shopper.begin({ items: [{ product_id: guide.id, quantity: 1 }], customer: buyer().customer })
  assert.deepEqual(
    data.shipping_costs.map(({ code }: { code: string }) => code),
    ['digital'],
  )
  const done = await shopper.complete(data.token)
  assert.equal(done.status, 201, JSON.stringify(done.error))
  const [order] = (await shop.api.get('/v1/orders')).data
  assert.deepEqual([order.shipping_method, order.shipping_address], ['digital', null])
})

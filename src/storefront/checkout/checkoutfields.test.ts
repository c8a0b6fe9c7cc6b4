// Optional checkout fields follow one rule in API, page and storefront.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, faultsOf, home, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const usual = {
  phone: 'optional',
  company: 'hidden',
  address_2: 'hidden',
  postal_code: 'optional',
  province: 'optional',
  tax_id: 'hidden',
  marketing: 'hidden',
  marketing_text: null,
}

test('GET and PATCH /v1/store/checkout: what is not named stays, and the storefront tells it', async () => {
  const { api, withKey, store, events } = await world.newStore()
  const shopper = shopperOf(world, { store } as never)
  assert.deepEqual((await api.get('/v1/store/checkout')).data, usual)
  assert.deepEqual((await shopper.get()).data.checkout, usual)
  await api.patch('/v1/store/checkout', { phone: 'required' })
  const changed = await api.patch('/v1/store/checkout', { company: 'optional', nonsense: 'x' })
  assert.deepEqual(changed.data, { ...usual, phone: 'required', company: 'optional' })
  assert.deepEqual((await api.get('/v1/store/checkout')).data, changed.data)
  assert.deepEqual((await shopper.get()).data.checkout, changed.data)
  const refused = await api.patch('/v1/store/checkout', { phone: 'always' })
  assert.deepEqual(faultsOf(refused), ['phone: must be one of hidden, optional, required'])
  const reader = await withKey({ scopes: ['read:store'] })
  assert.equal((await reader.patch('/v1/store/checkout', { phone: 'hidden' })).status, 403)
  assert.deepEqual(await events(), [])
})

test('required fields are demanded when the order is placed, and not before', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const all = { phone: 'required', company: 'required', address_2: 'required', postal_code: 'required' }
  await shop.api.patch('/v1/store/checkout', { ...all, province: 'required' })
  const { address, city, country_code } = home
  const { id: product_id } = await productOf(shop)
  const begun = await shopper.begin({
    items: [{ product_id, quantity: 1 }],
    customer: { name: ana.name, email: ana.email },
    shipping_address: { address, city, country_code },
    shipping_method: 'standard',
    payment_method: 'cod',
  })
  assert.equal(begun.status, 201)
  const { token } = begun.data
  assert.deepEqual(faultsOf(await shopper.complete(token)), [
    'customer.phone: is required',
    'shipping_address.company: is required',
    'shipping_address.address_2: is required',
    'shipping_address.postal_code: is required',
    'shipping_address.province: is required',
  ])
  const rest = { company: 'Torres y Cía.', address_2: 'Piso 3', postal_code: '06600', province: 'CDMX' }
  const done = await shopper.complete(token, { customer: { phone: ana.phone }, shipping_address: rest })
  assert.equal(done.status, 201, JSON.stringify(done.error))
})

test('company and second line go with the address: checkout, order, events', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const { id: product_id } = await productOf(shop)
  const lines = { company: 'Torres y Cía.', address_2: 'Piso 3' }
  const { data: checkout } = await shopper.begin({
    items: [{ product_id, quantity: 1 }],
    customer: ana,
    shipping_address: { ...home, ...lines },
    shipping_method: 'standard',
  })
  const linesOf = ({ company, address_2 }: any) => ({ company, address_2 })
  assert.deepEqual(linesOf(checkout.shipping_address), lines)
  await shop.events()
  const { data } = await shopper.complete(checkout.token)
  const order = (await shop.api.get(`/v1/orders/${data.order.id}`)).data
  assert.deepEqual(linesOf(order.shipping_address), lines)
  const told = (await shop.events()).filter(
    ({ body }) => body.order?.shipping_address ?? body.checkout?.shipping_address,
  )
  assert.deepEqual(
    told.map(({ event, body }) => [event, linesOf((body.checkout ?? body.order).shipping_address)]).sort(),
    [
      ['checkout.completed', lines],
      ['order.created', lines],
    ],
  )
})

/** Standard is paid on delivery, pickup in the shop; a transfer is offered with all but pickup. */
async function shopWithPickup() {
  const shop = await world.newStore()
  const post = (path: string, body: object) => shop.api.post(`/v1/store/${path}`, body)
  await post('shipping-rates', { code: 'standard', price: 6, payment_methods: ['cod', 'bank_transfer'] })
  const pickup = { code: 'pickup', price: 0, payment_methods: ['cash'], pickup_address: 'Calle 60 no. 482' }
  assert.equal((await post('shipping-rates', pickup)).status, 201)
  for (const code of ['cod', 'bank_transfer', 'cash']) await post('payment-methods', { code, instructions: 'As usual' })
  return shop
}

test('a way to pay that a rate does not have is refused, and the only one that it has is chosen', async () => {
  const shop = await shopWithPickup()
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { data: facts } = await shopper.get()
  assert.deepEqual(
    facts.shipping_rates.map(({ payment_methods, pickup_address }: any) => [payment_methods, pickup_address]),
    [
      [['cod', 'bank_transfer'], null],
      [['cash'], 'Calle 60 no. 482'],
    ],
  )
  const wrong = { items, shipping_method: 'pickup', payment_method: 'cod' }
  assert.deepEqual(faultsOf(await shopper.begin(wrong)), ['payment_method: is not available with pickup'])
  const { data } = await shopper.begin({ items, customer: ana, shipping_method: 'standard', payment_method: 'cod' })
  const changed = await shopper.change(data.token, { shipping_method: 'pickup' })
  assert.deepEqual(
    changed.data.changes.map(({ field, message }: any) => `${field} ${message}`),
    ['payment_method is not available with pickup'],
  )
  assert.deepEqual(faultsOf(await shopper.complete(data.token)), ['payment_method: is not available with pickup'])
  const chosen = await shopper.change(data.token, { payment_method: null })
  assert.equal(chosen.data.payment_method, 'cash')
  const { data: done } = await shopper.complete(data.token)
  const order = (await shop.api.get(`/v1/orders/${done.order.id}`)).data
  assert.deepEqual([order.shipping_method, order.payment_method], ['pickup', 'cash'])
})

test('a code for free shipping makes express free only where the store means it to', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  const { data: express } = await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 15 })
  const items = [{ product_id: (await productOf(shop, { price: 20 })).id, quantity: 1 }]
  const body = { items, customer: ana, shipping_address: home, discount_code: 'SHIP', shipping_method: 'express' }
  const costsOf = ({ data }: any) => [data.total, ...data.shipping_costs.map(({ price }: any) => price)]
  const begun = await shopper.begin(body)
  assert.deepEqual(costsOf(begun), [35, 0, 15])
  await shop.events()
  const { data } = await shopper.complete(begun.data.token, { payment_method: 'cod' })
  const order = (await shop.api.get(`/v1/orders/${data.order.id}`)).data
  const { total, shipping_cost, free_shipping, discount_code } = order
  assert.deepEqual([total, shipping_cost, free_shipping, discount_code], [35, 15, false, null])
  await shop.api.patch(`/v1/store/shipping-rates/${express.id}`, { free_by_code: true })
  assert.deepEqual(costsOf(await shopper.begin(body)), [20, 0, 0])
})

test('a quantity tells how many are left only of a few', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const many = await productOf(shop, { stock: 26 })
  const few = await productOf(shop, { stock: 5 })
  const items = [many, few].map(({ id }) => ({ product_id: id, quantity: 500 }))
  assert.deepEqual(faultsOf(await shopper.begin({ items })), [
    'items.0.quantity: exceeds the quantity left',
    'items.1.quantity: exceeds the quantity left (5)',
  ])
  assert.deepEqual(faultsOf(await shop.api.post('/v1/orders', { items: items.slice(0, 1) })), [
    'items.0.quantity: exceeds the quantity left (26)',
  ])
})

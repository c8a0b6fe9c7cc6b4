// Discounts that apply by themselves, together, and once per customer, in orders and checkouts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { home, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()
const all = ['product', 'order', 'shipping']

async function shopWith(...discounts: object[]) {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const items = [{ product_id: product.id, quantity: 2 }]
  const made = []
  for (const one of discounts) {
    const body = { type: 'percentage', value: 10, is_automatic: true, ...one }
    made.push(dataOf(await shop.api.post('/v1/discounts', body), 201))
  }
  const uses = async () => {
    const { data } = await shop.api.get('/v1/discounts?status=all')
    return Object.fromEntries(data.map((one: any) => [one.code, one.current_uses]))
  }
  return { ...shop, product, items, made, uses }
}

const applied = ({ discounts }: any) => discounts.map(({ label, amount }: any) => `${label} ${amount}`)

test('an automatic discount is in the totals of the checkout, and in the order with its shares and uses', async () => {
  const shop = await shopWith({ code: 'SUMMER', title: 'Summer sale' })
  const shopper = shopperOf(world, shop)
  const customer = { name: 'Ana', email: 'ana@example.com' }
  const begun = dataOf(await shopper.begin({ items: shop.items, customer, shipping_address: home }), 201)
  assert.deepEqual(applied(begun), [`Summer sale ${begun.discount}`])
  assert.equal(begun.discount, begun.subtotal / 10)
  assert.equal(begun.discount_code, null)
  const { order } = dataOf(await shopper.complete(begun.token), 201)
  const whole = (await shop.api.get(`/v1/orders/${order.id}`)).data
  assert.deepEqual([whole.discount_amount, whole.discount_code], [begun.discount, 'SUMMER'])
  assert.deepEqual(whole.discounts, [
    { id: shop.made[0].id, code: 'SUMMER', label: 'Summer sale', is_automatic: true, amount: begun.discount },
  ])
  assert.deepEqual(
    whole.items[0].adjustments.map(({ label, amount, source_id }: any) => [label, amount, source_id]),
    [['Summer sale', -begun.discount, shop.made[0].id]],
  )
  assert.deepEqual(await shop.uses(), { SUMMER: 1 })
})

test('an order of the API gets it, unless its prices are by hand or the caller says', async () => {
  const { api, product, items } = await shopWith({ code: 'TEN' })
  const amount = async (body: object) => dataOf(await api.post('/v1/orders', { items, ...body }), 201).discount_amount
  const ten = product.price / 5
  const byHand = [{ ...items[0], unit_price: product.price }]
  assert.equal(await amount({}), ten)
  assert.equal(await amount({ items: byHand }), 0)
  assert.equal(await amount({ items: byHand, automatic_discounts: true }), ten)
  assert.equal(await amount({ automatic_discounts: false }), 0)
  assert.equal(await amount({ discount_amount: 1 }), 1)
  assert.equal(await amount({ discount_amount: 0 }), 0)
})

test('discounts that combine are both in the order, down to each item, and both uses are given back', async () => {
  const shop = await shopWith({ code: 'ORDER', combines_with: all }, { code: 'SHIP', type: 'free_shipping', value: 0 })
  const { api, product, items } = shop
  const half = { applicable_product_ids: [product.id], value: 50, is_automatic: false, combines_with: all }
  dataOf(await api.post('/v1/discounts', { code: 'HALF', type: 'percentage', ...half }), 201)
  const order = dataOf(await api.post('/v1/orders', { items, discount_code: 'half' }), 201)
  const { subtotal, discount_code, total } = order
  assert.deepEqual(applied(order), [`HALF ${subtotal / 2}`, `ORDER ${subtotal / 20}`])
  assert.deepEqual([discount_code, total], ['HALF', subtotal * 0.45])
  assert.deepEqual(
    order.items[0].adjustments.map(({ amount }: any) => amount),
    [-subtotal / 2, -subtotal / 20],
  )
  assert.deepEqual(await shop.uses(), { HALF: 1, ORDER: 1, SHIP: 0 })
  dataOf(await api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await shop.uses(), { HALF: 0, ORDER: 0, SHIP: 0 })
  for (const [code, count] of Object.entries({ half: 1, ORDER: 1, SHIP: 0 })) {
    assert.equal(dataOf(await api.get(`/v1/orders?discount_code=${code}`), 200).length, count, code)
  }
})

test('a weaker code is refused with a reason, and so is the code of an automatic discount', async () => {
  const { api, items } = await shopWith({ code: 'TEN' }, { code: 'FIVE', value: 5, is_automatic: false })
  const said = async (discount_code: string) => {
    const { status, error } = await api.post('/v1/orders', { items, discount_code })
    return [status, error.details[0].field, error.details[0].message]
  }
  assert.deepEqual(await said('FIVE'), [422, 'discount_code', 'cannot be combined with TEN, which applies'])
  assert.deepEqual(await said('TEN'), [422, 'discount_code', 'applies by itself; leave it out'])
})

type Shop = Awaited<ReturnType<typeof shopWith>>
const once = { code: 'ONCE', once_per_customer: true, is_automatic: false }

test('once per customer holds among 12 orders at once, by email, whatever its case', async () => {
  const { api, items, uses } = await shopWith(once)
  const orders = Array.from({ length: 12 }, (_, index) =>
    api.post('/v1/orders', {
      items,
      discount_code: 'ONCE',
      customer_email: index % 2 ? 'ana@example.com' : 'Ana@Example.com',
    }),
  )
  const statuses = (await Promise.all(orders)).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array(11).fill(422)])
  assert.deepEqual(await uses(), { ONCE: 1 })
})

test('a customer is known by their record, email and phone; who cancels has not used it', async () => {
  const { api, items }: Shop = await shopWith(once)
  const ana = { name: 'Ana', email: 'ana@example.com', phone: '+52 55 1234 5678' }
  const { id } = dataOf(await api.post('/v1/customers', ana), 201)
  const order = (body: object) => api.post('/v1/orders', { items, discount_code: 'ONCE', ...body })
  const first = dataOf(await order({ customer_id: id }), 201)
  for (const body of [
    { customer_id: id },
    { customer_email: 'ANA@example.com' },
    { customer_phone: '+525512345678' },
  ]) {
    const { status, error } = await order(body)
    assert.deepEqual([status, error?.details[0].message], [422, 'has already been used by this customer'])
  }
  assert.equal((await order({ customer_email: 'bo@example.com' })).status, 201)
  dataOf(await api.patch(`/v1/orders/${first.id}`, { status: 'cancelled' }), 200)
  assert.equal((await order({ customer_email: 'ana@example.com' })).status, 201)
  assert.equal((await order({ customer_id: id })).status, 422)
})

test('the checkout refuses a second use once it knows the email, and an automatic one is left out', async () => {
  const shop = await shopWith(once, { code: 'AUTO', value: 5, once_per_customer: true })
  const shopper = shopperOf(world, shop)
  const begin = (email: string, more: object = {}) =>
    shopper.begin({ items: shop.items, customer: { name: 'Ana', email }, shipping_address: home, ...more })
  const { token } = dataOf(await begin('ana@example.com', { discount_code: 'ONCE' }), 201)
  dataOf(await shopper.complete(token), 201)
  const { status, error } = await begin('ANA@example.com', { discount_code: 'ONCE' })
  assert.deepEqual([status, error.details[0].field], [422, 'discount_code'])
  const second = dataOf(await begin('ana@example.com'), 201)
  assert.deepEqual(applied(second), [`AUTO ${second.discount}`])
  dataOf(await shopper.complete(second.token), 201)
  assert.equal(dataOf(await begin('ana@example.com'), 201).discount, 0)
  assert.notEqual(dataOf(await begin('bo@example.com'), 201).discount, 0)
})

test('a product has a discount while an automatic one covers it without conditions', async () => {
  const { api, product, made, store } = await shopWith({ code: 'TEN', applies_to_all: false })
  const path = `/v1/discounts/${made[0].id}`
  const seen = async () => {
    const publicly = await fetch(`${world.url}/storefront/${store.slug}/products/${product.id}`)
    const flags = [
      (await api.get(`/v1/products/${product.id}`)).data,
      (await api.get('/v1/products')).data[0],
      ((await publicly.json()) as any).data,
    ].map(({ has_discount }) => has_discount)
    assert.equal(new Set(flags).size, 1)
    return flags[0]
  }
  const becomes = async (patch: object, expected: boolean) => {
    dataOf(await api.patch(path, patch), 200)
    assert.equal(await seen(), expected, JSON.stringify(patch))
  }
  assert.equal(await seen(), false)
  await becomes({ applicable_product_ids: [product.id] }, true)
  await becomes({ is_automatic: false }, false)
  await becomes({ is_automatic: true, min_order_amount: 500 }, false)
  await becomes({ min_order_amount: 0, min_quantity: 2 }, false)
  await becomes({ min_quantity: 1 }, true)
  await becomes({ type: 'buy_x_get_y' }, false)
  await becomes({ type: 'percentage', is_active: false }, false)
  await becomes({ is_active: true, starts_at: new Date(world.clock.now().getTime() + 60_000).toISOString() }, false)
  world.clock.advance(61)
  assert.equal(await seen(), true)
  const { data } = await api.post('/v1/products', { name: 'Cup', price: 5 })
  assert.equal(data.has_discount, false)
  dataOf(await api.patch(path, { applies_to_all: true }), 200)
  assert.equal((await api.post('/v1/products', { name: 'Jug', price: 5 })).data.has_discount, true)
})

test('a store has at most 25 active automatic discounts, however they become active', async () => {
  const { api } = await world.newStore()
  const create = (code: string, more: object = {}) =>
    api.post('/v1/discounts', { code, type: 'percentage', value: 1, is_automatic: true, ...more })
  const made = await Promise.all(Array.from({ length: 27 }, (_, index) => create(`D${index}`)))
  assert.equal(made.filter(({ status }) => status === 201).length, 25)
  const off = dataOf(await create('OFF', { is_active: false }), 201)
  const { status, error } = await api.patch(`/v1/discounts/${off.id}`, { is_active: true })
  assert.deepEqual([status, error.details[0].field], [422, 'is_automatic'])
  const [first] = made.filter(({ status }) => status === 201)
  dataOf(await api.patch(`/v1/discounts/${first!.data.id}`, { value: 2 }), 200)
  dataOf(await api.patch(`/v1/discounts/${first!.data.id}`, { is_active: false }), 200)
  assert.equal((await api.patch(`/v1/discounts/${off.id}`, { is_active: true })).status, 200)
})

test('validating says of each rule what it asks for and whether the cart meets it', async () => {
  const { api, product }: TestStore & { product: any } = await shopWith({
    ...once,
    min_order_amount: 50,
    min_quantity: 3,
    combines_with: ['shipping'],
  })
  const items = [{ product_id: product.id, quantity: 2 }]
  const cart = { code: 'ONCE', order_total: 40, customer_email: 'ana@example.com' }
  const { data } = await api.post('/v1/discounts/validate', { ...cart, items })
  assert.deepEqual([data.valid, data.reason], [false, 'minimum_not_met'])
  assert.deepEqual(
    data.rules.map(({ rule, is_met, message }: any) => [rule, is_met, message]),
    [
      ['active', true, 'The discount is active'],
      ['once_per_customer', true, 'Each customer can use it once, and this one has not'],
      ['minimum_amount', false, 'The order is at least 50'],
      ['minimum_quantity', false, 'At least 3 of the items that it applies to'],
      ['combines', true, 'It combines with discounts of these kinds: shipping'],
    ],
  )
  const three = { ...cart, order_total: 60, items: [{ product_id: product.id, quantity: 3 }] }
  assert.equal((await api.post('/v1/discounts/validate', three)).data.reason, null)
  dataOf(await api.post('/v1/orders', { ...three, discount_code: 'ONCE', customer_email: 'ana@example.com' }), 201)
  assert.equal((await api.post('/v1/discounts/validate', three)).data.reason, 'already_used')
  const gone = await api.post('/v1/discounts/validate', { code: 'NONE', order_total: 1 })
  assert.deepEqual(gone.data.rules, [])
})

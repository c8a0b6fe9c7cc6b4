import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, faultsOf, home, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld()

test('a checkout becomes an order with all choices, and both are announced', async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX', timezone: 'America/Mexico_City' })
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { stock: 5, price: 100 })
  const strap = await productOf(shop, { name: 'Strap', price: 10 })
  await shop.api.patch('/v1/store', { tax_rate: 16 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 50 })
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 0123' })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const wrapping = (await shop.api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 20 })).data
  const strapBump = (await shop.api.post('/v1/store/order-bumps', { title: 'Strap', product_id: strap.id, price: 6 }))
    .data
  const { token, id } = (
    await shopper.begin({
      items: [{ product_id: bag.id, quantity: 2 }],
      customer: ana,
      shipping_address: { ...home, notes: 'Blue door' },
      discount_code: 'ten',
      order_bumps: [wrapping.id, strapBump.id],
      customer_notes: 'Thanks',
    })
  ).data
  const link = (await shop.api.get(`/v1/checkout-drafts/${id}`)).data.recovery_token
  await shop.events()
  const { status, data, headers } = await shopper.complete(token)
  assert.equal(status, 201, JSON.stringify(data))
  assert.equal(headers.get('location'), null)
  // 200 + 6 + 20 = 226; − 22.60; + 50; tax 16 % of 203.40 = 32.54
  const total = 285.94
  assert.deepEqual(data, {
    order: {
      id: data.order.id,
      order_number: 1001,
      status: 'pending',
      payment_status: 'pending',
      total,
      currency: 'MXN',
    },
    payment: { method: 'bank_transfer', instructions: 'Account 0123' },
  })

  const order = (await shop.api.get(`/v1/orders/${data.order.id}`)).data
  assert.deepEqual(
    [order.subtotal, order.discount_amount, order.shipping_cost, order.tax_amount, order.total],
    [226, 22.6, 50, 32.54, total],
  )
  assert.deepEqual(
    [order.payment_method, order.shipping_method, order.discount_code, order.customer_notes, order.country_code],
    ['bank_transfer', 'standard', 'TEN', 'Thanks', 'MX'],
  )
  assert.deepEqual(
    order.items.map(({ product_id, quantity, unit_price }: any) => [product_id, quantity, unit_price]),
    [
      [bag.id, 2, 100],
      [strap.id, 1, 6],
    ],
  )
  const address = {
    name: ana.name,
    phone: ana.phone,
    address: home.address,
    city: home.city,
    province: home.province,
    country: 'México',
    postal_code: home.postal_code,
    notes: 'Blue door',
    address_2: null,
    company: null,
    province_code: 'MX-CMX',
  }
  assert.deepEqual(order.shipping_address, address)
  assert.equal((await shop.api.get(`/v1/products/${bag.id}`)).data.stock_quantity, 3)
  assert.equal((await shop.api.get('/v1/discounts')).data[0].current_uses, 1)
  assert.deepEqual((await shop.api.get(`/v1/customers/${order.customer_id}`)).data.orders_count, 1)

  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['customer.created', 'order.created', 'checkout.completed'],
  )
  assert.deepEqual(emitted[1]!.body.order.order_bumps, {
    total: 20,
    items: [{ bump_id: wrapping.id, title: 'Gift wrapping', price: 20 }],
  })
  const {
    occurred_at,
    checkout: { created_at, ...checkout },
    ...rest
  } = emitted[2]!.body
  assert.ok(created_at < occurred_at)
  assert.deepEqual(rest, {
    event_id: id,
    order: { id: order.id, order_number: 1001 },
    customer: { id: order.customer_id, ...ana },
    store: { id: shop.store.id, name: 'Corner shop', timezone: 'America/Mexico_City' },
  })
  assert.deepEqual(checkout, {
    id,
    status: 'completed',
    total,
    subtotal: 226,
    shipping: 50,
    discount: 22.6,
    currency: 'MXN',
    recovery_url: `https://shop.example/s/${shop.store.slug}/recover/${link}`,
    abandoned_at: null,
    shipping_address: address,
    items: [
      {
        product_id: bag.id,
        product_name: 'Canvas backpack',
        variant_name: null,
        quantity: 2,
        unit_price: 100,
        total_price: 200,
      },
      { product_id: strap.id, product_name: 'Strap', variant_name: null, quantity: 1, unit_price: 6, total_price: 6 },
    ],
    order_bumps: { total: 20, items: [{ bump_id: wrapping.id, title: 'Gift wrapping', price: 20 }] },
    completed_at: occurred_at,
    recovered: false,
    recovered_checkout_id: null,
  })

  const read = (await shopper.read(token)).data
  assert.deepEqual([read.status, read.order, read.changes], ['completed', data.order, []])
  assert.equal((await shop.api.get('/v1/checkout-drafts/count?status=all')).data.count, 0)
  assert.equal((await shop.api.get(`/v1/checkout-drafts/${id}`)).status, 404)
  const changed = await shopper.change(token, { customer_notes: 'Late' })
  assert.deepEqual([changed.status, changed.error.code], [409, 'CONFLICT'])
})

test('ten parallel completions of one checkout are one order and one answer', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { stock: 10 })
  const { token } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], ...buyer() })).data
  await shop.events()
  const answers = await Promise.all(Array.from({ length: 10 }, () => shopper.complete(token)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(201),
  )
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
  assert.equal((await shop.api.get(`/v1/products/${bag.id}`)).data.stock_quantity, 9)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['customer.created', 'order.created', 'checkout.completed'],
  )
  assert.deepEqual((await shopper.complete(token)).body, answers[0]!.body)
})

test('of a hundred completions for ten units, exactly ten become orders', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { stock: 10 })
  const begun = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], ...buyer(`shopper${n}@example.com`) }),
    ),
  )
  await shop.events()
  const answers = await Promise.all(begun.map(({ data }) => shopper.complete(data.token)))
  const placed = answers.filter(({ status }) => status === 201)
  assert.equal(placed.length, 10)
  assert.deepEqual(
    placed.map(({ data }) => data.order.order_number).sort(),
    Array.from({ length: 10 }, (_, n) => 1001 + n),
  )
  const refused = answers.filter(({ status }) => status !== 201)
  assert.deepEqual(
    [...new Set(refused.map((answer) => `${answer.status} ${faultsOf(answer)}`))],
    ['422 items.0.quantity: is sold out'],
  )
  assert.equal((await shop.api.get(`/v1/products/${bag.id}`)).data.stock_quantity, 0)
  const emitted = (await shop.events()).map(({ event }) => event)
  assert.deepEqual(
    ['order.created', 'checkout.completed'].map((one) => emitted.filter((event) => event === one).length),
    [10, 10],
  )
  assert.equal(
    (await shop.api.get('/v1/checkout-drafts/count?status=active')).data.count,
    90,
    'the other carts are kept',
  )
})

test('concurrent checkouts use a discount no more often than its limit', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  await shop.api.post('/v1/discounts', { code: 'FIVE', type: 'fixed_amount', value: 5, max_uses: 5 })
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      shopper.begin({
        items: [{ product_id: bag.id, quantity: 1 }],
        discount_code: 'FIVE',
        ...buyer(`shopper${n}@example.com`),
      }),
    ),
  )
  const answers = await Promise.all(begun.map(({ data }) => shopper.complete(data.token)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 5)
  const refused = answers.find(({ status }) => status === 422)!
  assert.deepEqual(faultsOf(refused), ['discount_code: has reached its usage limit'])
  assert.equal((await shop.api.get('/v1/discounts?status=all')).data[0].current_uses, 5)
  const late = await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], discount_code: 'FIVE' })
  assert.deepEqual(faultsOf(late), ['discount_code: has reached its usage limit'])
})

test('all missing fields are reported at once, and the cart is kept', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  for (const code of ['cod', 'cash']) await shop.api.post('/v1/store/payment-methods', { code })
  for (const code of ['standard', 'express']) await shop.api.post('/v1/store/shipping-rates', { code, price: 5 })
  const { token } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }] })).data
  await shop.events()
  assert.deepEqual(faultsOf(await shopper.complete(token)), [
    'customer.email: is required unless a phone number is given',
    'customer.name: is required',
    'shipping_address.address: is required',
    'shipping_address.city: is required',
    'shipping_address.country_code: is required',
    'shipping_method: is required',
    'payment_method: is required',
  ])
  await shopper.change(token, {
    items: [],
    customer: { name: ana.name, phone: ana.phone },
    shipping_method: 'express',
    payment_method: 'cod',
    shipping_address: { city: ' ' },
  })
  assert.deepEqual(faultsOf(await shopper.complete(token)), [
    'items: must contain at least 1 item',
    'shipping_address.address: is required',
    'shipping_address.city: is required',
    'shipping_address.postal_code: is required',
    'shipping_address.province: is required',
  ])
  await shopper.change(token, { items: [{ product_id: bag.id, quantity: 1 }], shipping_address: home })
  assert.deepEqual(await shop.events(), [])
  assert.equal((await shopper.complete(token)).status, 201)
})

test('nobody pays more than they were shown', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  const items = [{ product_id: bag.id, quantity: 2 }]
  const begin = async () => (await shopper.begin({ items, ...buyer() })).data.token
  const [agrees, rereads, pays] = [await begin(), await begin(), await begin()]
  await shop.api.patch(`/v1/products/${bag.id}`, { price: 21 })
  const refused = await shopper.complete(agrees)
  assert.equal(refused.status, 422)
  assert.deepEqual(faultsOf(refused), [
    'items.0.unit_price: has changed from 20 to 21',
    'total: has changed from 40 to 42',
  ])
  assert.deepEqual(
    faultsOf(await shopper.complete(agrees, { total: 41.99 })).at(-1),
    'total: has changed from 40 to 42',
  )
  assert.equal((await shopper.complete(agrees, { total: 42 })).data.order.total, 42)
  assert.equal((await shopper.change(rereads, {})).data.total, 42)
  assert.equal((await shopper.complete(rereads)).data.order.total, 42)
  await shop.api.patch(`/v1/products/${bag.id}`, { price: 19 })
  assert.equal((await shopper.complete(pays)).data.order.total, 38, 'less is what it costs now')
})

test('the test provider pays or declines; a declined payment places no order', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { stock: 2 })
  await shop.api.patch('/v1/store', { test_payments: true })
  await shop.api.post('/v1/store/payment-methods', { code: 'test', provider: 'test', name: 'Test' })
  const { token, id } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], ...buyer() })).data
  await shop.events()
  const declined = await shopper.complete(token, { pay: 'fail' })
  assert.deepEqual([declined.status, faultsOf(declined)], [422, ['payment_method: was declined']])
  assert.equal((await shopper.complete(token, {}, '?pay=fail')).status, 422)
  assert.equal((await shopper.complete(token, { pay: 'maybe' })).status, 422)
  assert.deepEqual(await shop.events(), [])
  const paid = await shopper.complete(token, {}, '?pay=ok')
  assert.deepEqual([paid.status, paid.data.order.payment_status], [201, 'paid'])
  const payments = await world.app.db.rows(
    sql`select provider, reference, status, amount, currency from payment_sessions where store_id = ${shop.store.id}`,
  )
  assert.deepEqual(payments, [
    { provider: 'test', reference: `test_${id}`, status: 'captured', amount: '20', currency: 'USD' },
  ])
  assert.equal((await shop.api.get('/v1/customers')).data[0].total_spent, 20)
})

test('a customer is known again by e-mail or phone', async () => {
  const shop = await world.newStore({ country_code: 'MX' })
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { name } = ana
  for (const contact of [ana, { name, email: 'ANA@example.com' }, { name, phone: '55 1234 5678' }]) {
    const { token } = (await shopper.begin({ items, customer: contact, shipping_address: home })).data
    assert.equal((await shopper.complete(token)).status, 201)
  }
  const customers = (await shop.api.get('/v1/customers')).data
  assert.deepEqual(
    customers.map(({ name, orders_count }: any) => [name, orders_count]),
    [[ana.name, 3]],
  )
})

test("an Idempotency-Key of the storefront is nobody's: two shoppers with one key have two checkouts", async () => {
  const shop = await world.newStore()
  const { id } = await productOf(shop)
  const begin = () =>
    fetch(`${world.url}/storefront/${shop.store.slug}/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': '1' },
      body: JSON.stringify({ items: [{ product_id: id, quantity: 1 }] }),
    }).then((answer) => answer.json() as any)
  const [one, other] = [await begin(), await begin()]
  assert.notEqual(one.data.token, other.data.token)
})

test('fields of a completion are applied, and refused, like those of a change', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  for (const code of ['cod', 'card']) await shop.api.post('/v1/store/payment-methods', { code })
  const { token } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }] })).data
  const refused = await shopper.complete(token, { ...buyer(), payment_method: 'gold', discount_code: 'NONE' })
  assert.deepEqual(faultsOf(refused), ['payment_method: is not available', 'discount_code: does not exist'])
  assert.deepEqual((await shopper.read(token)).data.customer, { name: null, email: null, phone: null })
  const last = { ...buyer(), payment_method: 'card', customer_notes: 'Ring twice' }
  const dearer = await shopper.complete(token, { ...last, items: [{ product_id: bag.id, quantity: 2 }] })
  assert.deepEqual(faultsOf(dearer), ['total: is 40'], 'nobody pays more than they were shown')
  const { status, data } = await shopper.complete(token, last)
  assert.deepEqual([status, data.payment.method], [201, 'card'])
  const order = (await shop.api.get(`/v1/orders/${data.order.id}`)).data
  assert.deepEqual(
    [order.payment_method, order.customer_name, order.customer_notes, order.shipping_address.city],
    ['card', ana.name, 'Ring twice', home.city],
  )
})

test('a draft has the methods that its checkout shows, chosen anew when the only one gets company', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 5 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const { token, id } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], ...buyer() })).data
  const methodsOf = ({ data }: any) => [data.shipping_method, data.payment_method]
  assert.deepEqual(methodsOf(await shopper.read(token)), ['express', 'cod'])
  assert.deepEqual(methodsOf(await shop.api.get(`/v1/checkout-drafts/${id}`)), ['express', 'cod'])
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 1 })
  assert.deepEqual(methodsOf(await shopper.read(token)), [null, 'cod'])
  assert.deepEqual(faultsOf(await shopper.complete(token)), ['shipping_method: is required'])
  assert.deepEqual(methodsOf(await shopper.change(token, { shipping_method: 'express' })), ['express', 'cod'])
  await shop.api.post('/v1/store/payment-methods', { code: 'cash' })
  assert.deepEqual(methodsOf(await shopper.read(token)), ['express', null])
})

test('a sold out order bump is not offered, and reported where it was taken', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const [bag, strap] = [await productOf(shop), await productOf(shop, { stock: 1 })]
  const colours = [
    { option_values: [{ option_title: 'Colour', value: 'Red' }], manage_inventory: true, stock_quantity: 1 },
  ]
  const cap = await productOf(shop, { name: 'Cap', variants: colours })
  const variant_id = cap.variants[0].id
  const bumps = [{ product_id: strap.id }, { product_id: cap.id, variant_id }]
  for (const bump of bumps) await shop.api.post('/v1/store/order-bumps', { title: 'More', ...bump })
  const offered = (await shopper.get()).data.order_bumps
  assert.equal(offered.length, 2)
  const ids = offered.map(({ id }: any) => id)
  const items = [{ product_id: bag.id, quantity: 1 }]
  const { token } = (await shopper.begin({ items, order_bumps: ids })).data
  await shop.api.patch(`/v1/inventory/products/${strap.id}`, { quantity: -1 })
  await shop.api.patch(`/v1/inventory/products/${cap.id}`, { quantity: -1, variant_id })
  assert.deepEqual((await shopper.get()).data.order_bumps, [])
  const told = ['order_bumps.0: is sold out', 'order_bumps.1: is sold out']
  assert.deepEqual(faultsOf(await shopper.complete(token, buyer())), told)
  assert.deepEqual(faultsOf(await shopper.begin({ items, order_bumps: ids })), told)
})

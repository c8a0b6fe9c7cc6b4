import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, red, sold } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { blank } from '../../kit/declare/row.ts'
import { newId, newUuid } from '../../kit/values/ids.ts'
import { order as orderResource } from './order.ts'

const world = await openWorld()

const address = {
  name: 'Ana Torres',
  phone: '+52 55 1234 5678',
  address: 'Av. Reforma 222',
  city: 'Ciudad de México',
  province: 'CDMX',
  country: 'México',
  postal_code: '06600',
  notes: 'Ring twice',
  address_2: 'Piso 3',
  company: 'Torres y Cía.',
  province_code: 'MX-CMX',
}

test('an order is placed with its items, 201 and Location', async () => {
  const shop = await newShop(world, { currency: 'MXN', country_code: 'MX' })
  const mug = await shop.product({ price: 1500.5, sku: 'MUG' })
  const placed = await shop.api.post('/v1/orders', { items: [sold(mug, 2)] })
  const order = dataOf(placed, 201)
  assert.equal(placed.headers.get('location'), `/v1/orders/${order.id}`)
  assert.match(order.id, /^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  const { id, created_at, updated_at, items, ...rest } = order
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    ...blank(orderResource.fields),
    order_number: 1001,
    status: 'pending',
    payment_status: 'pending',
    fulfillment_status: 'unfulfilled',
    payment_method: null,
    shipping_method: null,
    tax_id: null,
    currency: 'MXN',
    customer_id: null,
    customer_name: null,
    customer_phone: null,
    customer_email: null,
    subtotal: 3001,
    discount_amount: 0,
    shipping_cost: 0,
    tax_amount: 0,
    total: 3001,
    captured_amount: 0,
    refunded_amount: 0,
    amount_due: 3001,
    amount_to_refund: 0,
    included_tax: 0,
    tax_lines: [],
    tax_id_status: null,
    discount_code: null,
    discounts: [],
    free_shipping: false,
    locale: null,
    notify_customer: false,
    customer_notes: null,
    internal_notes: null,
    shipping_address: null,
    billing_address: null,
    country_code: 'MX',
    is_pending: true,
    is_completed: false,
    is_cancellable: true,
    is_fully_paid: false,
    item_count: 2,
    cancel_reason: null,
    tags: [],
    is_archived: false,
    channel: 'api',
    agent: null,
    archived_at: null,
    metadata: {},
    custom_fields: [],
    order_bumps: null,
    cancelled_at: null,
    completed_at: null,
    edited_at: null,
  })
  assert.match(items[0].id, /^item_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.deepEqual(items, [
    {
      id: items[0].id,
      product_id: mug.id,
      variant_id: null,
      product_name: 'Mug',
      variant_name: null,
      sku: 'MUG',
      quantity: 2,
      unit_price: 1500.5,
      total_price: 3001,
      parts: null,
      available_on: null,
      requires_shipping: true,
      external_id: null,
      metadata: {},
      created_at,
      adjustments: [],
      fulfilled_quantity: 0,
      refunded_quantity: 0,
      returned_quantity: 0,
      fulfillable_quantity: 2,
    },
  ])
  assert.deepEqual((await shop.api.get(`/v1/orders/${id}`)).data, order)
  const list = await shop.api.get('/v1/orders')
  assert.deepEqual(list.body, { data: [order], pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 } })
})

test('every field of an order is kept as it was given', async () => {
  const shop = await newShop(world)
  const given = {
    status: 'confirmed',
    payment_status: 'paid',
    payment_method: 'bank_transfer',
    shipping_method: 'local_delivery',
    currency: 'USD',
    customer_name: 'Ana',
    customer_email: 'ana@example.com',
    customer_phone: '+1 213 373 4253',
    shipping_cost: 7.5,
    tax_amount: 1.25,
    discount_amount: 2,
    customer_notes: 'As a gift',
    internal_notes: 'VIP',
    shipping_address: address,
    country_code: 'CA',
    custom_fields: [{ name: 'Gift', value: true }, { deep: { er: [1] } }],
  }
  const order = await shop.order(await shop.product(), given)
  for (const [name, value] of Object.entries(given)) assert.deepEqual(order[name], value, name)
  assert.deepEqual([order.subtotal, order.total, order.is_fully_paid, order.is_pending], [10, 16.75, true, false])
  assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data, order)
})

test('a placed order tells order.created with the body of the contract', async () => {
  const shop = await newShop(world, { name: 'Corner shop', timezone: 'America/Mexico_City' })
  const mug = await shop.product()
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { data: order } = await shop.api.post('/v1/orders', {
    items: [sold(mug, 2)],
    shipping_address: address,
    shipping_cost: 5,
    discount_code: 'ten',
    payment_method: 'cod',
    customer: { name: 'Ana', email: 'ana@example.com', phone: '+1 213 373 4253' },
    custom_fields: [{ size: 'L' }],
  })
  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['customer.created', 'order.created'],
  )
  const { occurred_at, ...body } = emitted[1]!.body
  assert.equal(occurred_at, order.created_at)
  assert.deepEqual(body, {
    event_id: order.id,
    order: {
      id: order.id,
      order_number: 1001,
      status: 'pending',
      payment_status: 'pending',
      payment_method: 'cod',
      total: 23,
      subtotal: 20,
      shipping: 5,
      discount: 2,
      coupon_code: 'TEN',
      free_shipping: false,
      currency: 'USD',
      created_at: order.created_at,
      custom_fields: [{ size: 'L' }],
      shipping_address: address,
      items: [
        { product_id: mug.id, product_name: 'Mug', variant_name: null, quantity: 2, unit_price: 10, total_price: 20 },
      ],
    },
    customer: { id: order.customer_id, name: 'Ana', email: 'ana@example.com', phone: '+1 213 373 4253' },
    store: { id: shop.store.id, name: 'Corner shop', timezone: 'America/Mexico_City' },
  })
})

test('a status further on is for imports, and tells order.created all the same', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const orders = await Promise.all(
    ['pending', 'confirmed', 'in_progress', 'completed'].map((status) =>
      shop.api.post('/v1/orders', { items: [sold(mug)], status }),
    ),
  )
  for (const { status, data } of orders) {
    assert.equal(status, 201)
    assert.equal(data.completed_at, data.status === 'completed' ? data.created_at : null)
    assert.equal(data.is_completed, data.status === 'completed')
  }
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    Array(4).fill('order.created'),
  )
  for (const status of ['cancelled', 'returned', 'unknown', null, '']) {
    assert.ok('status' in faultsOf(await shop.api.post('/v1/orders', { items: [sold(mug)], status })), String(status))
  }
})

test('an item has the price of its variant, else of its product, unless it brings one', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants({
    price: 20,
    sku: 'SHIRT',
    wholesale_price: 15,
    wholesale_min_quantity: 3,
    variants: [
      { option_values: [red], price: 25, sku: 'SHIRT-R', stock_quantity: 9 },
      { option_values: [{ ...red, value: 'Blue' }], stock_quantity: 9 },
    ],
  })
  const [first, second] = shirt.variants
  const order = await shop.order([
    sold(shirt, 2, { variant_id: first.id }),
    sold(shirt, 2, { variant_id: second.id.toUpperCase() }),
    sold(shirt, 3, { variant_id: second.id }),
    sold(shirt, 3, { variant_id: second.id, unit_price: 0 }),
    { product_name: 'Engraving', variant_name: 'Script', unit_price: 3.335, quantity: 2 },
  ])
  assert.deepEqual(
    order.items.map((one: any) => [
      one.product_name,
      one.variant_name,
      one.sku,
      one.variant_id,
      one.unit_price,
      one.total_price,
    ]),
    [
      ['Shirt', 'Red', 'SHIRT-R', first.id, 25, 50],
      ['Shirt', 'Blue', 'SHIRT', second.id, 20, 40],
      ['Shirt', 'Blue', 'SHIRT', second.id, 15, 45],
      ['Shirt', 'Blue', 'SHIRT', second.id, 0, 0],
      ['Engraving', 'Script', null, null, 3.34, 6.68],
    ],
  )
  assert.deepEqual([order.subtotal, order.item_count], [141.68, 12])
})

test('the wholesale price needs the feature of the plan', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ wholesale_price: 5, wholesale_min_quantity: 2 })
  assert.equal((await shop.order([sold(mug, 2)])).subtotal, 10)
  await world.app.db.pool.query(`update stores set plan_id = 'starter' where id = $1`, [shop.store.id])
  world.clock.advance(10)
  assert.equal((await shop.order([sold(mug, 2)])).subtotal, 20)
})

test("amounts are rounded to the store's currency and add up exactly", async () => {
  const shop = await newShop(world)
  const order = await shop.order([{ product_name: 'Dime', unit_price: 0.1, quantity: 3 }], {
    shipping_cost: 0.2,
    tax_amount: 1.005,
    discount_amount: 0.3,
  })
  assert.deepEqual([order.subtotal, order.tax_amount, order.total], [0.3, 1.01, 1.21])
  const japanese = await newShop(world, { currency: 'JPY' })
  const yen = await japanese.order([{ product_name: 'Tea', unit_price: 100.5, quantity: 3 }], { tax_amount: 30.4 })
  assert.deepEqual([yen.subtotal, yen.tax_amount, yen.total, yen.currency], [303, 30, 333, 'JPY'])
})

test('only active products can be bought', async () => {
  const shop = await newShop(world)
  const draft = await shop.product({ product_status: 'draft' })
  const archived = await shop.product({ product_status: 'archived' })
  const items = [draft, await shop.product(), archived].map((one) => sold(one))
  const refused = await shop.api.post('/v1/orders', { items })
  assert.deepEqual(faultsOf(refused), {
    'items.0.product_id': 'is not for sale (status: draft)',
    'items.2.product_id': 'is not for sale (status: archived)',
  })
})

test('what is sold out is refused, and says what is left', async () => {
  const shop = await newShop(world)
  const mug = await shop.product(),
    gone = await shop.product({ stock_quantity: 0 })
  const shirt = await shop.variants()
  assert.deepEqual(
    faultsOf(
      await shop.api.post('/v1/orders', {
        items: [
          sold(mug, 3),
          sold(gone),
          sold(shirt, 4, { variant_id: shirt.variants[0].id }),
          sold(mug, 3),
          sold(shirt, 4, { variant_id: shirt.variants[1].id }),
        ],
      }),
    ),
    {
      'items.0.quantity': 'exceeds the quantity left (5)',
      'items.1.quantity': 'is sold out',
      'items.2.quantity': 'exceeds the quantity left (3)',
      'items.3.quantity': 'exceeds the quantity left (5)',
    },
  )
  assert.deepEqual(await shop.events(), [])
  assert.equal(await shop.stockOf(mug), 5)
  await shop.order([sold(mug, 2), sold(mug, 3)])
  assert.equal(await shop.stockOf(mug), 0)
})

test('what is not tracked, or continues selling, never sells out', async () => {
  const shop = await newShop(world)
  const untracked = await shop.product({ track_inventory: false, stock_quantity: 0 })
  const backorder = await shop.product({ stock_quantity: 1, continue_selling: true })
  await shop.order([sold(untracked, 1_000_000), sold(backorder, 3)])
  assert.deepEqual([await shop.stockOf(untracked), await shop.stockOf(backorder)], [0, -2])
  await shop.order([sold(backorder, 1)])
  assert.equal(await shop.stockOf(backorder), -3)
})

test('a sale has its transactions, which name the order', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants(),
    mug = await shop.product()
  const [first] = shirt.variants
  const line = sold(shirt, 1, { variant_id: first.id })
  const order = await shop.order([line, sold(mug, 2), line])
  const newest = async ({ id }: any) => (await shop.api.get(`/v1/inventory/products/${id}/transactions`)).data[0]
  const { variant_id, quantity, stock_after, reason, order_id, actor } = await newest(shirt)
  assert.deepEqual([variant_id, quantity, stock_after, reason, order_id], [first.id, -2, 1, 'sale', order.id])
  assert.match(actor, /^key:key_/)
  assert.deepEqual([(await newest(mug)).quantity, await shop.stockOf(shirt)], [-2, 5])
})

test('every fault is named at once', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const shirt = await shop.variants(),
    mug = await shop.product(),
    foreign = await other.product()
  const variant_id = shirt.variants[0].id
  const refused = await shop.api.post('/v1/orders', {
    items: [
      sold(foreign),
      sold(shirt),
      sold(shirt, 1, { variant_id: newUuid() }),
      sold(mug, 1, { variant_id }),
      { quantity: 1 },
      { quantity: 1, product_name: 'X', variant_id, unit_price: 1 },
      { quantity: 1, unit_price: 3 },
      { quantity: 1_000_000, product_name: 'Gold', unit_price: 1_000_000.01 },
      sold({ id: newId('prod') }),
    ],
    customer_id: newId('cus'),
    discount_code: 'NONE',
    discount_amount: 1,
  })
  assert.deepEqual(faultsOf(refused), {
    'items.0.product_id': 'does not exist',
    'items.1.variant_id': 'is required because the product has variants',
    'items.2.variant_id': 'is not a variant of this product',
    'items.3.variant_id': 'is not a variant of this product',
    'items.4.product_name': 'is required when product_id is omitted',
    'items.4.unit_price': 'is required when product_id is omitted',
    'items.5.product_id': 'is required when variant_id is given',
    'items.6.product_name': 'is required when product_id is omitted',
    'items.7.quantity': 'must not bring the total above 999999999999',
    'items.8.product_id': 'does not exist',
    customer_id: 'does not exist',
    discount_code: 'does not exist',
    discount_amount: 'must not exceed the subtotal (0)',
  })
  assert.deepEqual(await shop.events(), [])
  assert.equal((await shop.api.get('/v1/orders')).body.pagination.total, 0)
})

test('each field keeps its rules', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ track_inventory: false })
  const fieldOf: [string, object][] = [
    ['items', { items: undefined }],
    ['items', { items: [] }],
    ['items', { items: null }],
    ['items', { items: {} }],
    ['items', { items: Array(501).fill(sold(mug)) }],
    ['items.0', { items: ['mug'] }],
    ['items.0.quantity', { items: [{ product_id: mug.id }] }],
    ['items.0.quantity', { items: [sold(mug, 0)] }],
    ['items.0.quantity', { items: [sold(mug, -1)] }],
    ['items.0.quantity', { items: [sold(mug, 1.5)] }],
    ['items.0.quantity', { items: [sold(mug, 1_000_001)] }],
    ['items.0.unit_price', { items: [sold(mug, 1, { unit_price: -1 })] }],
    ['items.0.product_id', { items: [sold({ id: 'prod_x' })] }],
    ['items.0.variant_id', { items: [sold(mug, 1, { variant_id: 'x' })] }],
    ['payment_status', { payment_status: 'half' }],
    ['payment_method', { payment_method: 'By Card' }],
    ['shipping_method', { shipping_method: '' }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: 'usd' }],
    ['customer_id', { customer_id: 'x' }],
    ['customer_email', { customer_email: 'x' }],
    ['customer_phone', { customer_phone: '-' }],
    ['customer_name', { customer_name: '' }],
    ['customer.email', { customer: { email: 'x' } }],
    ['customer', { customer: 'Ana' }],
    ['shipping_cost', { shipping_cost: -1 }],
    ['tax_amount', { tax_amount: -0.01 }],
    ['discount_amount', { discount_amount: '1' }],
    ['discount_code', { discount_code: '' }],
    ['shipping_address', { shipping_address: 'here' }],
    ['shipping_address.city', { shipping_address: { city: 7 } }],
    ['country_code', { country_code: 'Mexico' }],
    ['customer_notes', { customer_notes: 'x'.repeat(5001) }],
    ['custom_fields.0', { custom_fields: ['x'] }],
    ['custom_fields', { custom_fields: Array(51).fill({}) }],
    ['custom_fields', { custom_fields: [{ long: 'x'.repeat(20_000) }] }],
  ]
  for (const [field, body] of fieldOf) {
    const refused = await shop.api.post('/v1/orders', { items: [sold(mug)], ...body })
    assert.deepEqual(Object.keys(faultsOf(refused)), [field], JSON.stringify(body).slice(0, 100))
  }
  assert.equal((await shop.order([sold(mug, 1_000_000)])).item_count, 1_000_000)
  assert.deepEqual((await shop.order(mug, { custom_fields: [{ nested: [null] }, { refused: 'x' }] })).custom_fields, [
    { nested: [null] },
    { refused: 'x' },
  ])
})

test('an order takes up to 500 items, in their order', async () => {
  const shop = await newShop(world)
  const items = Array.from({ length: 500 }, (_, index) => ({
    product_name: `Line ${index}`,
    unit_price: index,
    quantity: 1,
  }))
  const order = await shop.order(items)
  assert.deepEqual(
    order.items.map((one: any) => one.product_name),
    items.map(({ product_name }) => product_name),
  )
  assert.equal(order.subtotal, 124_750)
  assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data.items, order.items)
})

test('read-only fields are ignored, so that an order that was read can be placed again', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const first = await shop.order([sold(mug)], { customer_email: 'ana@example.com', shipping_address: address })
  const again = await shop.order(first.items, first)
  assert.equal(again.order_number, 1002)
  for (const name of ['total', 'items', 'shipping_address', 'customer_id']) {
    const strip = (value: any) => (name === 'items' ? value.map((one: any) => one.product_id) : value)
    assert.deepEqual(strip(again[name]), strip(first[name]), name)
  }
  const headers = { prefer: 'handling=strict' }
  const strict = await shop.api.post('/v1/orders', { items: [sold(mug)], colour: 'red' }, { headers })
  assert.deepEqual(faultsOf(strict), { colour: 'is not a recognized field' })
  const history = { items: [sold(mug)], created_at: '2024-01-01T00:00:00.000Z', order_number: 77 }
  const refused = await shop.api.post('/v1/orders', history, { headers })
  assert.deepEqual(faultsOf(refused), { created_at: 'is read-only', order_number: 'is read-only' })
})

test("a discount's share falls on the items that it covers", async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 9.99 }),
    bowl = await shop.product({ price: 20 })
  const { data: discount } = await shop.api.post('/v1/discounts', {
    code: 'MUGS',
    type: 'percentage',
    value: 50,
    applicable_product_ids: [mug.id],
  })
  const order = await shop.order([sold(mug), sold(bowl), sold(mug)], { discount_code: ' mugs ' })
  const { subtotal, discount_amount, total, discount_code } = order
  assert.deepEqual([subtotal, discount_amount, total, discount_code], [39.98, 9.99, 29.99, 'MUGS'])
  const [first, second, third] = order.items.map((one: any) => one.adjustments)
  assert.deepEqual([first[0].amount, second, third[0].amount], [-5, [], -4.99])
  assert.deepEqual(first, [
    {
      id: first[0].id,
      type: 'discount',
      code: 'MUGS',
      label: 'MUGS',
      amount: -5,
      source_id: discount.id,
      created_at: order.created_at,
    },
  ])
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.current_uses, 1)
})

test('a code that cannot be used is refused, and takes no use', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const create = async (code: string, more: object) =>
    dataOf(await shop.api.post('/v1/discounts', { code, type: 'fixed_amount', value: 3, ...more }), 201)
  await create('OFF', { is_active: false })
  await create('MIN', { min_order_amount: 10.01 })
  await create('ONCE', { max_uses: 1 })
  const other = await shop.product()
  await create('OTHER', { applicable_product_ids: [other.id] })
  assert.equal((await shop.order(mug, { discount_code: 'ONCE' })).total, 7)
  const faultOf = async (discount_code: string) =>
    faultsOf(await shop.api.post('/v1/orders', { items: [sold(mug)], discount_code })).discount_code
  assert.deepEqual(await Promise.all(['OFF', 'MIN', 'ONCE', 'OTHER', 'NONE', '100%'].map(faultOf)), [
    'is disabled',
    'requires an order of at least 10.01',
    'has reached its usage limit',
    'does not apply to these items',
    'does not exist',
    'does not exist',
  ])
  assert.equal((await shop.api.get('/v1/orders')).body.pagination.total, 1)
})

test('a discount by hand is spread over the items, and may stand in for what a code gives', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 30 }),
    bowl = await shop.product({ price: 10 })
  const byHand = await shop.order([sold(mug), sold(bowl)], { discount_amount: 4 })
  assert.deepEqual([byHand.discount_amount, byHand.discount_code, byHand.total], [4, null, 36])
  assert.deepEqual(
    byHand.items.map(({ adjustments: [one] }: any) => [one.type, one.code, one.label, one.amount]),
    [
      ['manual', null, 'Discount', -3],
      ['manual', null, 'Discount', -1],
    ],
  )
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const both = await shop.order([sold(mug)], { discount_amount: 5, discount_code: 'TEN' })
  assert.deepEqual([both.discount_amount, both.discount_code, both.items[0].adjustments[0].amount], [5, 'TEN', -5])
  assert.deepEqual((await shop.order([sold(mug)], { discount_amount: 30 })).total, 0)
})

test('free shipping waives the cost of shipping', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
  await shop.events()
  const mug = await shop.product()
  const { data } = await shop.api.post('/v1/orders', { items: [sold(mug)], discount_code: 'SHIP', shipping_cost: 7 })
  assert.deepEqual([data.shipping_cost, data.discount_amount, data.total, data.free_shipping], [0, 0, 10, true])
  const [{ body }] = (await shop.events()) as any
  assert.deepEqual([body.order.free_shipping, body.order.coupon_code, body.order.shipping], [true, 'SHIP', 0])
})

test('the customer is found by e-mail, else by phone, else made', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const contact = { name: 'Ana Torres', email: 'ana@example.com', phone: '+1 213 373 4253' }
  const { data: ana } = await shop.api.post('/v1/customers', contact)
  await shop.events()
  const customerOf = async (body: object) => (await shop.api.post('/v1/orders', { items: [sold(mug)], ...body })).data
  for (const body of [
    { customer_id: ana.id },
    { customer_email: 'ANA@example.com' },
    { customer_phone: '213-373-4253' },
    { customer: { email: 'ana@example.com' } },
    { customer: { name: 'Somebody', phone: '(213) 373 4253' } },
  ])
    assert.equal((await customerOf(body)).customer_id, ana.id, JSON.stringify(body))
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    Array(5).fill('order.created'),
  )

  const made = await customerOf({ customer: { email: 'berta@example.com' }, shipping_address: { name: 'Berta' } })
  const [created] = await shop.events()
  const { event_id, customer } = created!.body
  assert.deepEqual([created!.event, customer.name, event_id], ['customer.created', 'Berta', made.customer_id])
  assert.equal((await shop.api.get('/v1/customers')).body.pagination.total, 2)
  assert.equal((await shop.api.get('/v1/customers/count')).data.count, 2)
})

test('an order tells what it was told of its buyer; an id also brings the record', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const contact = { name: 'Ana Torres', email: 'ana@example.com', phone: '+1 213 373 4253' }
  const { data: ana } = await shop.api.post('/v1/customers', contact)
  const told = (order: any) => [order.customer_name, order.customer_email, order.customer_phone]
  assert.deepEqual(told(await shop.order(mug, { customer_id: ana.id })), Object.values(contact))
  assert.deepEqual(told(await shop.order(mug, { customer_id: ana.id, customer_name: 'Anita', customer_phone: null })), [
    'Anita',
    contact.email,
    contact.phone,
  ])
  // A caller that knows only the email does not learn the other contact data.
  assert.deepEqual(told(await shop.order(mug, { customer_email: contact.email })), [null, contact.email, null])
  assert.deepEqual(told(await shop.order(mug, { customer_name: 'Walk-in' })), ['Walk-in', null, null])
  assert.equal((await shop.api.get('/v1/customers')).body.pagination.total, 1)
})

test("a customer's orders are counted, and the paid ones add up", async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const { customer_id } = await shop.order(mug, { customer_email: 'ana@example.com' })
  const sums = async () => {
    const { data } = await shop.api.get(`/v1/customers/${customer_id}`)
    return [data.orders_count, data.total_spent, data.last_order_id, data.last_order_at]
  }
  const second = await shop.order([sold(mug, 2)], { customer_id, payment_status: 'paid', tax_amount: 0.5 })
  assert.deepEqual(await sums(), [2, 20.5, second.id, second.created_at])
  const third = await shop.order(mug, { customer_id, payment_status: 'refunded' })
  assert.deepEqual(await sums(), [3, 20.5, third.id, third.created_at])
})

test("an address gets the buyer's name and phone, and the country its code", async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const order = await shop.order(mug, {
    customer: { name: 'Ana', phone: '2133734253' },
    shipping_address: { city: 'Mérida', country: 'México' },
  })
  assert.deepEqual(order.shipping_address, {
    name: 'Ana',
    phone: '2133734253',
    address: null,
    city: 'Mérida',
    province: null,
    country: 'México',
    postal_code: null,
    notes: null,
    address_2: null,
    company: null,
    province_code: null,
  })
  assert.equal(order.country_code, 'MX')
  const codeOf = async (body: object) => (await shop.order(mug, body)).country_code
  assert.deepEqual(
    [
      await codeOf({}),
      await codeOf({ shipping_address: { country: 'Spanien' } }),
      await codeOf({ shipping_address: { country: 'Spain' }, country_code: 'PT' }),
    ],
    ['US', 'ES', 'PT'],
  )
})

test('placing needs write:orders', async () => {
  const shop = await newShop(world)
  const reader = await shop.withKey({ scopes: ['read:orders', 'write:products'] })
  const refused = await reader.post('/v1/orders', {})
  assert.deepEqual([refused.status, refused.error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.match(refused.error.message, /write:orders/)
})

test('the same Idempotency-Key places one order', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const post = () => shop.api.post('/v1/orders', { items: [sold(mug)] }, { headers: { 'idempotency-key': 'cart 7' } })
  const first = await post(),
    again = await post()
  assert.deepEqual([first.data, first.headers.get('location')], [again.data, again.headers.get('location')])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual([await shop.stockOf(mug), (await shop.api.get('/v1/orders/count')).data.count], [4, 1])
})

test('orders of two stores do not meet', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const mug = await shop.product()
  const { data: customer } = await other.api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  await other.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const order = await shop.order(mug, { customer_email: 'ana@example.com' })
  assert.notEqual(order.customer_id, customer.id)
  assert.deepEqual(
    faultsOf(await shop.api.post('/v1/orders', { items: [sold(mug)], customer_id: customer.id, discount_code: 'TEN' })),
    { customer_id: 'does not exist', discount_code: 'does not exist' },
  )
  const foreign = await other.api.post('/v1/orders', { items: [sold(mug)] })
  assert.deepEqual(faultsOf(foreign), { 'items.0.product_id': 'does not exist' })
  assert.equal((await other.order([{ product_name: 'X', unit_price: 1, quantity: 1 }])).order_number, 1001)
  assert.equal(await shop.stockOf(mug), 4)
})

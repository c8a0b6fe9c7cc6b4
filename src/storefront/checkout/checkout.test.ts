import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, faultsOf, home, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('a checkout begins with items, and is found again under its token', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop)
  await shop.events()
  const begun = await shopper.begin({ items: [{ product_id: bag.id, quantity: 2 }] })
  assert.equal(begun.status, 201)
  const { token, id, created_at, updated_at, ...rest } = begun.data
  assert.match(token, /^[\w-]{43}$/)
  assert.match(id, /^chk_/)
  assert.equal(created_at, updated_at)
  assert.equal(begun.headers.get('location'), `/storefront/${shop.store.slug}/checkouts/${token}`)
  assert.deepEqual(rest, {
    status: 'active',
    customer: { name: null, email: null, phone: null },
    shipping_address: {
      name: null,
      phone: null,
      address: null,
      city: null,
      province: null,
      country: null,
      country_code: null,
      postal_code: null,
      notes: null,
      address_2: null,
      company: null,
      province_code: null,
    },
    items: [
      {
        product_id: bag.id,
        variant_id: null,
        product_name: 'Canvas backpack',
        variant_name: null,
        quantity: 2,
        unit_price: 20,
        total_price: 40,
        bump_id: null,
        available_on: null,
        requires_shipping: true,
      },
    ],
    order_bumps: [],
    discount_code: null,
    discount_codes: [],
    shipping_method: 'standard',
    payment_method: null,
    tax_id: null,
    billing_address: null,
    customer_notes: null,
    custom_fields: {},
    accepts_marketing: false,
    locale: 'en',
    shipping_costs: [{ code: 'standard', price: 0, arrives_from: null, arrives_to: null }],
    subtotal: 40,
    discount: 0,
    shipping: 0,
    tax: 0,
    total: 40,
    currency: 'USD',
    totals: { subtotal: 40, discount: 0, shipping: 0, tax: 0, included_tax: 0, total: 40 },
    taxes: [],
    discounts: [],
    changes: [],
    order: null,
  })
  assert.deepEqual((await shopper.read(token)).data, begun.data)
  assert.deepEqual(await shop.events(), [])
})

test('customer and address are merged field by field, null clears, items are replaced', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const [bag, lamp] = [await productOf(shop), await productOf(shop, { name: 'Lamp', price: 5 })]
  const { token } = (await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }] })).data
  await shopper.change(token, {
    customer: ana,
    shipping_address: home,
    customer_notes: 'Ring twice',
    payment_method: 'cod',
  })
  const { data } = await shopper.change(token, {
    customer: { phone: null },
    shipping_address: { city: 'Puebla' },
    customer_notes: null,
    items: [
      { product_id: lamp.id, quantity: 3 },
      { product_id: lamp.id, quantity: 1 },
    ],
  })
  assert.deepEqual(data.customer, { ...ana, phone: null })
  assert.equal(data.shipping_address.city, 'Puebla')
  assert.equal(data.shipping_address.address, home.address)
  assert.deepEqual([data.customer_notes, data.payment_method], [null, 'cod'])
  assert.deepEqual(
    data.items.map(({ product_name, quantity, total_price }: any) => [product_name, quantity, total_price]),
    [
      ['Lamp', 3, 15],
      ['Lamp', 1, 5],
    ],
  )
  assert.equal(data.total, 20)
  const emptied = await shopper.change(token, { items: [] })
  assert.deepEqual([emptied.status, emptied.data.items, emptied.data.total], [200, [], 0])
})

test('totals: discount, order bumps, shipping and tax are exact to the currency', async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { price: 33.33 })
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_shipping: true })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 99.5, free_from: 500 })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 49.99 })).data
  const { data } = await shopper.begin({
    items: [{ product_id: bag.id, quantity: 3 }],
    discount_code: 'ten',
    order_bumps: [bump.id],
    shipping_method: 'standard',
  })
  // 99.99 + 49.99 = 149.98; − 15.00; + 99.50 shipping; tax 16 % of 234.48 = 37.5168
  assert.deepEqual(data.totals, {
    subtotal: 149.98,
    discount: 15,
    shipping: 99.5,
    tax: 37.52,
    included_tax: 0,
    total: 272,
  })
  assert.deepEqual(data.order_bumps, [{ bump_id: bump.id, title: 'Gift wrapping', price: 49.99 }])
  assert.equal(data.discount_code, 'TEN')

  await shop.api.patch('/v1/store', { tax_included: true })
  // 16 / 116 of 234.48 is in it
  assert.deepEqual((await shopper.read(data.token)).data.totals, {
    subtotal: 149.98,
    discount: 15,
    shipping: 99.5,
    tax: 0,
    included_tax: 32.34,
    total: 234.48,
  })
  const many = await shopper.change(data.token, { items: [{ product_id: bag.id, quantity: 16 }] })
  // 533.28 + 49.99 − 58.33 = 524.94 is 500 or more: shipping is free
  assert.deepEqual(many.data.totals, {
    subtotal: 583.27,
    discount: 58.33,
    shipping: 0,
    tax: 0,
    included_tax: 72.41,
    total: 524.94,
  })
})

test('amounts of a currency without decimals stay whole', async () => {
  const shop = await world.newStore({ currency: 'CLP', country_code: 'CL' })
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { price: 9990 })
  await shop.api.patch('/v1/store', { tax_rate: 19 })
  await shop.api.post('/v1/discounts', { code: 'THIRD', type: 'percentage', value: 33 })
  const { data } = await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], discount_code: 'THIRD' })
  assert.deepEqual(data.totals, {
    subtotal: 9990,
    discount: 3297,
    shipping: 0,
    tax: 1272,
    included_tax: 0,
    total: 7965,
  })
})

test('a bump with a product becomes a line at its own price, and follows order_bumps', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const [bag, strap] = [await productOf(shop), await productOf(shop, { name: 'Strap', price: 10 })]
  const bump = (
    await shop.api.post('/v1/store/order-bumps', { title: 'A strap with it', product_id: strap.id, price: 6 })
  ).data
  const begun = await shopper.begin({ items: [{ product_id: bag.id, quantity: 1 }], order_bumps: [bump.id] })
  assert.deepEqual(
    begun.data.items.map(({ product_name, unit_price, bump_id }: any) => [product_name, unit_price, bump_id]),
    [
      ['Canvas backpack', 20, null],
      ['Strap', 6, bump.id],
    ],
  )
  assert.deepEqual([begun.data.order_bumps, begun.data.total], [[], 26])
  // A read checkout can be sent back.
  const same = await shopper.change(begun.data.token, { items: begun.data.items })
  assert.deepEqual(same.data.items, begun.data.items)
  const without = await shopper.change(begun.data.token, { order_bumps: [] })
  assert.deepEqual([without.data.items.length, without.data.total], [1, 20])
})

test('every fault of the input names its field, and nothing is stored', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const other = await world.newStore()
  const foreign = await productOf(other)
  const last = await productOf(shop, { stock: 1 })
  const shirt = await productOf(shop, {
    name: 'Shirt',
    variants: [{ option_values: [{ option_title: 'Size', value: 'M' }] }],
  })
  const hidden = await productOf(shop, { product_status: 'draft' })
  await shop.api.post('/v1/discounts', {
    code: 'OLD',
    type: 'percentage',
    value: 10,
    expires_at: '2020-01-01T00:00:00Z',
  })
  const item = { product_id: last.id, quantity: 1 }
  const refused = async (body: object) => {
    const answer = await shopper.begin({ items: [item], ...body })
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    return faultsOf(answer)
  }
  assert.deepEqual(await refused({ items: [] }), ['items: must contain at least 1 item'])
  assert.deepEqual(await refused({ items: [{ ...item, quantity: 0 }] }), ['items.0.quantity: must be at least 1'])
  assert.deepEqual(await refused({ items: [{ ...item, quantity: 10_000 }] }), [
    'items.0.quantity: must be at most 9999',
  ])
  assert.deepEqual(await refused({ items: [{ ...item, quantity: 1.5 }] }), ['items.0.quantity: must be a whole number'])
  assert.deepEqual(await refused({ items: Array(101).fill(item) }), ['items: must contain at most 100 items'])
  assert.deepEqual(await refused({ items: [item, item] }), [
    'items.0.quantity: exceeds the quantity left (1)',
    'items.1.quantity: exceeds the quantity left (1)',
  ])
  assert.deepEqual(
    await refused({
      items: [
        { product_id: foreign.id, quantity: 1 },
        { product_id: shirt.id, quantity: 1 },
      ],
    }),
    ['items.0.product_id: does not exist', 'items.1.variant_id: is required because the product has variants'],
  )
  assert.deepEqual(await refused({ items: [{ product_id: hidden.id, quantity: 1 }] }), [
    'items.0.product_id: is not for sale (status: draft)',
  ])
  assert.deepEqual(await refused({ customer: { email: 'ana@', phone: 'call me' } }), [
    'customer.email: must be a valid email',
    'customer.phone: must be a valid phone',
  ])
  assert.deepEqual(
    await refused({ discount_code: 'OLD', shipping_method: 'drone', payment_method: 'gold', order_bumps: ['bump_x'] }),
    ['order_bumps.0: does not exist'],
  )
  assert.deepEqual(await refused({ discount_code: 'OLD', shipping_method: 'drone', payment_method: 'gold' }), [
    'shipping_method: is not available',
    'payment_method: is not available',
    'discount_code: has expired',
  ])
  assert.deepEqual(await refused({ discount_code: 'NONE' }), ['discount_code: does not exist'])
  assert.deepEqual(await refused({ shipping_address: { city: 5 } }), [
    'shipping_address.city: must be a string or null',
  ])
  assert.deepEqual(await refused({ shipping_address: { country_code: 'XX' } }), [
    'shipping_address.country_code: must be an uppercase ISO 3166-1 alpha-2 code, such as MX',
  ])
  for (const phone of ['12345', '+1 (555) 010-0', '1234567890123456', 'x5550100']) {
    const accepted = phone === '+1 (555) 010-0'
    assert.equal((await shopper.begin({ items: [item], customer: { phone } })).status, accepted ? 201 : 422, phone)
  }
  assert.equal((await shop.api.get('/v1/checkout-drafts?status=all')).body.pagination.total, 1)
})

test('a missing choice is refused when requested, and reported as a change when kept', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const [bag, lamp] = [await productOf(shop, { stock: 5 }), await productOf(shop, { name: 'Lamp', price: 8 })]
  const code = (await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })).data
  const { token } = (
    await shopper.begin({
      items: [
        { product_id: bag.id, quantity: 2 },
        { product_id: lamp.id, quantity: 1 },
      ],
      customer: { phone: ana.phone },
      discount_code: 'TEN',
    })
  ).data
  await shop.api.patch(`/v1/products/${bag.id}`, { price: 25, stock_quantity: 1 })
  await shop.api.patch(`/v1/products/${lamp.id}`, { product_status: 'archived' })
  await shop.api.patch(`/v1/discounts/${code.id}`, { is_active: false })

  const announced = [
    { field: 'items.0.unit_price', message: 'has changed from 20 to 25', from: 20, to: 25 },
    { field: 'discount', message: 'has changed from 4.8 to 0', from: 4.8, to: 0 },
    { field: 'total', message: 'has changed from 43.2 to 58', from: 43.2, to: 58 },
    { field: 'items.1.product_id', message: 'is not for sale (status: archived)', from: null, to: null },
    { field: 'items.0.quantity', message: 'exceeds the quantity left (1)', from: null, to: null },
    { field: 'discount_code', message: 'is disabled', from: null, to: null },
  ]
  const read = await shopper.read(token)
  assert.deepEqual(read.data.changes, announced)
  assert.deepEqual([read.data.items[0].unit_price, read.data.items[1].product_name, read.data.total], [25, 'Lamp', 58])
  // Reading tells it again; a change that does not touch it goes through, and is the last to tell what prices became.
  assert.deepEqual((await shopper.read(token)).data.changes, announced)
  const changed = await shopper.change(token, { customer: { email: ana.email } })
  assert.deepEqual([changed.status, changed.data.changes], [200, announced])
  assert.deepEqual((await shopper.read(token)).data.changes, announced.slice(3))

  const refused = await shopper.change(token, { items: [{ product_id: bag.id, quantity: 2 }], discount_code: 'TEN' })
  assert.equal(refused.status, 422)
  assert.deepEqual(faultsOf(refused), ['items.0.quantity: exceeds the quantity left (1)', 'discount_code: is disabled'])
  assert.equal((await shopper.read(token)).data.items.length, 2, 'the cart is kept')
  const mended = await shopper.change(token, { items: [{ product_id: bag.id, quantity: 1 }], discount_code: null })
  assert.deepEqual([mended.data.changes, mended.data.total], [[], 25])
})

test('an unknown token, and one of another store, is not found', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const shopper = shopperOf(world, shop)
  const { token } = (await shopper.begin({ items: [{ product_id: (await productOf(shop)).id, quantity: 1 }] })).data
  for (const wrong of ['x', 'A'.repeat(43), token.slice(1), '%00', '..']) {
    for (const answer of [await shopper.read(wrong), await shopper.change(wrong, {}), await shopper.complete(wrong)]) {
      assert.equal(answer.status, 404, wrong)
    }
  }
  const stranger = shopperOf(world, other)
  for (const answer of [await stranger.read(token), await stranger.change(token, {}), await stranger.complete(token)]) {
    assert.deepEqual([answer.status, answer.error.message], [404, 'Checkout not found'])
  }
})

test('a shipping rate ships to its countries only, and the only one that does is chosen', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5, country_codes: ['US'] })
  await shop.api.post('/v1/store/shipping-rates', { code: 'mx', name: 'México', price: 9, country_codes: ['MX'] })
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  assert.deepEqual(faultsOf(await shopper.begin({ items, shipping_address: home, shipping_method: 'standard' })), [
    'shipping_method: does not ship to MX',
  ])
  const begun = (await shopper.begin({ items })).data
  assert.deepEqual([begun.shipping_method, begun.shipping], [null, 0])
  const mexican = (await shopper.change(begun.token, { shipping_address: { country: 'México' } })).data
  assert.deepEqual([mexican.shipping_method, mexican.shipping], ['mx', 9])
  const american = (await shopper.change(begun.token, { shipping_address: { country_code: 'US' } })).data
  assert.deepEqual([american.shipping_method, american.shipping], ['standard', 5])
})

test('a wholesale price is the price from its quantity on', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bag = await productOf(shop, { wholesale_price: 15, wholesale_min_quantity: 10 })
  const { data } = await shopper.begin({ items: [{ product_id: bag.id, quantity: 10 }] })
  assert.deepEqual([data.items[0].unit_price, data.total], [15, 150])
})

test('a body of more than 64 KiB is refused with 413, and one of 64 KiB is read', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const bodyOf = (bytes: number) => ({ customer_notes: 'x'.repeat(bytes - '{"customer_notes":""}'.length) })
  const tooLarge = await shopper.begin(bodyOf(64 * 1024 + 1))
  assert.deepEqual([tooLarge.status, tooLarge.error.code], [413, 'PAYLOAD_TOO_LARGE'])
  assert.equal(tooLarge.error.message, 'The request body is larger than 65536 bytes')
  assert.equal((await shopper.begin(bodyOf(64 * 1024))).status, 422)
})

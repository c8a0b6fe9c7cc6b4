// Shipping rates with tables, conditions and delivery times, from the API to the order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, home, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

const open = async (...rates: object[]) => {
  const shop = await world.newStore()
  for (const rate of rates) assert.equal((await shop.api.post('/v1/store/shipping-rates', rate)).status, 201)
  return { ...shop, shopper: shopperOf(world, shop) }
}

const costsOf = ({ data }: any) => data.shipping_costs.map(({ code, price }: any) => [code, price])

test('prices by weight, amount, items and per item follow the cart, also of an order by API', async () => {
  const shop = await open(
    {
      code: 'standard',
      price_by: 'weight',
      price: 5,
      tiers: [
        { from: 1000, price: 8 },
        { from: 5000, price: 15.5 },
      ],
    },
    { code: 'express', price_by: 'amount', price: 12, tiers: [{ from: 50, price: 6 }], free_from: 1000 },
    { code: 'boxes', name: 'Boxes', price_by: 'items', price: 4, tiers: [{ from: 3, price: 7 }] },
    { code: 'local_delivery', price_by: 'per_item', price: 1.25 },
  )
  const light = await productOf(shop, { price: 20, weight: 400 })
  const cart = (quantity: number) => ({ items: [{ product_id: light.id, quantity }], ...buyer() })
  const begun = await shop.shopper.begin(cart(1))
  assert.deepEqual(costsOf(begun), [
    ['standard', 5],
    ['express', 12],
    ['boxes', 4],
    ['local_delivery', 1.25],
  ])
  const changed = await shop.shopper.change(begun.data.token, { items: cart(3).items, shipping_method: 'standard' })
  assert.deepEqual(costsOf(changed), [
    ['standard', 8],
    ['express', 6],
    ['boxes', 7],
    ['local_delivery', 3.75],
  ])
  assert.equal(changed.data.totals.total, 68)
  const { data } = await shop.shopper.complete(begun.data.token)
  assert.equal(data.order.total, 68)
  const ordered = await shop.api.post('/v1/orders', {
    ...cart(13),
    ...{ shipping_method: 'standard' },
    customer: undefined,
  })
  assert.equal(ordered.data.shipping_cost, 15.5)
})

test('a rate that the cart or the address excludes is not offered, and says why when it is chosen', async () => {
  const shop = await open(
    { code: 'standard', price: 5, max_weight: 2000, country_codes: ['MX'], provinces: ['CDMX', 'Jalisco'] },
    { code: 'express', price: 9, min_amount: 50, postal_codes: ['06*', '44100-44999'] },
  )
  const { id: product_id } = await productOf(shop, { price: 20, weight: 900 })
  const begin = (quantity: number, more: object = {}) =>
    shop.shopper.begin({ items: [{ product_id, quantity }], ...buyer(), ...more })
  assert.deepEqual(costsOf(await begin(1)), [['standard', 5]])
  assert.deepEqual(costsOf(await begin(3)), [['express', 9]])
  const far = { shipping_address: { ...home, province: 'Yucatán', postal_code: '97000' } }
  assert.deepEqual(costsOf(await begin(3, far)), [])
  assert.equal((await begin(1)).data.shipping_method, 'standard', 'the only one is chosen')
  const refused = [
    await begin(3, { shipping_method: 'standard' }),
    await begin(1, { shipping_method: 'express', ...far }),
    await begin(1, { shipping_method: 'standard', ...far }),
  ]
  assert.deepEqual(refused.map(faultsOf), [
    ['shipping_method: takes at most 2000 g, and the goods weigh 2700 g'],
    [
      'shipping_method: does not ship to the postal code 97000',
      'shipping_method: requires goods for at least 50, and they cost 20',
    ],
    ['shipping_method: does not ship to Yucatán'],
  ])
  const { token } = (await begin(1)).data
  const { data } = await shop.shopper.change(token, {
    items: [{ product_id, quantity: 3 }],
    shipping_method: 'express',
  })
  assert.equal(data.shipping_method, 'express')
  await shop.shopper.change(token, { items: [{ product_id, quantity: 1 }] })
  const late = await shop.shopper.complete(token)
  assert.deepEqual(faultsOf(late), ['shipping_method: requires goods for at least 50, and they cost 20'])
})

test('what a rate depends on is required of the address', async () => {
  const shop = await open({
    code: 'standard',
    price: 5,
    country_codes: ['MX'],
    provinces: ['MX-JAL'],
    postal_codes: ['44*'],
  })
  const { id: product_id } = await productOf(shop)
  const { address, city, country_code } = home
  const shipping_address = { address, city, country_code }
  const { data } = await shop.shopper.begin({ items: [{ product_id, quantity: 1 }], ...buyer(), shipping_address })
  assert.deepEqual(faultsOf(await shop.shopper.complete(data.token)), [
    'shipping_address.postal_code: is required',
    'shipping_address.province: is required',
  ])
})

test('categories are excluded or cost more with all that are below them', async () => {
  const shop = await open()
  const { api } = shop
  const categoryOf = async (body: object) => (await api.post('/v1/categories', body)).data.id
  const power = await categoryOf({ name: 'Power' })
  const batteries = await categoryOf({ name: 'Batteries', parent_id: power })
  const large = await categoryOf({ name: 'Large' })
  const rate = { code: 'standard', price: 5, excluded_categories: [power] }
  await api.post('/v1/store/shipping-rates', rate)
  const surcharges = [
    { category_id: power, amount: 3, per: 'item' },
    { category_id: large, amount: 20 },
  ]
  await api.post('/v1/store/shipping-rates', { code: 'express', price: 9, surcharges })
  const [cell, sofa] = [
    await productOf(shop, { category_id: batteries }),
    await productOf(shop, { category_id: large }),
  ]
  const begin = (...lines: [{ id: string }, number][]) =>
    shop.shopper.begin({ items: lines.map(([{ id }, quantity]) => ({ product_id: id, quantity })), ...buyer() })
  assert.deepEqual(costsOf(await begin([cell, 2])), [['express', 15]])
  assert.deepEqual(costsOf(await begin([sofa, 2])), [
    ['standard', 5],
    ['express', 29],
  ])
  assert.deepEqual(costsOf(await begin([sofa, 1], [cell, 1])), [['express', 32]])
})

test('the shipped parts of a bundle count for categories, each unit once', async () => {
  const shop = await open()
  const { api } = shop
  const categoryOf = async (body: object) => (await api.post('/v1/categories', body)).data.id
  const power = await categoryOf({ name: 'Power' })
  const batteries = await categoryOf({ name: 'Batteries', parent_id: power })
  const sets = await categoryOf({ name: 'Sets' })
  await api.post('/v1/store/shipping-rates', { code: 'standard', price: 5, excluded_categories: [power] })
  const surcharges = [
    { category_id: power, amount: 2, per: 'item' },
    { category_id: power, amount: 30 },
    { category_id: sets, amount: 0.1, per: 'item' },
  ]
  await api.post('/v1/store/shipping-rates', { code: 'express', price_by: 'per_item', price: 100, surcharges })
  const cell = await productOf(shop, { name: 'Cell', category_id: batteries })
  const manual = await productOf(shop, { name: 'Manual', category_id: power, requires_shipping: false })
  const lamp = await productOf(shop, { name: 'Lamp' })
  const kit = (parts: [{ id: string }, number][], fields = {}) => {
    const bundle_items = parts.map(([{ id }, quantity]) => ({ product_id: id, quantity }))
    return productOf(shop, { name: 'Kit', bundle_items, ...fields })
  }
  const costs = async (...lines: [{ id: string }, number][]) => {
    const items = lines.map(([{ id }, quantity]) => ({ product_id: id, quantity }))
    return costsOf(await shop.shopper.begin({ items, ...buyer() }))
  }
  // Two of three cells each are six.
  const lit = await kit([[cell, 3], [lamp, 1], [manual, 1]]) // prettier-ignore
  assert.deepEqual(await costs([lit, 2]), [['express', 242]])
  assert.deepEqual(await costs([lit, 1], [cell, 1]), [['express', 238]])
  // Its own category counts beside those of the parts, and one that both have counts once.
  assert.deepEqual(await costs([await kit([[cell, 3]], { category_id: sets }), 2]), [['express', 242.2]])
  assert.deepEqual(await costs([await kit([[cell, 3]], { category_id: power }), 2]), [['express', 242]])
  assert.deepEqual(await costs([await kit([[lamp, 3]], { category_id: power }), 2]), [['express', 234]])
  // Parts that are not shipped count for nothing.
  const read = await kit([[lamp, 1], [manual, 2]]) // prettier-ignore
  assert.deepEqual(await costs([read, 1]), [['standard', 5], ['express', 100]]) // prettier-ignore
  const items = [{ product_id: lit.id, quantity: 2 }]
  const { data } = await api.post('/v1/store/shipping-rates/preview', { items, country_code: 'MX' })
  assert.deepEqual(
    data.shipping_rates.map(({ price, reasons }: any) => [price, reasons.map(({ message }: any) => message)]),
    [[5, ['does not carry Cell (Kit)']], [242, []]], // prettier-ignore
  )
  const order = await api.post('/v1/orders', { items, shipping_method: 'express', customer_name: 'Ana' })
  assert.equal(order.data.shipping_cost, 242)
})

test('an estimate of the arrival is in the checkout, on the page of the order and in its email', async () => {
  const shop = await open({ code: 'standard', price: 5, handling_days: 1, min_days: 2, max_days: 4 })
  await shop.api.post('/v1/store/shipping-rates', {
    code: 'pickup',
    price: 0,
    pickup_address: 'Calle 5',
    pickup_hours: 'Mon–Fri 9–18',
    max_days: 0,
  })
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { data } = await shop.shopper.begin({ items, ...buyer(), shipping_method: 'pickup' })
  const [standard, pickup] = data.shipping_costs
  assert.match(standard.arrives_from, /^\d{4}-\d\d-\d\d$/)
  assert.ok(standard.arrives_from < standard.arrives_to)
  assert.equal(pickup.arrives_from, pickup.arrives_to)
  const { order } = (await shop.shopper.complete(data.token)).data
  const { text } = (await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)).data
  for (const part of ['Calle 5', 'Mon–Fri 9–18', 'Ready for pickup']) assert.ok(text.includes(part), part)
})

test('all faults of a rate are reported at once', async () => {
  const shop = await open()
  const { error } = await shop.api.post('/v1/store/shipping-rates', {
    code: 'standard',
    price: 1,
    price_by: 'volume',
    tiers: [
      { from: 5, price: 1 },
      { from: 5, price: 2 },
      { from: -1, price: 2 },
    ],
    min_weight: 10,
    max_weight: 9,
    min_days: 3,
    max_days: 2,
    postal_codes: ['***', '20000-10000'],
    pickup_hours: 'x'.repeat(501),
  })
  assert.deepEqual(error.details.map(({ field }: any) => field).sort(), [
    'max_days',
    'max_weight',
    'pickup_hours',
    'postal_codes.0',
    'postal_codes.1',
    'price_by',
    'tiers.2.from',
  ])
  const unsorted = {
    code: 'standard',
    price: 1,
    tiers: [
      { from: 5, price: 1 },
      { from: 5, price: 2 },
    ],
  }
  const missing = {
    excluded_categories: [publicId('cat', '01912d68-783e-7a03-8467-5661c1243ad4')],
    country_codes: ['US'],
    provinces: ['Bavaria'],
  }
  const refused = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 1, ...missing })
  assert.deepEqual(
    refused.error.details.map(({ field }: any) => field),
    ['provinces.0', 'excluded_categories.0'],
  )
  assert.deepEqual(faultsOf(await shop.api.post('/v1/store/shipping-rates', unsorted)), [
    'tiers.1.from: must be greater than 5',
  ])
  const nowhere = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 1, provinces: ['US-NY'] })
  assert.deepEqual(faultsOf(nowhere), ['country_codes: is required for provinces'])
  const { data } = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 1, min_weight: 10 })
  const patched = await shop.api.patch(`/v1/store/shipping-rates/${data.id}`, { max_weight: 9 })
  assert.deepEqual(faultsOf(patched), ['max_weight: must be at least min_weight'])
})

test('a range of postal codes needs ends of one length, and a code with a dash is none', async () => {
  const shop = await open()
  const make = (postal_codes: string[]) =>
    shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 1, postal_codes })
  const ends = 'must have a start and an end of the same length, such as 10000-19999'
  const pattern = 'must be a postal code, a prefix such as 90*, or an ascending range such as 10000-19999'
  const wrong = {
    '1000-19999': ends,
    '100-19999': ends,
    ' 1 - 99': ends,
    '900000-99999': ends,
    'SW1-SW19': ends,
    '10000..1999': ends,
    '01000-000..5999-999': ends,
    '1000..': ends,
    '1..2..3': pattern,
    '20000-10000': pattern,
  }
  assert.deepEqual(
    faultsOf(await make(Object.keys(wrong))).sort(),
    Object.values(wrong)
      .map((message, index) => `postal_codes.${index}: ${message}`)
      .sort(),
  )
  // Brazil, Poland, Portugal, ZIP+4, Japan, Chile, Taiwan, Latvia, the Cayman Islands.
  const codes = [
    '01310-100',
    '00-950',
    '1000-001',
    '90210-1234',
    '100-0001',
    '832-0000',
    '106-61',
    'LV-1010',
    'KY1-1100',
  ]
  const { data } = await make([...codes, '1000-1999', 'SW1A 1AA', '01000-000..05999-999', '97*'])
  assert.deepEqual(data.postal_codes.slice(0, codes.length), codes)
})

test('a preview explains each rate for a cart and an address, as the checkout decides it', async () => {
  const shop = await open(
    { code: 'standard', price: 5, max_weight: 2000, country_codes: ['MX'], provinces: ['CDMX'], postal_codes: ['06*'] },
    { code: 'express', price_by: 'per_item', price: 2, min_days: 1, max_days: 1 },
  )
  const { id: product_id } = await productOf(shop, { price: 20, weight: 900 })
  const preview = (body: object) => shop.api.post('/v1/store/shipping-rates/preview', body)
  const { data } = await preview({ items: [{ product_id, quantity: 3 }], country_code: 'US', province: 'NY' })
  assert.partialDeepStrictEqual(data.shipping_rates, [
    {
      code: 'standard',
      name: null,
      is_offered: false,
      price: 5,
      reasons: [
        { code: 'does_not_ship', message: 'does not ship to US' },
        { code: 'too_heavy', message: 'takes at most 2000 g, and the goods weigh 2700 g' },
      ],
      arrives_to: null,
    },
    { code: 'express', is_offered: true, price: 6, reasons: [] },
  ])
  const items = [{ product_id, quantity: 1 }]
  const near = await preview({ items, country_code: 'MX', province: 'Ciudad de México', postal_code: '06600' })
  assert.deepEqual(
    near.data.shipping_rates.map(({ is_offered }: any) => is_offered),
    [true, true],
  )
  const wrong = await preview({
    items: [
      { product_id, quantity: 1 },
      { product_id: 'prod_none', quantity: 1 },
    ],
    country_code: 'XX',
  })
  assert.deepEqual(
    faultsOf(wrong).map((text) => text.split(':')[0]),
    ['items.1.product_id', 'country_code'],
  )
})

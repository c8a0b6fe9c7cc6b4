import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../../test/client.ts'
import { openWorld } from '../../../test/world.ts'
import { setStatus } from '../../tenancy/stores/operations.ts'

const world = await openWorld()
const shopper = client(world.url, {})

/** What a rate is without conditions, tables and times. */
const plainRate = {
  price_by: 'flat',
  tiers: [],
  surcharges: [],
  provinces: [],
  postal_codes: [],
  min_weight: null,
  max_weight: null,
  min_amount: null,
  max_amount: null,
  excluded_categories: [],
  handling_days: null,
  min_days: null,
  max_days: null,
  pickup_hours: null,
}

const unquoted = {
  quote_url: null,
  quote_fallback: 'price',
  quote_secret_last4: null,
  quote_error: null,
  quote_error_detail: null,
  quote_failed_at: null,
}

test('the storefront tells the facts of a store, with the usual methods until it sets up its own', async () => {
  const { store } = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  const { status, data, headers } = await shopper.get(`/storefront/${store.slug}`)
  assert.equal(status, 200)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.deepEqual(data, {
    name: 'Corner shop',
    slug: store.slug,
    description: null,
    store_title: null,
    currency: 'MXN',
    country_code: 'MX',
    timezone: 'UTC',
    default_language: 'es',
    languages: ['es', 'en'],
    storefront_url: `https://shop.example/s/${store.slug}`,
    tax: { rate: 0, included: false, shipping: false },
    is_ready: false,
    checkout: {
      phone: 'optional',
      company: 'hidden',
      address_2: 'hidden',
      postal_code: 'optional',
      province: 'optional',
      tax_id: 'hidden',
      marketing: 'hidden',
      marketing_text: null,
    },
    custom_fields: [],
    payment_methods: [{ code: 'cod', name: 'Cash on delivery' }],
    shipping_rates: [
      {
        ...plainRate,
        code: 'standard',
        name: 'Standard',
        description: null,
        price: 0,
        free_from: null,
        free_by_code: true,
        country_codes: [],
        requires_address: true,
        payment_methods: [],
        pickup_address: null,
      },
    ],
    order_bumps: [],
  })
})

test('checkout settings are under /v1/store, and active ones are offered', async () => {
  const { api, store } = await world.newStore()
  await api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  const rate = await api.post('/v1/store/shipping-rates', {
    code: 'express',
    price: 99,
    free_from: 1000,
    country_codes: ['MX'],
    position: 1,
  })
  assert.equal(rate.status, 201)
  assert.equal(rate.headers.get('location'), `/v1/store/shipping-rates/${rate.data.id}`)
  const { id, created_at, updated_at, ...rest } = rate.data
  assert.match(id, /^rate_/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    ...plainRate,
    ...unquoted,
    code: 'express',
    name: null,
    description: null,
    price: 99,
    free_from: 1000,
    free_by_code: false,
    country_codes: ['MX'],
    requires_address: true,
    payment_methods: [],
    pickup_address: null,
    position: 1,
    is_active: true,
  })
  const pickup = await api.post('/v1/store/shipping-rates', { code: 'pickup', price: 0 })
  assert.equal(pickup.data.requires_address, false)
  await api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 0123' })
  await api.post('/v1/store/payment-methods', { code: 'spei', name: 'SPEI', is_active: false })
  await api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 49 })
  const listed = await api.get('/v1/store/shipping-rates')
  assert.deepEqual(
    listed.data.map(({ code }: any) => code),
    ['pickup', 'express'],
  )

  const { data } = await shopper.get(`/storefront/${store.slug}`)
  assert.deepEqual(data.tax, { rate: 16, included: true, shipping: false })
  assert.deepEqual(data.payment_methods, [{ code: 'bank_transfer', name: 'Bank transfer' }])
  assert.deepEqual(
    data.shipping_rates.map(({ code, price }: any) => [code, price]),
    [
      ['pickup', 0],
      ['express', 99],
    ],
  )
  assert.deepEqual(
    data.order_bumps.map(({ title, price, product_id }: any) => [title, price, product_id]),
    [['Gift wrapping', 49, null]],
  )

  assert.equal((await api.patch(`/v1/store/shipping-rates/${id}`, { is_active: false })).data.is_active, false)
  assert.deepEqual((await api.delete(`/v1/store/shipping-rates/${pickup.data.id}`)).data, { deleted: true })
  assert.equal((await api.get(`/v1/store/shipping-rates/${pickup.data.id}`)).status, 404)
})

test('a setting that does not fit is refused on its field', async () => {
  const { api } = await world.newStore()
  const other = await world.newStore()
  const fieldsOf = async (path: string, body: object) => {
    const { status, error } = await api.post(path, body)
    assert.equal(status, 422, JSON.stringify(error))
    return error.details.map(({ field }: any) => field)
  }
  assert.deepEqual(await fieldsOf('/v1/store/shipping-rates', { code: 'a b', price: -1, country_codes: ['XX'] }), [
    'code',
    'price',
    'country_codes.0',
  ])
  assert.deepEqual(await fieldsOf('/v1/store/shipping-rates', { code: 'drone', price: 1 }), ['name'])
  assert.deepEqual(await fieldsOf('/v1/store/payment-methods', { code: 'cod', provider: 'unknown' }), ['provider'])
  assert.deepEqual(await fieldsOf('/v1/store/payment-methods', { code: 'spei' }), ['name'])
  assert.deepEqual(await fieldsOf('/v1/store/order-bumps', { title: 'Nothing' }), ['price'])
  const shirt = (
    await api.post('/v1/products', {
      name: 'Shirt',
      price: 20,
      variants: [{ option_values: [{ option_title: 'Size', value: 'M' }] }],
    })
  ).data
  const foreign = (await other.api.post('/v1/products', { name: 'Lamp', price: 20 })).data
  assert.deepEqual(await fieldsOf('/v1/store/order-bumps', { title: 'Shirt', product_id: shirt.id }), ['variant_id'])
  assert.deepEqual(await fieldsOf('/v1/store/order-bumps', { title: 'Lamp', product_id: foreign.id }), ['product_id'])
  assert.equal(
    (
      await api.post('/v1/store/order-bumps', {
        title: 'Shirt',
        product_id: shirt.id,
        variant_id: shirt.variants[0].id,
      })
    ).status,
    201,
  )
  for (const body of [
    { tax_rate: 101 },
    { tax_rate: -1 },
    { tax_rate: 1.00001 },
    { checkout_abandon_after_minutes: 9 },
    { checkout_abandon_after_minutes: 1441 },
  ]) {
    assert.equal((await api.patch('/v1/store', body)).status, 422, JSON.stringify(body))
  }
  assert.equal(
    (await api.patch('/v1/store', { checkout_abandon_after_minutes: 10 })).data.checkout_abandon_after_minutes,
    10,
  )
  assert.equal(
    (await api.patch('/v1/store', { checkout_abandon_after_minutes: null })).data.checkout_abandon_after_minutes,
    null,
  )
})

test('a code stands once, and there is a maximum of settings', async () => {
  const { api } = await world.newStore()
  const many = await Promise.all(
    Array.from({ length: 24 }, (_, n) => api.post('/v1/store/payment-methods', { code: `m${n}`, name: 'M' })),
  )
  assert.equal(many.filter(({ status }) => status === 201).length, 20)
  assert.deepEqual([...new Set(many.filter(({ status }) => status !== 201).map(({ status }) => status))], [422])
  assert.equal((await api.post('/v1/store/shipping-rates', { code: 'standard', price: 1 })).status, 201)
  assert.equal((await api.post('/v1/store/shipping-rates', { code: 'standard', price: 1 })).status, 409)
})

test('order bumps need their feature of the plan', async () => {
  const { api, store } = await world.newStore({ plan: 'free' })
  const refused = await api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 49 })
  assert.equal(refused.status, 403)
  assert.deepEqual(refused.error.details, { feature: 'order_bumps' })
  assert.deepEqual((await shopper.get(`/storefront/${store.slug}`)).data.order_bumps, [])
})

test('shoppers see active products and only their public fields', async () => {
  const { api, store } = await world.newStore()
  const bags = (await api.post('/v1/categories', { name: 'Bags' })).data
  const bag = (
    await api.post('/v1/products', {
      name: 'Canvas backpack',
      price: 20,
      compare_price: 25,
      category_id: bags.id,
      supplier_cost: 7,
      wholesale_price: 15,
      wholesale_min_quantity: 10,
      track_inventory: true,
      stock_quantity: 3,
    })
  ).data
  const shirt = (
    await api.post('/v1/products', {
      name: 'Shirt',
      price: 30,
      supplier_cost: 8,
      variants: [{ option_values: [{ option_title: 'Size', value: 'M' }], stock_quantity: 700 }],
    })
  ).data
  await api.post('/v1/products', { name: 'Hidden', price: 1, product_status: 'draft' })
  await api.post('/v1/products', { name: 'Gone', price: 1, product_status: 'archived' })

  const list = await shopper.get(`/storefront/${store.slug}/products?sort=name&order=asc`)
  assert.deepEqual(
    list.data.map(({ name }: any) => name),
    ['Canvas backpack', 'Shirt'],
  )
  assert.equal(list.body.pagination.total, 2)
  const one = list.data[0]
  assert.deepEqual(
    [one.price, one.has_discount, one.discount_percentage, one.is_purchasable, one.stock_left],
    [20, true, 20, true, 3],
  )
  assert.deepEqual((await shopper.get(`/storefront/${store.slug}/products/${bag.id}`)).data, one)
  assert.deepEqual((await shopper.get(`/storefront/${store.slug}/products/canvas-backpack`)).data, one)
  const everything =
    JSON.stringify(list.body) +
    JSON.stringify((await shopper.get(`/storefront/${store.slug}/products/${shirt.id}`)).body)
  assert.doesNotMatch(everything, /supplier|wholesale|stock_quantity|threshold|notes|[:"]700\b/)

  const named = async (query: string) => {
    const { data } = await shopper.get(`/storefront/${store.slug}/products?${query}`)
    return data.map(({ name }: any) => name)
  }
  assert.deepEqual(await named('search=BACK'), ['Canvas backpack'])
  assert.deepEqual(await named('category=bags'), ['Canvas backpack'])
  assert.deepEqual(await named(`category=${bags.id}`), ['Canvas backpack'])
  assert.deepEqual(await named('category=none'), [])
  assert.deepEqual(await named('page=2&per_page=1&sort=price&order=asc'), ['Shirt'])
  assert.deepEqual((await shopper.get(`/storefront/${store.slug}/categories`)).data, [
    {
      ...{ id: bags.id, name: 'Bags', slug: 'bags', description: null, image: null },
      ...{ parent_id: null, ancestor_ids: [], path: 'bags', seo_title: null, seo_description: null },
    },
  ])
})

test('a record that is not for sale, of another store or missing is not found', async () => {
  const { api, store } = await world.newStore()
  const other = await world.newStore()
  const draft = (await api.post('/v1/products', { name: 'Draft', price: 1, product_status: 'draft' })).data
  const foreign = (await other.api.post('/v1/products', { name: 'Foreign', price: 1 })).data
  for (const named of [draft.id, draft.slug, foreign.id, foreign.slug, 'prod_x', '%', 'a%00b']) {
    const { status, error } = await shopper.get(`/storefront/${store.slug}/products/${named}`)
    assert.equal(status, 404, named)
    assert.equal(error.code, 'NOT_FOUND')
  }
  for (const slug of ['no-such-store', '%00', 'UPPER', "'"]) {
    assert.equal((await shopper.get(`/storefront/${slug}`)).status, 404, slug)
  }
})

test('a store that is paused, in maintenance or suspended says so with 503, a closed one is not found', async () => {
  const { api, store } = await world.newStore()
  const facts = async () => {
    const { status, error } = await shopper.get(`/storefront/${store.slug}`)
    return status === 200 ? 200 : [status, error.code, error.message]
  }
  assert.equal(await facts(), 200)
  await api.patch('/v1/store', { status: 'paused' })
  assert.deepEqual(await facts(), [503, 'STORE_UNAVAILABLE', 'This store is paused'])
  await api.patch('/v1/store', { status: 'active', maintenance_mode: true })
  assert.deepEqual(await facts(), [503, 'STORE_UNAVAILABLE', 'This store is in maintenance mode'])
  await api.patch('/v1/store', { maintenance_mode: false })
  assert.equal(await facts(), 200)
  await world.app.db.transaction((tx) => setStatus(tx, store.id, 'suspended'))
  assert.deepEqual(await facts(), [503, 'STORE_UNAVAILABLE', 'This store is paused'])
  await world.app.db.transaction((tx) => setStatus(tx, store.id, 'closed'))
  assert.deepEqual(await facts(), [404, 'NOT_FOUND', 'Store not found'])
})

test('any origin may call, within a limit per address', async () => {
  const { store } = await world.newStore()
  const preflight = await fetch(`${world.url}/storefront/${store.slug}/checkouts`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.match(preflight.headers.get('access-control-allow-methods')!, /PATCH/)
  for (const path of [`/storefront/${store.slug}`, '/storefront/unknown', `/storefront/${store.slug}/nothing`]) {
    const { headers } = await shopper.get(path)
    assert.equal(headers.get('access-control-allow-origin'), '*', path)
  }
  assert.equal((await shopper.get(`/storefront/${store.slug}`)).headers.get('cache-control'), 'no-cache')
  const secret = await shopper.get(`/storefront/${store.slug}/checkouts/${'A'.repeat(43)}`)
  assert.equal(secret.headers.get('cache-control'), 'no-store')
  const limited = await shopper.get('/storefront/unknown')
  assert.equal(limited.headers.get('x-ratelimit-limit'), '1000')
  assert.ok(Number(limited.headers.get('x-ratelimit-remaining')) < 1000)
})

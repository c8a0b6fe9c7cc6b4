// PATCH and DELETE of products.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('what was read can be sent back: nothing changes, and no event says that it did', async () => {
  const { api, events } = await world.newStore()
  const {
    data: { id: category_id },
  } = await api.post('/v1/categories', { name: 'Shirts' })
  const { data } = await api.post('/v1/products', {
    name: 'Shirt',
    price: 20,
    compare_price: 25,
    gallery: ['https://img.example/1.jpg'],
    track_inventory: true,
    category_id,
    options: [{ title: 'Size', values: ['S', 'M'] }],
    variants: ['S', 'M'].map((value) => ({ option_values: [{ option_title: 'Size', value }], stock_quantity: 2 })),
  })
  world.clock.advance(1)
  const { data: after, status } = await api.patch(`/v1/products/${data.id}`, data)
  assert.equal(status, 200)
  assert.deepEqual(after, data)
  for (const same of [
    { price: 20.004 },
    { main_image: null },
    { category_id },
    { stock_quantity: 99 },
    { name: 'Shirt', sku: null },
  ]) {
    assert.deepEqual((await api.patch(`/v1/products/${data.id}`, same)).data, data, JSON.stringify(same))
  }
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['product.created'],
  )
  for (const other of [{ sku: 'S' }, { category_id: null }, { gallery: [] }, { variants: [data.variants[0]] }]) {
    const changed = await api.patch(`/v1/products/${data.id}`, other)
    assert.notEqual(changed.data.updated_at, data.updated_at, JSON.stringify(other))
  }
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    Array(4).fill('product.updated'),
  )
})

test('entering archived sets archived_at, leaving clears it; only active products can be bought', async () => {
  const { api, events } = await world.newStore()
  const { data } = await api.post('/v1/products', { name: 'Lamp', price: 1 })
  for (const [product_status, is_purchasable] of [
    ['archived', false],
    ['draft', false],
    ['active', true],
  ] as const) {
    const changed = await api.patch(`/v1/products/${data.id}`, { product_status })
    assert.equal(changed.data.product_status, product_status)
    assert.equal(changed.data.archived_at !== null, product_status === 'archived')
    assert.equal(changed.data.is_purchasable, is_purchasable)
  }
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['product.created', 'product.updated', 'product.updated', 'product.updated'],
  )
})

test('the derived discount compares price and compare_price, to two decimals', async () => {
  const { api } = await world.newStore()
  const cases: [number | null, boolean, number][] = [
    [null, false, 0],
    [9, false, 0],
    [10, false, 0],
    [15, true, 33.33],
  ]
  for (const [compare_price, has_discount, discount_percentage] of cases) {
    const { data } = await api.post('/v1/products', { name: 'Lamp', price: 10, compare_price })
    assert.deepEqual([data.has_discount, data.discount_percentage], [has_discount, discount_percentage])
  }
})

test('main_image is the explicit one, else the first of the gallery, else null', async () => {
  const { api } = await world.newStore()
  const [one, two, own] = ['1', '2', 'own'].map((name) => `https://img.example/${name}.jpg`)
  const { data } = await api.post('/v1/products', {
    name: 'Lamp',
    price: 10,
    gallery: [one, { url: two, alt_text: 'Side' }],
  })
  assert.equal(data.main_image, one)
  assert.deepEqual(
    data.gallery.map(({ url, alt_text, position }: any) => [url, alt_text, position]),
    [
      [one, null, 0],
      [two, 'Side', 1],
    ],
  )
  const path = `/v1/products/${data.id}`
  assert.equal((await api.patch(path, { gallery: [two] })).data.main_image, two)
  assert.equal((await api.patch(path, { main_image: own })).data.main_image, own)
  assert.equal((await api.patch(path, { gallery: [one] })).data.main_image, own)
  assert.equal((await api.patch(path, { main_image: null })).data.main_image, one)
  assert.equal((await api.patch(path, { gallery: [] })).data.main_image, null)
})

test('slugs are made from the name and unique; a given one that is taken is a conflict', async () => {
  const { api } = await world.newStore()
  const create = (body: object) => api.post('/v1/products', { price: 1, ...body })
  assert.equal((await create({ name: 'Café Olé' })).data.slug, 'cafe-ole')
  assert.match((await create({ name: 'Café Olé' })).data.slug, /^cafe-ole-[a-z0-9]{6}$/)
  assert.match((await create({ name: '日本' })).data.slug, /^[a-z0-9-]+$/)
  const refused = await create({ name: 'Other', slug: 'cafe-ole' })
  assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT'])
  const both = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Racing' })))
  assert.equal(new Set(both.map(({ data }) => data.slug)).size, 5)
})

test('stock is the sum of its transactions, through variants that come and go', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/products', { name: 'Shirt', price: 20, stock_quantity: 10 })
  const path = `/v1/products/${data.id}`
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const withVariants = await api.patch(path, {
    variants: [
      { ...size('S'), stock_quantity: 3 },
      { ...size('M'), stock_quantity: 4 },
    ],
  })
  assert.equal(withVariants.data.stock_quantity, 7)
  const [small] = withVariants.data.variants
  assert.equal((await api.patch(path, { variants: [{ ...small, stock_quantity: 1 }] })).data.stock_quantity, 1)
  assert.equal((await api.patch(path, { stock_quantity: 99 })).data.stock_quantity, 1, 'the sum cannot be set')
  const plain = await api.patch(path, { variants: [], options: [], stock_quantity: 5 })
  assert.deepEqual([plain.data.stock_quantity, plain.data.variants], [5, []])
  const { data: transactions } = await api.get(`/v1/inventory/products/${data.id}/transactions?per_page=100`)
  assert.equal(
    transactions.reduce((sum: number, { quantity }: any) => sum + quantity, 0),
    5,
  )
  const refused = await api.patch(path, { stock_quantity: -1 })
  assert.deepEqual(
    refused.error.details.map(({ field }: any) => field),
    ['stock_quantity'],
  )
})

test('variants must combine the options: each fault is beside its variant', async () => {
  const { api } = await world.newStore()
  const red = { option_title: 'Colour', value: 'Red' }
  const refused = await api.post('/v1/products', {
    name: 'Shirt',
    price: 20,
    options: [{ title: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option_values: [red] },
      { option_values: [red] },
      { option_values: [{ ...red, value: 'Green' }] },
      { option_values: [] },
      { id: '01912d68-783e-7a03-8467-5661c1243ad4', option_values: [{ ...red, value: 'Blue' }] },
    ],
  })
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.error.details.map(({ field }: any) => field).toSorted(), [
    'variants.1.option_values',
    'variants.2.option_values',
    'variants.3.option_values',
    'variants.4.id',
  ])
})

test('a deleted product is gone, and its event has the id only', async () => {
  const { api, store, events } = await world.newStore()
  const { data } = await api.post('/v1/products', { name: 'Lamp', price: 1 })
  await events()
  assert.deepEqual((await api.delete(`/v1/products/${data.id}`)).body, { data: { deleted: true } })
  assert.equal((await api.get(`/v1/products/${data.id}`)).status, 404)
  assert.equal((await api.delete(`/v1/products/${data.id}`)).status, 404)
  assert.deepEqual((await api.get('/v1/products/count')).data, { count: 0 })
  const [{ event, body }] = (await events()) as any
  assert.equal(event, 'product.deleted')
  assert.deepEqual(body, {
    event_id: data.id,
    occurred_at: body.occurred_at,
    product: { id: data.id },
    store: { id: store.id, timezone: 'UTC' },
  })
})

test('a plan without the feature refuses what needs it, before anything else is looked at', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const cases: [object, string][] = [
    [{ track_inventory: true, price: -1 }, 'inventory'],
    [{ name: 'Shirt', price: 1, variants: [{ manage_inventory: true, option_values: [] }] }, 'inventory'],
    [{ name: 'Shirt', price: 1, wholesale_price: 0.5 }, 'wholesale'],
  ]
  for (const [body, feature] of cases) {
    const {
      status,
      error: { code, details },
    } = await api.post('/v1/products', body)
    assert.deepEqual([status, code, details], [403, 'FEATURE_ACCESS_DENIED', { feature }])
  }
})

test('the plan limit is exact among many at once', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => api.post('/v1/products', { name: `P${n}`, price: 1 })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 50)
  const refused = answers.filter(({ status }) => status === 403)
  assert.equal(refused.length, 10)
  for (const { error } of refused) {
    assert.deepEqual([error.code, error.message], ['PLAN_LIMIT_EXCEEDED', 'Product limit reached (50/50)'])
  }
  assert.deepEqual((await api.get('/v1/products/count?status=all')).data, { count: 50 })
})

test(
  'a category that is not there is 404, in a store that has none too, ' + 'and once of two at the same time',
  async () => {
    const { api } = await world.newStore()
    const {
      data: { id },
    } = await api.post('/v1/categories', { name: 'Kitchen' })
    const both = await Promise.all([api.delete(`/v1/categories/${id}`), api.delete(`/v1/categories/${id}`)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
    const again = await api.delete(`/v1/categories/${id}`)
    assert.deepEqual([again.status, again.error.message], [404, 'Category not found'])
    assert.equal((await api.get('/v1/categories')).body.pagination.total, 0)
  },
)

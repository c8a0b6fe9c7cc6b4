import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'
import { blank } from '../../kit/declare/row.ts'
import { product } from './product.ts'

const world = await openWorld()

test('a product is created with its defaults, 201 and Location', async () => {
  const { api, events } = await world.newStore()
  const created = await api.post('/v1/products', { name: 'Canvas backpack', price: 1500.5 })
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `/v1/products/${created.data.id}`)
  const { id, created_at, updated_at, ...rest } = created.data
  assert.match(id, /^prod_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    ...blank(product.fields),
    name: 'Canvas backpack',
    slug: 'canvas-backpack',
    description: null,
    price: 1500.5,
    compare_price: null,
    main_image: null,
    gallery: [],
    product_status: 'active',
    publish_at: null,
    unpublish_at: null,
    archived_at: null,
    is_featured: false,
    sku: null,
    brand: null,
    track_inventory: false,
    stock_quantity: 0,
    low_stock_threshold: 5,
    continue_selling: false,
    supplier_cost: null,
    wholesale_price: null,
    wholesale_min_quantity: null,
    condition: 'new',
    invoice_available: false,
    fast_shipping: false,
    warranty_months: null,
    tags: [],
    metadata: {},
    custom_fields: {},
    barcode: null,
    weight: null,
    requires_shipping: true,
    country_of_origin: null,
    hs_code: null,
    seo_title: null,
    seo_description: null,
    category_id: null,
    is_purchasable: true,
    has_discount: false,
    discount_percentage: 0,
    options: [],
    variants: [],
  })
  assert.deepEqual((await api.get(`/v1/products/${id}`)).data, created.data)
  const list = await api.get('/v1/products')
  assert.deepEqual(list.body, { data: [created.data], pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 } })
  const emitted = await events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['product.created'],
  )
  assert.equal(emitted[0]!.body.event_id, id)
})

test('every fault of a body is named at once', async () => {
  const { api, events } = await world.newStore()
  const refused = await api.post('/v1/products', { price: -1, variants: [{ price: 'x' }], options: 3, sku: 'a\0b' })
  assert.equal(refused.status, 422)
  assert.equal(refused.error.code, 'VALIDATION_ERROR')
  assert.deepEqual(refused.error.details, [
    { field: 'sku', message: 'must not contain NUL (U+0000)' },
    { field: 'name', message: 'is required' },
    { field: 'price', message: 'must be greater than 0' },
    { field: 'options', message: 'must be a list' },
    { field: 'variants.0.option_values', message: 'is required' },
    { field: 'variants.0.price', message: 'must be a number or null' },
  ])
  assert.deepEqual(await events(), [])
})

test('a country of origin is a country, and an HS code has 6 to 13 digits, with points or without', async () => {
  const { api } = await world.newStore()
  const made = (body: object) => api.post('/v1/products', { name: 'Cup', price: 1, ...body })
  for (const hs_code of ['420292', '4202.92.91.90', '8517.62.0000.123']) {
    const { status, data } = await made({ hs_code, country_of_origin: 'IT' })
    assert.deepEqual([status, data.hs_code, data.country_of_origin], [201, hs_code, 'IT'])
  }
  for (const hs_code of ['42029', '12345678901234', '4202..92', '4202.92.', 'A20292']) {
    const { status, error } = await made({ hs_code, country_of_origin: 'it' })
    const fields = error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual([status, [...new Set(fields)].sort()], [422, ['country_of_origin', 'hs_code']], hs_code)
  }
})

test('a category that does not exist is told before a slug that is taken', async () => {
  const { api } = await world.newStore()
  await api.post('/v1/products', { name: 'Cup', price: 1 })
  const { data } = await api.post('/v1/products', { name: 'Plate', price: 1 })
  const both = { slug: 'cup', category_id: 'cat_00000000000000000000000000' }
  const answers = [
    await api.post('/v1/products', { name: 'Bowl', price: 1, ...both }),
    await api.patch(`/v1/products/${data.id}`, both),
  ]
  for (const { status, error } of answers) {
    assert.deepEqual([status, error.details], [422, [{ field: 'category_id', message: 'does not exist' }]])
  }
})

test('variants are upserted by id, and the product has the sum of their stock', async () => {
  const { api } = await world.newStore()
  const red = { option_title: 'Colour', value: 'Red' },
    blue = { option_title: 'Colour', value: 'Blue' }
  const { data } = await api.post('/v1/products', {
    name: 'Shirt',
    price: 20,
    track_inventory: true,
    options: [{ title: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option_values: [red], stock_quantity: 3 },
      { option_values: [blue], stock_quantity: 4, price: 25 },
    ],
  })
  assert.equal(data.stock_quantity, 7)
  assert.deepEqual(
    data.variants.map((one: any) => [one.title, one.stock_quantity, one.price]),
    [
      ['Red', 3, null],
      ['Blue', 4, 25],
    ],
  )
  const [first] = data.variants
  const changed = await api.patch(`/v1/products/${data.id}`, { variants: [{ ...first, stock_quantity: 5 }] })
  assert.equal(changed.status, 200)
  assert.deepEqual(
    changed.data.variants.map((one: any) => [one.id, one.stock_quantity]),
    [[first.id, 5]],
  )
  assert.equal(changed.data.stock_quantity, 5)
})

test('the title of a variant follows its option values, unless it has one of its own', async () => {
  const { api } = await world.newStore()
  const [red, green] = ['Red', 'Green'].map((value) => [{ option_title: 'Colour', value }])
  const { data } = await api.post('/v1/products', {
    name: 'Shirt',
    price: 20,
    options: [{ title: 'Colour', values: ['Red', 'Green'] }],
    variants: [{ option_values: red }],
  })
  const [{ id }] = data.variants
  const patch = async (change: object) => {
    const { data: changed } = await api.patch(`/v1/products/${data.id}`, { variants: [{ id, ...change }] })
    return changed.variants[0].title
  }
  assert.equal(await patch({ option_values: green }), 'Green')
  assert.equal(await patch({ option_values: red, title: 'Poppy' }), 'Poppy')
  assert.equal(await patch({ option_values: green }), 'Poppy')
})

test(
  'a variant that is named by its id keeps what the body leaves out; ' + 'a new one needs its option values',
  async () => {
    const { api } = await world.newStore()
    const [red, blue] = ['Red', 'Blue'].map((value) => [{ option_title: 'Colour', value }])
    const { data } = await api.post('/v1/products', {
      name: 'Shirt',
      price: 20,
      variants: [
        { option_values: red, sku: 'R', stock_quantity: 3 },
        { option_values: blue, price: 25 },
      ],
    })
    const path = `/v1/products/${data.id}`
    const [first, second] = data.variants
    const { status, data: after } = await api.patch(path, {
      variants: [{ id: first.id, stock_quantity: 5 }, { id: second.id }],
    })
    assert.equal(status, 200)
    assert.equal(after.stock_quantity, 5)
    const known = ({ id, title, sku, price, option_values }: any) => ({ id, title, sku, price, option_values })
    assert.deepEqual(after.variants.map(known), data.variants.map(known))
    const refused = await api.patch(path, { variants: [{ id: first.id, price: 'x' }, { sku: 'new' }] })
    assert.deepEqual(refused.error.details, [
      { field: 'variants.0.price', message: 'must be a number or null' },
      { field: 'variants.1.option_values', message: 'is required' },
    ])
  },
)

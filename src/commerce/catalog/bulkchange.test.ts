// POST /v1/products/batch: many products and variants at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

async function shopOf(count: number) {
  const shop = await world.newStore()
  const products: any[] = []
  for (let index = 0; index < count; index++) {
    products.push(
      (await shop.api.post('/v1/products', { name: `Mug ${index}`, price: 10 + index, sku: `M-${index}` })).data,
    )
  }
  await shop.events()
  const batch = (body: object, headers = {}) => shop.api.post('/v1/products/batch', body, { headers })
  const read = async ({ id }: { id: string }) => (await shop.api.get(`/v1/products/${id}`)).data
  return { ...shop, products, batch, read }
}

const colors = (...values: string[]) =>
  values.map((value) => ({ option_values: [{ option_title: 'Color', value }], stock_quantity: 3, price: 5 }))

test('prices, status, category, SKU and stock of many change together, with an event for each product', async () => {
  const { api, events, products, batch, read } = await shopOf(3)
  const category = (await api.post('/v1/categories', { name: 'Mugs' })).data
  const collection = (await api.post('/v1/collections', { name: 'Summer' })).data
  await api.post(`/v1/collections/${collection.id}/products`, { product_ids: products.map(({ id }) => id) })
  const shirt = (await api.post('/v1/products', { name: 'Shirt', price: 20, variants: colors('Red', 'Blue') })).data
  await events()
  const [first, second, third] = products
  world.clock.advance(1)
  const tags = ['gift', 'a "quoted" \\ one, with {braces}'.replace(',', '')]
  const ofGoods = { barcode: '4006381333931', weight: 180, country_of_origin: 'IT', hs_code: '6109.10' }
  const { status, data } = await batch({
    products: [
      { id: first.id, price: 11.004, compare_price: 15, supplier_cost: 4, category_id: category.id, weight: 350 },
      { id: second.id, product_status: 'archived', sku: 'NEW-1', brand: 'Acme', stock_quantity: 7, tags },
      { id: third.id, price: third.price, sku: third.sku },
    ],
    variants: [{ id: shirt.variants[0].id, price: 6, sku: 'S-R', stock_quantity: 5, ...ofGoods }],
  })
  assert.deepEqual([status, data], [200, { products: 2, variants: 1 }])
  const told = await events()
  assert.deepEqual(
    told.map(({ event }) => event),
    Array(3).fill('product.updated'),
  )
  const ids = [first.id, second.id, shirt.id].sort()
  assert.deepEqual(told.map(({ body }) => body.product.id).sort(), ids)
  assert.equal(told.find(({ body }) => body.product.id === first.id)!.body.product.price, 11)
  const now = await read(first)
  assert.deepEqual([now.weight, now.barcode], [350, null])
  assert.deepEqual([now.price, now.compare_price, now.supplier_cost, now.category_id], [11, 15, 4, category.id])
  assert.notEqual(now.updated_at, first.updated_at)
  const archived = await read(second)
  assert.deepEqual(archived.tags, tags)
  assert.deepEqual([archived.product_status, archived.sku, archived.stock_quantity], ['archived', 'NEW-1', 7])
  assert.ok(archived.archived_at)
  assert.deepEqual(await read(third), third)
  const shirtNow = await read(shirt)
  assert.deepEqual([shirtNow.stock_quantity, shirtNow.variants[0].price, shirtNow.variants[0].sku], [8, 6, 'S-R'])
  assert.partialDeepStrictEqual(shirtNow.variants[0], ofGoods)
  assert.deepEqual(shirtNow.variants[1], shirt.variants[1])
  assert.equal((await api.get('/v1/products?status=all&search=new-1')).data.length, 1)
  assert.equal((await api.get('/v1/products?status=all&search=s-r')).data.length, 1)
  assert.equal((await api.get('/v1/products/count?status=archived')).data.count, 1)
  assert.equal((await api.get(`/v1/collections/${collection.id}`)).data.products_count, 3)
  const moved = await api.get(`/v1/inventory/products/${second.id}/transactions`)
  assert.deepEqual(
    moved.data.map((one: any) => [one.quantity, one.reason]),
    [[7, 'correction']],
  )
})

test('every wrong cell is named, and nothing changes', async () => {
  const { api, events, products, batch, read } = await shopOf(3)
  const shirt = (await api.post('/v1/products', { name: 'Shirt', price: 20, variants: colors('Red') })).data
  await events()
  const [first, second, third] = products
  const fieldsOf = async (body: object) => {
    const { status, error } = await batch(body)
    assert.equal(status, 422)
    return error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  assert.deepEqual(
    await fieldsOf({
      products: [
        { id: first.id, price: -1 },
        { id: second.id, product_status: 'gone', price: 12 },
        { id: third.id, sku: 'x'.repeat(256) },
        { id: third.id, category_id: 'none' },
        { id: third.id, tags: ['x'.repeat(500), 'a,b', 'ok'] },
      ],
    }),
    [
      'products.0.price must be greater than 0',
      'products.1.product_status must be one of draft, active, archived',
      'products.2.sku must be at most 255 characters long',
      'products.4.tags.0 must be at most 255 characters long',
      'products.4.tags.1 must match the pattern ^[^,\\r\\n]*$',
      'products.3.category_id does not exist',
    ],
  )
  assert.deepEqual(
    await fieldsOf({
      products: [
        { id: first.id, price: 1 },
        { id: first.id, price: 2 },
      ],
    }),
    ['products.1.id is changed twice in this request'],
  )
  const unknown = 'cat_01j4ppgy1yf81r8stpc70j8epm'
  assert.deepEqual(
    await fieldsOf({
      products: [
        { id: 'prod_01j4ppgy1yf81r8stpc70j8epm', price: 1 },
        { id: first.id, price: 99, expected: { price: 9, tags: ['old'] } },
        { id: shirt.id, stock_quantity: 4 },
        { id: second.id, category_id: unknown },
      ],
      variants: [{ id: shirt.variants[0].id, price: 7, expected: { price: 4, sku: null } }],
    }),
    [
      'products.0.id does not exist',
      'products.1.price is out of date: the current value is 10',
      'products.1.tags is out of date: the current value is ',
      'products.2.stock_quantity is the sum of the stock of its variants: change theirs',
      'variants.0.price is out of date: the current value is 5',
      'products.3.category_id does not exist',
    ],
  )
  assert.deepEqual(
    await fieldsOf({
      products: [{ id: first.id, price: 5, stock_quantity: -1 }],
      variants: [{ id: shirt.variants[0].id, stock_quantity: -2 }],
    }),
    [
      'products.0.stock_quantity must not be negative unless continue_selling is true',
      'variants.0.stock_quantity must not be negative unless continue_selling_when_out_of_stock is true',
    ],
  )
  assert.deepEqual(await Promise.all([first, second, third, shirt].map(read)), [first, second, third, shirt])
  assert.deepEqual(await events(), [])
})

test('products of another store are unknown', async () => {
  const [own, other] = [await shopOf(1), await shopOf(1)]
  const shirt = (await other.api.post('/v1/products', { name: 'Shirt', price: 20, variants: colors('Red') })).data
  const { status, error } = await own.batch({
    products: [{ id: other.products[0].id, price: 1 }],
    variants: [{ id: shirt.variants[0].id, price: 1 }],
  })
  assert.deepEqual([status, error.details.map(({ field }: any) => field)], [422, ['products.0.id', 'variants.0.id']])
  assert.deepEqual(await other.read(other.products[0]), other.products[0])
})

test('one entry of the audit log has all changes, and one undo brings them back, but for what was sold', async () => {
  const { api, products, batch, read, events } = await shopOf(4)
  const shirt = (await api.post('/v1/products', { name: 'Shirt', price: 20, variants: colors('Red', 'Blue') })).data
  const rows = products.map(({ id }, index) => ({ id, price: 50 + index, product_status: 'draft', stock_quantity: 4 }))
  await events()
  const answer = await batch(
    { products: rows, variants: shirt.variants.map(({ id }: any) => ({ id, price: 9, stock_quantity: 8 })) },
    { 'x-request-id': 'grid-1' },
  )
  assert.deepEqual(answer.data, { products: 4, variants: 2 })
  const entries = (await api.get('/v1/audit?request_id=grid-1')).data
  assert.equal(entries.length, 1)
  assert.equal(entries[0].operation, 'batchUpdateProducts')
  assert.deepEqual(
    entries[0].changes.filter(({ resource, after }: any) => resource !== 'stock_movement' && after.price).length,
    6,
  )
  const sell = (quantity: number) => api.patch(`/v1/inventory/products/${products[1].id}`, { quantity })
  await sell(-1)
  const refused = await api.post('/v1/changes/grid-1/revert', {})
  assert.deepEqual(refused.error.details.obstacles, [
    { resource: 'product', id: products[1].id, field: 'stock_quantity', reason: 'refused', later: [] },
  ])
  await sell(3)
  const reverted = await api.post('/v1/changes/grid-1/revert', {})
  assert.equal(reverted.status, 200, JSON.stringify(reverted))
  assert.deepEqual(
    new Set(reverted.data.records.map(({ id }: any) => id)),
    new Set([...products, shirt].map(({ id }) => id)),
  )
  for (const one of products) {
    const now = await read(one)
    assert.deepEqual([now.price, now.product_status], [one.price, 'active'])
    assert.equal(now.stock_quantity, one === products[1] ? 2 : 0)
  }
  const shirtNow = await read(shirt)
  assert.deepEqual(
    shirtNow.variants.map(({ price, stock_quantity }: any) => [price, stock_quantity]),
    [
      [5, 3],
      [5, 3],
    ],
  )
})

test('a dry run shows every change and makes none', async () => {
  const { products, batch, read } = await shopOf(2)
  const rows = products.map(({ id, price }) => ({ id, price: price * 2 }))
  const { data, body } = await batch({ products: rows }, { prefer: 'dry-run' })
  const { rehearsal } = body
  assert.deepEqual(data, { products: 2, variants: 0 })
  assert.equal(rehearsal.changes.length, 2)
  assert.equal(rehearsal.events.length, 2)
  assert.deepEqual(await Promise.all(products.map(read)), products)
})

test('two at once: the second sees what the first has changed', async () => {
  const { products, batch, read } = await shopOf(1)
  const [{ id }] = products
  const both = await Promise.all([11, 12].map((price) => batch({ products: [{ id, price, expected: { price: 10 } }] })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
  assert.ok([11, 12].includes((await read(products[0])).price))
})

test('custom fields of many are merged, checked with all other cells, and undone', async () => {
  const { api, products, batch, read } = await shopOf(2)
  const define = (field: object) => api.post('/v1/store/custom-fields', field)
  await define({ applies_to: 'product', key: 'cloth', label: 'Cloth', type: 'choice', choices: ['Wool', 'Silk'] })
  await define({ applies_to: 'product', key: 'grams', label: 'Weight', type: 'number' })
  await define({ applies_to: 'variant', key: 'shade', label: 'Shade', type: 'color' })
  const shirt = (await api.post('/v1/products', { name: 'Shirt', price: 20, variants: colors('Red') })).data
  const [first, second] = products
  await api.patch(`/v1/products/${first.id}`, { custom_fields: { grams: 5 } })
  const { status, data } = await batch({
    products: [
      { id: first.id, custom_fields: { cloth: 'Wool' }, expected: { custom_fields: { cloth: null } } },
      { id: second.id, price: 3, custom_fields: { cloth: 'Silk', grams: 9 } },
    ],
    variants: [{ id: shirt.variants[0].id, custom_fields: { shade: '#FF0000' } }],
  })
  assert.deepEqual([status, data], [200, { products: 2, variants: 1 }])
  const now = async () => [
    (await read(first)).custom_fields,
    (await read(second)).custom_fields,
    (await read(shirt)).variants[0].custom_fields,
  ]
  const after = [{ grams: 5, cloth: 'Wool' }, { cloth: 'Silk', grams: 9 }, { shade: '#ff0000' }]
  assert.deepEqual(await now(), after)
  assert.deepEqual((await batch({ products: [{ id: first.id, custom_fields: { cloth: 'Wool' } }] })).data.products, 0)

  const wrong = await batch({
    products: [
      { id: first.id, custom_fields: { cloth: 'Felt', none: 1 }, category_id: 'cat_01m8k0000000000000000000zz' },
      { id: second.id, custom_fields: { grams: null }, expected: { custom_fields: { grams: 8 } } },
    ],
    variants: [{ id: shirt.variants[0].id, custom_fields: { shade: 'red' } }],
  })
  assert.deepEqual(wrong.error.details.map(({ field }: any) => field).toSorted(), [
    'products.0.category_id',
    'products.0.custom_fields.cloth',
    'products.0.custom_fields.none',
    'products.1.custom_fields.grams',
    'variants.0.custom_fields.shade',
  ])
  assert.deepEqual(await now(), after)
  const { data: entries } = await api.get('/v1/audit?per_page=5')
  const entry = entries.find(({ changes }: any) => changes.length === 3)
  assert.equal((await api.post(`/v1/changes/${entry.request_id}/revert`, {})).status, 200)
  assert.deepEqual(await now(), [{ grams: 5 }, {}, {}])
})

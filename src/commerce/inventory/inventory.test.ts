import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { newId, newUuid } from '../../kit/values/ids.ts'

const world = await openWorld()

const red = { option_title: 'Colour', value: 'Red' },
  blue = { option_title: 'Colour', value: 'Blue' }

async function newProduct({ api, events }: TestStore, body: object = {}): Promise<any> {
  const mug = { name: 'Mug', price: 10, track_inventory: true, stock_quantity: 5 }
  const created = await api.post('/v1/products', { ...mug, ...body })
  assert.equal(created.status, 201)
  await events()
  return created.data
}

const withVariants = {
  stock_quantity: undefined,
  variants: [{ option_values: [red], stock_quantity: 3, sku: 'R' }, { option_values: [blue] }],
}
const stockOf = (id: string) => `/v1/inventory/products/${id}`

test('the inventory of a product has the fields of the contract', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop, { sku: 'MUG', low_stock_threshold: 2, continue_selling: true })
  const { status, data } = await shop.api.get(stockOf(id))
  assert.equal(status, 200)
  assert.deepEqual(data, {
    product_id: id,
    sku: 'MUG',
    stock_quantity: 5,
    track_inventory: true,
    low_stock_threshold: 2,
    continue_selling_when_out_of_stock: true,
    variants: [],
  })
})

test('the inventory of a product with variants has each of them', async () => {
  const shop = await world.newStore()
  const { id, variants } = await newProduct(shop, withVariants)
  const { data } = await shop.api.get(stockOf(id))
  assert.deepEqual(data, {
    product_id: id,
    sku: null,
    stock_quantity: 3,
    track_inventory: true,
    low_stock_threshold: 5,
    continue_selling_when_out_of_stock: false,
    variants: [
      {
        variant_id: variants[0].id,
        title: 'Red',
        sku: 'R',
        stock_quantity: 3,
        manage_inventory: true,
        low_stock_threshold: 5,
        continue_selling_when_out_of_stock: false,
        option_values: [red],
      },
      {
        variant_id: variants[1].id,
        title: 'Blue',
        sku: null,
        stock_quantity: 0,
        manage_inventory: true,
        low_stock_threshold: 5,
        continue_selling_when_out_of_stock: false,
        option_values: [blue],
      },
    ],
  })
})

test('an adjustment adds or takes pieces, and emits product.updated', async () => {
  const shop = await world.newStore()
  const product = await newProduct(shop)
  const more = await shop.api.patch(stockOf(product.id), { quantity: 7, reason: 'received' })
  assert.equal(more.status, 200)
  assert.equal(more.data.stock_quantity, 12)
  const fewer = await shop.api.patch(stockOf(product.id), { quantity: -12 })
  assert.equal(fewer.data.stock_quantity, 0)
  assert.deepEqual(fewer.data, (await shop.api.get(stockOf(product.id))).data)
  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['product.updated', 'product.updated'],
  )
  const { id, name, slug, price, product_status, archived_at, main_image } = product
  assert.equal(emitted[0]!.body.event_id, id)
  assert.deepEqual(emitted[0]!.body.product, { id, name, slug, price, product_status, archived_at, main_image })
})

test('a product that is not tracked can be counted too', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop, { track_inventory: false, stock_quantity: 0 })
  assert.equal((await shop.api.patch(stockOf(id), { quantity: 4 })).data.stock_quantity, 4)
})

test('an adjustment of a variant moves the sum of its product', async () => {
  const shop = await world.newStore()
  const { id, variants } = await newProduct(shop, withVariants)
  const { status, data } = await shop.api.patch(stockOf(id), { quantity: 4, variant_id: variants[1].id.toUpperCase() })
  assert.equal(status, 200)
  assert.deepEqual([data.stock_quantity, ...data.variants.map((one: any) => one.stock_quantity)], [7, 3, 4])
  assert.equal((await shop.api.get(`/v1/products/${id}`)).data.stock_quantity, 7)
})

test('a product with variants demands variant_id, and one of its own', async () => {
  const shop = await world.newStore()
  const { id, variants } = await newProduct(shop, withVariants)
  const plain = await newProduct(shop)
  const cases: [string, object, string][] = [
    [id, { quantity: 1 }, 'is required because the product has variants'],
    [id, { quantity: 1, variant_id: null }, 'is required because the product has variants'],
    [id, { quantity: 1, variant_id: newUuid() }, 'is not a variant of this product'],
    [plain.id, { quantity: 1, variant_id: variants[0].id }, 'is not a variant of this product'],
    [id, { quantity: 1, variant_id: 'red' }, 'must be a UUID'],
  ]
  for (const [product, body, message] of cases) {
    const refused = await shop.api.patch(stockOf(product), body)
    assert.equal(refused.status, 422, message)
    assert.deepEqual(refused.error.details, [{ field: 'variant_id', message }])
  }
  assert.deepEqual(await shop.events(), [])
})

test('stock does not fall below zero, unless the item continues selling', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop)
  const refused = await shop.api.patch(stockOf(id), { quantity: -6 })
  assert.equal(refused.status, 422)
  const message = 'must not make stock negative: 5 in stock'
  assert.deepEqual(refused.error.details, [{ field: 'quantity', message }])
  assert.equal((await shop.api.get(stockOf(id))).data.stock_quantity, 5)
  assert.deepEqual(await shop.events(), [])

  const backorder = await newProduct(shop, { continue_selling: true })
  assert.equal((await shop.api.patch(stockOf(backorder.id), { quantity: -6 })).data.stock_quantity, -1)
  // Below zero, stock can be raised but not lowered any further once the product stops continuing to sell.
  await shop.api.patch(`/v1/products/${backorder.id}`, { continue_selling: false })
  assert.equal((await shop.api.patch(stockOf(backorder.id), { quantity: -1 })).status, 422)
  await shop.api.patch(stockOf(backorder.id), { quantity: -3, reason: 'x' })
  assert.equal((await shop.api.patch(stockOf(backorder.id), { quantity: 1 })).data.stock_quantity, 0)

  const { id: shirt, variants } = await newProduct(shop, {
    stock_quantity: undefined,
    variants: [
      { option_values: [red], continue_selling_when_out_of_stock: true },
      { option_values: [blue], stock_quantity: 1 },
    ],
  })
  const [first, second] = variants.map(({ id }: any) => ({ quantity: -2, variant_id: id }))
  assert.equal((await shop.api.patch(stockOf(shirt), first)).data.stock_quantity, -1)
  assert.equal((await shop.api.patch(stockOf(shirt), second)).status, 422)
})

test('quantity is a whole number other than 0, within a billion', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop)
  const cases: [unknown, string][] = [
    [undefined, 'is required'],
    [0, 'must be a non-zero number'],
    [1.5, 'must be a whole number'],
    ['3', 'must be a whole number'],
    [null, 'must be a whole number'],
    [1_000_000_001, 'must be at most 1000000000'],
    [-1_000_000_001, 'must be at least -1000000000'],
    [2 ** 63, 'must be at most 1000000000'],
    [1_000_000_000, 'must not raise stock above 1000000000: 5 in stock'],
  ]
  for (const [quantity, message] of cases) {
    const refused = await shop.api.patch(stockOf(id), { quantity })
    assert.equal(refused.status, 422, message)
    assert.deepEqual(refused.error.details, [{ field: 'quantity', message }])
  }
  assert.equal((await shop.api.patch(stockOf(id), { quantity: 999_999_995 })).data.stock_quantity, 1_000_000_000)
})

test('reason is free text of 1 to 255 characters, correction unless given', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop, { stock_quantity: 0 })
  for (const reason of ['', ' ', 'x'.repeat(256), null, 7]) {
    const refused = await shop.api.patch(stockOf(id), { quantity: 1, reason })
    assert.deepEqual([refused.status, refused.error.details[0].field], [422, 'reason'])
  }
  for (const body of [{}, { reason: 'x' }, { reason: 'ñ'.repeat(255) }]) {
    assert.equal((await shop.api.patch(stockOf(id), { quantity: 1, ...body })).status, 200)
  }
  const { data } = await shop.api.get(`${stockOf(id)}/transactions?order=asc`)
  assert.deepEqual(
    data.map((one: any) => one.reason),
    ['correction', 'x', 'ñ'.repeat(255)],
  )
})

test('every movement has its transaction, newest first', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop)
  await shop.api.patch(stockOf(id), { quantity: -2, reason: 'damaged' })
  await shop.api.patch(`/v1/products/${id}`, { stock_quantity: 10 })
  const list = await shop.api.get(`${stockOf(id)}/transactions`)
  assert.equal(list.status, 200)
  assert.deepEqual(list.body.pagination, { page: 1, per_page: 25, total: 3, total_pages: 1 })
  const [set, damaged, received] = list.data
  assert.match(damaged.id, /^itx_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(damaged.actor, /^key:key_/)
  assert.match(damaged.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(damaged, {
    id: damaged.id,
    product_id: id,
    variant_id: null,
    quantity: -2,
    stock_after: 3,
    reason: 'damaged',
    order_id: null,
    actor: damaged.actor,
    created_at: damaged.created_at,
  })
  const told = ({ quantity, stock_after, reason }: any) => [quantity, stock_after, reason]
  assert.deepEqual([received, set].map(told), [
    [5, 5, 'received'],
    [7, 10, 'correction'],
  ])
})

test('transactions come in pages, sorted by created_at either way', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop, { stock_quantity: 1 })
  const other = await newProduct(shop)
  for (let quantity = 2; quantity <= 5; quantity++) {
    world.clock.advance(1)
    await shop.api.patch(stockOf(id), { quantity })
    await shop.api.patch(stockOf(other.id), { quantity })
  }
  const quantities = async (query: string) =>
    (await shop.api.get(`${stockOf(id)}/transactions?${query}`)).data.map((one: any) => one.quantity)
  assert.deepEqual(await quantities(''), [5, 4, 3, 2, 1])
  assert.deepEqual(await quantities('order=asc&sort=created_at'), [1, 2, 3, 4, 5])
  assert.deepEqual(await quantities('per_page=2&page=2'), [3, 2])
  assert.deepEqual(await quantities('per_page=2&page=4'), [])
  assert.equal((await shop.api.get(`${stockOf(id)}/transactions?per_page=2&page=4`)).body.pagination.total, 5)
  assert.equal((await shop.api.get(`${stockOf(id)}/transactions?sort=quantity`)).status, 422)
})

test('what is no product of the store is not found', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const { id } = await newProduct(other)
  for (const unknown of [id, newId('prod'), newId('cat'), 'x']) {
    for (const answer of [
      await shop.api.get(stockOf(unknown)),
      await shop.api.patch(stockOf(unknown), { quantity: 1 }),
      await shop.api.get(`${stockOf(unknown)}/transactions`),
    ]) {
      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error: { code: 'NOT_FOUND', message: 'Product not found' } })
    }
  }
  assert.equal((await other.api.get(stockOf(id))).data.stock_quantity, 5)
})

test('reading needs read:inventory, adjusting write:inventory', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop)
  const reader = await shop.withKey({ scopes: ['read:inventory'] })
  const stranger = await shop.withKey({ scopes: ['write:products'] })
  assert.equal((await reader.get(stockOf(id))).status, 200)
  assert.equal((await reader.get(`${stockOf(id)}/transactions`)).status, 200)
  const refused = await reader.patch(stockOf(id), { quantity: 1 })
  assert.deepEqual([refused.status, refused.error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.match(refused.error.message, /write:inventory/)
  assert.equal((await stranger.get(stockOf(id))).status, 403)
  assert.equal((await (await shop.withKey({ scopes: ['write:inventory'] })).get(stockOf(id))).status, 200)
})

test('forty adjustments at once add up exactly', async () => {
  const shop = await world.newStore()
  const { id, variants } = await newProduct(shop, withVariants)
  const plain = await newProduct(shop)
  const quantities = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? -1 : index))
  const answers = await Promise.all(
    quantities.flatMap((quantity) => [
      shop.api.patch(stockOf(plain.id), { quantity: quantity + 100 }),
      shop.api.patch(stockOf(id), { quantity: quantity + 100, variant_id: variants[quantity < 9 ? 0 : 1].id }),
    ]),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const added = quantities.reduce((sum, quantity) => sum + quantity + 100, 0)
  assert.equal((await shop.api.get(stockOf(plain.id))).data.stock_quantity, 5 + added)
  const { data } = await shop.api.get(stockOf(id))
  assert.equal(data.stock_quantity, 3 + added)
  assert.equal(data.variants[0].stock_quantity + data.variants[1].stock_quantity, 3 + added)
})

test('forty takers of twelve pieces get twelve', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop, { stock_quantity: 12 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => shop.api.patch(stockOf(id), { quantity: -1 })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 12)
  assert.equal(answers.filter(({ status }) => status === 422).length, 28)
  assert.equal((await shop.api.get(stockOf(id))).data.stock_quantity, 0)
})

test('an adjustment repeated with its Idempotency-Key moves the stock once', async () => {
  const shop = await world.newStore()
  const { id } = await newProduct(shop)
  const headers = { 'idempotency-key': 'count of Monday' }
  const first = await shop.api.patch(stockOf(id), { quantity: 2 }, { headers })
  const again = await shop.api.patch(stockOf(id), { quantity: 2 }, { headers })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(again.data, first.data)
  assert.equal((await shop.api.get(stockOf(id))).data.stock_quantity, 7)
})

test('an adjustment of a stock that is no longer as it was seen is refused, and says what it is', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const body = { name: 'Mug', price: 5, track_inventory: true, stock_quantity: 8 }
  const { id } = (await api.post('/v1/products', body)).data
  const path = `/v1/inventory/products/${id}`
  assert.equal((await api.patch(path, { quantity: -2, expected_stock: 8 })).data.stock_quantity, 6)
  await shop.events()
  for (const quantity of [1, -7]) {
    const { status, error } = await api.patch(path, { quantity, expected_stock: 8 })
    assert.deepEqual([status, error.details[0].field], [422, 'expected_stock'])
    assert.match(error.details[0].message, /the current value is 6$/)
  }
  assert.deepEqual(await shop.events(), [])
  assert.equal((await api.get(path)).data.stock_quantity, 6)
  const both = await Promise.all([1, 2].map((quantity) => api.patch(path, { quantity, expected_stock: 6 })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
})

test('from when on a thing runs low, and whether it is sold without stock, is said for it alone', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const values = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const body = { name: 'Shirt', price: 5, track_inventory: true, variants: [values('S'), values('M')] }
  const { id, variants } = (await api.post('/v1/products', body)).data
  const path = `/v1/inventory/products/${id}/settings`
  const [small, middle] = variants
  await shop.events()
  const wanted = { variant_id: small.id, low_stock_threshold: 2, continue_selling_when_out_of_stock: true }
  const { data } = await api.patch(path, wanted)
  const told = data.variants.map((one: any) => [one.low_stock_threshold, one.continue_selling_when_out_of_stock])
  assert.deepEqual(told, [
    [2, true],
    [5, false],
  ])
  await api.patch(path, wanted)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.updated'],
  )
  const stale = { variant_id: middle.id, low_stock_threshold: 1, expected_low_stock_threshold: 4 }
  assert.equal((await api.patch(path, stale)).error.details[0].field, 'expected_low_stock_threshold')
  assert.equal((await api.patch(path, { low_stock_threshold: 1 })).error.details[0].field, 'variant_id')
  const { data: mug } = await api.post('/v1/products', { name: 'Mug', price: 5 })
  const own = `/v1/inventory/products/${mug.id}/settings`
  assert.equal((await api.patch(own, { low_stock_threshold: 9 })).data.low_stock_threshold, 9)
  assert.equal((await api.get(`/v1/products/${mug.id}`)).data.low_stock_threshold, 9)
})

// Metadata and external IDs on every kind of record that has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, red, sold, type Shop } from './shop.ts'
import { shopperOf, buyer } from './checkouts.ts'
import { staffOf } from './staff.ts'
import { openWorld } from './world.ts'

const world = await openWorld()

type Kind = { path: string; create(shop: Shop, more: object): Promise<any> }

const posted = (path: string, buildBody: () => object): Kind => ({
  path,
  create: async ({ api }, more) => dataOf(await api.post(path, { ...buildBody(), ...more }), 201),
})

let count = 0
const line = { product_name: 'Own', unit_price: 30, quantity: 3 }

/** Names that are unique in the store. */
const some = (name: string) => `${name}${++count}`

const kinds: Kind[] = [
  posted('/v1/products', () => ({ name: 'Mug', price: 5 })),
  posted('/v1/categories', () => ({ name: some('Hats') })),
  posted('/v1/collections', () => ({ name: some('Summer') })),
  posted('/v1/customers', () => ({ name: 'Ana' })),
  posted('/v1/orders', () => ({ items: [line] })),
  posted('/v1/draft-orders', () => ({ items: [line] })),
  posted('/v1/discounts', () => ({ code: some('TEN'), type: 'percentage', value: 10 })),
  posted('/v1/webhooks', () => ({ url: some('https://93.184.216.34/'), events: ['order.created'] })),
  { path: '/v1/returns', create: createReturn },
]

async function createReturn({ api }: Shop, more: object) {
  const order = dataOf(await api.post('/v1/orders', { items: [line] }), 201)
  dataOf(await api.post(`/v1/orders/${order.id}/fulfillments`), 201)
  const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'other' }]
  return dataOf(await api.post(`/v1/orders/${order.id}/returns`, { items, ...more }), 201)
}

for (const { path, create } of kinds) {
  test(`${path}: a change merges keys, null and an empty text remove one, null removes all`, async () => {
    const shop = await newShop(world)
    const { id, metadata, external_id } = await create(shop, {})
    assert.deepEqual([metadata, external_id], [{}, null])
    const change = async (metadata: object | null) =>
      dataOf(await shop.api.patch(`${path}/${id}`, { metadata }), 200).metadata
    assert.deepEqual(await change({ source: 'erp', season: 'summer', color: 'red' }), {
      source: 'erp',
      season: 'summer',
      color: 'red',
    })
    assert.deepEqual(await change({ season: null, color: '', size: 'M' }), { source: 'erp', size: 'M' })
    const { updated_at } = dataOf(await shop.api.get(`${path}/${id}`), 200)
    world.clock.advance(1)
    assert.deepEqual(await change({ size: 'M', season: null }), { source: 'erp', size: 'M' })
    assert.equal(dataOf(await shop.api.get(`${path}/${id}`), 200).updated_at, updated_at)
    assert.deepEqual(await change(null), {})
  })

  test(`${path}: an external ID and texts find the record, in its own store alone`, async () => {
    const [shop, other] = [await newShop(world), await newShop(world)]
    const labels = { external_id: 'erp-1', metadata: { source: 'erp', 'a key': 'Größe=M' } }
    const one = await create(shop, labels)
    await create(shop, { metadata: { source: 'shop', 'a key': 'Größe=M' } })
    await create(other, labels)
    const listed = async (query: string) => dataOf(await shop.api.get(`${path}?${query}`), 200).map(({ id }: any) => id)
    assert.deepEqual(await listed('external_id=erp-1'), [one.id])
    assert.deepEqual(await listed('external_id=erp-2'), [])
    assert.deepEqual(await listed('metadata[source]=erp'), [one.id])
    assert.deepEqual(await listed('metadata[a%20key]=Gr%C3%B6%C3%9Fe%3DM&metadata[source]=erp'), [one.id])
    assert.deepEqual(await listed('metadata[source]=ERP'), [])
    assert.deepEqual(await listed('metadata[source]='), [])
    assert.equal((await shop.api.get(`${path}?metadata[a.b]=c`)).status, 422)
  })

  test(`${path}: a second record with the same external ID is refused, and nothing is written`, async () => {
    const shop = await newShop(world)
    await create(shop, { external_id: 'erp-1' })
    const second = await create(shop, { external_id: 'erp-2', metadata: { a: '1' } })
    const { status, error } = await shop.api.patch(`${path}/${second.id}`, {
      external_id: 'erp-1',
      metadata: { a: '2' },
    })
    assert.deepEqual([status, error.code], [409, 'CONFLICT'])
    const { external_id, metadata } = dataOf(await shop.api.get(`${path}/${second.id}`), 200)
    assert.deepEqual([external_id, metadata], ['erp-2', { a: '1' }])
    dataOf(await shop.api.patch(`${path}/${second.id}`, { external_id: null }), 200)
    dataOf(await shop.api.patch(`${path}/${second.id}`, { external_id: 'erp-2' }), 200)
  })
}

const screens: Record<string, string> = {
  '/v1/draft-orders': '/orders/drafts',
  '/v1/webhooks': '/settings/developer/webhooks',
}

test('the page of every record shows both, and changes them without a script', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'owner')
  const pages = await Promise.all(
    kinds.map(async ({ path, create }) => {
      const { id } = await create(shop, { external_id: 'erp-1', metadata: { season: 'summer', source: 'erp' } })
      return [`${path}/${id}`, `/${shop.store.id}${screens[path] ?? path.replace('/v1', '')}/${id}`] as const
    }),
  )
  dataOf(
    await shop.api.patch('/v1/store', { external_id: 'erp-1', metadata: { season: 'summer', source: 'erp' } }),
    200,
  )
  for (const [path, page] of [...pages, ['/v1/store', `/${shop.store.id}/settings/store`] as const]) {
    const { text } = await ana.get(page)
    for (const value of ['erp-1', 'season', 'summer', 'source', 'erp'])
      assert.ok(text.includes(`value="${value}"`), `${page} ${value}`)
    const rows = {
      'metadata.0.key': 'season',
      'metadata.0.value': '',
      'metadata.1.key': 'size',
      'metadata.1.value': 'M',
    }
    const sent = { act: 'metadata', shown: 'season\nsource', external_id: 'erp-2', ...rows }
    const saved = await ana.post(page, sent)
    assert.equal(saved.status, 303, `${page} ${saved.text}`)
    const { external_id, metadata } = dataOf(await shop.api.get(path), 200)
    assert.deepEqual([external_id, metadata], ['erp-2', { size: 'M' }], page)
    const refused = await ana.post(page, { ...sent, 'metadata.1.key': 'a.b' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /id="metadata\.\d\.key-fault">Use 1 to 40 characters/, page)
  }
})

const keys = (from: number, to: number) =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [`key ${from + index}`, 'x']))

test('wrong keys and texts are reported at once, each at its path', async () => {
  const shop = await newShop(world)
  const body = {
    name: '',
    price: 5,
    metadata: {
      'a.b': 'x',
      'c[d]': 'x',
      '\u0007': 'x',
      '': 'x',
      [`${'k'.repeat(41)}`]: 'x',
      n: 5,
      long: 'x'.repeat(501),
      ok: 'x',
    },
  }
  const faults = faultsOf(await shop.api.post('/v1/products', body))
  const wrongKey = 'is not a key: 1 to 40 characters without dots, brackets and control characters'
  assert.deepEqual(faults, {
    name: 'must not be empty',
    'metadata.a.b': wrongKey,
    'metadata.c[d]': wrongKey,
    'metadata.\u0007': wrongKey,
    'metadata.': wrongKey,
    [`metadata.${'k'.repeat(41)}`]: wrongKey,
    'metadata.n': 'must be a string or null',
    'metadata.long': 'must be at most 500 characters long',
  })
  assert.deepEqual(dataOf(await shop.api.get('/v1/products'), 200), [])
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products', { name: 'Mug', price: 5, metadata: keys(1, 51) })), {
    metadata: 'must contain at most 50 items',
  })
  for (const metadata of [[], 'text', 5]) {
    assert.deepEqual(Object.keys(faultsOf(await shop.api.post('/v1/products', { name: 'Mug', price: 5, metadata }))), [
      'metadata',
    ])
  }
})

test('a record has 50 keys of 40 characters with 500 characters each, and no 51st by a later change', async () => {
  const shop = await newShop(world)
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, '€'), '😀'.repeat(250)]),
  )
  const { id } = dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 5, metadata }), 201)
  assert.deepEqual(dataOf(await shop.api.get(`/v1/products/${id}`), 200).metadata, metadata)
  const [first] = Object.keys(metadata)
  assert.deepEqual(faultsOf(await shop.api.patch(`/v1/products/${id}`, { metadata: { more: 'x' } })), {
    metadata: 'must contain at most 50 items',
  })
  dataOf(await shop.api.patch(`/v1/products/${id}`, { metadata: { more: 'x', [first!]: null } }), 200)
})

test('concurrent changes of different keys lose none', async () => {
  const shop = await newShop(world)
  const { id } = await shop.product()
  const names = Array.from({ length: 8 }, (_, index) => `key ${index}`)
  await Promise.all(names.map((key) => shop.api.patch(`/v1/products/${id}`, { metadata: { [key]: 'x' } })))
  assert.deepEqual(Object.keys(dataOf(await shop.api.get(`/v1/products/${id}`), 200).metadata).sort(), names)
})

test('variants have both, are found by theirs, and keep what a change does not name', async () => {
  const shop = await newShop(world)
  const variants = [{ option_values: [red], external_id: 'erp-red', metadata: { source: 'erp', gone: null } }]
  const {
    id,
    variants: [variant],
  } = dataOf(await shop.api.post('/v1/products', { name: 'Shirt', price: 5, variants }), 201)
  assert.deepEqual([variant.external_id, variant.metadata], ['erp-red', { source: 'erp' }])
  const changed = [{ id: variant.id, metadata: { season: 'summer' } }]
  const { data } = await shop.api.patch(`/v1/products/${id}`, { variants: changed })
  assert.deepEqual(
    [data.variants[0].external_id, data.variants[0].metadata],
    ['erp-red', { season: 'summer', source: 'erp' }],
  )
  const { data: found } = await shop.api.get('/v1/products?variant_external_id=erp-red')
  assert.deepEqual(
    found.map((one: any) => one.id),
    [id],
  )
  const faults = faultsOf(
    await shop.api.patch(`/v1/products/${id}`, { variants: [{ id: variant.id, metadata: keys(1, 49) }] }),
  )
  assert.deepEqual(faults, { 'variants.0.metadata': 'must contain at most 50 items' })
})

test('items of an order have both; those of a draft order pass their metadata on, as the draft does', async () => {
  const shop = await newShop(world)
  const metadata = { source: 'erp' }
  const order = dataOf(
    await shop.api.post('/v1/orders', { items: [{ ...line, external_id: 'line-1', metadata }, line] }),
    201,
  )
  assert.deepEqual(
    order.items.map(({ external_id, metadata }: any) => [external_id, metadata]),
    [
      ['line-1', metadata],
      [null, {}],
    ],
  )
  const { data: found } = await shop.api.get('/v1/orders?item_external_id=line-1')
  assert.deepEqual(
    found.map(({ id }: any) => id),
    [order.id],
  )
  const [one, other] = order.items
  const change = async (items: object[]) => (await shop.api.patch(`/v1/orders/${order.id}`, { items })).data.items
  const changed = await change([
    { ...one, metadata: { size: 'M' } },
    { id: other.id, external_id: 'line-2' },
  ])
  assert.deepEqual(
    changed.map(({ external_id, metadata }: any) => [external_id, metadata]),
    [
      ['line-1', { size: 'M', source: 'erp' }],
      ['line-2', {}],
    ],
  )
  assert.deepEqual((await shop.events()).at(-1)?.event, 'order.updated')
  assert.deepEqual(await change(changed), changed)
  assert.deepEqual(await shop.events(), [])
  const faults = faultsOf(await shop.api.patch(`/v1/orders/${order.id}`, { items: [one, { id: 'item_x', metadata }] }))
  assert.deepEqual(faults, { 'items.1.id': 'does not exist' })
  const draft = { items: [{ ...line, metadata }], external_id: 'draft-1', metadata: { by: 'phone' } }
  const { id } = dataOf(await shop.api.post('/v1/draft-orders', draft), 201)
  dataOf(await shop.api.post(`/v1/draft-orders/${id}/duplicate`), 200)
  const placed = dataOf(await shop.api.post(`/v1/draft-orders/${id}/complete`), 200)
  assert.deepEqual([placed.external_id, placed.metadata, placed.items[0].metadata], [null, { by: 'phone' }, metadata])
})

test('the store has both', async () => {
  const { api } = await newShop(world)
  dataOf(await api.patch('/v1/store', { external_id: 'erp', metadata: { a: '1', b: '2' } }), 200)
  const { external_id, metadata } = dataOf(await api.patch('/v1/store', { metadata: { a: null } }), 200)
  assert.deepEqual([external_id, metadata], ['erp', { b: '2' }])
})

test('a dry run shows the merged keys and changes none, and an undo brings them back', async () => {
  const { api, product } = await newShop(world)
  const { id } = await product({ metadata: { a: '1' } })
  const change = { metadata: { a: null, b: '2' } }
  const rehearsed = await api.patch(`/v1/products/${id}`, change, { headers: { prefer: 'dry-run' } })
  assert.deepEqual(rehearsed.data.metadata, { b: '2' })
  assert.deepEqual((await api.get(`/v1/products/${id}`)).data.metadata, { a: '1' })
  const { headers } = await api.patch(`/v1/products/${id}`, change)
  dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  assert.deepEqual((await api.get(`/v1/products/${id}`)).data.metadata, { a: '1' })
})

test('shoppers see neither, and the bodies of events have neither', async () => {
  const shop = await newShop(world)
  const labels = { external_id: 'hidden-id', metadata: { secret: 'hidden-text' } }
  const mug = await shop.product({ slug: 'mug', ...labels })
  dataOf(await shop.api.post('/v1/categories', { name: 'Hats', ...labels }), 201)
  dataOf(await shop.api.patch('/v1/store', labels), 200)
  const shopper = shopperOf(world, shop)
  await shopper.begin({ items: [{ product_id: mug.id, quantity: 1 }], ...buyer() })
  dataOf(await shop.api.post('/v1/orders', { items: [sold(mug)], ...labels }), 201)
  const { slug } = dataOf(await shop.api.get('/v1/store'), 200)
  const paths = ['', '/products', '/products/mug', '/categories'].map((path) => `/storefront/${slug}${path}`)
  const pages = [`/s/${slug}`, `/s/${slug}/products/mug`]
  for (const path of [...paths, ...pages]) {
    const text = await (await fetch(world.url + path)).text()
    assert.doesNotMatch(text, /hidden-|external_id|"metadata"/, path)
  }
  assert.doesNotMatch(JSON.stringify(await shop.events()), /hidden-|external_id|"metadata"/)
})

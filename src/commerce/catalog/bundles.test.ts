// Products that are made of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../test/client.ts'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const getProduct = async ({ api }: Shop, { id }: any) => dataOf(await api.get(`/v1/products/${id}`), 200)
const change = async ({ api }: Shop, { id }: any, body: object) => api.patch(`/v1/products/${id}`, body)
const eventsOf = async (shop: Shop) => (await shop.events()).map(({ event }: any) => event)

test('a bundle has what its parts have: stock, and a price less a percentage', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ name: 'Mug', price: 10, stock_quantity: 7 })
  const tray = await shop.product({ name: 'Tray', price: 30, track_inventory: false })
  const bundle_items = [
    { product_id: mug.id, variant_id: null, quantity: 2 },
    { product_id: tray.id, variant_id: null, quantity: 1 },
  ]
  const set = await shop.product({ bundle_items, bundle_discount_percentage: 15, stock_quantity: 5 })
  const facts = (one: any) => [one.price, one.stock_quantity, one.bundle_stock, one.track_inventory, one.is_purchasable]
  assert.deepEqual(facts(set), [42.5, 0, 3, false, true])
  assert.deepEqual(set.bundle_items, bundle_items)
  const shown = async () => (await shop.api.get('/v1/products?per_page=100')).data.find(({ id }: any) => id === set.id)
  await shop.events()
  dataOf(await change(shop, mug, { price: 12 }), 200)
  assert.deepEqual(await eventsOf(shop), ['product.updated', 'product.updated'])
  dataOf(await shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: -6 }), 200)
  assert.deepEqual(facts(await shown()), [45.9, 0, 0, false, false])
  // What is read can be sent back.
  dataOf(await change(shop, set, { bundle_items, bundle_discount_percentage: 15 }), 200)
  dataOf(await change(shop, set, { bundle_discount_percentage: null, price: 50 }), 200)
  dataOf(await change(shop, mug, { price: 13 }), 200)
  assert.equal((await getProduct(shop, set)).price, 50)
  const plain = dataOf(await change(shop, set, { bundle_items: [] }), 200)
  assert.deepEqual([plain.bundle_items, plain.bundle_stock], [null, null])
})

test('a part that is deleted or archived makes the bundle sold out; a draft can be part of one', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 7 }),
    tray = await shop.product({ stock_quantity: 7 })
  const set = await shop.product({ bundle_items: [{ product_id: mug.id }, { product_id: tray.id }] })
  const stock = async () => (await getProduct(shop, set)).bundle_stock
  dataOf(await change(shop, mug, { product_status: 'draft' }), 200)
  assert.equal(await stock(), 7)
  dataOf(await change(shop, mug, { product_status: 'archived' }), 200)
  assert.equal(await stock(), 0)
  dataOf(await change(shop, mug, { product_status: 'active' }), 200)
  assert.equal((await shop.api.delete(`/v1/products/${tray.id}`)).status, 200)
  assert.equal(await stock(), 0)
  const order = await shop.api.post('/v1/orders', { items: [{ product_id: set.id, quantity: 1 }] })
  assert.deepEqual(faultsOf(order), { 'items.0.quantity': 'is sold out' })
})

test('a bundle takes its own products only, and no bundles', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const mug = await shop.product(),
    shirt = await shop.variants(),
    foreign = await other.product()
  const set = await shop.product({ bundle_items: [{ product_id: mug.id }] })
  const bundle_items = [
    { product_id: foreign.id },
    { product_id: set.id },
    { product_id: shirt.id },
    { product_id: mug.id, variant_id: shirt.variants[0].id },
    { product_id: mug.id },
    { product_id: mug.id, quantity: 2 },
  ]
  const body = { name: 'Set', price: 5, bundle_items }
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products', body)), {
    'bundle_items.0.product_id': 'does not exist',
    'bundle_items.1.product_id': 'is a bundle itself: list its parts instead',
    'bundle_items.2.variant_id': 'is required because the product has variants',
    'bundle_items.3.variant_id': 'is not a variant of this product',
    'bundle_items.5.product_id': 'is listed twice: give the quantity once',
  })
  assert.deepEqual(faultsOf(await change(shop, set, { bundle_items: [{ product_id: set.id }] })), {
    'bundle_items.0.product_id': 'must not be the bundle itself',
  })
  assert.deepEqual(
    faultsOf(await change(shop, mug, { bundle_items: [{ product_id: shirt.id, variant_id: shirt.variants[0].id }] })),
    { bundle_items: `must be empty: the product is part of the bundle ${set.name}` },
  )
  assert.deepEqual(faultsOf(await change(shop, mug, { bundle_discount_percentage: 5 })), {
    bundle_discount_percentage: 'applies only to a product with bundle_items',
  })
  assert.deepEqual(faultsOf(await change(shop, shirt, { bundle_items: [{ product_id: mug.id }] })), {
    bundle_items: 'must be empty for a product with variants',
  })
  const many = Array.from({ length: 31 }, () => ({ product_id: mug.id, quantity: 101 }))
  const tooMany = await shop.api.post('/v1/products', { name: 'Set', price: 5, bundle_items: many })
  assert.equal(tooMany.status, 422)
  assert.deepEqual(faultsOf(await shop.api.patch(`/v1/inventory/products/${set.id}`, { quantity: 1 })), {
    quantity: 'is that of the parts of the bundle: change theirs',
  })
})

test('a product whose stock is of its variants, or its own, becomes a bundle without any', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 3 })
  const bundle_items = [{ product_id: mug.id }]
  for (const [made, patch] of [
    [await shop.variants(), { variants: [], bundle_items }],
    [await shop.product({ stock_quantity: 4 }), { bundle_items }],
  ] as const) {
    const set = dataOf(await change(shop, made, patch), 200)
    assert.deepEqual([set.stock_quantity, set.bundle_stock, set.variants], [0, 3, []])
  }
})

test('the faults of a bundle are reported together with an unknown category', async () => {
  const shop = await newShop(world)
  const { id } = await shop.product()
  const category_id = publicId('cat', newUuid())
  const body = { category_id, bundle_items: [{ product_id: id }] }
  const unknown = { category_id: 'does not exist' }
  const own = { ...unknown, 'bundle_items.0.product_id': 'must not be the bundle itself' }
  assert.deepEqual(faultsOf(await change(shop, { id }, body)), own)
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products', { name: 'Set', price: 5, ...body })), unknown)
  assert.deepEqual(faultsOf(await change(shop, { id }, { category_id, bundle_discount_percentage: 5 })), {
    bundle_discount_percentage: 'applies only to a product with bundle_items',
  })
})

test('a dry run changes nothing, and a change of parts and a deletion are undone', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 10 }),
    tray = await shop.product({ price: 30 })
  const set = await shop.product({ bundle_items: [{ product_id: mug.id }], bundle_discount_percentage: 50 })
  const more = { bundle_items: [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }] }
  const dry = await shop.api.patch(`/v1/products/${set.id}`, more, { headers: { prefer: 'dry-run' } })
  assert.deepEqual([dry.data.price, (await getProduct(shop, set)).price], [25, 5])
  const undo = async (done: Answer) => shop.api.post(`/v1/changes/${done.headers.get('x-request-id')}/revert`)
  const changed = await change(shop, set, more)
  assert.equal(dataOf(changed, 200).price, 25)
  assert.equal((await undo(changed)).status, 200)
  assert.deepEqual(
    [(await getProduct(shop, set)).bundle_items, (await getProduct(shop, set)).price],
    [set.bundle_items, 5],
  )
  const deleted = await shop.api.delete(`/v1/products/${set.id}`)
  assert.equal((await undo(deleted)).status, 200)
  assert.deepEqual((await getProduct(shop, set)).bundle_items, set.bundle_items)
})

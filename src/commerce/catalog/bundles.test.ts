// Products that are made of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../test/client.ts'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { bundleStock } from '../inventory/availability.ts'
import { readBothWays } from '../../../test/byservers.ts'
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
  // It has no stock of its own yet, and does not sell without limit.
  assert.deepEqual([plain.track_inventory, plain.stock_quantity, plain.is_purchasable], [true, 0, false])
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

test('the price is that of the parts that are left, and stays once none is', async () => {
  const shop = await newShop(world)
  const { mug, shirt, set } = await newChoice(shop)
  const own = await shop.product({ bundle_items: [{ product_id: mug.id }], bundle_discount_percentage: 10 })
  const prices = async (one: any) => {
    const { price, variants } = await getProduct(shop, one)
    return [price, ...variants.map((each: any) => each.price)]
  }
  assert.equal((await shop.api.delete(`/v1/products/${shirt.id}`)).status, 200)
  for (const one of [set, own]) dataOf(await change(shop, one, { bundle_discount_percentage: 50 }), 200)
  assert.deepEqual([await prices(set), await prices(own)], [[10, 10, 10], [5]])
  assert.equal((await shop.api.delete(`/v1/products/${mug.id}`)).status, 200)
  const variants = set.variants.map(({ id }: any) => ({ id }))
  for (const one of [set, own]) {
    dataOf(await change(shop, one, { bundle_discount_percentage: 20, ...(one === set ? { variants } : {}) }), 200)
  }
  assert.deepEqual([await prices(set), await prices(own)], [[10, 10, 10], [5]])
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
  // What had no stock of its own before is sold without limit again.
  const free = await shop.product({ track_inventory: false, stock_quantity: 0 })
  const made = await change(shop, free, { bundle_items: [{ product_id: mug.id }] })
  assert.equal((await undo(made)).status, 200)
  const { bundle_items, track_inventory } = await getProduct(shop, free)
  assert.deepEqual([bundle_items, track_inventory], [null, false])
})

const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })

/** A mug with one of two shirts, 10 % off. */
async function newChoice(shop: Shop, more: object = {}) {
  const mug = await shop.product({ name: 'Mug', price: 10, stock_quantity: 7 })
  const shirt = await shop.variants({ price: 20 })
  const [first, second] = shirt.variants
  dataOf(await change(shop, shirt, { variants: [{ id: first.id }, { id: second.id, price: 30 }] }), 200)
  await shop.events()
  const withShirt = ({ id }: any) => [
    { product_id: mug.id, variant_id: null, quantity: 2 },
    { product_id: shirt.id, variant_id: id, quantity: 1 },
  ]
  const set = await shop.product({
    name: 'Set',
    price: 1,
    stock_quantity: 0,
    bundle_discount_percentage: 10,
    variants: [
      { ...size('S'), bundle_items: withShirt(first), stock_quantity: 9 },
      { ...size('M'), bundle_items: withShirt(second) },
    ],
    ...more,
  })
  return { mug, shirt, first, second, set, withShirt }
}

test('variants of a bundle have parts of their own, with their stock and prices', async () => {
  const shop = await newShop(world)
  const { mug, shirt, first, second, set, withShirt } = await newChoice(shop)
  const facts = (one: any) =>
    one.variants.map((each: any) => [
      each.price,
      each.stock_quantity,
      each.bundle_stock,
      each.manage_inventory,
      each.is_purchasable,
    ])
  assert.deepEqual(facts(set), [
    [36, 0, 3, false, true],
    [45, 0, 3, false, true],
  ])
  assert.deepEqual([set.price, set.stock_quantity, set.bundle_items, set.bundle_stock], [36, 0, null, null])
  assert.deepEqual(set.variants[1].bundle_items, withShirt(second))
  await shop.events()
  // A part's price moves that of the variant, and of the product.
  const shirts = (price: number) => [{ id: first.id, price }, { id: second.id }]
  dataOf(await change(shop, shirt, { variants: shirts(50) }), 200)
  assert.deepEqual(await eventsOf(shop), ['product.updated', 'product.updated'])
  const moved = await getProduct(shop, set)
  assert.deepEqual([moved.price, ...facts(moved).map(([price]: any) => price)], [45, 63, 45])
  dataOf(await shop.api.patch(`/v1/inventory/products/${shirt.id}`, { variant_id: second.id, quantity: -4 }), 200)
  const soldOut = await getProduct(shop, set)
  assert.deepEqual([soldOut.is_purchasable, ...facts(soldOut).map((one: any) => one[4])], [true, true, false])
  dataOf(await shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: -6 }), 200)
  assert.equal((await getProduct(shop, set)).is_purchasable, false)
  await shop.events()
  // What is read can be sent back, and changes nothing.
  const read = await getProduct(shop, set)
  dataOf(await change(shop, set, { variants: read.variants, options: read.options, price: read.price }), 200)
  assert.deepEqual(await eventsOf(shop), [])
  dataOf(await change(shop, set, { bundle_discount_percentage: 0 }), 200)
  const whole = await getProduct(shop, set)
  assert.deepEqual([whole.price, ...facts(whole).map(([price]: any) => price)], [50, 70, 50])
  assert.deepEqual(await eventsOf(shop), ['product.updated'])
})

test('a variant becomes a bundle and ends being one, as do the discount and the stock', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 10 })
  const shirt = await shop.variants()
  const [first, second] = shirt.variants
  const bundle_items = [{ product_id: mug.id, quantity: 2 }]
  const made = dataOf(
    await change(shop, shirt, {
      bundle_discount_percentage: 50,
      variants: [{ id: first.id, bundle_items }, { id: second.id }],
    }),
    200,
  )
  const facts = (one: any) => one.variants.map((each: any) => [each.price, each.stock_quantity, each.bundle_stock])
  assert.deepEqual(facts(made), [
    [10, 0, 2],
    [null, 4, null],
  ])
  assert.deepEqual([made.price, made.stock_quantity, await shop.stockOf(shirt)], [10, 4, 4])
  assert.deepEqual(
    faultsOf(await shop.api.patch(`/v1/inventory/products/${shirt.id}`, { variant_id: first.id, quantity: 1 })),
    { quantity: 'is that of the parts of the bundle: change theirs' },
  )
  const batch = { variants: [{ id: first.id, stock_quantity: 3 }] }
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products/batch', batch)), {
    'variants.0.stock_quantity': 'is that of the parts of the bundle: change theirs',
  })
  const kept = [{ id: second.id }]
  const ended = dataOf(
    await change(shop, shirt, {
      variants: [{ id: first.id, bundle_items: [], manage_inventory: true, stock_quantity: 6 }, ...kept],
    }),
    200,
  )
  assert.deepEqual(facts(ended)[0], [10, 6, null])
  assert.equal(ended.bundle_discount_percentage, null)
  const again = async (own: object, manage_inventory: boolean) => {
    dataOf(await change(shop, shirt, { variants: [{ id: first.id, bundle_items }, ...kept] }), 200)
    const { variants } = dataOf(await change(shop, shirt, { variants: [{ id: first.id, ...own }, ...kept] }), 200)
    assert.deepEqual([variants[0].manage_inventory, variants[0].is_purchasable], [manage_inventory, !manage_inventory])
  }
  await again({ bundle_items: null }, true)
  await again({ bundle_items: null, manage_inventory: false }, false)
})

test('the faults of all parts of all variants are in one answer', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const { mug, shirt, first, set } = await newChoice(shop)
  const foreign = await other.product()
  const variants = [
    { ...size('S'), bundle_items: [{ product_id: foreign.id }, { product_id: set.id }] },
    { ...size('M'), bundle_items: [{ product_id: mug.id }, { product_id: mug.id }] },
    { ...size('L'), bundle_items: [{ product_id: shirt.id }, { product_id: mug.id, variant_id: first.id }] },
  ]
  const body = { name: 'Set', price: 5, category_id: publicId('cat', newUuid()), variants }
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products', body)), {
    category_id: 'does not exist',
    'variants.0.bundle_items.0.product_id': 'does not exist',
    'variants.0.bundle_items.1.product_id': 'is a bundle itself: list its parts instead',
    'variants.1.bundle_items.1.product_id': 'is listed twice: give the quantity once',
    'variants.2.bundle_items.0.variant_id': 'is required because the product has variants',
    'variants.2.bundle_items.1.variant_id': 'is not a variant of this product',
  })
  const bundle_items = [{ product_id: mug.id }]
  const partOf = { 'variants.0.bundle_items': `must be empty: the product is part of the bundle ${set.name}` }
  assert.deepEqual(faultsOf(await change(shop, shirt, { variants: [{ id: first.id, bundle_items }] })), partOf)
  assert.deepEqual(faultsOf(await change(shop, set, { bundle_items })), {
    bundle_items: 'must be empty for a product with variants',
  })
  assert.deepEqual(
    faultsOf(
      await change(shop, set, { variants: [{ id: set.variants[0].id, bundle_items: [{ product_id: set.id }] }] }),
    ),
    { 'variants.0.bundle_items.0.product_id': 'must not be the bundle itself' },
  )
  const many = Array.from({ length: 31 }, () => ({ product_id: mug.id }))
  const tooMany = { name: 'Set', price: 5, variants: [{ ...size('S'), bundle_items: many }] }
  assert.equal((await shop.api.post('/v1/products', tooMany)).status, 422)
})

test('parts of variants are undone, with variants that were deleted', async () => {
  const shop = await newShop(world)
  const { mug, set } = await newChoice(shop)
  const [small, medium] = set.variants
  const undo = async (done: Answer) => shop.api.post(`/v1/changes/${done.headers.get('x-request-id')}/revert`)
  const shown = async () => {
    const { price, variants } = await getProduct(shop, set)
    return [price, ...variants.map(({ bundle_items, price: own }: any) => [own, bundle_items])]
  }
  const before = await shown()
  const body = { variants: [{ id: medium.id, bundle_items: [{ product_id: mug.id }] }] }
  const dry = await shop.api.patch(`/v1/products/${set.id}`, body, { headers: { prefer: 'dry-run' } })
  assert.deepEqual([dry.data.price, dry.data.variants.length, await shown()], [9, 1, before])
  const changed = await change(shop, set, body)
  assert.equal(dataOf(changed, 200).price, 9)
  assert.equal((await undo(changed)).status, 200)
  assert.deepEqual(await shown(), before)
  const deleted = await shop.api.delete(`/v1/products/${set.id}`)
  assert.equal((await undo(deleted)).status, 200)
  assert.deepEqual(await shown(), before)
  assert.equal(small.bundle_items.length, 2)
})

test('the stock of bundles is the same on one server and on many', async () => {
  const shop = await newShop(world)
  const { mug, shirt } = await newChoice(shop)
  await shop.product({ bundle_items: [{ product_id: mug.id, quantity: 3 }] })
  const query = sql`
    select ${bundleStock('products')} as stock, id from products
    where store_id = ${shop.store.id} and bundle_items is not null
    union all
    select ${bundleStock('variants')}, id from variants
    where store_id = ${shop.store.id} and bundle_items is not null
    order by id`
  const assertStocks = async (expected: (number | null)[]) => {
    for (const rows of await readBothWays(query, shop.store.id))
      assert.deepEqual(
        rows.map(({ stock }: any) => stock),
        expected,
      )
  }
  await assertStocks([3, 3, 2])
  dataOf(await change(shop, shirt, { product_status: 'archived' }), 200)
  await assertStocks([0, 0, 2])
  dataOf(await change(shop, shirt, { product_status: 'draft' }), 200)
  dataOf(await change(shop, shirt, { variants: [{ id: shirt.variants[0].id, stock_quantity: 1 }] }), 200)
  await assertStocks([1, 0, 2])
  dataOf(await change(shop, mug, { continue_selling: true }), 200)
  await assertStocks([1, 0, null])
})

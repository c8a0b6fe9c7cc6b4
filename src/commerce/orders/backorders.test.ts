import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const owed = async ({ api }: Shop, query = '') => dataOf(await api.get(`/v1/inventory/backorders${query}`), 200)
const briefly = (rows: any[]) =>
  rows.map(({ order_id, product_name, variant_id, quantity, shortage }) => [
    order_id,
    product_name,
    variant_id,
    quantity,
    shortage,
  ])

test('open order lines of items with stock below zero are owed, the oldest first', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1, continue_selling: true })
  const untracked = await shop.product({ track_inventory: false, continue_selling: true })
  const inStock = await shop.product()
  const one = await shop.order([sold(mug, 2), sold(untracked, 5), sold(inStock, 1)])
  const two = await shop.order([sold(mug, 3)], { customer_name: 'Ana' })
  assert.deepEqual(briefly(await owed(shop)), [
    [one.id, 'Mug', null, 2, 4],
    [two.id, 'Mug', null, 3, 4],
  ])
  const [, second] = await owed(shop)
  assert.deepEqual([second.order_number, second.customer_name], [two.order_number, 'Ana'])
  assert.deepEqual(await owed(shop, `?product_id=${inStock.id}`), [])
  const { body } = await shop.api.get('/v1/inventory/backorders?per_page=1')
  assert.equal(body.pagination.total, 2)
})

test('a variant is short by itself, and another one of its product is not', async () => {
  const shop = await newShop(world)
  const variants = [
    {
      option_values: [{ option_title: 'Size', value: 'S' }],
      stock_quantity: 0,
      continue_selling_when_out_of_stock: true,
    },
    { option_values: [{ option_title: 'Size', value: 'M' }], stock_quantity: 9 },
  ]
  const shirt = await shop.product({ name: 'Shirt', stock_quantity: undefined, variants })
  const [small, medium] = shirt.variants.map(({ id }: any) => id)
  await shop.order([sold(shirt, 1, { variant_id: medium })])
  const order = await shop.order([sold(shirt, 2, { variant_id: small })])
  assert.deepEqual(briefly(await owed(shop)), [[order.id, 'Shirt', small, 2, 2]])
  assert.equal((await owed(shop, `?variant_id=${small}`)).length, 1)
  assert.deepEqual(await owed(shop, `?variant_id=${medium}`), [])
})

test('what is fulfilled, canceled or in stock again is owed no more, nor to another store', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const mug = await shop.product({ stock_quantity: 0, continue_selling: true })
  const [one, two, three] = [await shop.order(mug), await shop.order(mug), await shop.order(mug)]
  const orders = async () => (await owed(shop)).map(({ order_id }: any) => order_id)
  assert.deepEqual(await orders(), [one.id, two.id, three.id])
  assert.deepEqual(await owed(other), [])
  await shop.api.post(`/v1/orders/${one.id}/fulfillments`, {})
  await shop.api.patch(`/v1/orders/${two.id}`, { status: 'cancelled' })
  assert.deepEqual(await orders(), [three.id])
  await shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: 5 })
  assert.deepEqual(await orders(), [])
})

test('a bundle is owed with the parts that it waits for, until these are there, sent or refunded', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const mug = await shop.product({ name: 'Mug', stock_quantity: 9 })
  const tray = await shop.product({ name: 'Tray', stock_quantity: 1, continue_selling: true })
  const shirt = await shop.variants({ name: 'Shirt' })
  const [red, blue] = shirt.variants
  const settings = { variant_id: red.id, continue_selling_when_out_of_stock: true }
  dataOf(await shop.api.patch(`/v1/inventory/products/${shirt.id}/settings`, settings), 200)
  const withTray = [{ product_id: mug.id }, { product_id: tray.id, quantity: 2 }]
  const set = await shop.product({ name: 'Set', bundle_items: withTray })
  const dressed = await shop.product({ name: 'Outfit', bundle_items: [{ product_id: shirt.id, variant_id: red.id }] })
  const ofBlue = await shop.product({ name: 'Blue', bundle_items: [{ product_id: shirt.id, variant_id: blue.id }] })
  const paid = { payment_status: 'paid', payment_method: 'cash' }
  const one = await shop.order([sold(set, 2)], paid)
  const two = await shop.order([sold(dressed, 5), sold(ofBlue)], paid)
  const three = await shop.order([sold(tray)], paid)
  const rows = async (query = '') =>
    (await owed(shop, query)).map(({ order_id, quantity, shortage, parts }: any) => [
      order_id,
      quantity,
      shortage,
      parts?.map((part: any) => [part.product_id, part.variant_id, part.quantity, part.shortage]) ?? null,
    ])
  const [ofSet, ofShirt, ofTray] = [
    [one.id, 2, 2, [[tray.id, null, 4, 4]]],
    [two.id, 5, 2, [[shirt.id, red.id, 5, 2]]],
    [three.id, 1, 4, null],
  ]
  assert.deepEqual(await rows(), [ofSet, ofShirt, ofTray])
  assert.deepEqual(await rows(`?product_id=${tray.id}`), [ofSet, ofTray])
  assert.deepEqual(await rows(`?product_id=${set.id}`), [ofSet])
  assert.deepEqual(await rows(`?variant_id=${red.id}`), [ofShirt])
  for (const none of [`product_id=${mug.id}`, `variant_id=${blue.id}`, 'product_id=x', 'variant_id=x']) {
    assert.deepEqual(await rows(`?${none}`), [], none)
  }
  assert.deepEqual(await owed(other), [])
  // The parts are those that were sold, whatever the bundle has now.
  dataOf(await shop.api.patch(`/v1/products/${set.id}`, { bundle_items: [{ product_id: mug.id }] }), 200)
  const item_id = one.items[0].id
  dataOf(await shop.api.post(`/v1/orders/${one.id}/refunds`, { items: [{ item_id, part: 1, quantity: 3 }] }), 201)
  assert.deepEqual(await rows(), [[one.id, 2, 1, [[tray.id, null, 1, 1]]], ofShirt, [three.id, 1, 1, null]])
  dataOf(await shop.api.post(`/v1/orders/${one.id}/fulfillments`, {}), 201)
  dataOf(await shop.api.patch(`/v1/inventory/products/${shirt.id}`, { variant_id: red.id, quantity: 2 }), 200)
  assert.deepEqual(await rows(), [[three.id, 1, 1, null]])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const owed = async ({ api }: Shop, query = '') => (await api.get(`/v1/inventory/backorders${query}`)).data
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

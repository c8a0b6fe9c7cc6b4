import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop, sold } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

// woocommerce/woocommerce#23821
test('a product stays purchasable while one of its variants has stock', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants()
  await shop.order([sold(shirt, 3, { variant_id: shirt.variants[0].id })])
  const { data } = await shop.api.get(`/v1/products/${shirt.id}`)
  assert.deepEqual(
    [data.stock_quantity, data.is_purchasable, ...data.variants.map((variant: any) => variant.is_purchasable)],
    [4, true, false, true],
  )
})

// woocommerce/woocommerce#15716
test('a product is out of stock as soon as its last variant is set to zero', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants()
  const variants = shirt.variants.map(({ id }: any) => ({ id, stock_quantity: 0 }))
  await shop.api.patch(`/v1/products/${shirt.id}`, { variants })
  const listed = await shop.api.get('/v1/inventory/products?stock_status=out_of_stock')
  assert.deepEqual(
    listed.data.map(({ product_id, stock_quantity }: any) => [product_id, stock_quantity]),
    [[shirt.id, 0]],
  )
})

// vendurehq/vendure#3508
test('of two orders at once for the last piece, one is placed and the other is refused', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1 })
  const answers = await Promise.all([1, 2].map(() => shop.api.post('/v1/orders', { items: [sold(mug)] })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 422])
  assert.equal(await shop.stockOf(mug), 0)
})

// medusajs/medusa#16502
test('two lines of one order for the same piece share its stock', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 5 })
  const refused = await shop.api.post('/v1/orders', { items: [sold(mug, 3), sold(mug, 3)] })
  assert.deepEqual([refused.status, await shop.stockOf(mug)], [422, 5])
  await shop.order([sold(mug, 3), sold(mug, 2)])
  assert.equal(await shop.stockOf(mug), 0)
})

// woocommerce/woocommerce#22489, magento/magento2#9969
test('an order that is cancelled twice, also at once, puts its pieces back once', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const order = await shop.order([sold(mug, 2)])
  const cancel = () => shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  const answers = await Promise.all([cancel(), cancel()])
  assert.deepEqual(
    [...answers, await cancel()].map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(await shop.stockOf(mug), 5)
})

// saleor/saleor#2868, openfoodfoundation/openfoodnetwork#10770
test('whoever cancels an order decides whether its pieces come back', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const order = await shop.order([sold(mug, 2)])
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled', restock: false })
  assert.equal(await shop.stockOf(mug), 3)
})

// OFFLINE-GmbH/oc-mall-plugin#121, marellocommerce/marello#51
test('nobody orders less than one piece, or a part of one', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  for (const quantity of [-1, 0, 0.5]) {
    const { status, error } = await shop.api.post('/v1/orders', { items: [sold(mug, quantity)] })
    assert.deepEqual([status, error.details[0].field], [422, 'items.0.quantity'])
  }
  assert.equal(await shop.stockOf(mug), 5)
})

// medusajs/medusa#16576, woocommerce/woocommerce#7673
test('adjustments at once all count, and orders beside them', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 10 })
  const adjust = (quantity: number) => shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity })
  const order = () => shop.api.post('/v1/orders', { items: [sold(mug)] })
  const answers = await Promise.all([adjust(5), adjust(-4), adjust(3), adjust(-2), order(), order()])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201]))
  // 10 + 5 - 4 + 3 - 2, less 2 sold.
  assert.equal(await shop.stockOf(mug), 10)
})

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

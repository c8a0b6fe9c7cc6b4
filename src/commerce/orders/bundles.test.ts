// Bundles on orders: stock, taxes, refunds and returns of their parts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../test/client.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }

/** Two mugs and a tray. */
async function newBundle(shop: Shop, more: object = {}) {
  const mug = await shop.product({ name: 'Mug', stock_quantity: 20 })
  const tray = await shop.product({ name: 'Tray', price: 30, stock_quantity: 10 })
  const set = await shop.product({
    name: 'Breakfast set',
    price: 45,
    stock_quantity: 0,
    track_inventory: true,
    bundle_items: [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }],
    ...more,
  })
  return { mug, tray, set }
}

const stocks = async (shop: Shop, ...products: any[]) => Promise.all(products.map((one) => shop.stockOf(one)))

test('a bundle is one item with its parts, whose stock it takes; a cancellation restocks them', async () => {
  const shop = await newShop(world)
  const { mug, tray, set } = await newBundle(shop)
  assert.deepEqual([set.track_inventory, set.bundle_stock, set.is_purchasable], [false, 10, true])
  const order = await shop.order([sold(set, 3), sold(mug, 1)], paid)
  const [item, single] = order.items
  assert.deepEqual([order.total, item.quantity, item.total_price, single.parts], [145, 3, 135, null])
  assert.deepEqual(
    item.parts.map(({ product_name, quantity, price }: any) => [product_name, quantity, price]),
    [
      ['Mug', 2, 18],
      ['Tray', 1, 27],
    ],
  )
  assert.deepEqual(await stocks(shop, mug, tray), [13, 7])
  await assertSums(world, shop)
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await stocks(shop, mug, tray), [20, 10])
  await assertSums(world, shop)
})

test('20 buyers of a bundle and of its part at once take exactly what is there', async () => {
  const shop = await newShop(world)
  const { mug, tray, set } = await newBundle(shop)
  const carts = [[sold(set)], [sold(mug)], [sold(mug), sold(set)], [sold(set), sold(tray)]]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => shop.api.post('/v1/orders', { items: carts[index % 4] })),
  )
  const placed = answers.filter(({ status }: Answer) => status === 201)
  for (const refused of answers.filter(({ status }: Answer) => status !== 201)) assert.equal(refused.status, 422)
  const items = placed.flatMap(({ data }: Answer) => data.items)
  const unitsOf = (product: any) =>
    items.reduce((sum: number, item: any) => sum + (item.product_id === product.id ? item.quantity : 0), 0)
  assert.deepEqual(await stocks(shop, mug, tray), [
    20 - unitsOf(mug) - 2 * unitsOf(set),
    10 - unitsOf(tray) - unitsOf(set),
  ])
  for (const stock of await stocks(shop, mug, tray)) assert.ok(stock >= 0)
  await assertSums(world, shop)
})

test('a bundle and its part in one order share the stock', async () => {
  const shop = await newShop(world)
  const { mug, set } = await newBundle(shop)
  const place = (...items: object[]) => shop.api.post('/v1/orders', { items })
  assert.deepEqual(faultsOf(await place(sold(set, 9), sold(mug, 3))), {
    'items.0.quantity': 'exceeds the quantity left, together with other items that share its stock',
    'items.1.quantity': 'exceeds the quantity left, together with other items that share its stock',
  })
  assert.deepEqual(faultsOf(await place(sold(set, 11), sold(mug, 1))), {
    'items.0.quantity': 'exceeds the quantity left (10)',
    'items.1.quantity': 'exceeds the quantity left, together with other items that share its stock',
  })
  assert.equal((await place(sold(set, 9), sold(mug, 2))).status, 201)
  assert.deepEqual(faultsOf(await place(sold(set))), { 'items.0.quantity': 'is sold out' })
})

test('each part is taxed by its category, on its share of the price after the discount', async () => {
  const shop = await newShop(world, { currency: 'EUR', country_code: 'DE' })
  const food = dataOf(await shop.api.post('/v1/categories', { name: 'Food' }), 201)
  const category_rates = [{ category_id: food.id, rate: 7, reason: 'reduced' }]
  dataOf(await shop.api.patch('/v1/store', { tax_included: true }), 200)
  dataOf(
    await shop.api.post('/v1/store/tax-zones', { name: 'MwSt.', country_code: 'DE', rate: 19, category_rates }),
    201,
  )
  const coffee = await shop.product({ name: 'Coffee', price: 10, category_id: food.id })
  const mug = await shop.product({ name: 'Mug', price: 20 })
  const bundle_items = [{ product_id: coffee.id }, { product_id: mug.id }]
  const set = await shop.product({ name: 'Set', bundle_items, bundle_discount_percentage: 10 })
  assert.equal(set.price, 27)
  const order = await shop.order([sold(set)], { ...paid, discount_amount: 0.01 })
  const lines = order.tax_lines.map(({ part, rate, base, amount }: any) => [part, rate, base, amount])
  // 9.00 and 18.00 less a cent: 9.00 with 7 %, 17.99 with 19 %.
  assert.deepEqual(lines, [
    [0, 7, 8.41, 0.59],
    [1, 19, 15.12, 2.87],
  ])
  assert.deepEqual([order.total, order.included_tax], [26.99, 3.46])
  const refund = dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, {}), 201)
  assert.deepEqual([refund.amount, refund.tax_amount], [26.99, 3.46])
  await assertSums(world, shop)
})

test('an edit keeps the taxes of a bundle and takes the stock of its parts', async () => {
  const shop = await newShop(world)
  const { mug, tray, set } = await newBundle(shop)
  const order = await shop.order([sold(set, 2)], paid)
  const [item] = order.items
  const edit = (quantity: number) =>
    shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: item.id, quantity }] })
  assert.equal(dataOf(await edit(4), 200).total, 180)
  assert.deepEqual(await stocks(shop, mug, tray), [12, 6])
  assert.equal(dataOf(await edit(1), 200).total, 45)
  assert.deepEqual(await stocks(shop, mug, tray), [18, 9])
  await assertSums(world, shop)
  dataOf(await shop.api.patch(`/v1/products/${set.id}`, { bundle_items: [{ product_id: mug.id }] }), 200)
  assert.deepEqual(faultsOf(await edit(2)), {
    'items.0.quantity': 'cannot be raised, as the bundle has changed since: add it as a new item',
  })
})

test('a refund and a return of a bundle restock its parts', async () => {
  const shop = await newShop(world)
  const { mug, tray, set } = await newBundle(shop)
  const order = await shop.order([sold(set, 3)], paid)
  const [item] = order.items
  const unit = { item_id: item.id, quantity: 1 }
  const refund = dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [unit] }), 201)
  assert.equal(refund.amount, 45)
  assert.deepEqual(await stocks(shop, mug, tray), [16, 8])
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  const items = [{ ...unit, reason: 'other' }]
  const { id } = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
  dataOf(await shop.api.post(`/v1/returns/${id}/receive`, {}), 200)
  assert.deepEqual(await stocks(shop, mug, tray), [18, 9])
  dataOf(await shop.api.post(`/v1/returns/${id}/refund`, {}), 200)
  await assertSums(world, shop)
})

test('a variant of a bundle sells its own parts, whatever becomes of them later', async () => {
  const shop = await newShop(world)
  const { mug, tray } = await newBundle(shop)
  const variants = [[mug, tray], [mug]].map((parts, index) => ({
    option_values: [{ option_title: 'Size', value: `${index}` }],
    bundle_items: parts.map(({ id }) => ({ product_id: id, quantity: 2 })),
  }))
  const set = await shop.product({ name: 'Choice', price: 70, variants, stock_quantity: 0 })
  const [large, small] = set.variants
  const of = ({ id }: any, quantity: number) => sold(set, quantity, { variant_id: id })
  const place = (...items: object[]) => shop.api.post('/v1/orders', { ...paid, items })
  assert.deepEqual(faultsOf(await place(of(large, 5), of(small, 6))), {
    'items.0.quantity': 'exceeds the quantity left, together with other items that share its stock',
    'items.1.quantity': 'exceeds the quantity left, together with other items that share its stock',
  })
  const order = dataOf(await place(of(large, 3), of(small, 2)), 201)
  assert.deepEqual(
    order.items.map(({ parts }: any) => parts.map(({ product_name, price }: any) => [product_name, price])),
    [
      [
        ['Mug', 17.5],
        ['Tray', 52.5],
      ],
      [['Mug', 70]],
    ],
  )
  assert.deepEqual(await stocks(shop, mug, tray), [10, 4])
  // The variant is another bundle by now: the order keeps its parts.
  const other = { variants: [{ id: large.id, bundle_items: [{ product_id: tray.id }] }] }
  dataOf(await shop.api.patch(`/v1/products/${set.id}`, other), 200)
  const [first] = order.items
  const piece = { item_id: first.id, part: 0, quantity: 2 }
  const refund = dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [piece] }), 201)
  assert.equal(refund.amount, 17.5)
  assert.deepEqual(await stocks(shop, mug, tray), [12, 4])
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await stocks(shop, mug, tray), [20, 10])
  await assertSums(world, shop)
})

test('a bundle without a weight of its own weighs what its parts do', async () => {
  const shop = await newShop(world)
  const [mug, bag] = [await shop.product({ weight: 400 }), await shop.product({ weight: null })]
  const bundle_items = [{ product_id: mug.id, quantity: 2 }, { product_id: bag.id }]
  const tiers = [{ from: 1000, price: 7.9 }]
  dataOf(
    await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 4.9, price_by: 'weight', tiers }),
    201,
  )
  const option_values = [{ option_title: 'Size', value: 'S' }]
  const costOf = async (item: object) => {
    const body = { items: [item], shipping_address: { country_code: 'US' } }
    const begun = await shop.api.post(`/storefront/${shop.store.slug}/checkouts`, body)
    return begun.data.shipping_costs[0].price
  }
  const set = await shop.product({ bundle_items, stock_quantity: 0 })
  const choice = await shop.product({ variants: [{ option_values, bundle_items }], stock_quantity: 0 })
  for (const [product, more] of [
    [set, {}],
    [choice, { variant_id: choice.variants[0].id }],
  ] as const) {
    assert.deepEqual([await costOf(sold(product, 1, more)), await costOf(sold(product, 2, more))], [4.9, 7.9])
  }
  dataOf(await shop.api.patch(`/v1/products/${set.id}`, { weight: 1000 }), 200)
  assert.equal(await costOf(sold(set)), 7.9)
})

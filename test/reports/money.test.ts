// Reports of other shops about edits, refunds, discounts, the tax of shipping, and stock after a cancellation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold, type Shop } from '../shop.ts'
import { assertSums } from '../sums.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }
const mugs = (quantity: number, unit_price = 10) => ({ product_name: 'Mug', unit_price, quantity })
const cents = (amount: number) => Math.round(amount * 100)

const edited = async ({ api }: Shop, { id }: { id: string }, body: object) =>
  dataOf(await api.post(`/v1/orders/${id}/edits`, body), 200)
const refunded = async ({ api }: Shop, { id }: { id: string }, body: object = {}) =>
  dataOf(await api.post(`/v1/orders/${id}/refunds`, body), 201)
const orderOf = async ({ api }: Shop, { id }: { id: string }) => dataOf(await api.get(`/v1/orders/${id}`), 200)
const zone = async ({ api }: Shop, body: object) =>
  dataOf(await api.post('/v1/store/tax-zones', { name: 'VAT', country_code: 'DE', included: false, ...body }), 201)

/** A shop with 20 % of tax, and books at 5 %. */
async function withBooks(more: object = {}) {
  const shop = await newShop(world, { country_code: 'DE' })
  const books = dataOf(await shop.api.post('/v1/categories', { name: 'Books' }), 201)
  const { id } = await zone(shop, { rate: 20, category_rates: [{ category_id: books.id, rate: 5 }], ...more })
  return { shop, zone: id, book: await shop.product({ name: 'Book', category_id: books.id }) }
}

// medusajs/medusa#10686
test('one more unit of an order that is not paid is due with the rest, once', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 20 })
  const order = await shop.order([mugs(1)])
  assert.deepEqual([order.total, order.amount_due], [12, 12])
  const after = await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 2 }] })
  assert.deepEqual([after.total, after.amount_due, after.captured_amount], [24, 24, 0])
})

// medusajs/medusa#13068
test('after a payment, only what an edit adds is due', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3)], paid)
  const after = await edited(shop, order, { items: [mugs(1, 4)] })
  assert.deepEqual([after.total, after.amount_due, after.amount_to_refund], [34, 4, 0])
})

// medusajs/medusa#4386
test('an edit that makes an unpaid order cheaper leaves nothing to refund', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3)])
  const after = await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  assert.deepEqual([after.amount_due, after.amount_to_refund], [10, 0])
})

// medusajs/medusa#11481
test('what is left to refund after an edit falls with each refund', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3)], paid)
  await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const left = []
  for (const amount of [8, 5, 7]) {
    await refunded(shop, order, { amount })
    left.push((await orderOf(shop, order)).amount_to_refund)
  }
  assert.deepEqual(left, [12, 7, 0])
})

// medusajs/medusa#11645
test('after an edit that adds, all that was paid can still be refunded', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(1)], paid)
  await edited(shop, order, { items: [mugs(1, 5)] })
  assert.equal((await refunded(shop, order)).amount, 10)
  assert.equal((await orderOf(shop, order)).payment_status, 'refunded')
})

// medusajs/medusa#10842, medusajs/medusa#10491
test('a paid order can be refunded as long as something is left of it', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(5)], paid)
  for (const amount of [10, 20, 20]) await refunded(shop, order, { amount })
  assert.equal((await orderOf(shop, order)).payment_status, 'refunded')
  assert.equal((await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 1 })).status, 422)
})

// woocommerce/woocommerce#10162
test('7.50 and 21 % are 9.08, and so is the refund of the item: 1.58 of tax', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 21 })
  const order = await shop.order([mugs(1, 7.5)], paid)
  const refund = await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  assert.deepEqual([order.total, refund.amount, refund.tax_amount], [9.08, 9.08, 1.58])
})

// woocommerce/woocommerce#26734, woocommerce/woocommerce#64668
test('all items, one by one or at once, cost what the order did, with 23 % in the prices or beside them', async () => {
  for (const tax_included of [true, false]) {
    const shop = await newShop(world)
    await shop.api.patch('/v1/store', { tax_rate: 23, tax_included })
    const items = [mugs(3, 2.49), mugs(7, 0.33), mugs(1, 19.99)]
    const [whole, parts] = [await shop.order(items, paid), await shop.order(items, paid)]
    assert.equal((await refunded(shop, whole)).amount, whole.total)
    let sum = 0
    for (const { id, quantity } of parts.items) {
      for (let unit = 0; unit < quantity; unit++)
        sum += cents((await refunded(shop, parts, { items: [{ item_id: id, quantity: 1 }] })).amount)
    }
    assert.equal(sum, cents(parts.total))
    await assertSums(world, shop)
  }
})

// PrestaShop/PrestaShop#16869
test('of 10, 5 sold and 2 refunded without restocking, a cancellation leaves 8', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 10 })
  const order = await shop.order([sold(mug, 5)], paid)
  await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 2 }], restock: false })
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.equal(await shop.stockOf(mug), 8)
})

// woocommerce/woocommerce#22729, thorshammer419/evry_bites#54
test('a refund that restocks and a cancellation restock each unit once, and no stock that is not counted', async () => {
  const shop = await newShop(world)
  const [mug, gift] = [await shop.product({ stock_quantity: 10 }), await shop.product({ track_inventory: false })]
  const order = await shop.order([sold(mug, 4), sold(gift, 2)], paid)
  const before = await shop.stockOf(gift)
  await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 4 }] })
  assert.equal(await shop.stockOf(mug), 10)
  for (let times = 0; times < 2; times++) await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  assert.deepEqual([await shop.stockOf(mug), await shop.stockOf(gift)], [10, before])
})

// woocommerce/woocommerce#58757
test('shipping of books alone has the rate of books', async () => {
  const { shop, book } = await withBooks()
  const order = await shop.order([sold(book)], { shipping_cost: 10, country_code: 'DE' })
  assert.deepEqual([order.tax_amount, order.total], [1, 21])
})

// woocommerce/woocommerce#23083, woocommerce/woocommerce#25223
test('goods of 10 at 10 % and of 10 at 20 %: shipping of 10 bears 1.50', async () => {
  const shop = await newShop(world, { country_code: 'DE' })
  const { id: category_id } = dataOf(await shop.api.post('/v1/categories', { name: 'Food' }), 201)
  await zone(shop, { rate: 20, category_rates: [{ category_id, rate: 10 }] })
  const food = await shop.product({ category_id })
  const order = await shop.order([sold(food), mugs(1)], { shipping_cost: 10, country_code: 'DE' })
  const ofShipping = order.tax_lines.filter(({ type }: any) => type === 'shipping')
  assert.equal(
    ofShipping.reduce((sum: number, { amount }: any) => sum + cents(amount), 0),
    150,
  )
  assert.equal(order.total, 34.5)
})

// PrestaShop/PrestaShop#42163, Sylius/RefundPlugin#110
test('shipping is refunded with the tax that it was sold with, whatever the rates are now', async () => {
  const { shop, zone: id, book } = await withBooks()
  const order = await shop.order([sold(book)], { ...paid, shipping_cost: 10, country_code: 'DE' })
  await shop.api.patch(`/v1/store/tax-zones/${id}`, { rate: 0, category_rates: [], shipping_tax: 'none' })
  const refund = await refunded(shop, order, { shipping: 10.5 })
  assert.deepEqual([refund.amount, refund.shipping_tax_amount, refund.tax_amount], [10.5, 0.5, 0.5])
})

// craftcms/commerce#1728
test('of two shirts of 20 and 10, the cheaper one is free', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.post('/v1/discounts', { code: 'PAIR', type: 'buy_x_get_y', value: 100 }), 201)
  const order = await shop.order([mugs(1, 20), mugs(1, 10)], { discount_code: 'PAIR' })
  assert.deepEqual([order.discount_amount, order.total], [10, 20])
})

// medusajs/medusa#14432, medusajs/medusa#11259
test('buy one, get one for half: of four units in one line two are discounted, by half', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.post('/v1/discounts', { code: 'HALF', type: 'buy_x_get_y', value: 50 }), 201)
  for (const [quantity, amount] of [
    [4, 10],
    [5, 10],
    [2, 5],
  ] as const) {
    const order = await shop.order([mugs(quantity)], { discount_code: 'HALF' })
    assert.equal(order.discount_amount, amount)
  }
})

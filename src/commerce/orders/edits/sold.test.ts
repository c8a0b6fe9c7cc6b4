// An edit prices what is still there of an order, with what it was sold with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }

async function edited(shop: Shop, { id }: { id: string }, body: object) {
  const data = dataOf(await shop.api.post(`/v1/orders/${id}/edits`, body), 200)
  await assertSums(world, shop)
  return data
}
const refunded = async ({ api }: Shop, { id }: { id: string }, body: object) =>
  dataOf(await api.post(`/v1/orders/${id}/refunds`, body), 201)
const created = async ({ api }: Shop, path: string, body: object) => dataOf(await api.post(path, body), 201)
const removed = async ({ api }: Shop, path: string) => assert.equal((await api.delete(path)).status, 200)
const half = { code: 'HALF', type: 'percentage', value: 50 }
const lamps = (quantity: number) => ({ product_name: 'Lamp', unit_price: 100, quantity })
const refundable = async ({ api }: Shop, { id }: { id: string }) => (await api.get(`/v1/orders/${id}/refundable`)).data

test('a new code takes nothing off units that were refunded', async () => {
  const shop = await newShop(world)
  await created(shop, '/v1/discounts', half)
  const order = await shop.order([lamps(2)], paid)
  await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const after = await edited(shop, order, { discount_code: 'HALF', refund: true })
  assert.deepEqual([after.discount_amount, after.total, after.refunded_amount], [50, 150, 150])
  assert.deepEqual([after.payment_status, after.amount_due, after.amount_to_refund], ['paid', 0, 0])
  assert.deepEqual((await refundable(shop, order)).items[0].amount, 50)
  const rest = await refunded(shop, order, {})
  assert.equal(rest.amount, 50)
  await assertSums(world, shop)
})

test('a code that is taken off stays with units that were refunded', async () => {
  const shop = await newShop(world)
  const { id } = await created(shop, '/v1/discounts', half)
  const order = await shop.order([lamps(2)], { ...paid, discount_code: 'HALF' })
  const [item] = order.items
  await refunded(shop, order, { items: [{ item_id: item.id, quantity: 1 }] })
  const after = await edited(shop, order, { discount_code: null })
  assert.deepEqual([after.discount_amount, after.total, after.amount_due], [50, 150, 50])
  assert.deepEqual([after.discount_code, after.discounts[0].amount], [null, 50])
  assert.equal((await shop.api.get(`/v1/discounts/${id}`)).data.current_uses, 1)
  const again = await edited(shop, order, { shipping_cost: 5 })
  assert.deepEqual([again.discount_amount, again.discount_code, again.total], [50, null, 155])
  assert.equal((await refundable(shop, order)).items[0].amount, 100)
})

test('what a fixed code and buy X get Y take off what is left is what they took off it before', async () => {
  const shop = await newShop(world)
  await created(shop, '/v1/discounts', { code: 'THIRTY', type: 'fixed_amount', value: 30 })
  const order = await shop.order([lamps(2)], { ...paid, discount_code: 'THIRTY' })
  await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const after = await edited(shop, order, { items: [{ product_name: 'Bulb', unit_price: 20, quantity: 1 }] })
  assert.deepEqual([after.discount_amount, after.total], [30, 190])
  await created(shop, '/v1/discounts', { code: 'PAIR', type: 'buy_x_get_y', value: 50 })
  const pair = await shop.order([lamps(2)], { ...paid, discount_code: 'PAIR' })
  assert.equal(pair.total, 150)
  await refunded(shop, pair, { items: [{ item_id: pair.items[0].id, quantity: 1 }] })
  const later = await edited(shop, pair, { shipping_cost: 5 })
  assert.deepEqual([later.discount_amount, later.total], [50, 155])
})

test('an amount that is given is of the whole order: what refunded units have of it stays', async () => {
  const shop = await newShop(world)
  const order = await shop.order([lamps(2)], { ...paid, discount_amount: 100, tax_amount: 10 })
  await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const answer = await shop.api.post(`/v1/orders/${order.id}/edits`, { discount_amount: 0, tax_amount: 0 })
  assert.deepEqual(faultsOf(answer), { discount_amount: 'must be at least 50', tax_amount: 'must be at least 5' })
  const after = await edited(shop, order, { discount_amount: 70, tax_amount: 6 })
  assert.deepEqual([after.discount_amount, after.tax_amount, after.total], [70, 6, 136])
  assert.equal((await refundable(shop, order)).items[0].amount, 81)
})

test('a refund that changes nothing else leaves no cent of tax to an edit that changes nothing', async () => {
  for (const tax_included of [true, false]) {
    const shop = await newShop(world)
    await shop.api.patch('/v1/store', { tax_rate: 19, tax_included })
    const order = await shop.order([{ product_name: 'Pin', unit_price: 0.99, quantity: 3 }], paid)
    await refunded(shop, order, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
    const after = await edited(shop, order, { shipping_cost: 0 })
    assert.equal(after.edited_at, null)
    const shipped = await edited(shop, order, { shipping_cost: 1 })
    assert.deepEqual([shipped.tax_amount, shipped.included_tax], [order.tax_amount, order.included_tax])
    await shop.api.patch(`/v1/orders/${order.id}`, paid)
    const { tax_amount } = await refunded(shop, order, {})
    const { data: refunds } = await shop.api.get(`/v1/orders/${order.id}/refunds`)
    const whole = tax_included ? order.included_tax : order.tax_amount
    const first = refunds.find(({ items }: any) => items[0].quantity === 1)
    assert.equal(Math.round((first.tax_amount + tax_amount) * 100), Math.round(whole * 100))
    await assertSums(world, shop)
  }
})

test('one exempt article makes no buyer exempt', async () => {
  const shop = await newShop(world, { country_code: 'US' })
  const clothing = await created(shop, '/v1/categories', { name: 'Clothing' })
  const free = { category_id: clothing.id, rate: 0, reason: 'exempt' }
  const zone = { name: 'NY', country_code: 'US', rate: 8.875, included: false, category_rates: [free] }
  await created(shop, '/v1/store/tax-zones', zone)
  const [shirt, lamp] = [
    await shop.product({ name: 'Shirt', price: 49.99, category_id: clothing.id }),
    await shop.product({ name: 'Lamp', price: 100 }),
  ]
  const order = await shop.order([sold(shirt), sold(lamp)], { country_code: 'US' })
  assert.deepEqual([order.tax_amount, order.total], [8.88, 158.87])
  const shipped = await edited(shop, order, { shipping_cost: 5 })
  assert.deepEqual([shipped.tax_amount, shipped.total], [8.88, 163.87])
  const two = await edited(shop, order, { items: [{ item_id: order.items[1].id, quantity: 2 }] })
  assert.equal(two.tax_amount, 17.75)
  const alone = await shop.order([sold(shirt)], { country_code: 'US' })
  assert.equal((await edited(shop, alone, { items: [sold(lamp)] })).tax_amount, 8.88)
})

test('a buyer who was exempt stays exempt, and one who becomes exempt later was not', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 10 })
  const buyer = { name: 'Clinic', email: 'clinic@example.com', tax_exempt: true }
  const { id: customer_id } = await created(shop, '/v1/customers', buyer)
  const order = await shop.order([lamps(1)], { customer_id })
  await shop.api.patch(`/v1/customers/${customer_id}`, { tax_exempt: false })
  assert.equal((await edited(shop, order, { items: [lamps(1)] })).tax_amount, 0)
  const taxed = await shop.order([lamps(1)], { customer_id })
  await shop.api.patch(`/v1/customers/${customer_id}`, { tax_exempt: true })
  assert.equal((await edited(shop, taxed, { items: [lamps(1)] })).tax_amount, 20)
})

// What becomes of the world after the sale. `books` and `zone` are IDs.
type Change = (shop: Shop, ids: { product: string; books: string; zone: string; code: string }) => Promise<unknown>
const changes: Record<string, Change> = {
  'the product is deleted': (shop, { product }) => removed(shop, `/v1/products/${product}`),
  'the product leaves its category': ({ api }, { product }) =>
    api.patch(`/v1/products/${product}`, { category_id: null }),
  'the category is deleted': (shop, { books }) => removed(shop, `/v1/categories/${books}`),
  'the zone is deleted': (shop, { zone }) => removed(shop, `/v1/store/tax-zones/${zone}`),
  'the rates of the zone change': ({ api }, { zone }) =>
    api.patch(`/v1/store/tax-zones/${zone}`, { rate: 25, category_rates: [], shipping_tax: 'none' }),
  'prices include the tax': ({ api }, { zone }) => api.patch(`/v1/store/tax-zones/${zone}`, { included: true }),
  'taxes are rounded by line': ({ api }) => api.patch('/v1/store', { tax_rounding: 'line' }),
  'the discount is deleted': (shop, { code }) => removed(shop, `/v1/discounts/${code}`),
  'the discount takes more': ({ api }, { code }) => api.patch(`/v1/discounts/${code}`, { value: 90 }),
  'the discount ends': ({ api }, { code }) => api.patch(`/v1/discounts/${code}`, { is_active: false }),
}

for (const [name, change] of Object.entries(changes)) {
  test(`an edit of shipping, and one of units, cost the same whether or not ${name}`, async () => {
    const shop = await newShop(world, { country_code: 'DE' })
    const { id: books } = await created(shop, '/v1/categories', { name: 'Books' })
    const zone = { name: 'VAT', country_code: 'DE', rate: 19, included: false, shipping_tax: 'standard' }
    const category_rates = [{ category_id: books, rate: 7 }]
    const { id: zoneId } = await created(shop, '/v1/store/tax-zones', { ...zone, category_rates })
    const rule = { code: 'BOOKS', type: 'percentage', value: 10, applicable_category_ids: [books] }
    const { id: code } = await created(shop, '/v1/discounts', rule)
    const book = await shop.product({ name: 'Book', price: 50, category_id: books, stock_quantity: 9 })
    const order = await shop.order([sold(book, 3), lamps(1)], { ...paid, discount_code: 'BOOKS', shipping_cost: 10 })
    // 150 less 15 at 7 %, 100 and 10 of shipping at 19 %.
    assert.deepEqual([order.discount_amount, order.tax_amount, order.total], [15, 30.35, 275.35])
    await change(shop, { product: book.id, books, zone: zoneId, code })
    const shipped = await edited(shop, order, { shipping_cost: 20 })
    assert.deepEqual([shipped.discount_amount, shipped.tax_amount, shipped.total], [15, 32.25, 287.25])
    const less = await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 2 }] })
    // 100 less 10 at 7 %, 100 and 20 of shipping at 19 %.
    assert.deepEqual([less.discount_amount, less.tax_amount, less.total], [10, 29.1, 239.1])
    const reasons = less.tax_lines.map(({ rate, reason }: any) => [rate, reason])
    assert.deepEqual(reasons, [
      [7, 'reduced'],
      [19, 'standard'],
      [19, 'standard'],
    ])
  })
}

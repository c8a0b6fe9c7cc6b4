// Taxes of a checkout and its order, by zone, customer and tax number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()

const inGermany = { address: 'Lange Str. 1', city: 'Kiel', postal_code: '24103', country_code: 'DE' }
const inFrance = { address: '1 rue X', city: 'Lyon', postal_code: '69001', country_code: 'FR' }
const inNorway = { address: 'Gate 1', city: 'Oslo', postal_code: '0150', country_code: 'NO' }
const bo = { name: 'Bo', email: 'bo@example.com' }

/** At home in Germany: 19 and 7 % there, 20 % in France, in the prices and on shipping. */
async function germanShop() {
  const shop = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  const books = (await shop.api.post('/v1/categories', { name: 'Books' })).data
  await shop.api.patch('/v1/store', { tax_included: true, tax_shipping: true })
  const zones = [
    { name: 'MwSt', country_code: 'DE', rate: 19, category_rates: [{ category_id: books.id, rate: 7 }] },
    { name: 'TVA', country_code: 'FR', rate: 20, category_rates: [{ category_id: books.id, rate: 5.5 }] },
  ]
  for (const zone of zones) {
    const made = await shop.api.post('/v1/store/tax-zones', { ...zone, shipping_tax: 'standard' })
    assert.equal(made.status, 201)
  }
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 4.9 })
  const lamp = await productOf(shop, { name: 'Lamp', price: 119 })
  const book = await productOf(shop, { name: 'Book', price: 10.7, category_id: books.id })
  const items = [lamp, book].map(({ id }) => ({ product_id: id, quantity: 1 }))
  return { shop, items, books }
}

async function bought(shop: TestStore, body: object) {
  const shopper = shopperOf(world, shop)
  const begun = await shopper.begin({ customer: bo, shipping_method: 'standard', ...body })
  assert.equal(begun.status, 201, JSON.stringify(begun.error))
  const placed = await shopper.complete(begun.data.token, { total: begun.data.total })
  assert.equal(placed.status, 201, JSON.stringify(placed.error))
  return { checkout: begun.data, order: (await shop.api.get(`/v1/orders/${placed.data.order.id}`)).data }
}

const linesOf = ({ tax_lines }: any) =>
  tax_lines.map((line: any) => [line.type, line.name, line.rate, line.reason, line.base, line.amount, line.included])

test('an order keeps the tax of each item and of shipping, by the place that it goes to', async () => {
  const { shop, items } = await germanShop()
  const { checkout, order } = await bought(shop, { items, shipping_address: inGermany })
  assert.equal(checkout.totals.included_tax, 20.48)
  assert.deepEqual(checkout.taxes, [
    { name: 'MwSt', rate: 19, reason: 'standard', base: 104.12, amount: 19.78, included: true },
    { name: 'MwSt', rate: 7, reason: 'reduced', base: 10, amount: 0.7, included: true },
  ])
  assert.deepEqual([order.total, order.tax_amount, order.included_tax], [134.6, 0, 20.48])
  assert.deepEqual(linesOf(order), [
    ['item', 'MwSt', 19, 'standard', 100, 19, true],
    ['item', 'MwSt', 7, 'reduced', 10, 0.7, true],
    ['shipping', 'MwSt', 19, 'standard', 4.12, 0.78, true],
  ])
  assert.deepEqual(
    order.tax_lines.map(({ item_id }: any) => item_id),
    [...order.items.map(({ id }: any) => id), null],
  )
})

test('a shown price that contains the tax stays, wherever it goes: the tax in it changes', async () => {
  const { shop, items } = await germanShop()
  const shopper = shopperOf(world, shop)
  const { token } = (await shopper.begin({ items, shipping_method: 'standard' })).data
  const seen: unknown[] = []
  for (const shipping_address of [inGermany, inFrance, inNorway]) {
    const { data } = await shopper.change(token, { shipping_address })
    seen.push([data.total, data.totals.included_tax, data.taxes.map(({ reason }: any) => reason)])
  }
  assert.deepEqual(seen, [
    [134.6, 20.48, ['standard', 'reduced']],
    [134.6, 21.21, ['standard', 'reduced']],
    [134.6, 0, ['export']],
  ])
})

test('a store may keep its net instead: then the price moves, and the shopper is told before paying more', async () => {
  const { shop, items } = await germanShop()
  await shop.api.patch('/v1/store', { tax_fixed_prices: false })
  const shopper = shopperOf(world, shop)
  const begun = await shopper.begin({ items, customer: bo, shipping_method: 'standard', shipping_address: inNorway })
  const { token, totals, items: lines } = begun.data
  // 119.00 / 1.19, 10.70 / 1.07, 4.90 / 1.19
  assert.deepEqual([lines[0].unit_price, lines[1].unit_price, totals.shipping, totals.total], [100, 10, 4.12, 114.12])
  const { data: moved } = await shopper.change(token, { shipping_address: inGermany })
  assert.equal(moved.total, 134.6)
  assert.deepEqual(
    moved.changes.map(({ field, from, to }: any) => [field, from, to]),
    [
      ['items.0.unit_price', 100, 119],
      ['items.1.unit_price', 10, 10.7],
    ],
  )
  const { order } = await bought(shop, { items, shipping_address: inNorway })
  assert.deepEqual([order.total, order.included_tax, order.items[0].unit_price], [114.12, 0, 100])
})

test('where prices do not contain the tax it is added, line by line or once a rate, as the store rounds', async () => {
  const shop = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  await shop.api.post('/v1/store/tax-zones', { name: 'MwSt', country_code: 'DE', rate: 19 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const pins = await Promise.all([1, 2, 3].map((number) => productOf(shop, { name: `Pin ${number}`, price: 0.33 })))
  const items = pins.map(({ id }) => ({ product_id: id, quantity: 1 }))
  const byOrder = await bought(shop, { items, shipping_address: inGermany })
  assert.deepEqual([byOrder.order.tax_amount, byOrder.order.total, byOrder.order.included_tax], [0.19, 1.18, 0])
  await shop.api.patch('/v1/store', { tax_rounding: 'line' })
  const byLine = await bought(shop, { items, shipping_address: inGermany })
  assert.deepEqual([byLine.order.tax_amount, byLine.order.total], [0.18, 1.17])
  for (const { order } of [byOrder, byLine]) {
    const cents = order.tax_lines.map(({ amount }: any) => Math.round(amount * 100))
    assert.equal(
      cents.reduce((a: number, b: number) => a + b),
      Math.round(order.tax_amount * 100),
    )
  }
})

test('a fixed discount is taken off prices with their tax: 100.00 less 10.00 is 90.00, with 14.37 in it', async () => {
  const { shop } = await germanShop()
  const chair = await productOf(shop, { name: 'Chair', price: 100 })
  await shop.api.post('/v1/discounts', { code: 'TENNER', type: 'fixed_amount', value: 10 })
  await shop.api.post('/v1/discounts', { code: 'FREE', type: 'free_shipping', value: 0 })
  const items = [{ product_id: chair.id, quantity: 1 }]
  const { order } = await bought(shop, { items, shipping_address: inGermany, discount_code: 'TENNER' })
  assert.deepEqual([order.total, order.discount_amount], [94.9, 10])
  // Once a rate: 94.90 × 19 / 119 = 15.152
  assert.deepEqual(linesOf(order), [
    ['item', 'MwSt', 19, 'standard', 75.63, 14.37, true],
    ['shipping', 'MwSt', 19, 'standard', 4.12, 0.78, true],
  ])
  const { order: free } = await bought(shop, { items, shipping_address: inGermany, discount_code: 'FREE' })
  assert.deepEqual([free.total, free.included_tax, free.tax_lines.length], [100, 15.97, 1])
})

test('an order bump that is no product is taxed at the usual rate of the place', async () => {
  const { shop, items } = await germanShop()
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'Wrapping', price: 2.38 })).data
  const { order } = await bought(shop, { items, order_bumps: [bump.id], shipping_address: inGermany })
  const line = order.tax_lines.find(({ type }: any) => type === 'order_bump')
  assert.deepEqual([line.bump_id, line.rate, line.base, line.amount], [bump.id, 19, 2, 0.38])
})

test('a business of another EU country owes the tax itself: the number and what was found of it are kept', async () => {
  const { shop, items } = await germanShop()
  assert.equal((await shop.api.patch('/v1/store', { tax_id: 'DE111111125' })).data.tax_id, 'DE111111125')
  const { order } = await bought(shop, { items, shipping_address: inFrance, tax_id: 'FR40303265045' })
  assert.deepEqual([order.tax_id, order.tax_id_status, order.included_tax], ['FR40303265045', 'valid', 0])
  assert.deepEqual(
    order.tax_lines.map(({ reason }: any) => reason),
    ['reverse_charge', 'reverse_charge', 'reverse_charge'],
  )
})

test('a number that cannot be one of its country is refused beside its field, and can be cleared', async () => {
  const { shop, items } = await germanShop()
  const shopper = shopperOf(world, shop)
  const { token } = (await shopper.begin({ items, customer: bo, shipping_address: inFrance })).data
  const refused = await shopper.change(token, { tax_id: 'FR40303265046' })
  assert.deepEqual([refused.status, faultsOf(refused)], [422, ['tax_id: is not a valid tax ID for FR']])
  assert.equal((await shopper.change(token, { tax_id: '40303265045' })).status, 200)
  // It is none of where the parcel goes to now: announced, and in the way of the order.
  const moved = await shopper.change(token, { shipping_address: inGermany })
  assert.deepEqual(faultsOf({ error: { details: moved.data.changes } } as any), [
    'tax_id: is not a valid tax ID for DE',
  ])
  assert.equal((await shopper.complete(token)).status, 422)
  assert.equal((await shopper.change(token, { tax_id: null })).status, 200)
  assert.equal((await shopper.complete(token)).status, 201)
})

test('an exempt customer is known at the checkout by e-mail and tax number together', async () => {
  const { shop, items } = await germanShop()
  const customer = { name: 'Klinik', email: 'bo@example.com', tax_id: 'DE111111125', tax_exempt: true }
  const { data: known } = await shop.api.post('/v1/customers', customer)
  assert.deepEqual([known.tax_id, known.tax_exempt], ['DE111111125', true])
  const { order } = await bought(shop, { items, shipping_address: inGermany, tax_id: 'DE111111125' })
  assert.deepEqual([order.included_tax, order.tax_lines[0].reason], [0, 'exempt'])
  const { order: stranger } = await bought(shop, { items, shipping_address: inGermany })
  assert.equal(stranger.tax_lines[0].reason, 'standard')
})

test("a store without zones says what its prices contain on each order, by the store's one rate", async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 99 })
  const { id } = await productOf(shop, { price: 890 })
  const there = { address: 'Reforma 1', city: 'CDMX', province: 'CDMX', postal_code: '06600', country_code: 'MX' }
  const { order } = await bought(shop, { items: [{ product_id: id, quantity: 1 }], shipping_address: there })
  assert.deepEqual([order.total, order.tax_amount, order.included_tax], [989, 0, 122.76])
  assert.deepEqual(linesOf(order), [['item', null, 16, 'standard', 767.24, 122.76, true]])
})

test('currencies without decimals and with three are taxed in their own units', async () => {
  for (const [currency, price, added] of [
    ['JPY', 333, 33],
    ['KWD', 1.005, 0.101],
  ] as const) {
    const shop = await world.newStore({ currency })
    await shop.api.post('/v1/store/tax-zones', { name: 'Tax', country_code: 'US', rate: 10 })
    await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
    const items = [{ product_id: (await productOf(shop, { price })).id, quantity: 1 }]
    const { order } = await bought(shop, {
      items,
      shipping_address: { ...inGermany, province: 'NY', country_code: 'US' },
    })
    assert.deepEqual([order.tax_amount, order.tax_lines[0].base], [added, price])
  }
})

// Several discount codes on an order or a draft.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

/** TEN and SHIP combine, FIVE with neither. */
async function shopWithCodes(): Promise<Shop> {
  const shop = await newShop(world)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  for (const body of [
    { code: 'TEN', title: 'Ten off', type: 'percentage', value: 10, combines_with: ['shipping', 'product'] },
    { code: 'SHIP', type: 'free_shipping', value: 0, combines_with: ['order', 'product'] },
    { code: 'FIVE', type: 'fixed_amount', value: 5 },
  ]) {
    dataOf(await shop.api.post('/v1/discounts', body), 201)
  }
  return shop
}

const uses = async ({ api }: Shop) => {
  const { data } = await api.get('/v1/discounts?status=all&sort=code&order=asc')
  return Object.fromEntries(data.map(({ code, current_uses }: any) => [code, current_uses]))
}

test('an order takes several codes: the best combination applies, each with its share and its use', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product({ price: 100 })
  const discount_codes = ['five', ' ship ', 'Ten']
  const body = { items: [sold(mug)], discount_codes, shipping_method: 'standard', payment_status: 'paid' }
  await shop.events()
  const order = dataOf(await shop.api.post('/v1/orders', body), 201)
  assert.deepEqual([order.subtotal, order.discount_amount, order.shipping_cost, order.total], [100, 10, 0, 90])
  assert.deepEqual(
    order.discounts.map(({ code, label, amount }: any) => [code, label, amount]),
    [
      ['TEN', 'Ten off', 10],
      ['SHIP', 'SHIP', 0],
    ],
  )
  // The first that applies, in the order in which they were sent.
  assert.deepEqual([order.discount_code, order.free_shipping], ['SHIP', true])
  assert.deepEqual(await uses(shop), { FIVE: 0, SHIP: 1, TEN: 1 })
  const [created] = (await shop.events()).filter(({ event }) => event === 'order.created')
  const { coupon_code, discount } = created!.body.order
  assert.deepEqual([coupon_code, discount], ['SHIP', 10])
  const day = order.created_at.slice(0, 10)
  const report = await shop.api.get(`/v1/reports/sales?by=discount&from=${day}&to=${day}`)
  const rows = report.data.rows.map((row: any) => [row.key, row.orders, row.discounts])
  assert.deepEqual(rows.toSorted(), [
    ['SHIP', 1, 0],
    ['TEN', 1, 10],
  ])
  assert.equal((await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled', refund: true })).status, 200)
  assert.deepEqual(await uses(shop), { FIVE: 0, SHIP: 0, TEN: 0 })
  await assertSums(world, shop)
})

test('faults of codes name each of them, all at once with the others', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product()
  const past = new Date(world.clock.now().getTime() - 1000).toISOString()
  await shop.api.post('/v1/discounts', { code: 'OLD', type: 'percentage', value: 10, expires_at: past })
  const refused = async (body: object) => faultsOf(await shop.api.post('/v1/orders', { items: [sold(mug)], ...body }))
  assert.deepEqual(await refused({ discount_codes: ['TEN', 'NONE', 'OLD'], tax_id: 'x'.repeat(99) }), {
    tax_id: 'must be at most 40 characters long',
  })
  assert.deepEqual(
    await refused({ discount_codes: ['TEN', 'NONE', 'OLD'], customer_id: 'cus_00000000000000000000000000' }),
    { customer_id: 'does not exist', 'discount_codes.1': 'does not exist', 'discount_codes.2': 'has expired' },
  )
  assert.deepEqual(await refused({ discount_codes: ['NONE'] }), { 'discount_codes.0': 'does not exist' })
  assert.deepEqual(await refused({ discount_codes: ['TEN', 'ten'] }), {
    discount_codes: 'must not contain duplicates: items 0 and 1 are the same',
  })
  assert.deepEqual(await refused({ discount_codes: ['A', 'B', 'C', 'D', 'E', 'F'] }), {
    discount_codes: 'must contain at most 5 items',
  })
  assert.deepEqual(await refused({ discount_codes: ['TEN', ''], items: [] }), {
    'discount_codes.1': 'must not be empty',
    items: 'must contain at least 1 item',
  })
  assert.deepEqual(await refused({ discount_codes: ['TEN', 'SHIP'], discount_amount: 3 }), {
    discount_codes: 'must have at most 1 code with a discount_amount',
  })
  assert.deepEqual(await uses(shop), { FIVE: 0, OLD: 0, SHIP: 0, TEN: 0 })
})

test('codes that all lose against an automatic discount are refused', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product({ price: 100 })
  await shop.api.post('/v1/discounts', {
    code: 'AUTO',
    title: 'Fall sale',
    type: 'percentage',
    value: 50,
    is_automatic: true,
  })
  const answer = await shop.api.post('/v1/orders', { items: [sold(mug)], discount_codes: ['TEN', 'FIVE'] })
  assert.deepEqual(faultsOf(answer), {
    'discount_codes.0': 'cannot be combined with Fall sale, which applies',
    'discount_codes.1': 'cannot be combined with Fall sale, which applies',
  })
})

test('of 40 orders with two codes at once, as many take both as the scarcer one allows', async () => {
  const shop = await newShop(world)
  const scarce = { type: 'percentage', combines_with: ['order'] }
  await shop.api.post('/v1/discounts', { ...scarce, code: 'FEW', value: 10, max_uses: 5 })
  await shop.api.post('/v1/discounts', { ...scarce, code: 'LESS', value: 5, max_uses: 3 })
  const items = [{ product_name: 'X', unit_price: 10, quantity: 1 }]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      shop.api.post('/v1/orders', { items, discount_codes: index % 2 ? ['FEW', 'LESS'] : ['LESS', 'FEW'] }),
    ),
  )
  const created = answers.filter(({ status }) => status === 201)
  assert.equal(created.length, 3)
  for (const { data } of created) assert.deepEqual([data.discount_amount, data.discounts.length], [1.45, 2])
  for (const answer of answers.filter(({ status }) => status === 422)) {
    assert.deepEqual(Object.values(faultsOf(answer)), ['has reached its usage limit'])
  }
  assert.deepEqual(await uses(shop), { FEW: 3, LESS: 3 })
  await assertSums(world, shop)
})

test('a customer uses each of several codes once', async () => {
  const shop = await newShop(world)
  const once = { type: 'percentage', once_per_customer: true, combines_with: ['order'] }
  await shop.api.post('/v1/discounts', { ...once, code: 'ONE', value: 10 })
  await shop.api.post('/v1/discounts', { ...once, code: 'TWO', value: 5 })
  const body = { items: [{ product_name: 'X', unit_price: 10, quantity: 1 }], customer_email: 'ana@example.com' }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => shop.api.post('/v1/orders', { ...body, discount_codes: ['ONE', 'TWO'] })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(422)])
  const refused = answers.find(({ status }) => status === 422)!
  assert.deepEqual(faultsOf(refused), {
    'discount_codes.0': 'has already been used by this customer',
    'discount_codes.1': 'has already been used by this customer',
  })
  await assertSums(world, shop)
})

test('an edit and a refund keep the shares of each code', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product({ price: 10 })
  await shop.api.post('/v1/discounts', {
    ...{ code: 'MUGS', type: 'percentage', value: 50, combines_with: ['order'], applicable_product_ids: [mug.id] },
  })
  const paid = { payment_status: 'paid', payment_method: 'cash' }
  const order = await shop.order([sold(mug, 3), { product_name: 'Card', unit_price: 4, quantity: 1 }], {
    ...paid,
    discount_codes: ['TEN', 'MUGS'],
  })
  // Half of 30, then a tenth of the 19 that are left.
  assert.deepEqual([order.discount_amount, order.total, order.discount_code], [16.9, 17.1, 'TEN'])
  const [mugs] = order.items
  const edited = dataOf(
    await shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: mugs.id, quantity: 2 }], refund: true }),
    200,
  )
  assert.deepEqual([edited.discount_amount, edited.total, edited.discount_code], [11.4, 12.6, 'TEN'])
  assert.deepEqual(
    edited.discounts.map(({ code, amount }: any) => [code, amount]),
    [
      ['MUGS', 10],
      ['TEN', 1.4],
    ],
  )
  assert.equal(
    (await shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [{ item_id: mugs.id, quantity: 2 }] })).data.amount,
    9,
  )
  await assertSums(world, shop)
})

test('a draft keeps its codes, says what each does, and its order uses those that apply', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product({ price: 100 })
  const shipping_address = { address: 'Elm Street 1', city: 'Springfield' }
  const codes = { shipping_method: 'standard', discount_codes: ['five', 'ten', 'ship'] }
  const body = { items: [sold(mug)], shipping_address, ...codes }
  const draft = dataOf(await shop.api.post('/v1/draft-orders', body), 201)
  assert.deepEqual([draft.discount_codes, draft.discount_code, draft.total], [['FIVE', 'TEN', 'SHIP'], 'TEN', 90])
  assert.deepEqual(
    draft.discounts.map(({ code, amount, free_shipping, applied, reason, message }: any) => {
      return [code, amount, free_shipping, applied, reason, message]
    }),
    [
      ['TEN', 10, false, true, null, null],
      ['SHIP', 0, true, true, null, null],
      ['FIVE', 0, false, false, 'not_combined', 'FIVE cannot be combined with Ten off, SHIP, which applies'],
    ],
  )
  const path = `/v1/draft-orders/${draft.id}`
  assert.deepEqual((await shop.api.get(`${path}/quote`)).data.discounts, draft.discounts)
  // One code replaces them, and a list replaces the one.
  const one = dataOf(await shop.api.patch(path, { discount_code: 'five' }), 200)
  assert.deepEqual([one.discount_codes, one.discount_code, one.discount_amount], [['FIVE'], 'FIVE', 5])
  assert.deepEqual(faultsOf(await shop.api.patch(path, { discount_codes: ['TEN', 'NONE'] })), {
    'discount_codes.1': 'does not exist',
  })
  const two = dataOf(
    await shop.api.patch(path, { ...one, discount_codes: ['TEN', 'SHIP'], discount_code: 'SHIP' }),
    200,
  )
  assert.deepEqual([two.discount_codes, two.total], [['TEN', 'SHIP'], 90])
  const order = dataOf(await shop.api.post(`${path}/complete`, {}), 200)
  assert.deepEqual([order.total, order.discount_code, order.discounts.length], [90, 'TEN', 2])
  assert.deepEqual(await uses(shop), { FIVE: 0, SHIP: 1, TEN: 1 })
})

test('a free-shipping code that frees nothing is not used by orders, drafts and edits', async () => {
  const shop = await shopWithCodes()
  const mug = await shop.product({ price: 100, stock_quantity: 50 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 15, free_by_code: false })
  const body = { items: [sold(mug)], discount_codes: ['SHIP'] }
  const place = async (more: object) => dataOf(await shop.api.post('/v1/orders', { ...body, ...more }), 201)
  const shippingOf = (order: any) => [order.discount_code, order.discounts.length, order.shipping_cost]
  const express = await place({ shipping_method: 'express' })
  assert.deepEqual([...shippingOf(express), express.free_shipping], [null, 0, 15, false])
  assert.deepEqual(shippingOf(await place({ shipping_method: 'express', shipping_cost: 0 })), [null, 0, 0])
  assert.deepEqual(await uses(shop), { FIVE: 0, SHIP: 0, TEN: 0 })
  assert.deepEqual(shippingOf(await place({ shipping_cost: 8 })), ['SHIP', 1, 0])
  // Without a method and a cost, the shipping is not known.
  assert.deepEqual(shippingOf(await place({})), ['SHIP', 1, 0])

  const address = { address: 'Calle 1', city: 'León', province: 'GTO', postal_code: '37000', country_code: 'MX' }
  const draft = dataOf(
    await shop.api.post('/v1/draft-orders', { ...body, shipping_method: 'express', shipping_address: address }),
    201,
  )
  assert.deepEqual(
    draft.discounts.map(({ code, applied, reason }: any) => [code, applied, reason]),
    [['SHIP', false, 'saves_nothing']],
  )
  const completed = dataOf(await shop.api.post(`/v1/draft-orders/${draft.id}/complete`), 200)
  assert.deepEqual(shippingOf(completed), [null, 0, 15])

  const edit = async (id: string, change: object) => dataOf(await shop.api.post(`/v1/orders/${id}/edits`, change), 200)
  const free = await place({ discount_codes: [], shipping_cost: 0 })
  assert.deepEqual(shippingOf(await edit(free.id, { discount_codes: ['SHIP'] })), [null, 0, 0])
  const charged = await place({ discount_codes: [], shipping_cost: 6 })
  assert.deepEqual(shippingOf(await edit(charged.id, { discount_codes: ['SHIP'], shipping_cost: 4 })), [null, 0, 4])
  assert.deepEqual(shippingOf(await edit(charged.id, { discount_codes: ['SHIP'] })), ['SHIP', 1, 0])
  // What made the shipping free when the order was placed goes on to do so.
  assert.deepEqual(shippingOf(await edit(charged.id, { discount_codes: ['SHIP', 'TEN'] })), ['SHIP', 2, 0])
  assert.deepEqual(await uses(shop), { FIVE: 0, SHIP: 3, TEN: 1 })
  await assertSums(world, shop)
})

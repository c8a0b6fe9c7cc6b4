// Draft orders: what is put together before it is an order, its prices, and the order that it becomes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { root } from '../../../test/server.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { newId } from '../../kit/values/ids.ts'

const world = await openWorld()

const engraving = { product_name: 'Engraving', unit_price: 4.5, quantity: 1 }
const ana = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }
const path = '/v1/draft-orders'

const draft = async ({ api }: Shop, body: object) => dataOf(await api.post(path, body), 201)
const read = async ({ api }: Shop, { id }: { id: string }) => dataOf(await api.get(`${path}/${id}`), 200)
const quoteOf = async ({ api }: Shop, { id }: { id: string }) => dataOf(await api.get(`${path}/${id}/quote`), 200)
const complete = ({ api }: Shop, { id }: { id: string }, body: object = {}) => api.post(`${path}/${id}/complete`, body)
const named = async (shop: Shop) => (await shop.events()).map(({ event }) => event)
const amounts = ({ subtotal, discount_amount, shipping_cost, tax_amount, total }: any) => [
  subtotal,
  discount_amount,
  shipping_cost,
  tax_amount,
  total,
]

test('a draft has the amounts of the order that it would be, and moves nothing', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 10 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 6 })
  const mug = await shop.product()
  await shop.events()
  const made = await draft(shop, { ...ana, items: [sold(mug, 2), engraving], shipping_method: 'express' })
  assert.deepEqual(amounts(made), [24.5, 0, 6, 2.45, 32.95])
  assert.deepEqual(
    made.items.map(({ product_id, product_name, quantity, unit_price, price, total_price }: any) => [
      product_id,
      product_name,
      quantity,
      unit_price,
      price,
      total_price,
    ]),
    [
      [mug.id, 'Mug', 2, null, 10, 20],
      [null, 'Engraving', 1, 4.5, 4.5, 4.5],
    ],
  )
  assert.deepEqual([made.status, made.order_id, made.item_count, made.link_expires_at], ['open', null, 3, null])
  assert.equal(await shop.stockOf(mug), 5)
  assert.deepEqual(await named(shop), ['draft_order.created'])
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
  assert.deepEqual((await shop.api.get('/v1/customers')).data, [])
  assert.deepEqual(await read(shop, made), made)
})

test('a price by hand stays; any other follows the product, and the quote tells the change', async () => {
  const shop = await newShop(world)
  const [mug, cup] = [await shop.product(), await shop.product({ name: 'Cup', price: 3 })]
  const made = await draft(shop, { items: [sold(mug, 1), sold(cup, 1, { unit_price: 2 })] })
  assert.equal(made.total, 12)
  for (const { id } of [mug, cup]) await shop.api.patch(`/v1/products/${id}`, { price: 20 })
  assert.equal((await read(shop, made)).total, 12)
  const quote = await quoteOf(shop, made)
  assert.deepEqual([quote.total, quote.is_payable], [22, true])
  assert.deepEqual(quote.changes, [
    { field: 'items.0.price', message: 'has changed from 10 to 20', from: 10, to: 20 },
    { field: 'subtotal', message: 'has changed from 12 to 22', from: 12, to: 22 },
    { field: 'total', message: 'has changed from 12 to 22', from: 12, to: 22 },
  ])
  const saved = dataOf(await shop.api.patch(`${path}/${made.id}`, { internal_notes: 'By phone' }), 200)
  assert.equal(saved.total, 22)
  assert.deepEqual((await quoteOf(shop, made)).changes, [])
})

test('a draft that is sent back as it was read stays as it is', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const address = { address: 'Av. Reforma 222', city: 'Puebla', country: 'Mexico' }
  const made = await draft(shop, { ...ana, items: [sold(mug), engraving], shipping_address: address, tags: ['phone'] })
  await shop.events()
  world.clock.advance(60)
  const same = dataOf(await shop.api.patch(`${path}/${made.id}`, made), 200)
  assert.deepEqual(same, made)
  assert.deepEqual(await named(shop), [])
  const moved = dataOf(await shop.api.patch(`${path}/${made.id}`, { shipping_address: { city: 'León' } }), 200)
  assert.deepEqual([moved.shipping_address.city, moved.shipping_address.address], ['León', 'Av. Reforma 222'])
  assert.equal(moved.country_code, 'MX')
})

test('the discount is a code, an amount or a percentage of its own', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const items = [{ ...engraving, unit_price: 33.33 }]
  const of = async (body: object) => amounts(await draft(shop, { items, ...body }))
  assert.deepEqual(await of({ discount_code: 'ten' }), [33.33, 3.33, 0, 0, 30])
  assert.deepEqual(await of({ discount_type: 'percentage', discount_value: 15 }), [33.33, 5, 0, 0, 28.33])
  assert.deepEqual(await of({ discount_type: 'fixed_amount', discount_value: 3.33 }), [33.33, 3.33, 0, 0, 30])
  assert.deepEqual(await of({ shipping_price: 4 }), [33.33, 0, 4, 0, 37.33])
  const refused = async (body: object) => faultsOf(await shop.api.post(path, { items, ...body }))
  assert.deepEqual(await refused({ discount_type: 'percentage', discount_value: 101 }), {
    discount_value: 'must be above 0 and at most 100',
  })
  assert.deepEqual(await refused({ discount_type: 'fixed_amount', discount_value: 40 }), {
    discount_value: 'must not exceed the subtotal (33.33)',
  })
  assert.deepEqual(await refused({ discount_type: 'percentage', discount_value: 5, discount_code: 'TEN' }), {
    discount_type: 'cannot be combined with a discount code',
  })
  assert.deepEqual(await refused({ discount_value: 5 }), { discount_type: 'is required with discount_value' })
  assert.deepEqual(await refused({ discount_type: 'percentage' }), { discount_value: 'is required with discount_type' })
  assert.deepEqual(await refused({ discount_code: 'NONE' }), { discount_code: 'does not exist' })
})

test('unknown, archived and foreign products are refused; what is sold out may be drafted', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const [mug, old, theirs] = [await shop.product({ stock_quantity: 0 }), await shop.product(), await other.product()]
  await shop.api.patch(`/v1/products/${old.id}`, { product_status: 'archived' })
  const refused = async (items: object[]) => faultsOf(await shop.api.post(path, { items }))
  assert.deepEqual(await refused([sold({ id: newId('prod') }), sold(old), sold(theirs)]), {
    'items.0.product_id': 'does not exist',
    'items.1.product_id': 'is not for sale (status: archived)',
    'items.2.product_id': 'does not exist',
  })
  assert.equal((await shop.api.post(path, { items: [] })).status, 422)
  const made = await draft(shop, { items: [sold(mug)] })
  const { is_payable, changes } = await quoteOf(shop, made)
  assert.deepEqual(
    [is_payable, changes],
    [false, [{ field: 'items.0.quantity', message: 'is sold out', from: null, to: null }]],
  )
  assert.deepEqual(faultsOf(await complete(shop, made)), { 'items.0.quantity': 'is sold out' })
})

test('a product that is archived later stays in the draft, with its name, and in the way', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const made = await draft(shop, { items: [sold(mug), engraving] })
  await shop.api.patch(`/v1/products/${mug.id}`, { product_status: 'archived' })
  const saved = dataOf(await shop.api.patch(`${path}/${made.id}`, { internal_notes: 'Ask Ben' }), 200)
  assert.deepEqual([saved.items[0].product_name, saved.items[0].total_price, saved.total], ['Mug', 0, 4.5])
  assert.deepEqual(faultsOf(await complete(shop, made)), { 'items.0.product_id': 'is not for sale (status: archived)' })
})

test('it becomes an order at once, paid or not: stock, discount, customer and events follow', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10, max_uses: 1 })
  const mug = await shop.product()
  const body = { ...ana, items: [sold(mug, 2), engraving], discount_code: 'TEN', shipping_price: 3, tags: ['phone'] }
  const made = await draft(shop, { ...body, internal_notes: 'Called twice', locale: 'es' })
  await shop.events()
  const order = dataOf(await complete(shop, made, { payment_status: 'paid', payment_method: 'cash' }), 200)
  assert.deepEqual(amounts(order), amounts(made))
  const { payment_status, payment_method, tags, internal_notes, customer_email, locale, captured_amount } = order
  assert.deepEqual(
    [payment_status, payment_method, tags, internal_notes, customer_email, locale, captured_amount],
    ['paid', 'cash', ['phone'], 'Called twice', 'ana@example.com', 'es', made.total],
  )
  assert.equal(await shop.stockOf(mug), 3)
  assert.deepEqual((await named(shop)).toSorted(), ['customer.created', 'draft_order.completed', 'order.created'])
  const [discount] = (await shop.api.get('/v1/discounts?status=all')).data
  assert.equal(discount.current_uses, 1)
  const after = await read(shop, made)
  assert.deepEqual([after.status, after.order_id], ['completed', order.id])
  const status = 'is completed: this draft can no longer be changed'
  assert.deepEqual(faultsOf(await complete(shop, made)), { status })
  assert.deepEqual(faultsOf(await shop.api.patch(`${path}/${made.id}`, { tags: [] })), { status })
  await assertSums(world, shop)
})

test('an own percentage is the discount of the order, and of its items', async () => {
  const shop = await newShop(world)
  const made = await draft(shop, { items: [engraving], discount_type: 'percentage', discount_value: 10 })
  const order = dataOf(await complete(shop, made), 200)
  assert.deepEqual(amounts(order), [4.5, 0.45, 0, 0, 4.05])
  assert.deepEqual([order.items[0].adjustments[0].type, order.items[0].adjustments[0].amount], ['manual', -0.45])
  assert.equal(order.payment_status, 'pending')
  await assertSums(world, shop)
})

test('the record of a customer is used, and another customer brings their own contact', async () => {
  const shop = await newShop(world)
  const create = async (body: object) => dataOf(await shop.api.post('/v1/customers', body), 201)
  const [bo, cy] = [
    await create({ name: 'Bo', email: 'bo@example.com' }),
    await create({ name: 'Cy', email: 'cy@example.com', phone: '+525512345678' }),
  ]
  const made = await draft(shop, { items: [engraving], customer_id: bo.id })
  assert.deepEqual([made.customer_name, made.customer_email], ['Bo', 'bo@example.com'])
  const moved = dataOf(await shop.api.patch(`${path}/${made.id}`, { customer_id: cy.id }), 200)
  assert.deepEqual([moved.customer_name, moved.customer_email], ['Cy', 'cy@example.com'])
  const found = async (query: string) => (await shop.api.get(`${path}?${query}`)).data.length
  assert.deepEqual(
    [
      await found(`customer_id=${cy.id}`),
      await found('search=CY@'),
      await found('search=5512345'),
      await found('search=bo'),
    ],
    [1, 1, 1, 0],
  )
  assert.deepEqual(faultsOf(await shop.api.post(path, { items: [engraving], customer_id: newId('cus') })), {
    customer_id: 'does not exist',
  })
})

test('the customer of a draft brings the default address, and the tax of its place', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { country_code: 'US', tax_rate: 10 })
  dataOf(await shop.api.post('/v1/store/tax-zones', { name: 'GST', country_code: 'CA', rate: 5 }), 201)
  const customer = async (name: string, addresses: object[]) =>
    dataOf(await shop.api.post('/v1/customers', { name, email: `${name}@example.com`, addresses }), 201).id
  const cy = await customer('Cy', [
    { address: '1 Old St', city: 'Bangor', country_code: 'US' },
    { name: 'Cy Lee', address: '2 New St', city: 'Halifax', country_code: 'CA', is_default_shipping: true },
  ])
  const [bo, di] = [await customer('Bo', []), await customer('Di', [{ address: '3 Elm St', country_code: 'US' }])]
  const placed = ({ shipping_address, country_code, tax_amount }: any) => [
    shipping_address && [shipping_address.name, shipping_address.address, shipping_address.city],
    country_code,
    tax_amount,
  ]
  const items = [{ ...engraving, unit_price: 100 }]
  const made = await draft(shop, { customer_id: cy, items })
  assert.deepEqual(placed(made), [['Cy Lee', '2 New St', 'Halifax'], 'CA', 5])
  const change = async (body: object) => placed(dataOf(await shop.api.patch(`${path}/${made.id}`, body), 200))
  assert.deepEqual(await change({ customer_id: bo }), [null, null, 10])
  assert.deepEqual(await change({ customer_id: di }), [[null, '3 Elm St', null], 'US', 10])
  assert.deepEqual(await change({ customer_id: di, shipping_address: null }), [null, 'US', 10])
  const own = { address: '9 Own Rd', city: 'Reno' }
  assert.deepEqual(placed(await draft(shop, { customer_id: cy, items, shipping_address: null }))[0], null)
  assert.deepEqual(placed(await draft(shop, { customer_id: cy, items, shipping_address: own }))[0], [
    null,
    '9 Own Rd',
    'Reno',
  ])
  const early = await draft(shop, { items, shipping_address: own })
  const later = dataOf(await shop.api.patch(`${path}/${early.id}`, { customer_id: cy }), 200)
  assert.equal(later.shipping_address.address, '9 Own Rd')
})

test('a draft that is shipped needs an address before it is completed or sent', async () => {
  const shop = await newShop(world)
  for (const code of ['standard', 'pickup'])
    dataOf(await shop.api.post('/v1/store/shipping-rates', { code, price: 0 }), 201)
  const made = await draft(shop, { ...ana, items: [engraving], shipping_method: 'standard', shipping_price: 3 })
  const fault = { shipping_address: 'is required by this shipping method' }
  assert.deepEqual(faultsOf(await complete(shop, made)), fault)
  assert.deepEqual(faultsOf(await shop.api.post(`${path}/${made.id}/payment-link`, {})), fault)
  const { is_payable, changes } = await quoteOf(shop, made)
  assert.deepEqual(
    [is_payable, changes],
    [false, [{ field: 'shipping_address', message: fault.shipping_address, from: null, to: null }]],
  )
  const change = (body: object) => shop.api.patch(`${path}/${made.id}`, body)
  dataOf(await change({ shipping_address: { city: 'Puebla' } }), 200)
  assert.deepEqual(faultsOf(await complete(shop, made)), fault)
  dataOf(await change({ shipping_method: 'pickup', shipping_address: null }), 200)
  dataOf(await shop.api.post(`${path}/${made.id}/payment-link`, { send: false }), 200)
  dataOf(await change({ shipping_method: 'standard', shipping_address: { address: 'Av. Reforma 222' } }), 200)
  const order = dataOf(await complete(shop, made), 200)
  assert.deepEqual([order.shipping_address.address, order.shipping_method], ['Av. Reforma 222', 'standard'])
})

test('a draft is duplicated and deleted; a dry run changes nothing', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const made = await draft(shop, { ...ana, items: [sold(mug, 2)], discount_type: 'percentage', discount_value: 5 })
  const order = dataOf(await complete(shop, made), 200)
  const copy = dataOf(await shop.api.post(`${path}/${made.id}/duplicate`), 200)
  assert.notEqual(copy.id, made.id)
  assert.deepEqual([copy.status, copy.order_id, copy.total], ['open', null, made.total])
  const tried = await shop.api.post(`${path}/${copy.id}/complete`, {}, { headers: { prefer: 'dry-run' } })
  assert.equal(dataOf(tried, 200).total, made.total)
  assert.equal((await read(shop, copy)).status, 'open')
  await shop.events()
  dataOf(await shop.api.delete(`${path}/${made.id}`), 200)
  dataOf(await shop.api.delete(`${path}/${copy.id}`), 200)
  assert.deepEqual(await named(shop), ['draft_order.deleted', 'draft_order.deleted'])
  assert.equal((await shop.api.get(`${path}/${copy.id}`)).status, 404)
  assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).status, 200)
  assert.equal(await shop.stockOf(mug), 3)
})

test('each store numbers its drafts from D1, without gaps and however many are created at once', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const made = await Promise.all(Array.from({ length: 6 }, () => draft(shop, { ...ana, items: [engraving] })))
  const numbers = made.map(({ draft_number }) => draft_number)
  assert.deepEqual(numbers.toSorted(), ['D1', 'D2', 'D3', 'D4', 'D5', 'D6'])
  assert.equal((await draft(other, { items: [engraving] })).draft_number, 'D1')
  const body = { items: [engraving] }
  const dryRun = await shop.api.post(path, { ...body, draft_number: 'D9' }, { headers: { prefer: 'dry-run' } })
  assert.equal(dryRun.data.draft_number, 'D7')
  const { id } = made.find(({ draft_number }) => draft_number === 'D6')
  dataOf(await shop.api.delete(`${path}/${id}`), 200)
  const copy = dataOf(await shop.api.post(`${path}/${made[0].id}/duplicate`), 200)
  assert.equal(copy.draft_number, 'D7', 'the number of a deleted draft is not used again')
  const list = async (query: string) => dataOf(await shop.api.get(`${path}?${query}`), 200).map((one: any) => one.id)
  for (const query of ['draft_number=D7', 'draft_number=d7', 'search=D7', 'search=%23d7', 'search=%20d7%20'])
    assert.deepEqual(await list(query), [copy.id], query)
  for (const query of ['draft_number=7', 'draft_number=D70', 'search=D']) assert.deepEqual(await list(query), [], query)
})

test('drafts from before they had numbers are numbered by their creation', async (t) => {
  const client = new pg.Client({ connectionString: await newDatabase(t) })
  client.on('error', () => {})
  await client.connect()
  await client.query(`
    drop function number_draft cascade;
    alter table draft_orders drop column draft_number;
    alter table store_counters drop column draft_number;
    set session_replication_role = replica`)
  for (const [store, day] of ['AA 3', 'AA 1', 'BB 2', 'AA 2'].map((text) => text.split(' ')))
    await client.query(
      `insert into draft_orders (store_id, id, items, item_count, currency, subtotal, discount_amount, shipping_cost,
        tax_amount, included_tax, total, search_text, created_at, updated_at)
      values ($1, gen_random_uuid(), '[]', 0, 'USD', 0, 0, 0, 0, 0, 0, '', $2, $2)`,
      [store, `2026-01-0${day}`],
    )
  await client.query(`insert into store_counters (store_id) values ('AA'), ('BB'), ('CC')`)
  await client.query(readFileSync(`${root}migrations/0158_draft_numbers.sql`, 'utf8'))
  const { rows } = await client.query(
    `select store_id || ' ' || extract(day from created_at) || ' ' || draft_number as draft
    from draft_orders
    order by draft`,
  )
  assert.deepEqual(
    rows.map(({ draft: one }) => one),
    ['AA 1 D1', 'AA 2 D2', 'AA 3 D3', 'BB 2 D1'],
  )
  const counters = await client.query('select store_id, draft_number from store_counters order by store_id')
  assert.deepEqual(
    counters.rows.map(({ store_id, draft_number }) => `${store_id} ${draft_number}`),
    ['AA 3', 'BB 1', 'CC 0'],
  )
  await client.end()
})

test('a draft that is completed twice at once becomes one order', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const made = await draft(shop, { items: [sold(mug)] })
  const answers = await Promise.all(Array.from({ length: 5 }, () => complete(shop, made)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal((await shop.api.get('/v1/orders')).data.length, 1)
  assert.equal(await shop.stockOf(mug), 4)
})

test('drafts take the scopes of orders', async () => {
  const shop = await newShop(world)
  const made = await draft(shop, { items: [engraving] })
  const reader = await shop.withKey({ scopes: ['read:orders'] })
  assert.equal((await reader.get(`${path}/${made.id}`)).status, 200)
  for (const answer of [
    await reader.post(path, { items: [engraving] }),
    await reader.post(`${path}/${made.id}/payment-link`, {}),
    await reader.delete(`${path}/${made.id}`),
  ])
    assert.equal(answer.status, 403)
  assert.equal((await (await shop.withKey({ scopes: ['write:products'] })).get(path)).status, 403)
})

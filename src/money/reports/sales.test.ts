// Sums agree with the rows before and after a rollup, and after refunds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { assertSums } from '../../../test/sums.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { createOrder } from '../../commerce/orders/operations.ts'
import { newOrder } from '../../commerce/orders/order.ts'
import { addSums, sumsBetween } from './queries.ts'
import { changedQuarters, storesWithDays } from './rollup.ts'
import { spanOfDays } from './period.ts'
import { buildSalesReport, type ReportName } from './report.ts'
import { countScarce } from './lowstock.ts'
import { quarterMs } from './sums.ts'

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
const world = await openWorld({}, { sweeps: true, log })
const { db, jobs } = world.app

const fold = () => jobs.run('sum sales')
const dayMs = 24 * 3_600_000

/** Sums of the last ten days. */
async function sumsNow({ store }: TestStore) {
  const now = Math.ceil(world.clock.now().getTime() / quarterMs) * quarterMs + quarterMs
  return addSums(await sumsBetween(db, store, [new Date(now - 10 * dayMs), new Date(now - dayMs), new Date(now)]))
}

const mug = { product_name: 'Mug', unit_price: 20, quantity: 2 }
const place = async ({ api }: TestStore, body: object = {}) =>
  dataOf(await api.post('/v1/orders', { items: [mug], ...body }), 201)

/** Compares the sums before and after the rollup. */
async function assertFigures(shop: TestStore, expected: Record<string, number>): Promise<void> {
  for (const isFolded of [false, true]) {
    if (isFolded) await fold()
    const sums: Record<string, number> = await sumsNow(shop)
    const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, sums[name]]))
    assert.deepEqual(seen, expected, isFolded ? 'worked out' : 'from the rows')
    await assertSums(world, shop)
  }
}

test('placed orders count; cancelled, refunded and returned ones do not', async () => {
  const shop = await world.newStore()
  await place(shop, { customer: { name: 'Ana', email: 'ana@example.com' }, shipping_cost: 5, tax_amount: 3 })
  const cancelled = await place(shop)
  const refunded = await place(shop, { payment_status: 'paid', status: 'completed' })
  await assertFigures(shop, { orders: 3, pieces: 6, sales: 128, subtotal: 120, shipping: 5, tax: 3, new_customers: 1 })
  await shop.api.patch(`/v1/orders/${cancelled.id}`, { status: 'cancelled' })
  await assertFigures(shop, { orders: 2, sales: 88 })
  dataOf(await shop.api.post(`/v1/orders/${refunded.id}/refunds`, { amount: 15 }), 201)
  await assertFigures(shop, { orders: 2, sales: 73, refunds: 15 })
  await shop.api.patch(`/v1/orders/${refunded.id}`, { status: 'returned' })
  await assertFigures(shop, { orders: 2, sales: 73, refunds: 15 })
})

test('an erased customer no longer counts as new', async () => {
  const shop = await world.newStore()
  const { id } = dataOf(await shop.api.post('/v1/customers', { name: 'Ben', email: 'ben@example.com' }), 201)
  await assertFigures(shop, { new_customers: 1 })
  await shop.api.delete(`/v1/customers/${id}`)
  await assertFigures(shop, { new_customers: 0 })
})

test('a transaction that is open while the sums are worked out is counted when it ends', async () => {
  const shop = await world.newStore()
  const body = newOrder.read({ items: [mug] }, shop.store)
  await db.transaction(async (tx) => {
    await createOrder(tx, shop.store, body, { kind: 'key', id: 'key_test' })
    await fold()
    assert.equal((await sumsNow(shop)).orders, 0)
  })
  await assertFigures(shop, { orders: 1, sales: 40 })
})

test('orders that are placed at once do not wait for each other to be counted', async () => {
  const shop = await world.newStore()
  await Promise.all(Array.from({ length: 16 }, () => place(shop)))
  const notes = await db.rows(sql`select from unsummed where store_id = ${shop.store.id} and kind = 'orders'`)
  assert.equal(notes.length, 16)
  await assertFigures(shop, { orders: 16, sales: 640 })
})

test('a backlog is read by its index, a batch at a time', async () => {
  const { store } = await world.newStore()
  await db.rows(sql`
    insert into unsummed (store_id, kind, quarter)
    select ${store.id}, 'orders',
      date_bin('15 minutes', ${world.clock.now()}::timestamptz, 'epoch') - n * interval '15 minutes'
    from generate_series(1, 20000) as n`)
  await db.rows(sql`
    insert into unsummed_days (store_id, day)
    select ${store.id}, ${world.clock.now()}::timestamptz::date - n
    from generate_series(1, 20000) as n`)
  await db.rows(sql`analyze unsummed, unsummed_days`)
  for (const statement of [changedQuarters(), storesWithDays(world.clock.now())]) {
    const plan = JSON.stringify(await db.rows(sql`explain (format json) ${statement}`))
    assert.doesNotMatch(plan, /"(Sort|Aggregate)"|"Seq Scan","[^}]*"unsummed/, plan)
  }
  await db.rows(sql`delete from unsummed_days where store_id = ${store.id}`)
  await fold()
  assert.deepEqual(await db.rows(sql`select from unsummed where store_id = ${store.id}`), [])
})

const today = () => world.clock.now().toISOString().slice(0, 10)
const report = async ({ store }: TestStore, by: ReportName, from = today()) => {
  const days = { from, to: today() }
  const { earlier } = spanOfDays(days, world.clock.now(), 'UTC')
  return (await buildSalesReport(db, store, { by, days, earlier, sort: 'sales', order: 'desc', limit: 10, offset: 0 }))
    .rows
}

test('reports tell by each of their names, today and when the day is over', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const category = dataOf(await api.post('/v1/categories', { name: 'Cups' }), 201)
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 10, category_id: category.id }), 201)
  await api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const items = [{ product_id: cup.id, quantity: 3 }, mug]
  const first = await place(shop, { items, discount_code: 'TEN', country_code: 'MX', payment_method: 'cod' })
  await place(shop, { items: [{ product_id: cup.id, quantity: 1 }], country_code: 'ES', payment_status: 'paid' })
  await shop.api.patch(`/v1/orders/${first.id}`, { payment_status: 'paid' })
  const [{ id: item_id }] = first.items
  const refund = { items: [{ item_id, quantity: 1 }] }
  dataOf(await shop.api.post(`/v1/orders/${first.id}/refunds`, refund), 201)

  const from = today()
  const expected = {
    product: [
      { label: 'Mug', id: null, orders: 1, units: 2, discounts: 4, refunds: 0, sales: 36 },
      { label: 'Cup', id: cup.id, orders: 2, units: 3, discounts: 3, refunds: 9, sales: 28 },
    ],
    category: [
      { label: null, id: null, orders: 1, units: 2, discounts: 4, refunds: 0, sales: 36 },
      { label: 'Cups', id: category.id, orders: 2, units: 3, discounts: 3, refunds: 9, sales: 28 },
    ],
    discount: [{ key: 'TEN', orders: 1, discounts: 7, refunds: 9, sales: 54 }],
    country: [
      { key: 'MX', orders: 1, refunds: 9, sales: 54 },
      { key: 'ES', orders: 1, refunds: 0, sales: 10 },
    ],
    payment_method: [
      { key: 'cod', orders: 1, sales: 54 },
      { key: '', orders: 1, sales: 10 },
    ],
    channel: [{ key: 'api', orders: 2, refunds: 9, sales: 64 }],
  }
  const assertReports = async () => {
    for (const [by, rows] of Object.entries(expected)) {
      const told = await report(shop, by as ReportName, from)
      assert.equal(told.length, rows.length, by)
      told.forEach((row, at) => assert.deepEqual({ ...row, ...rows[at] }, row, by))
    }
    await assertSums(world, shop)
  }
  await assertReports()
  await fold()
  await assertReports()
  world.clock.advance(2 * 24 * 3600)
  await jobs.run('sum days')
  const kept = await db.rows(sql`select from sales_by_day where store_id = ${shop.store.id}`)
  assert.equal(kept.length, 8)
  await assertReports()
})

test('each discount of an order is credited with its own amount, and the totals count the order once', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 10 }), 201)
  const combined = { type: 'percentage', combines_with: ['product', 'order'] }
  const own = { code: 'CUPS', value: 50, is_automatic: true, applicable_product_ids: [cup.id] }
  for (const one of [own, { code: 'TEN', value: 10 }]) {
    dataOf(await api.post('/v1/discounts', { ...combined, ...one }), 201)
  }
  const items = [{ product_id: cup.id, quantity: 4 }]
  const both = await place(shop, { items, discount_code: 'TEN', payment_status: 'paid' })
  assert.deepEqual([both.discount_amount, both.discount_code], [22, 'TEN'])
  await place(shop, { items })
  // As an order from before discounts were kept with it, and as one whose amount is by hand.
  const old = await place(shop, { items, discount_code: 'TEN' })
  await db.rows(sql`
    update orders
    set discounts = '[]'
    where store_id = ${shop.store.id}
      and id = ${toUuid('ord', old.id)}`)
  await place(shop, { items, discount_amount: 5 })
  const from = today()
  const assertReport = async () => {
    const rows = (await report(shop, 'discount', from)).map(({ key, orders, units, discounts, sales }) => {
      return [key, orders, units, discounts, sales]
    })
    assert.deepEqual(rows.toSorted(), [
      ['', 1, 4, 5, 35],
      ['CUPS', 2, 8, 40, 38],
      ['TEN', 2, 8, 24, 36],
    ])
    const { data } = await api.get(`/v1/reports/sales?by=discount&from=${from}&to=${today()}`)
    const { orders, units, discounts, sales } = data.totals
    assert.deepEqual([data.count, orders, units, discounts, sales], [3, 4, 16, 69, 91])
    await assertSums(world, shop)
  }
  await assertReport()
  await fold()
  world.clock.advance(2 * 24 * 3600)
  await jobs.run('sum days')
  const kept = await db.rows(sql`
    select from sales_by_day
    where store_id = ${shop.store.id}
      and kind = 'discount'`)
  assert.equal(kept.length, 4)
  await assertReport()
})

test('in another time zone the days are others', async () => {
  const shop = await world.newStore({ timezone: 'Pacific/Kiritimati' })
  await place(shop)
  await fold()
  world.clock.advance(3 * 24 * 3600)
  await jobs.run('sum days')
  await assertSums(world, shop)
  await shop.api.patch('/v1/store', { timezone: 'Pacific/Honolulu' })
  await assertSums(world, shop)
  await jobs.run('sum days')
  await assertSums(world, shop)
})

test('products that run low or are sold out are known as they become so', async () => {
  const shop = await world.newStore()
  const stocked = { price: 5, track_inventory: true, low_stock_threshold: 3 }
  const make = async (body: object) => dataOf(await shop.api.post('/v1/products', { ...stocked, ...body }), 201)
  const cup = await make({ name: 'Cup', stock_quantity: 5 })
  const none = await make({ name: 'Bowl', stock_quantity: 0 })
  await make({ name: 'Draft', stock_quantity: 0, product_status: 'draft' })
  const assertScarce = async (few: number, sold_out: number) => {
    const count = (isSoldOut: boolean) => sql`(${countScarce(isSoldOut)(10, shop.store.id)})`
    const counts = await db.one(sql`select ${count(false)} as few, ${count(true)} as sold_out`)
    assert.deepEqual(counts, { few, sold_out })
    await assertSums(world, shop)
  }
  await assertScarce(0, 1)
  const order = await place(shop, { items: [{ product_id: cup.id, quantity: 2 }] })
  await assertScarce(1, 1)
  await place(shop, { items: [{ product_id: cup.id, quantity: 3 }] })
  await assertScarce(0, 2)
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  await assertScarce(1, 1)
  await shop.api.delete(`/v1/products/${none.id}`)
  await shop.api.patch(`/v1/products/${cup.id}`, { low_stock_threshold: 0 })
  await assertScarce(0, 0)
})

test('a store whose time zone the database does not know keeps no other store from its sums', async () => {
  const [bad, good] = [await world.newStore(), await world.newStore()]
  await Promise.all([place(bad), place(good)])
  await db.rows(sql`update stores set timezone = 'Mars/Base' where id = ${bad.store.id}`)
  const noted = async (table: string) =>
    (await db.rows<{ store_id: string }>(sql`select distinct store_id from ${raw(table)}`)).map(
      ({ store_id }) => store_id,
    )
  await fold()
  assert.deepEqual(await noted('unsummed'), [bad.store.id])
  await db.rows(sql`
    insert into unsummed_days (store_id, day)
    select ${bad.store.id}, ${world.clock.now()}::timestamptz::date - 9`)
  world.clock.advance(2 * 24 * 3600)
  await jobs.run('sum days')
  assert.deepEqual(await noted('unsummed_days'), [bad.store.id])
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a job failed for one store')
  assert.deepEqual(
    told.map(({ job, store }) => [job, store]),
    [
      ['sum sales', bad.store.id],
      ['sum days', bad.store.id],
    ],
  )
  await assertFigures(good, { orders: 1, sales: 40 })
  await db.rows(sql`update stores set timezone = 'UTC' where id = ${bad.store.id}`)
  await fold()
  await jobs.run('sum days')
  assert.deepEqual(await noted('unsummed_days'), [])
})

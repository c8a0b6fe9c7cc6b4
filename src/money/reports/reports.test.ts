// Reports of long periods and of taxes: from rollups, from rows, and through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { addDays, nextMonth, resolvePresetSpan, spanOfDays } from './period.ts'
import { buildSalesReport, type ReportName } from './report.ts'
import { listTaxRows } from './taxes.ts'
import { splitIntoUnits } from './units.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app

const at = new Date('2026-11-24T15:00:00Z')

test('presets have their days, and as many before them', () => {
  const span = (name: Parameters<typeof resolvePresetSpan>[0]) => {
    const { from, to, earlier, current, previous } = resolvePresetSpan(name, at, 'UTC')
    return [from, to, earlier.from, earlier.to, current.length - 1, previous.length - 1]
  }
  assert.deepEqual(span('days_7'), ['2026-11-18', '2026-11-24', '2026-11-11', '2026-11-17', 7, 7])
  assert.deepEqual(span('this_month'), ['2026-11-01', '2026-11-24', '2026-10-01', '2026-10-24', 30, 31])
  assert.deepEqual(span('last_month'), ['2026-10-01', '2026-10-31', '2026-09-01', '2026-09-30', 31, 30])
  assert.deepEqual(span('this_year'), ['2026-01-01', '2026-11-24', '2025-01-01', '2025-11-24', 12, 12])
  const { until } = resolvePresetSpan('this_month', at, 'UTC')
  assert.equal(until.toISOString(), '2026-10-24T15:00:00.000Z')
  const march = resolvePresetSpan('this_month', new Date('2026-03-31T12:00:00Z'), 'UTC')
  assert.deepEqual(march.earlier, { from: '2026-02-01', to: '2026-02-28' })
  const { earlier, step } = spanOfDays({ from: '2026-11-01', to: '2026-11-10' }, at, 'UTC')
  assert.deepEqual([earlier, step], [{ from: '2026-10-22', to: '2026-10-31' }, 'day'])
})

test('a range is its whole years and months, and days, or a longer unit without the rest', () => {
  const units = (from: string, to: string) => {
    const { years, months, days, lessMonths, lessDays } = splitIntoUnits({ from, to }, '2026-11-24')
    return [years, months, days.length, lessMonths, lessDays.length]
  }
  assert.deepEqual(units('2025-11-29', '2026-11-24'), [['2026-01-01'], ['2025-12-01'], 2, [], 0])
  assert.deepEqual(units('2026-01-01', '2026-11-23'), [['2026-01-01'], [], 0, ['2026-12-01'], 7])
  assert.deepEqual(units('2024-11-30', '2025-11-28'), [['2025-01-01'], ['2024-12-01'], 1, ['2025-12-01'], 2])
  assert.deepEqual(units('2026-01-01', '2026-02-28'), [[], ['2026-01-01', '2026-02-01'], 0, [], 0])
  assert.deepEqual(units('2026-11-01', '2026-11-30'), [[], ['2026-11-01'], 0, [], 0])
  assert.deepEqual(units('2026-11-02', '2026-11-24'), [[], ['2026-11-01'], 0, [], 1])
  assert.deepEqual(units('2024-12-31', '2025-12-31'), [['2025-01-01'], [], 1, [], 0])
  assert.deepEqual(units('2026-11-20', '2026-11-22'), [[], [], 3, [], 0])
})

test('the units of a range add up to its days', () => {
  const nextYear = (day: string) => `${Number(day.slice(0, 4)) + 1}-01-01`
  const count = (from: string, to: string) => {
    const counts = new Map<string, number>()
    const add = (begins: string[], sign: number, end: (day: string) => string) => {
      for (const begin of begins) {
        for (let day = begin; day < end(begin); day = addDays(day, 1)) counts.set(day, (counts.get(day) ?? 0) + sign)
      }
    }
    const { years, months, days, lessMonths, lessDays } = splitIntoUnits({ from, to }, '2026-11-24')
    add(years, 1, nextYear)
    add(months, 1, nextMonth)
    add(lessMonths, -1, nextMonth)
    add(days, 1, (day) => addDays(day, 1))
    add(lessDays, -1, (day) => addDays(day, 1))
    return [...counts].filter(([day, number]) => number !== 0 && day <= '2026-11-24')
  }
  for (let n = 0; n < 400; n++) {
    const from = addDays('2022-12-20', (n * 37) % 1400)
    const to = addDays(from, (n * n * 7) % 900)
    const days = []
    for (let day = from; day <= to && day <= '2026-11-24'; day = addDays(day, 1)) days.push([day, 1])
    assert.deepEqual(count(from, to).toSorted(), days, `${from} to ${to}`)
  }
})

const day = () => world.clock.now().toISOString().slice(0, 10)

const rowsOf = async ({ store }: TestStore, by: ReportName, from: string, to = day()) => {
  const days = { from, to }
  const { earlier } = spanOfDays(days, world.clock.now(), 'UTC')
  const query = { by, days, earlier, sort: 'sales', order: 'desc', limit: 100, offset: 0 } as const
  return buildSalesReport(db, store, query)
}

/** The rollups of the world's days, to the end. */
async function rollUp(): Promise<void> {
  await jobs.run('sum sales')
  await jobs.run('sum days')
}

test('a report of more than a year is the same from rollups and from rows, and with changed days', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const from = day()
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 10 }), 201)
  const mug = { product_name: 'Mug', unit_price: 20, quantity: 1 }
  const place = async (quantity: number) => {
    const items = [{ product_id: cup.id, quantity }, mug]
    return dataOf(await api.post('/v1/orders', { items, country_code: 'MX', payment_status: 'paid' }), 201)
  }
  const orders = []
  for (let n = 1; n <= 8; n++) {
    orders.push(await place(n))
    world.clock.advance(60 * 24 * 3600)
  }
  const expected = { orders: 8, units: 36, discounts: 0, refunds: 0, sales: 360 }
  const assertReport = async (cups: object, country: object) => {
    const { rows, totals, count } = await rowsOf(shop, 'product', from)
    assert.deepEqual(rows[0], { key: rows[0]!.key, label: 'Cup', id: cup.id, previous_sales: 0, ...expected, ...cups })
    assert.equal(rows[1]!.label, 'Mug')
    assert.equal(totals.sales, rows[0]!.sales + rows[1]!.sales)
    assert.equal(count, 2)
    const [mexico] = (await rowsOf(shop, 'country', from)).rows
    assert.deepEqual({ ...mexico, ...country }, mexico)
    await assertSums(world, shop)
  }
  await assertReport({}, { orders: 8, sales: 520 })
  await rollUp()
  await assertReport({}, { orders: 8, sales: 520 })
  const [first] = orders
  dataOf(await api.patch(`/v1/orders/${orders[1].id}`, { status: 'cancelled', refund: false }), 200)
  const refund = { items: [{ item_id: first.items[0].id, quantity: 1 }] }
  dataOf(await api.post(`/v1/orders/${first.id}/refunds`, refund), 201)
  const changed = { orders: 7, units: 33, refunds: 10, sales: 330 }
  await assertReport(changed, { orders: 7, refunds: 10, sales: 470 })
  await rollUp()
  await assertReport(changed, { orders: 7, refunds: 10, sales: 470 })
  await api.patch('/v1/store', { timezone: 'Asia/Tokyo' })
  await assertSums(world, shop)
  await rollUp()
  await assertSums(world, shop)
})

test('what was sold counts for the category that a product has now, whenever it was sold', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const from = day()
  const category = async (name: string) => dataOf(await api.post('/v1/categories', { name }), 201)
  const [cups, gifts] = [await category('Cups'), await category('Gifts')]
  const product = async (name: string, price: number) =>
    dataOf(await api.post('/v1/products', { name, price, category_id: cups.id }), 201)
  const [cup, bowl] = [await product('Cup', 10), await product('Bowl', 3)]
  const place = async () => {
    const items = [cup, bowl].map(({ id }) => ({ product_id: id, quantity: 1 }))
    dataOf(await api.post('/v1/orders', { items }), 201)
    world.clock.advance(50 * 24 * 3600)
  }
  const notes = () => db.rows(sql`select from unsummed_categories where store_id = ${store.id}`)
  const assertReport = async (expected: [string | null, number, number][]) => {
    for (const isMoved of [false, true]) {
      if (isMoved) await rollUp()
      const { rows, count, totals } = await rowsOf(shop, 'category', from)
      const told = rows.map(({ label, units, sales }) => [label, units, sales])
      assert.deepEqual(told, expected, isMoved ? 'from sums of categories' : 'from those of products')
      assert.deepEqual([count, totals.sales], [expected.length, expected.reduce((sum, [, , sales]) => sum + sales, 0)])
      await assertSums(world, shop)
    }
    assert.deepEqual(await notes(), [])
  }
  for (let n = 0; n < 3; n++) await place()
  await assertReport([['Cups', 6, 39]])
  await api.patch(`/v1/products/${cup.id}`, { category_id: gifts.id })
  assert.equal((await notes()).length, 1)
  await assertReport([
    ['Gifts', 3, 30],
    ['Cups', 3, 9],
  ])
  // A day is computed again while the product waits to be moved, there and back.
  await api.patch(`/v1/products/${bowl.id}`, { category_id: null })
  await api.patch(`/v1/products/${bowl.id}`, { category_id: gifts.id })
  await api.patch(`/v1/products/${cup.id}`, { category_id: cups.id })
  const { data: orders } = await api.get('/v1/orders?sort=created_at&order=asc')
  await api.patch(`/v1/orders/${orders[0].id}`, { status: 'cancelled' })
  await place()
  await assertReport([
    ['Cups', 3, 30],
    ['Gifts', 3, 9],
  ])
  const { headers } = await api.delete(`/v1/products/${cup.id}`)
  await assertReport([
    [null, 3, 30],
    ['Gifts', 3, 9],
  ])
  dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  await assertReport([
    ['Cups', 3, 30],
    ['Gifts', 3, 9],
  ])
  await api.delete(`/v1/categories/${gifts.id}`)
  await assertReport([
    ['Cups', 3, 30],
    [null, 3, 9],
  ])
})

test('the period before is beside each row, and a row that is gone is not there', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const place = async (country_code: string, unit_price: number) =>
    dataOf(
      await api.post('/v1/orders', { country_code, items: [{ product_name: 'Mug', unit_price, quantity: 1 }] }),
      201,
    )
  await place('MX', 5)
  await place('ES', 7)
  world.clock.advance(24 * 3600)
  await place('MX', 8)
  const gone = await place('US', 9)
  await api.patch(`/v1/orders/${gone.id}`, { status: 'cancelled' })
  for (const isFolded of [false, true]) {
    if (isFolded) await rollUp()
    const { rows, totals, count } = await rowsOf(shop, 'country', day())
    assert.deepEqual(
      rows.map(({ key, sales, previous_sales }) => [key, sales, previous_sales]),
      [['MX', 8, 5]],
    )
    assert.deepEqual([totals.sales, totals.previous_sales, count], [8, 12, 1])
  }
})

test('taxes count on the day of the sale, and back on the day of the refund, by place and rate', async () => {
  const shop = await world.newStore({ country_code: 'US' })
  const { api, store } = shop
  const zone = (name: string, rate: number, more: object) =>
    api.post('/v1/store/tax-zones', { name, rate, country_code: 'US', ...more })
  dataOf(await zone('CA tax', 8, { provinces: ['US-CA'] }), 201)
  dataOf(await zone('NY tax', 4, { provinces: ['US-NY'] }), 201)
  const place = async (province: string, more: object = {}) => {
    const items = [{ product_name: 'Mug', unit_price: 50, quantity: 2 }]
    const shipping_address = { address: 'Main 1', city: 'Town', province, country: 'United States', country_code: 'US' }
    const body = { items, country_code: 'US', shipping_address, payment_status: 'paid', ...more }
    return dataOf(await api.post('/v1/orders', body), 201)
  }
  const sold = day()
  const california = await place('US-CA')
  await place('US-CA')
  await place('US-NY')
  const unpaid = await place('US-NY', { payment_status: 'pending' })
  await api.patch(`/v1/orders/${unpaid.id}`, { status: 'cancelled' })
  await place('US-TX', { tax_amount: 3 })
  world.clock.advance(40 * 24 * 3600)
  const refunded = day()
  const refund = { items: [{ item_id: california.items[0].id, quantity: 1 }] }
  dataOf(await api.post(`/v1/orders/${california.id}/refunds`, refund), 201)
  const us = { country_code: 'US', reason: 'standard' }
  const none = { refunded_taxable: 0, refunded_tax: 0 }
  const ofSales = [
    { ...us, province_code: 'US-CA', name: 'CA tax', rate: 8, orders: 2, taxable: 200, tax: 16, ...none },
    { ...us, province_code: 'US-NY', name: 'NY tax', rate: 4, orders: 1, taxable: 100, tax: 4, ...none },
    {
      ...us,
      province_code: 'US-TX',
      name: null,
      rate: null,
      reason: 'manual',
      orders: 1,
      taxable: 100,
      tax: 3,
      ...none,
    },
  ]
  const back = { orders: 0, taxable: 0, tax: 0, refunded_taxable: 50, refunded_tax: 4 }
  for (const isFolded of [false, true]) {
    if (isFolded) {
      world.clock.advance(24 * 3600)
      await rollUp()
    }
    assert.deepEqual(await listTaxRows(db, store, { from: sold, to: sold }), ofSales)
    assert.deepEqual(await listTaxRows(db, store, { from: refunded, to: refunded }), [{ ...ofSales[0], ...back }])
    const { rows, totals } = dataOf(await api.get(`/v1/reports/taxes?from=${sold}&to=${refunded}`), 200)
    assert.deepEqual(rows[0], { ...ofSales[0], refunded_taxable: 50, refunded_tax: 4 })
    assert.deepEqual(totals, { tax: 23, refunded_tax: 4 })
    await assertSums(world, shop)
  }
  const other = await world.newStore()
  assert.deepEqual(await listTaxRows(db, other.store, { from: sold, to: refunded }), [])
})

test('taxes follow the province of an address that is corrected, and a refund that fails after all', async () => {
  const shop = await world.newStore({ country_code: 'US' })
  const { api, store } = shop
  const items = [{ product_name: 'Mug', unit_price: 50, quantity: 2 }]
  const shipping_address = { address: 'Main 1', province: 'US-NY', country: 'United States' }
  const body = { items, country_code: 'US', shipping_address, tax_amount: 4, payment_status: 'paid' }
  const { id } = dataOf(await api.post('/v1/orders', body), 201)
  const sold = day()
  dataOf(await api.post(`/v1/orders/${id}/refunds`, { amount: 26 }), 201)
  world.clock.advance(2 * 24 * 3600)
  await rollUp()
  const taxes = async () =>
    (await listTaxRows(db, store, { from: sold, to: sold })).map((row) => [
      row.province_code,
      row.tax,
      row.refunded_tax,
    ])
  assert.deepEqual(await taxes(), [['US-NY', 4, 1]])
  dataOf(await api.patch(`/v1/orders/${id}`, { shipping_address: { province: 'US-WA' } }), 200)
  assert.deepEqual(await taxes(), [['US-WA', 4, 1]])
  await rollUp()
  assert.deepEqual(await taxes(), [['US-WA', 4, 1]])
  await db.rows(sql`
    update refunds
    set status = 'failed', succeeded_at = null
    where store_id = ${store.id}`)
  assert.deepEqual(await taxes(), [['US-WA', 4, 0]])
  await rollUp()
  assert.deepEqual(await taxes(), [['US-WA', 4, 0]])
})

test('a day that has only a refund is rolled up too', async () => {
  const shop = await world.newStore()
  const items = [{ product_name: 'Mug', unit_price: 50, quantity: 2 }]
  const body = { items, tax_amount: 10, country_code: 'MX', payment_status: 'paid' }
  const { id } = dataOf(await shop.api.post('/v1/orders', body), 201)
  await rollUp()
  world.clock.advance(3 * 24 * 3600)
  const refunded = day()
  dataOf(await shop.api.post(`/v1/orders/${id}/refunds`, {}), 201)
  world.clock.advance(24 * 3600)
  await rollUp()
  const days = await db.rows<{ day: string; refunded_tax: string }>(sql`
    select day::text, refunded_tax from tax_by_day where store_id = ${shop.store.id} order by day`)
  assert.deepEqual(days.at(-1), { day: refunded, refunded_tax: '10' })
})

test('the API takes a preset or days, sorts and pages, and explains what it refuses', async () => {
  const shop = await world.newStore()
  const { api } = shop
  for (const [n, code] of ['MX', 'ES', 'US'].entries()) {
    const items = [{ product_name: 'Mug', unit_price: 10, quantity: n + 1 }]
    dataOf(await api.post('/v1/orders', { items, country_code: code, shipping_cost: 50 - 20 * n }), 201)
  }
  const keys = async (query: string) =>
    dataOf(await api.get(`/v1/reports/sales?by=country&${query}`), 200).rows.map(({ key }: any) => key)
  assert.deepEqual(await keys(''), ['MX', 'ES', 'US'])
  assert.deepEqual(await keys('sort=units&order=desc'), ['US', 'ES', 'MX'])
  assert.deepEqual(await keys('sort=sales&order=asc&per_page=2'), ['US', 'ES'])
  assert.deepEqual(await keys('per_page=2&page=2'), ['US'])
  assert.deepEqual(await keys('period=last_month'), [])
  const report = dataOf(await api.get('/v1/reports/sales?by=country&period=today&per_page=1'), 200)
  assert.deepEqual([report.count, report.totals.sales, report.from, report.to], [3, 150, day(), day()])
  for (const query of ['by=person', 'period=ever', 'from=2026-13-01', 'to=tomorrow', 'sort=key', 'page=0']) {
    assert.deepEqual(Object.keys(faultsOf(await api.get(`/v1/reports/sales?${query}`))), [query.split('=')[0]])
  }
  const stranger = await shop.withKey({ scopes: ['read:products'] })
  for (const path of ['sales', 'taxes']) assert.equal((await stranger.get(`/v1/reports/${path}`)).status, 403)
})

test('orders are filtered by product, category and payment method: those behind a row of a report', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const category = dataOf(await api.post('/v1/categories', { name: 'Cups' }), 201)
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 10, category_id: category.id }), 201)
  const bowl = dataOf(await api.post('/v1/products', { name: 'Bowl', price: 10 }), 201)
  const place = async (id: string, payment_method: string) =>
    dataOf(await api.post('/v1/orders', { items: [{ product_id: id, quantity: 1 }], payment_method }), 201).id
  const [first, second] = [await place(cup.id, 'cod'), await place(bowl.id, 'cash')]
  const found = async (query: string) => (await api.get(`/v1/orders?${query}`)).data.map(({ id }: any) => id)
  assert.deepEqual(await found(`product_id=${cup.id}`), [first])
  assert.deepEqual(await found(`category_id=${category.id}`), [first])
  assert.deepEqual(await found('payment_method=cash'), [second])
  assert.deepEqual(await found('product_id=nobody'), [])
})

// Reports count an edit on its own day: what was reported before stays, and nothing is left once everything went back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBy } from '../../../test/random.ts'
import { dataOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { formatLocalDay } from '../../kit/values/timezone.ts'
import { reports } from './report.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app
const dayLong = 24 * 3600

async function rollUp(): Promise<void> {
  await jobs.run('sum sales')
  await jobs.run('sum days')
}

const dayIn = ({ store }: Shop) => formatLocalDay(db.clock.now(), store.timezone)

type Rows = Record<string, Record<string, any>[]>

/** All reports of some days, without the names of products and the days before. */
async function reportsOf({ api }: Shop, from: string, to: string): Promise<Rows> {
  const all: Rows = {}
  for (const by of reports) {
    const { data } = await api.get(`/v1/reports/sales?by=${by}&from=${from}&to=${to}&per_page=100`)
    all[by] = [...data.rows.map(({ label: _, previous_sales: __, ...row }: any) => row), data.totals]
    delete all[by].at(-1)!.previous_sales
    all[by].sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1))
  }
  const { data } = await api.get(`/v1/reports/taxes?from=${from}&to=${to}`)
  return { ...all, taxes: data.rows }
}

test('an edit in January leaves the reports of November as they were, tax included', async () => {
  const shop = await newShop(world, { country_code: 'DE' })
  await shop.api.patch('/v1/store', { tax_rate: 19, tax_included: true })
  const mug = await shop.product({ price: 119 })
  const order = await shop.order([sold(mug)], { payment_status: 'paid', country_code: 'DE' })
  const first = dayIn(shop)
  const before = await reportsOf(shop, first, first)
  assert.deepEqual([before.taxes![0]!.tax, before.country![0]!.sales], [19, 119])
  world.clock.advance(50 * dayLong)
  const second = dayIn(shop)
  const more = { items: [{ item_id: order.items[0].id, quantity: 2 }] }
  dataOf(await shop.api.post(`/v1/orders/${order.id}/edits`, more), 200)
  for (const isFolded of [false, true]) {
    if (isFolded) {
      world.clock.advance(dayLong)
      await rollUp()
    }
    assert.deepEqual(await reportsOf(shop, first, first), before)
    const { taxes, country, product } = await reportsOf(shop, second, second)
    assert.deepEqual([taxes![0]!.tax, taxes![0]!.taxable, taxes![0]!.orders], [19, 100, 0])
    assert.deepEqual([country![0]!.sales, country![0]!.orders, product![0]!.units], [119, 0, 1])
    await assertSums(world, shop)
  }
})

// Each seed is another shop, order and sequence of edits.
for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`no edit changes what was reported, and all went back leaves nothing (${seed})`, async () => {
    const { below, pick } = randomBy(seed)
    const shop = await newShop(world, { country_code: 'DE' })
    const { api } = shop
    await api.patch('/v1/store', { tax_rate: 19, tax_included: seed % 2 === 0, tax_shipping: true })
    for (const [code, value] of [
      ['TEN', 10],
      ['HALF', 50],
    ] as const)
      dataOf(await api.post('/v1/discounts', { code, type: 'percentage', value }), 201)
    const goods = [
      await shop.product({ price: 7.99, stock_quantity: 500 }),
      await shop.product({ stock_quantity: 500 }),
    ]
    const first = dayIn(shop)
    const order = await shop.order([sold(goods[0], 3), { product_name: 'Pin', unit_price: 0.99, quantity: 3 }], {
      payment_status: 'paid',
      payment_method: 'cash',
      shipping_cost: 4.9,
      ...(below(2) === 0 ? { discount_code: 'TEN' } : {}),
    })
    const at = `/v1/orders/${order.id}`
    for (let step = 0; step < 5; step++) {
      const lastDay = dayIn(shop)
      const before = await reportsOf(shop, first, lastDay)
      world.clock.advance((1 + below(40)) * dayLong)
      if (below(2) === 0) await rollUp()
      const { data: now } = await api.get(at)
      const item = pick(now.items as any[])
      const edit = pick<object>([
        { items: [{ item_id: item.id, quantity: item.quantity + 1 }] },
        { items: [{ item_id: item.id, quantity: item.refunded_quantity }, sold(pick(goods), 2)] },
        { items: [sold(pick(goods))], shipping_cost: below(900) / 100 },
        { discount_code: pick(['TEN', 'HALF', null]) },
        { discount_amount: 1.23 },
      ])
      const { status } = await api.post(`${at}/edits`, edit)
      assert.ok([200, 422].includes(status))
      assert.deepEqual(await reportsOf(shop, first, lastDay), before, JSON.stringify(edit))
      await assertSums(world, shop)
      await api.patch(at, { payment_status: 'paid' })
      if (below(5) < 2) {
        const { data: left } = await api.get(`${at}/refundable`)
        const one = left.items.find(({ quantity, amount }: any) => quantity > 1 && amount > 0)
        if (one) dataOf(await api.post(`${at}/refunds`, { items: [{ item_id: one.item_id, quantity: 1 }] }), 201)
      }
    }
    dataOf(await api.post(`${at}/refunds`, {}), 201)
    const last = dayIn(shop)
    for (const isFolded of [false, true]) {
      if (isFolded) {
        world.clock.advance(dayLong)
        await rollUp()
      }
      const { taxes, ...sales } = await reportsOf(shop, first, last)
      for (const [by, rows] of Object.entries(sales))
        assert.deepEqual(
          rows.filter((row) => Math.abs(row.sales) > 0.0001),
          [],
          by,
        )
      for (const { tax, refunded_tax, taxable, refunded_taxable } of taxes!)
        assert.deepEqual([cents(tax), cents(taxable)], [cents(refunded_tax), cents(refunded_taxable)])
      await assertSums(world, shop)
    }
  })
}

const cents = (amount: number) => Math.round(amount * 100)

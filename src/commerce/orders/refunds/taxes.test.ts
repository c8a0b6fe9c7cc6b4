// The tax in refunds, as needed for credit notes and tax returns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { Decimal, sum } from '../../../kit/values/money.ts'
import { fc } from '../../../../test/random.ts'

const world = await openWorld()

async function quebec({ included = false, ...more }: { included?: boolean; tax_rounding?: string } = {}) {
  const shop = await world.newStore({ currency: 'CAD', country_code: 'CA' })
  await shop.api.patch('/v1/store', { tax_shipping: true, tax_included: included, ...more })
  const components = [
    { name: 'GST', rate: 5, tax_id: '123 RT' },
    { name: 'QST', rate: 9.975 },
  ]
  assert.equal((await shop.api.post('/v1/store/tax-zones', { name: 'QC', country_code: 'CA', components })).status, 201)
  return shop
}

async function sell({ api }: TestStore, body: object) {
  const { data } = await api.post('/v1/orders', { payment_status: 'paid', ...body })
  return data
}

const cup = (unit_price: number, quantity = 1) => ({ product_name: 'Cup', unit_price, quantity })

const linesOf = ({ tax_lines }: any) =>
  tax_lines.map(({ type, name, rate, base, amount }: any) => [type, name, rate, base, amount])

test('a refund tells the tax in it: of each item, of shipping, each with its lines, and together', async () => {
  const shop = await quebec()
  const order = await sell(shop, { items: [cup(10.1, 3), cup(20)], shipping_cost: 8 })
  const [cups] = order.items
  await shop.events()
  const path = `/v1/orders/${order.id}/refunds`
  const body = { items: [{ item_id: cups.id, quantity: 1 }], shipping: 9.2 }
  const { data, status, error } = await shop.api.post(path, body)
  assert.equal(status, 201, JSON.stringify(error))
  assert.deepEqual(linesOf(data), [
    ['item', 'GST', 5, 10.09, 0.51],
    ['item', 'QST', 9.975, 10.09, 1.01],
    ['shipping', 'GST', 5, 8, 0.4],
    ['shipping', 'QST', 9.975, 8, 0.8],
  ])
  assert.deepEqual([data.amount, data.tax_amount, data.shipping_tax_amount], [20.81, 2.72, 1.2])
  const [item] = data.items
  assert.deepEqual([item.amount, item.tax_amount, linesOf(item)], [11.61, 1.52, linesOf(data).slice(0, 2)])
  assert.equal(data.tax_lines[0].tax_id, '123 RT')
  assert.deepEqual((await shop.api.get(`${path}/${data.id}`)).data, data)
  const told = (await shop.events()).find(({ event }) => event === 'order.refunded')!.body.refund
  assert.deepEqual([told.tax_amount, told.shipping_tax_amount, told.items[0].tax_amount], [2.72, 1.2, 1.52])
  assert.deepEqual(told.tax_lines, data.tax_lines)
})

test('the last piece takes the rest of the tax, and an order that goes back whole gives back all of it', async () => {
  const shop = await quebec({ tax_rounding: 'line' })
  // 29.97 bears 1.50 and 2.99 of tax: a third is 0.50 and 0.996…
  const order = await sell(shop, { items: [cup(9.99, 3)] })
  const item_id = order.items[0].id
  const taxes = []
  for (const _ of [1, 2, 3]) {
    const { data } = await shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [{ item_id, quantity: 1 }] })
    taxes.push(data.tax_lines.map(({ amount }: any) => amount))
  }
  assert.deepEqual(taxes, [
    [0.5, 1],
    [0.5, 0.99],
    [0.5, 1],
  ])
  const whole = await sell(shop, { items: [cup(9.99, 3)], shipping_cost: 5 })
  const { data } = await shop.api.post(`/v1/orders/${whole.id}/refunds`, {})
  assert.deepEqual([data.amount, data.tax_amount], [whole.total, whole.tax_amount])
})

test('a tax in the prices, and one that was named as a whole, are told too', async () => {
  const shop = await quebec({ included: true })
  const order = await sell(shop, { items: [cup(114.98)] })
  const { data } = await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 57.49 })
  assert.deepEqual(linesOf(data), [
    ['order', 'GST', 5, 50, 2.5],
    ['order', 'QST', 9.975, 50, 4.99],
  ])
  const manual = await sell(shop, { items: [cup(10), cup(30)], tax_amount: 4 })
  const refund = { items: [{ item_id: manual.items[1].id, quantity: 1 }] }
  const { data: back } = await shop.api.post(`/v1/orders/${manual.id}/refunds`, refund)
  assert.deepEqual([back.amount, back.tax_amount, linesOf(back)], [33, 3, [['item', null, null, 30, 3]]])
  const free = await sell(shop, { items: [cup(10)], tax_amount: 0 })
  const { data: none } = await shop.api.post(`/v1/orders/${free.id}/refunds`, {})
  assert.deepEqual([none.tax_amount, none.tax_lines, none.items[0].tax_lines], [0, [], []])
})

const step = fc.oneof(
  fc.record({ kind: fc.constant('pieces' as const), at: fc.nat(2), part: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('shipping' as const), part: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant('amount' as const), part: fc.integer({ min: 1, max: 100 }) }),
)

test('however an order goes back, the taxes of all its refunds are those of the order', async () => {
  const shops = await Promise.all([quebec(), quebec({ included: true }), quebec({ tax_rounding: 'line' })])
  const kindOf = ({ name, rate, reason }: any) => `${name} ${rate} ${reason}`
  const totals = (lines: any[]) =>
    Object.fromEntries(
      [...Map.groupBy(lines, kindOf)].map(([key, alike]) => [key, Number(sum(alike.map(({ amount }) => amount)))]),
    )
  const run = async (
    shop: TestStore,
    cents: number[],
    steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ) => {
    const items = cents.map((count, at) => cup(count / 100, at + 1))
    const order = await sell(shop, { items, shipping_cost: 7.77, discount_amount: 1.23 })
    const path = `/v1/orders/${order.id}`
    for (const one of [...steps, null]) {
      const { data: open } = await shop.api.get(`${path}/refundable`)
      if (open.amount === 0) break
      const part = (of: number) =>
        new Decimal(of)
          .times(one?.part ?? 0)
          .dividedBy(100)
          .toDecimalPlaces(2)
          .toNumber()
      const item = one?.kind === 'pieces' ? open.items[one.at % open.items.length] : null
      const body = {
        pieces: () => ({ items: [{ item_id: item.item_id, quantity: Math.min(one!.part, item.quantity) }] }),
        shipping: () => ({ shipping: part(open.shipping) }),
        amount: () => ({ amount: part(open.amount) }),
        rest: () => ({}),
      }[one?.kind ?? 'rest']()
      const { status, data, error } = await shop.api.post(`${path}/refunds`, body)
      if (status !== 201) assert.equal(status, 422, JSON.stringify(error))
      else assert.ok(data.tax_lines.every(({ amount }: any) => amount >= 0))
    }
    const { data: refunds } = await shop.api.get(`${path}/refunds?per_page=100`)
    assert.equal(Number(sum(refunds.map(({ amount }: any) => amount))), order.total)
    assert.deepEqual(totals(refunds.flatMap(({ tax_lines }: any) => tax_lines)), totals(order.tax_lines))
    for (const { tax_amount, tax_lines } of refunds) {
      assert.equal(Number(sum(tax_lines.map(({ amount }: any) => amount))), tax_amount)
    }
  }
  const property = fc.asyncProperty(
    fc.constantFrom(...shops),
    fc.array(fc.integer({ min: 150, max: 20_000 }), { minLength: 1, maxLength: 3 }),
    fc.array(step, { maxLength: 6 }),
    run,
  )
  await fc.assert(property, { numRuns: 40 })
})

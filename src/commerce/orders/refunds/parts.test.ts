// Refunds and returns of single parts of a bundle: prices, taxes and stock add up, whatever came before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBy } from '../../../../test/random.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }

/** Two mugs at 18.00 and a tray at 27.00, with 19 % included. */
async function sellSets(quantity: number, more: object = {}) {
  const shop = await newShop(world, { currency: 'EUR', country_code: 'DE' })
  dataOf(await shop.api.patch('/v1/store', { tax_included: true, tax_rate: 19 }), 200)
  const mug = await shop.product({ name: 'Mug', price: 10, stock_quantity: 100 })
  const tray = await shop.product({ name: 'Tray', price: 30, stock_quantity: 100 })
  const bundle_items = [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }]
  const set = await shop.product({ name: 'Breakfast set', price: 45, bundle_items })
  const order = await shop.order([sold(set, quantity)], { ...paid, ...more })
  const stock = async () => [await shop.stockOf(mug), await shop.stockOf(tray)]
  return { shop, order, item: order.items[0].id as string, stock }
}

const refund = (shop: Shop, { id }: { id: string }, body: object) => shop.api.post(`/v1/orders/${id}/refunds`, body)
const left = async (shop: Shop, { id }: { id: string }) => (await shop.api.get(`/v1/orders/${id}/refundable`)).data

/** Units, refunds and sales of the only product that was sold. */
async function report(shop: Shop, span = 'period=today'): Promise<number[]> {
  const { rows } = dataOf(await shop.api.get(`/v1/reports/sales?by=product&${span}`), 200)
  return rows.map(({ units, refunds, sales }: any) => [units, refunds, sales]).flat()
}

test('a part is refunded for its share with its own tax, and its stock is back', async () => {
  const { shop, order, item, stock } = await sellSets(2)
  assert.deepEqual(await stock(), [96, 98])
  assert.deepEqual((await left(shop, order)).items, [
    {
      item_id: item,
      quantity: 2,
      amount: 90,
      parts: [
        { part: 0, quantity: 4, amount: 36 },
        { part: 1, quantity: 2, amount: 54 },
      ],
    },
  ])
  const { amount, tax_amount, items } = dataOf(
    await refund(shop, order, { items: [{ item_id: item, part: 1, quantity: 1 }] }),
    201,
  )
  assert.deepEqual([amount, tax_amount, await stock()], [27, 4.31, [96, 99]])
  assert.deepEqual(
    items.map(({ part, quantity, returned, tax_lines }: any) => [part, quantity, returned, tax_lines.length]),
    [[1, 1, 0, 1]],
  )
  const [rest] = (await left(shop, order)).items
  assert.deepEqual([rest.quantity, rest.amount, rest.parts.map((one: any) => one.quantity)], [1, 45, [4, 1]])
  assert.deepEqual(await report(shop), [2, 27, 63])
  await assertSums(world, shop)

  // The last refund has what is left: one whole set, and the two mugs of the other.
  const last = dataOf(await refund(shop, order, {}), 201)
  assert.deepEqual([last.amount, await stock()], [63, [100, 100]])
  assert.deepEqual(
    last.items.map(({ part, quantity, amount: sum }: any) => [part, quantity, sum]),
    [
      [null, 1, 45],
      [0, 2, 18],
    ],
  )
  const taxes = Math.round((tax_amount + last.tax_amount) * 100) / 100
  assert.equal(taxes, order.included_tax)
  assert.deepEqual(await report(shop), [0, 90, 0])
  await assertSums(world, shop)
})

test('what is wrong with a part is said at its field, all at once', async () => {
  const { shop, order, item } = await sellSets(2)
  const items = [
    { item_id: item, part: 2, quantity: 1 },
    { item_id: item, part: 0, quantity: 3 },
    { item_id: item, quantity: 1 },
    { item_id: item, part: 1, quantity: 1, returned: 1 },
    { item_id: item, part: 30, quantity: 1 },
  ]
  assert.deepEqual(faultsOf(await refund(shop, order, { items: items.slice(0, 4) })), {
    'items.0.part': 'does not exist',
    'items.1.quantity': 'exceeds the quantity left (2)',
    'items.3.returned': 'must be at most 0',
  })
  assert.deepEqual(Object.keys(faultsOf(await refund(shop, order, { items: [items[4]] }))), ['items.0.part'])
  const mug = await shop.product({ name: 'Cup', stock_quantity: 5 })
  const single = await shop.order([sold(mug)], paid)
  const none = await refund(shop, single, { items: [{ item_id: single.items[0].id, part: 0, quantity: 1 }] })
  assert.deepEqual(faultsOf(none), { 'items.0.part': 'does not exist' })
})

test('an order is not edited once a part was refunded, and a part not once a refunded order was edited', async () => {
  const { shop, order, item } = await sellSets(3)
  const edit = (quantity: number) =>
    shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: item, quantity }] })
  dataOf(await refund(shop, order, { items: [{ item_id: item, quantity: 1 }] }), 201)
  dataOf(await edit(2), 200)
  const part = { items: [{ item_id: item, part: 0, quantity: 1 }] }
  assert.deepEqual(faultsOf(await refund(shop, order, part)), {
    'items.0.part': 'cannot be refunded alone: units of its item were refunded before an edit',
  })
  assert.deepEqual((await left(shop, order)).items[0].parts, [])
  const other = await sellSets(2)
  const ofTray = { items: [{ item_id: other.item, part: 1, quantity: 1 }] }
  dataOf(await refund(other.shop, other.order, ofTray), 201)
  const edits = `/v1/orders/${other.order.id}/edits`
  const edited = await other.shop.api.post(edits, { items: [{ item_id: other.item, quantity: 3 }] })
  assert.deepEqual(faultsOf(edited), { items: 'cannot be edited: parts of a bundle were refunded' })
  await assertSums(world, shop)
})

test('an edit changes nothing of what was reported of a bundle with refunded units', async () => {
  const { shop, order, item } = await sellSets(3, { discount_amount: 0.1 })
  dataOf(await refund(shop, order, { items: [{ item_id: item, quantity: 1 }] }), 201)
  const day = (offset: number) => new Date(+world.clock.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const span = `from=${day(-1)}&to=${day(1)}`
  const before = await report(shop, span)
  assert.equal(before[0], 2)
  world.clock.advance(40 * 86_400)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: item, quantity: 2 }] }), 200)
  assert.deepEqual(await report(shop, span), before)
})

test('a part is returned, received, restocked and refunded alone', async () => {
  const { shop, order, item, stock } = await sellSets(2)
  const send = (path: string, body: object = {}) => shop.api.post(`/v1${path}`, body)
  dataOf(await send(`/orders/${order.id}/fulfillments`), 201)
  const returnable = async () => (await shop.api.get(`/v1/orders/${order.id}/returnable`)).data.items
  const parts = (first: number, second: number) => [
    { part: 0, quantity: first },
    { part: 1, quantity: second },
  ]
  assert.deepEqual(await returnable(), [{ item_id: item, quantity: 2, parts: parts(4, 2) }])
  const mugs = { item_id: item, part: 0, quantity: 3, reason: 'damaged' }
  assert.deepEqual(
    faultsOf(
      await send(`/orders/${order.id}/returns`, {
        items: [mugs, { item_id: item, quantity: 1, reason: 'other' }, { ...mugs, part: 7 }],
      }),
    ),
    { 'items.0.quantity': 'exceeds the units that can still be returned (2)', 'items.2.part': 'does not exist' },
  )
  const made = dataOf(await send(`/orders/${order.id}/returns`, { items: [mugs] }), 201)
  assert.deepEqual(made.items[0].part, 0)
  // Three of four mugs are on their way, so no set is whole.
  assert.deepEqual(await returnable(), [{ item_id: item, quantity: 0, parts: parts(1, 2) }])
  const received = { items: [{ ...mugs, reason: undefined, quantity: 2 }] }
  assert.deepEqual(
    faultsOf(await send(`/returns/${made.id}/receive`, { items: [{ ...received.items[0], part: 1 }] })),
    { 'items.0.part': 'does not exist' },
  )
  dataOf(await send(`/returns/${made.id}/receive`, received), 200)
  assert.deepEqual(await stock(), [98, 98])
  const done = dataOf(await send(`/returns/${made.id}/refund`), 200)
  const [one] = (await shop.api.get(`/v1/orders/${order.id}/refunds`)).data
  assert.deepEqual([done.refund_id, one.amount, one.items[0].part, one.items[0].returned], [one.id, 18, 0, 2])
  assert.deepEqual(await returnable(), [{ item_id: item, quantity: 1, parts: parts(2, 2) }])
  await assertSums(world, shop)
})

test('a part that came back is credited to an exchange', async () => {
  const { shop, order, item } = await sellSets(1)
  const send = (path: string, body: object = {}) => shop.api.post(`/v1${path}`, body)
  dataOf(await send(`/orders/${order.id}/fulfillments`), 201)
  const items = [{ item_id: item, part: 1, quantity: 1, reason: 'does_not_fit' }]
  const { id } = dataOf(await send(`/orders/${order.id}/returns`, { items }), 201)
  dataOf(await send(`/returns/${id}/receive`), 200)
  const large = await shop.product({ name: 'Large tray', price: 35, stock_quantity: 5 })
  const { exchange_order_id } = dataOf(await send(`/returns/${id}/exchange`, { items: [sold(large)] }), 200)
  assert.equal((await shop.api.get(`/v1/orders/${exchange_order_id}`)).data.total, 8)
})

test('a cancellation restocks what no refund of a part has restocked', async () => {
  const { shop, order, item, stock } = await sellSets(3)
  dataOf(await refund(shop, order, { items: [{ item_id: item, part: 0, quantity: 1 }] }), 201)
  const lost = { items: [{ item_id: item, part: 1, quantity: 1 }], restock: false }
  dataOf(await refund(shop, order, lost), 201)
  assert.deepEqual(await stock(), [95, 97])
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await stock(), [100, 99])
  await assertSums(world, shop)
})

test('refunds in any order add up to the price, to each tax, and to the stock', async () => {
  const { below } = randomBy(8)
  for (let round = 0; round < 12; round++) {
    const quantity = 1 + below(4)
    const { shop, order, item, stock } = await sellSets(quantity, { discount_amount: (1 + below(300)) / 100 })
    if (below(2) === 0) dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
    const refunds: any[] = []
    for (let turn = 0; turn < 40; turn++) {
      const [rest] = (await left(shop, order)).items
      const open = [
        ...(rest.quantity > 0 ? [{ quantity: 1 + below(rest.quantity) }] : []),
        ...rest.parts.flatMap((one: any) => (one.quantity > 0 ? [{ ...one, quantity: 1 + below(one.quantity) }] : [])),
      ]
      if (open.length === 0) break
      const { part, quantity: count } = open[below(open.length)]!
      const piece = { item_id: item, ...(part === undefined ? {} : { part }), quantity: count }
      refunds.push(dataOf(await refund(shop, order, { items: [piece] }), 201))
    }
    const add = (name: string) => Math.round(refunds.reduce((sum, one) => sum + one[name], 0) * 100) / 100
    assert.deepEqual([add('amount'), add('tax_amount'), await stock()], [order.total, order.included_tax, [100, 100]])
    for (const { part, amount } of order.tax_lines) {
      const own = refunds.flatMap((one) => one.tax_lines).filter((line) => line.part === part)
      assert.equal(Math.round(own.reduce((sum, line) => sum + line.amount, 0) * 100) / 100, amount)
    }
    assert.deepEqual(await report(shop), [0, order.total, 0])
    await assertSums(world, shop)
  }
})

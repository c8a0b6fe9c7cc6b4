import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSums } from '../../../../test/sums.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { newId } from '../../../kit/values/ids.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld()

const mugs = (quantity: number, unit_price = 10) => ({ product_name: 'Mug', unit_price, quantity })
const caps = (quantity: number, unit_price = 5) => ({ product_name: 'Cap', unit_price, quantity })
const paid = { payment_status: 'paid', payment_method: 'cash' }

const at = ({ id }: { id: string }) => `/v1/orders/${id}/refunds`
const refund = (shop: Shop, order: { id: string }, body: object = {}) => shop.api.post(at(order), body)
const pieces = ({ items }: any, ...quantities: number[]) =>
  quantities.map((quantity, index) => ({ item_id: items[index].id, quantity })).filter(({ quantity }) => quantity > 0)

async function amountsOf(shop: Shop, { id }: { id: string }) {
  const { payment_status, captured_amount, refunded_amount } = (await shop.api.get(`/v1/orders/${id}`)).data
  return [payment_status, captured_amount, refunded_amount]
}

const leftOf = async (shop: Shop, { id }: { id: string }) => (await shop.api.get(`/v1/orders/${id}/refundable`)).data

/** The recorded payment events, by kind. */
async function eventsOf({ store }: Shop) {
  return world.app.db.rows(sql`
    select kind, sum(amount)::float as amount from payment_events where store_id = ${store.id} group by 1 order by 1`)
}

test('an amount with more decimals than the currency has is refused, not rounded', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3)], { ...paid, shipping_cost: 7 })
  for (const body of [{ amount: 10.0000001 }, { amount: 5.001 }, { shipping: 1.005 }]) {
    const answer = await refund(shop, order, body)
    const [name] = Object.keys(body)
    assert.deepEqual(faultsOf(answer), { [name!]: 'must have at most 2 decimal places' })
  }
  const held = await shop.api.post(`/v1/orders/${order.id}/capture`, { amount: 1.001 })
  assert.deepEqual(faultsOf(held), { amount: 'must have at most 2 decimal places' })
  const yen = await newShop(world, { currency: 'JPY' })
  const whole = await yen.order([mugs(3)], paid)
  assert.deepEqual(faultsOf(await refund(yen, whole, { amount: 1.5 })), {
    amount: 'must have at most 0 decimal places',
  })
  assert.equal((await refund(yen, whole, { amount: 1 })).status, 201)
})

test('items go back at what they have cost, after discount and tax; shipping apart', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3, 33.33), caps(1, 20)], {
    ...paid,
    discount_amount: 10,
    tax_amount: 16.5,
    shipping_cost: 7,
  })
  assert.equal(order.total, 133.49)
  const before = await leftOf(shop, order)
  // 99.99 of 119.99 bears 8.33 of the discount, and 13.75 of the tax.
  assert.deepEqual(before, {
    amount: 133.49,
    overpayment: 0,
    captured_amount: 133.49,
    refunded_amount: 0,
    pending_amount: 0,
    shipping: 7,
    order_bumps: 0,
    items: [
      { item_id: order.items[0].id, quantity: 3, amount: 105.41, parts: null },
      { item_id: order.items[1].id, quantity: 1, amount: 21.08, parts: null },
    ],
  })
  const answer = await refund(shop, order, { items: pieces(order, 2), reason: 'Came back broken' })
  const first = dataOf(answer, 201)
  assert.equal(answer.headers.get('location'), `${at(order)}/${first.id}`)
  const item_id = order.items[0].id
  const tax = { name: null, country_code: null, rate: null, reason: 'manual', included: false, tax_id: null }
  const tax_lines = [{ type: 'item', item_id, bump_id: null, base: 61.1, amount: 9.17, ...tax }]
  assert.deepEqual(first, {
    id: first.id,
    order_id: order.id,
    status: 'succeeded',
    amount: 70.27,
    shipping: 0,
    overpayment: 0,
    tax_amount: 9.17,
    shipping_tax_amount: 0,
    tax_lines,
    by_hand: true,
    reason: 'Came back broken',
    restock: true,
    failure_reason: null,
    succeeded_at: first.created_at,
    created_at: first.created_at,
    updated_at: first.created_at,
    items: [{ item_id, part: null, quantity: 2, returned: 0, amount: 70.27, tax_amount: 9.17, tax_lines }],
  })
  assert.match(first.id, /^ref_/)
  assert.deepEqual((await shop.api.get(`${at(order)}/${first.id}`)).data, first)
  assert.deepEqual(await amountsOf(shop, order), ['paid', 133.49, 70.27])
  // The last unit gets the remainder of the rounding.
  assert.equal(dataOf(await refund(shop, order, { items: pieces(order, 1) }), 201).amount, 35.14)
  assert.equal(dataOf(await refund(shop, order, { shipping: 7 }), 201).amount, 7)
  const last = dataOf(await refund(shop, order), 201)
  assert.deepEqual([last.amount, last.items.length], [21.08, 1])
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 133.49, 133.49])
  assert.deepEqual(await eventsOf(shop), [
    { kind: 'captured', amount: 133.49 },
    { kind: 'refunded', amount: 133.49 },
  ])
  assert.equal((await shop.api.get(at(order))).body.pagination.total, 4)
  await assertSums(world, shop)
})

test('order.refunded tells of each refund, order.updated of the payment status alone', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(2)], paid)
  const { id } = dataOf(await refund(shop, order, { items: pieces(order, 1) }), 201)
  const [part, ...others] = await shop.events()
  assert.deepEqual(others, [])
  assert.equal(part!.event, 'order.refunded')
  const told = { id: order.id, order_number: order.order_number, currency: 'USD', total: 20, captured_amount: 20 }
  assert.deepEqual(part!.body.order, { ...told, payment_status: 'paid', refunded_amount: 10 })
  assert.deepEqual(part!.body.refund, {
    id,
    amount: 10,
    shipping: 0,
    tax_amount: 0,
    shipping_tax_amount: 0,
    tax_lines: [],
    reason: null,
    by_hand: true,
    items: [
      {
        item_id: order.items[0].id,
        part: null,
        product_id: null,
        product_name: 'Mug',
        variant_name: null,
        quantity: 1,
        tax_amount: 0,
        amount: 10,
      },
    ],
  })
  await refund(shop, order)
  const rest = await shop.events()
  assert.deepEqual(
    rest.map(({ event }) => event),
    ['order.refunded', 'order.updated'],
  )
  assert.deepEqual(rest[1]!.body.order, { id: order.id, payment_status: 'refunded' })
})

test('a free amount is at most what is left; one for items at most what these have cost', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(2), caps(2)], { ...paid, shipping_cost: 3 })
  assert.deepEqual(faultsOf(await refund(shop, order, { amount: 33.01 })), { amount: 'must be at most 33' })
  assert.deepEqual(faultsOf(await refund(shop, order, { items: pieces(order, 1), amount: 10.01 })), {
    amount: 'must be at most 10',
  })
  assert.deepEqual(faultsOf(await refund(shop, order, { shipping: 3.01 })), { shipping: 'must be at most 3' })
  for (const amount of [0, -1, 0.001]) {
    assert.deepEqual(Object.keys(faultsOf(await refund(shop, order, { amount }))), ['amount'])
  }
  assert.equal(dataOf(await refund(shop, order, { items: pieces(order, 1), amount: 8 }), 201).amount, 8)
  assert.equal(dataOf(await refund(shop, order, { amount: 20 }), 201).items.length, 0)
  // 5 are left, whatever the price of two caps.
  const last = dataOf(await refund(shop, order, { items: pieces(order, 0, 2) }), 201)
  assert.deepEqual([last.amount, last.items[0].amount], [5, 10])
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 33, 33])
  assert.deepEqual(faultsOf(await refund(shop, order)), { amount: 'cannot be refunded: no captured payment is left' })
})

test('no more pieces go back than were sold: 3 announced, 2 received, 2 refunded, and then the third', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(3)], paid)
  await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {})
  dataOf(await refund(shop, order, { items: pieces(order, 2) }), 201)
  assert.deepEqual(faultsOf(await refund(shop, order, { items: pieces(order, 2) })), {
    'items.0.quantity': 'exceeds the quantity left (1)',
  })
  const again = [...pieces(order, 1), ...pieces(order, 1)]
  assert.deepEqual(Object.keys(faultsOf(await refund(shop, order, { items: again }))), ['items.0.quantity'])
  assert.deepEqual(faultsOf(await refund(shop, order, { items: [{ item_id: newId('item'), quantity: 1 }] })), {
    'items.0.item_id': 'does not exist',
  })
  dataOf(await refund(shop, order, { items: pieces(order, 1) }), 201)
  const { refunded_quantity, returned_quantity } = (await shop.api.get(`/v1/orders/${order.id}`)).data.items[0]
  assert.deepEqual([refunded_quantity, returned_quantity], [3, 3])
})

test('what was not paid does not go back', async () => {
  const shop = await newShop(world)
  for (const payment_status of ['pending', 'failed']) {
    const order = await shop.order([mugs(1)], { payment_status })
    assert.deepEqual(Object.keys(faultsOf(await refund(shop, order))), ['amount'])
  }
})

test('refunded pieces that were not sent are not sent any more, returned ones leave the rest to be sent', async () => {
  const shop = await newShop(world)
  const stateOf = async ({ id }: { id: string }) => {
    const { fulfillment_status, items } = (await shop.api.get(`/v1/orders/${id}`)).data
    return [fulfillment_status, items[0].fulfillable_quantity]
  }
  const send = (order: any, quantity: number) =>
    shop.api.post(`/v1/orders/${order.id}/fulfillments`, { items: pieces(order, quantity) })
  const unsent = await shop.order([mugs(3)], paid)
  await send(unsent, 2)
  await refund(shop, unsent, { items: pieces(unsent, 1) })
  assert.deepEqual(await stateOf(unsent), ['fulfilled', 0])
  assert.deepEqual(Object.keys(faultsOf(await send(unsent, 1))), ['items.0.quantity'])

  const returned = await shop.order([mugs(3)], paid)
  const parcel = dataOf(await send(returned, 2), 201)
  const [piece] = pieces(returned, 2)
  assert.deepEqual(faultsOf(await refund(shop, returned, { items: [{ ...piece, returned: 3 }] })), {
    'items.0.returned': 'must be at most 2',
  })
  assert.deepEqual(faultsOf(await refund(shop, returned, { items: [{ ...piece, returned: 0 }] })), {
    'items.0.returned': 'must be at least 1',
  })
  dataOf(await refund(shop, returned, { items: [{ ...piece, returned: 2 }] }), 201)
  assert.deepEqual(await stateOf(returned), ['partial', 1])
  // A returned item cannot become unshipped again.
  const undone = await shop.api.patch(`/v1/orders/${returned.id}/fulfillments/${parcel.id}`, { status: 'cancelled' })
  assert.deepEqual(faultsOf(undone), { status: 'cannot become cancelled: some items have been returned' })
  dataOf(await send(returned, 1), 201)
  assert.deepEqual(await stateOf(returned), ['fulfilled', 0])
})

test('pieces go back into stock, unless restock is false, and never more than the order has taken', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 10 })
  const order = await shop.order([sold(mug, 4), sold(mug, 2)], paid)
  assert.equal(await shop.stockOf(mug), 4)
  await refund(shop, order, { items: pieces(order, 1, 1) })
  assert.equal(await shop.stockOf(mug), 6)
  await refund(shop, order, { items: pieces(order, 1), restock: false })
  assert.equal(await shop.stockOf(mug), 6)
  const { data } = await shop.api.get(`/v1/inventory/products/${mug.id}/transactions`)
  assert.deepEqual([data[0].reason, data[0].quantity, data[0].order_id], ['return', 2, order.id])
  assert.match(data[0].actor, /^key:/)
  // Cancelling restocks the rest, but not the unit that was kept out, so a later refund restocks nothing.
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  assert.equal(await shop.stockOf(mug), 9)
  await refund(shop, order, { items: pieces(order, 2, 1) })
  assert.equal(await shop.stockOf(mug), 9)
  await assertSums(world, shop)
})

test('of 20 who refund at once none gets what another has', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 50 })
  const order = await shop.order([sold(mug, 3), caps(40, 1)], { ...paid, customer_email: 'ana@example.com' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      refund(shop, order, index % 2 ? { items: pieces(order, 1) } : { amount: 9 }),
    ),
  )
  const done = answers.filter(({ status }) => status === 201)
  for (const answer of answers) if (answer.status !== 201) faultsOf(answer)
  const byPiece = done.filter(({ data }) => data.items.length > 0)
  assert.ok(byPiece.length <= 3)
  const total = done.reduce((sum, { data }) => sum + data.amount, 0)
  assert.deepEqual(await amountsOf(shop, order), [total === 70 ? 'refunded' : 'paid', 70, total])
  assert.ok(total <= 70 && total > 70 - 10, String(total))
  assert.equal(await shop.stockOf(mug), 47 + byPiece.length)
  const sums = await eventsOf(shop)
  assert.deepEqual(sums[1], { kind: 'refunded', amount: total })
  await assertSums(world, shop)
})

test('an Idempotency-Key refunds once, however often and at the same time it is sent', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(4)], paid)
  const headers = { 'idempotency-key': 'refund 1' }
  const send = () => shop.api.post(at(order), { items: pieces(order, 1) }, { headers })
  const answers = await Promise.all(Array.from({ length: 8 }, send))
  for (const { status } of answers) assert.ok([201, 409].includes(status))
  assert.equal((await send()).status, 201)
  assert.deepEqual(await amountsOf(shop, order), ['paid', 40, 10])
})

test('payment_status refunded is a refund by hand of all that is left', async () => {
  const shop = await newShop(world)
  const order = await shop.order([mugs(2), caps(1)], { ...paid, customer_email: 'ana@example.com' })
  await refund(shop, order, { items: pieces(order, 1) })
  await shop.events()
  const { data } = await shop.api.patch(`/v1/orders/${order.id}`, {
    payment_status: 'refunded',
    internal_notes: 'Gone',
  })
  assert.deepEqual([data.payment_status, data.refunded_amount, data.internal_notes], ['refunded', 25, 'Gone'])
  assert.deepEqual((await shop.events()).map(({ event }) => event).sort(), [
    'order.refunded',
    'order.updated',
    'order.updated',
  ])
  const [last] = (await shop.api.get(at(order))).data
  assert.deepEqual([last.amount, last.by_hand, last.items.length], [15, true, 2])
  assert.equal((await shop.api.get(`/v1/customers/${order.customer_id}`)).data.total_spent, 0)
  await assertSums(world, shop)
})

test('who cancels a paid order may give back all that is left with it', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 5 })
  const order = await shop.order([sold(mug, 2)], paid)
  assert.deepEqual(faultsOf(await shop.api.patch(`/v1/orders/${order.id}`, { refund: true })), {
    refund: 'requires the status cancelled or returned',
  })
  const { data } = await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled', refund: true })
  assert.deepEqual([data.status, data.payment_status, data.refunded_amount], ['cancelled', 'refunded', 20])
  assert.equal(await shop.stockOf(mug), 5)
  // The refund can also be requested later, once.
  const other = await shop.order([sold(mug, 1)], paid)
  await shop.api.patch(`/v1/orders/${other.id}`, { status: 'cancelled' })
  assert.deepEqual(await amountsOf(shop, other), ['paid', 10, 0])
  for (const _ of [1, 2]) await shop.api.patch(`/v1/orders/${other.id}`, { refund: true })
  assert.deepEqual(await amountsOf(shop, other), ['refunded', 10, 10])
  assert.equal((await shop.api.get(at(other))).body.pagination.total, 1)
  await assertSums(world, shop)
})

test('a refund of another order, or of none, is unknown', async () => {
  const shop = await newShop(world)
  const [order, other] = [await shop.order([mugs(1)], paid), await shop.order([mugs(1)], paid)]
  const { id } = dataOf(await refund(shop, order), 201)
  assert.equal((await shop.api.get(`${at(other)}/${id}`)).status, 404)
  assert.equal((await shop.api.get(`${at({ id: newId('ord') })}/${id}`)).status, 404)
  assert.equal((await refund(shop, { id: newId('ord') })).status, 404)
  assert.equal((await shop.api.get(`/v1/orders/${newId('ord')}/refundable`)).status, 404)
})

// Many orders that are fulfilled at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { statementsOf } from '../../../test/statements.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()

const mug = { product_name: 'Mug', unit_price: 20, quantity: 2 }
const cup = { product_name: 'Cup', unit_price: 5, quantity: 1 }

async function shopWith(...orders: object[]) {
  const shop = await world.newStore()
  const made: any[] = []
  for (const body of orders) made.push(dataOf(await shop.api.post('/v1/orders', { items: [mug, cup], ...body }), 201))
  await shop.events()
  return { shop, orders: made }
}

const fulfil = ({ api }: TestStore, orders: object[], headers: Record<string, string> = {}) =>
  api.post('/v1/fulfillments/batch', { orders }, { headers })

const partsOf = async ({ api }: TestStore, { id }: any) => (await api.get(`/v1/orders/${id}/fulfillments`)).data
const orderOf = async ({ api }: TestStore, { id }: any) => (await api.get(`/v1/orders/${id}`)).data

test('each order gets a fulfillment of all that is left, with its tracking, one event and one email', async () => {
  const contact = { customer_email: 'ana@example.com', notify_customer: true }
  const { shop, orders } = await shopWith(contact, contact, {})
  const [first, second, third] = orders
  const [item] = third.items
  await shop.api.post(`/v1/orders/${third.id}/fulfillments`, { items: [{ item_id: item.id, quantity: 1 }] })
  await shop.events()
  const { status, data } = await fulfil(shop, [
    { id: first.id, carrier: 'DHL', tracking_number: '00340' },
    { id: second.id },
    { id: third.id, tracking_number: '7', tracking_url: 'https://track.example/7' },
  ])
  assert.deepEqual([status, data.done, data.failed], [200, 3, 0])
  const [sent] = await partsOf(shop, first)
  assert.deepEqual(
    [sent.carrier, sent.tracking_number, sent.status, sent.items.map(({ quantity }: any) => quantity)],
    ['DHL', '00340', 'shipped', [2, 1]],
  )
  assert.match(sent.tracking_url, /^https:\/\/www\.dhl\.com\/.*00340$/)
  const rest = (await partsOf(shop, third))[0]
  assert.deepEqual(
    [rest.tracking_url, rest.items.map(({ quantity }: any) => quantity)],
    ['https://track.example/7', [1, 1]],
  )
  for (const one of orders) {
    const { fulfillment_status, status: state, items } = await orderOf(shop, one)
    assert.deepEqual([fulfillment_status, state], ['fulfilled', 'pending'])
    assert.ok(items.every(({ fulfillable_quantity }: any) => fulfillable_quantity === 0))
  }
  const events = await shop.events()
  assert.deepEqual(
    events.map(({ event, body }) => [event, body.order.order_number, body.order.fulfillment_status]),
    [1001, 1002, 1003].map((number) => ['order.fulfilled', number, 'fulfilled']),
  )
  assert.deepEqual(
    events[0]!.body.fulfillment.items.map(({ product_name, quantity }: any) => [product_name, quantity]),
    [
      ['Mug', 2],
      ['Cup', 1],
    ],
  )
  for (const { id } of [first, second]) {
    const { data: mails } = await shop.api.get(`/v1/mails?order_id=${id}`)
    assert.equal(mails.filter(({ kind }: any) => kind === 'order_shipped').length, 1)
  }
  await assertSums(world, shop)
})

test('what cannot be sent is said of the order, and does not hold up the others', async () => {
  const { shop, orders } = await shopWith({}, {}, {})
  const [cancelled, fulfilled, open] = orders
  await shop.api.patch(`/v1/orders/${cancelled.id}`, { status: 'cancelled' })
  await shop.api.post(`/v1/orders/${fulfilled.id}/fulfillments`, {})
  await shop.events()
  const { data } = await fulfil(
    shop,
    orders.map(({ id }) => ({ id, carrier: 'UPS' })),
  )
  assert.deepEqual([data.done, data.failed], [1, 2])
  assert.deepEqual(
    data.orders.map(({ result, error }: any) => [result, error?.field, error?.code]),
    [
      ['failed', 'status', 'nothing_sent_when'],
      ['failed', 'items', 'nothing_left'],
      ['done', undefined, undefined],
    ],
  )
  assert.deepEqual([(await partsOf(shop, cancelled)).length, (await partsOf(shop, fulfilled)).length], [0, 1])
  assert.deepEqual(
    (await shop.events()).map(({ body }) => body.order.id),
    [open.id],
  )
})

test('a fault of any row holds up all, and is said of its cell', async () => {
  const { shop, orders } = await shopWith({}, {})
  const [first, second] = orders
  const { status, error } = await fulfil(shop, [
    { id: first.id, tracking_number: 'x'.repeat(101) },
    { id: second.id, tracking_url: 'http://track.example' },
  ])
  assert.equal(status, 422)
  assert.deepEqual(
    error.details.map(({ field }: any) => field),
    ['orders.0.tracking_number', 'orders.1.tracking_url'],
  )
  const many = Array.from({ length: 251 }, () => ({ id: first.id }))
  assert.equal((await fulfil(shop, many)).error.details[0].message, 'must contain at most 250 items')
  assert.deepEqual([await partsOf(shop, first), await partsOf(shop, second)], [[], []])
  assert.deepEqual(await shop.events(), [])
})

test('of ten batches over the same orders at once one sends each of them', async () => {
  const { shop, orders } = await shopWith({}, {}, {}, {})
  const rows = orders.map(({ id }) => ({ id }))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => fulfil(shop, index % 2 === 0 ? rows : rows.toReversed())),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(200),
  )
  const done = answers.reduce((sum, { data }) => sum + data.done, 0)
  assert.equal(done, 4)
  for (const one of orders) assert.equal((await partsOf(shop, one)).length, 1)
  await assertSums(world, shop)
})

test('a dry run sends nothing, and all orders of a batch are one entry of the audit log', async () => {
  const { shop, orders } = await shopWith({}, {})
  const rows = orders.map(({ id }) => ({ id }))
  const tried = await fulfil(shop, rows, { prefer: 'dry-run' })
  assert.deepEqual([tried.data.done, (await partsOf(shop, orders[0])).length], [2, 0])
  await fulfil(shop, rows, { 'x-request-id': 'send-1' })
  const { data } = await shop.api.get('/v1/audit?request_id=send-1')
  assert.deepEqual([data.length, data[0].operation], [1, 'batchCreateFulfillments'])
})

test('paid orders complete with their fulfillment, if the store wants this', async () => {
  const { shop, orders } = await shopWith({ payment_status: 'paid' }, {})
  await shop.api.patch('/v1/store', { auto_complete_orders: true })
  await fulfil(
    shop,
    orders.map(({ id }) => ({ id })),
  )
  const [paid, unpaid] = [await orderOf(shop, orders[0]), await orderOf(shop, orders[1])]
  assert.deepEqual([paid.status, unpaid.status], ['completed', 'pending'])
  assert.ok(paid.completed_at)
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order.order_number]),
    [
      ['order.fulfilled', 1001],
      ['order.fulfilled', 1002],
      ['order.completed', 1001],
    ],
  )
  await shop.api.patch(`/v1/orders/${orders[1].id}`, { payment_status: 'paid' })
  assert.equal((await orderOf(shop, orders[1])).status, 'completed')
  await assertSums(world, shop)
})

test('an address gets no more emails than from single fulfillments', async () => {
  const contact = { customer_email: 'ana@example.com', notify_customer: true }
  const { shop, orders } = await shopWith(...Array.from({ length: 12 }, () => contact))
  await fulfil(
    shop,
    orders.map(({ id }) => ({ id })),
  )
  const { data } = await shop.api.get('/v1/mails?per_page=100')
  const counted = Object.groupBy(data, ({ status }: any) => (status === 'suppressed' ? 'suppressed' : 'taken'))
  assert.deepEqual([counted.taken!.length, counted.suppressed!.length], [20, 4])
})

test('the number of statements does not grow with the orders', async () => {
  const { shop, orders } = await shopWith({}, {}, {}, {}, {})
  const [first, ...others] = orders.map(({ id }) => ({ id }))
  const one = await statementsOf(() => fulfil(shop, [first!]))
  const four = await statementsOf(() => fulfil(shop, others))
  assert.equal(four.length, one.length)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { newId } from '../../kit/values/ids.ts'
import { buildTrackingUrl } from './carriers.ts'

const world = await openWorld()

const mugs = (quantity: number) => ({ product_name: 'Mug', unit_price: 10, quantity })
const caps = (quantity: number) => ({ product_name: 'Cap', variant_name: 'Red', unit_price: 5, quantity })

const at = ({ id }: { id: string }) => `/v1/orders/${id}/fulfillments`
const send = (shop: Shop, order: { id: string }, body: object = {}) => shop.api.post(at(order), body)
const pieces = ({ items }: any, ...quantities: number[]) =>
  quantities.map((quantity, index) => ({ item_id: items[index].id, quantity }))

async function orderOf(shop: Shop, ...lines: object[]): Promise<any> {
  return shop.order(lines)
}

async function readAgain(shop: Shop, { id }: { id: string }): Promise<any> {
  const { data } = await shop.api.get(`/v1/orders/${id}`)
  const { fulfillment_status, status, payment_status } = data
  const counts = data.items.map((item: any) => [item.fulfilled_quantity, item.fulfillable_quantity])
  return { fulfillment_status, status, payment_status, counts }
}

test('without items all that is left is sent, and the status of the order stays', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2), caps(3))
  assert.equal(order.fulfillment_status, 'unfulfilled')
  const answer = await send(shop, order)
  const sent = dataOf(answer, 201)
  assert.equal(answer.headers.get('location'), `${at(order)}/${sent.id}`)
  assert.deepEqual(sent, {
    id: sent.id,
    order_id: order.id,
    status: 'shipped',
    carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipped_at: sent.created_at,
    delivered_at: null,
    cancelled_at: null,
    created_at: sent.created_at,
    updated_at: sent.created_at,
    items: pieces(order, 2, 3),
  })
  assert.match(sent.id, /^ful_/)
  assert.deepEqual((await shop.api.get(`${at(order)}/${sent.id}`)).data, sent)
  assert.deepEqual((await shop.api.get(at(order))).data, [sent])
  assert.deepEqual(await readAgain(shop, order), {
    fulfillment_status: 'fulfilled',
    status: 'pending',
    payment_status: 'pending',
    counts: [
      [2, 0],
      [3, 0],
    ],
  })
})

test('an order that is paid and sent completes itself where the store wants it, whichever comes last', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { auto_complete_orders: true })
  const [paidFirst, sentFirst, unpaid] = [
    await orderOf(shop, mugs(1)),
    await orderOf(shop, mugs(2)),
    await orderOf(shop, mugs(1)),
  ]
  await shop.api.patch(`/v1/orders/${paidFirst.id}`, { payment_status: 'paid' })
  assert.equal((await readAgain(shop, paidFirst)).status, 'pending')
  for (const order of [paidFirst, sentFirst, unpaid]) dataOf(await send(shop, order), 201)
  assert.equal((await readAgain(shop, sentFirst)).status, 'pending')
  await shop.events()
  const { data } = await shop.api.patch(`/v1/orders/${sentFirst.id}`, { payment_status: 'paid' })
  assert.deepEqual([data.status, data.payment_status, data.completed_at === null], ['completed', 'paid', false])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['order.completed', 'order.updated'],
  )
  assert.equal((await readAgain(shop, paidFirst)).status, 'completed')
  assert.equal((await readAgain(shop, unpaid)).status, 'pending')
})

test('order.fulfilled names the pieces, with the order and the tracking', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2), caps(3))
  const tracking = { carrier: 'DHL', tracking_number: '123' }
  const { id, tracking_url, shipped_at } = dataOf(
    await send(shop, order, { items: pieces(order, 1, 2), ...tracking }),
    201,
  )
  const [first, ...others] = await shop.events()
  assert.deepEqual(others, [])
  assert.equal(first!.event, 'order.fulfilled')
  const { event_id, order: told, fulfillment } = first!.body
  assert.equal(event_id, order.id)
  assert.deepEqual(told, { id: order.id, order_number: order.order_number, fulfillment_status: 'partial' })
  assert.deepEqual(fulfillment, {
    id,
    status: 'shipped',
    ...tracking,
    tracking_url,
    shipped_at,
    delivered_at: null,
    items: [
      { item_id: order.items[0].id, product_id: null, product_name: 'Mug', variant_name: null, quantity: 1 },
      { item_id: order.items[1].id, product_id: null, product_name: 'Cap', variant_name: 'Red', quantity: 2 },
    ],
  })
})

test('parts add up: partial until nothing is left, and then nothing more is sent', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2), caps(3))
  dataOf(await send(shop, order, { items: pieces(order, 1) }), 201)
  assert.equal((await readAgain(shop, order)).fulfillment_status, 'partial')
  const [mug, cap] = pieces(order, 2, 3)
  assert.deepEqual(faultsOf(await send(shop, order, { items: [cap, mug] })), {
    'items.1.quantity': 'exceeds the quantity left (1)',
  })
  // Two entries of one item share what is left of it.
  assert.deepEqual(
    faultsOf(
      await send(shop, order, {
        items: [
          { ...cap, quantity: 2 },
          { ...cap, quantity: 2 },
        ],
      }),
    ),
    { 'items.0.quantity': 'exceeds the quantity left (3)', 'items.1.quantity': 'exceeds the quantity left (3)' },
  )
  const rest = dataOf(await send(shop, order), 201)
  assert.deepEqual(rest.items, pieces(order, 1, 3))
  assert.equal((await readAgain(shop, order)).fulfillment_status, 'fulfilled')
  assert.deepEqual(faultsOf(await send(shop, order)), { items: 'has nothing left to fulfill' })
  assert.equal((await shop.api.get(at(order))).body.pagination.total, 2)
})

test('an item of another order, or of none, is unknown', async () => {
  const shop = await newShop(world)
  const [order, other] = [await orderOf(shop, mugs(1)), await orderOf(shop, mugs(1))]
  for (const item_id of [other.items[0].id, newId('item'), 'item_1']) {
    assert.deepEqual(faultsOf(await send(shop, order, { items: [{ item_id, quantity: 1 }] })), {
      'items.0.item_id': 'does not exist',
    })
  }
  const sent = dataOf(await send(shop, other), 201)
  for (const method of ['get', 'patch'] as const) {
    assert.equal((await shop.api[method](`${at(order)}/${sent.id}`)).status, 404)
    assert.equal((await shop.api[method](`${at({ id: newId('ord') })}/${sent.id}`)).status, 404)
  }
})

test('quantities are whole and positive, tracking addresses have https', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2))
  for (const quantity of [0, -1, 1.5, '1', null]) {
    const items = [{ item_id: order.items[0].id, quantity }]
    assert.deepEqual(Object.keys(faultsOf(await send(shop, order, { items }))), ['items.0.quantity'])
  }
  assert.deepEqual(Object.keys(faultsOf(await send(shop, order, { items: [] }))), ['items'])
  for (const tracking_url of ['http://dhl.example/1', 'javascript:alert(1)', 'dhl.example/1']) {
    assert.deepEqual(Object.keys(faultsOf(await send(shop, order, { tracking_url }))), ['tracking_url'])
  }
  assert.deepEqual(await shop.events(), [])
})

test('nothing of a cancelled or returned order is sent', async () => {
  const shop = await newShop(world)
  for (const status of ['cancelled', 'returned']) {
    const order = await shop.order([mugs(1)], { status: 'in_progress' })
    await shop.api.patch(`/v1/orders/${order.id}`, { status })
    assert.deepEqual(faultsOf(await send(shop, order)), {
      status: `is ${status}: the order can no longer be fulfilled`,
    })
  }
})

test('of 20 who send the last pieces at once only as many succeed as there are pieces', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(3), caps(20))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      send(shop, order, { items: index % 2 ? pieces(order, 1, 1) : pieces(order, 1, 1).reverse() }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 3)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.match(Object.values(faultsOf(answer)).join(), /exceeds the quantity left \(0\)/)
  }
  assert.deepEqual((await readAgain(shop, order)).counts, [
    [3, 0],
    [3, 17],
  ])
})

test('sending and cancelling at once: either is refused, or what was sent was sent before', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < 5; round++) {
    const order = await orderOf(shop, mugs(1))
    const [sent, cancelled] = await Promise.all([
      send(shop, order),
      shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }),
    ])
    assert.equal(cancelled.status, 200)
    assert.ok([201, 422].includes(sent.status))
    assert.equal((await readAgain(shop, order)).counts[0][0], sent.status === 201 ? 1 : 0)
  }
})

test('an Idempotency-Key sends once', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2))
  const headers = { 'idempotency-key': 'parcel 1' }
  const body = { items: pieces(order, 1) }
  const first = await shop.api.post(at(order), body, { headers })
  const again = await shop.api.post(at(order), body, { headers })
  assert.deepEqual([again.status, again.data], [201, first.data])
  assert.deepEqual((await readAgain(shop, order)).counts, [[1, 1]])
})

test('a parcel is delivered, and back again where that was a mistake', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(1))
  const { id } = dataOf(await send(shop, order, { shipped_at: '2026-11-20T10:00:00+01:00' }), 201)
  await shop.events()
  const change = (body: object) => shop.api.patch(`${at(order)}/${id}`, body)
  world.clock.advance(60)
  const delivered = dataOf(await change({ status: 'delivered' }), 200)
  assert.deepEqual(
    [delivered.status, delivered.delivered_at, delivered.shipped_at],
    ['delivered', delivered.updated_at, '2026-11-20T09:00:00.000Z'],
  )
  assert.deepEqual(await shop.events(), [
    { event: 'order.updated', body: { ...(await eventBody(shop, order)), occurred_at: delivered.updated_at } },
  ])
  assert.deepEqual(faultsOf(await change({ status: 'cancelled' })), {
    status: 'cannot change from delivered to cancelled; allowed: shipped',
  })
  assert.equal(dataOf(await change({ ...delivered, status: 'shipped' }), 200).delivered_at, null)
  const dated = dataOf(await change({ delivered_at: '2026-11-21T10:00:00Z' }), 200)
  assert.deepEqual([dated.status, dated.delivered_at], ['delivered', '2026-11-21T10:00:00.000Z'])
  await shop.events()
  assert.deepEqual(dataOf(await change(dated), 200), dated)
  assert.deepEqual(await shop.events(), [])
})

async function eventBody({ store }: Shop, { id }: { id: string }) {
  return { event_id: id, order: { id }, store: { id: store.id, timezone: store.timezone } }
}

test('a cancelled parcel gives its pieces back, once', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(2))
  const first = dataOf(await send(shop, order, { items: pieces(order, 1) }), 201)
  const second = dataOf(await send(shop, order), 201)
  const change = ({ id }: { id: string }, body: object) => shop.api.patch(`${at(order)}/${id}`, body)
  const answers = await Promise.all(Array.from({ length: 5 }, () => change(second, { status: 'cancelled' })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.deepEqual(await readAgain(shop, order), {
    fulfillment_status: 'partial',
    status: 'pending',
    payment_status: 'pending',
    counts: [[1, 1]],
  })
  for (const body of [{ carrier: 'UPS' }, { status: 'shipped' }, { status: 'delivered' }]) {
    assert.deepEqual(Object.keys(faultsOf(await change(second, body))), ['status'])
  }
  assert.equal((await change(first, { status: 'cancelled' })).status, 200)
  assert.equal((await readAgain(shop, order)).fulfillment_status, 'unfulfilled')
  assert.deepEqual(dataOf(await send(shop, order), 201).items, pieces(order, 2))
})

test('If-Match holds for a parcel', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(1))
  const created = await send(shop, order)
  const headers = { 'if-match': created.headers.get('etag')! }
  const path = `${at(order)}/${created.data.id}`
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, index) => shop.api.patch(path, { tracking_number: String(index) }, { headers })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
})

test('the tracking address of a well-known carrier follows the number, unless one was given', async () => {
  const shop = await newShop(world)
  const order = await orderOf(shop, mugs(3))
  const parcel = (body: object) => send(shop, order, { items: pieces(order, 1), ...body })
  const change = ({ id }: { id: string }, body: object) => shop.api.patch(`${at(order)}/${id}`, body)
  const made = dataOf(await parcel({ carrier: 'UPS Ground', tracking_number: '1Z 9&9' }), 201)
  assert.equal(made.tracking_url, 'https://www.ups.com/track?tracknum=1Z%209%269')
  const moved = dataOf(await change(made, { carrier: 'USPS' }), 200)
  assert.equal(moved.tracking_url, 'https://tools.usps.com/go/TrackConfirmAction?tLabels=1Z%209%269')
  assert.equal(dataOf(await change(made, { carrier: 'Our van' }), 200).tracking_url, null)

  const tracking_url = 'https://van.example/7'
  const given = dataOf(await parcel({ carrier: 'DHL', tracking_number: '7', tracking_url }), 201)
  assert.equal(dataOf(await change(given, { tracking_number: '8' }), 200).tracking_url, tracking_url)
  assert.equal(dataOf(await change(given, { tracking_url: null }), 200).tracking_url, null)
})

test('a carrier is known by the words that its name begins with', () => {
  for (const carrier of ['dhl', 'DHL Express', 'Royal Mail Tracked 24', 'Canada-Post', 'FedEx®']) {
    assert.match(buildTrackingUrl(carrier, '1') ?? '', /^https:\/\/.*1$/, carrier)
  }
  for (const carrier of ['Upsilon', 'Royal', 'My DHL', '', '…'])
    assert.equal(buildTrackingUrl(carrier, '1'), null, carrier)
  assert.equal(buildTrackingUrl('DHL', null), null)
})

test('orders are found and sorted by what was sent of them', async () => {
  const shop = await newShop(world)
  const [none, part, all] = [await orderOf(shop, mugs(2)), await orderOf(shop, mugs(2)), await orderOf(shop, mugs(2))]
  await send(shop, part, { items: pieces(part, 1) })
  await send(shop, all)
  const idsOf = async (query: string) => (await shop.api.get(`/v1/orders?${query}`)).data.map(({ id }: any) => id)
  assert.deepEqual(await idsOf('fulfillment_status=unfulfilled'), [none.id])
  assert.deepEqual(await idsOf('fulfillment_status=partial'), [part.id])
  assert.deepEqual(await idsOf('fulfillment_status=fulfilled'), [all.id])
  assert.deepEqual(await idsOf('sort=fulfillment_status&order=asc'), [all.id, part.id, none.id])
  assert.equal((await shop.api.get('/v1/orders/count?fulfillment_status=partial')).data.count, 1)
})

// Returns: from the request to the refund.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const paid = { payment_status: 'paid', payment_method: 'cash' }
const buyer = { customer_email: 'eva@example.com', notify_customer: true }

const reason = 'does_not_fit'
const line = ({ id: item_id }: any, quantity = 1, more: object = {}) => ({ item_id, quantity, reason, ...more })
const create = ({ api }: Shop, { id }: any, items: object[], more: object = {}) =>
  api.post(`/v1/orders/${id}/returns`, { items, ...more })
const act = ({ api }: Shop, { id }: any, what: string, body: object = {}) => api.post(`/v1/returns/${id}/${what}`, body)
const returnOf = async ({ api }: Shop, { id }: any) => dataOf(await api.get(`/v1/returns/${id}`), 200)
const orderOf = async ({ api }: Shop, { id }: any) => dataOf(await api.get(`/v1/orders/${id}`), 200)
const eventsOf = async (shop: Shop) => (await shop.events()).map(({ event }: any) => event)

/** A shipped and paid order of three mugs, of which the store has two more. */
async function shipped(shop: Shop, body: object = {}, count = 3) {
  const mug = await shop.product()
  const order = await shop.order([sold(mug, count)], { ...paid, ...buyer, ...body })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  await shop.events()
  return { mug, order, item: order.items[0] }
}

const mailsOf = async ({ api }: Shop) =>
  (await api.get('/v1/mails?per_page=100')).data.map(({ kind, recipient }: any) => [kind, recipient])

const nothingCame = { received_quantity: 0, damaged_quantity: 0 }

test('a requested return is approved, received and refunded: money, stock, events and emails agree', async () => {
  const shop = await newShop(world)
  const { mug, order, item } = await shipped(shop)
  const asked = dataOf(await create(shop, order, [line(item, 2, { note: 'Too small' })], { status: 'requested' }), 201)
  const { id, created_at, updated_at, ...rest } = asked
  assert.deepEqual(rest, {
    order_id: order.id,
    order_number: order.order_number,
    number: 1,
    status: 'requested',
    requested_by: 'staff',
    instructions: null,
    decline_reason: null,
    restocking_fee: 0,
    refund_id: null,
    exchange_order_id: null,
    external_id: null,
    metadata: {},
    approved_at: null,
    declined_at: null,
    received_at: null,
    closed_at: null,
    cancelled_at: null,
    items: [{ item_id: item.id, part: null, quantity: 2, reason, note: 'Too small', ...nothingCame }],
  })
  assert.deepEqual(await returnOf(shop, asked), asked)
  assert.deepEqual(await eventsOf(shop), ['return.created'])

  const approved = dataOf(await act(shop, asked, 'approve', { instructions: 'To Dock Street 4' }), 200)
  assert.deepEqual([approved.status, approved.instructions], ['approved', 'To Dock Street 4'])
  assert.equal(await shop.stockOf(mug), 2)

  const received = dataOf(await act(shop, asked, 'receive'), 200)
  assert.deepEqual([received.status, received.items[0].received_quantity], ['received', 2])
  assert.equal(await shop.stockOf(mug), 4)

  const refunded = dataOf(await act(shop, asked, 'refund', { reason: 'Thank you' }), 200)
  assert.equal(refunded.status, 'closed')
  const refund = dataOf(await shop.api.get(`/v1/orders/${order.id}/refunds/${refunded.refund_id}`), 200)
  assert.deepEqual([refund.amount, refund.items[0].quantity, refund.items[0].returned], [20, 2, 2])
  const after = await orderOf(shop, order)
  assert.deepEqual([after.refunded_amount, after.payment_status, after.items[0].returned_quantity], [20, 'paid', 2])
  assert.equal(await shop.stockOf(mug), 4)
  const events = await shop.events()
  assert.deepEqual(
    events.map(({ event }: any) => event),
    ['return.approved', 'return.received', 'order.refunded', 'return.refunded'],
  )
  const told = events.at(-1)!.body
  assert.deepEqual([told.event_id, told.order.id, told.return.id], [order.id, order.id, id])
  assert.deepEqual(told.return.items[0], {
    item_id: item.id,
    part: null,
    product_id: mug.id,
    product_name: 'Mug',
    variant_name: null,
    quantity: 2,
    reason,
    received_quantity: 2,
    damaged_quantity: 0,
  })
  const mails = await mailsOf(shop)
  for (const kind of ['return_requested', 'return_approved', 'order_refunded']) {
    assert.ok(
      mails.some(([one, to]: string[]) => one === kind && to === 'eva@example.com'),
      kind,
    )
  }
  await assertSums(world, shop)
})

test('what arrives decides: units that did not come are not refunded, damaged ones are not restocked', async () => {
  const shop = await newShop(world)
  const { mug, order, item } = await shipped(shop)
  const made = dataOf(await create(shop, order, [line(item, 3)]), 201)
  assert.equal(made.status, 'approved')
  const items = [
    { item_id: item.id, quantity: 1 },
    { item_id: item.id, quantity: 1, condition: 'damaged' },
  ]
  const received = dataOf(await act(shop, made, 'receive', { items }), 200)
  const [{ quantity, received_quantity, damaged_quantity }] = received.items
  assert.deepEqual([quantity, received_quantity, damaged_quantity], [3, 2, 1])
  assert.equal(await shop.stockOf(mug), 3)
  const { refund_id } = dataOf(await act(shop, made, 'refund', { restocking_fee: 2.5 }), 200)
  const refund = dataOf(await shop.api.get(`/v1/orders/${order.id}/refunds/${refund_id}`), 200)
  assert.equal(refund.amount, 17.5)
  // The unit that did not come can be returned again.
  const { items: left } = dataOf(await shop.api.get(`/v1/orders/${order.id}/returnable`), 200)
  assert.deepEqual(left, [{ item_id: item.id, quantity: 1, parts: null }])
  await assertSums(world, shop)
})

test('tax and shipping: what a unit cost with its tax is refunded, never more than was paid', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.patch('/v1/store', { tax_rate: 10 }), 200)
  const { order, item } = await shipped(shop, { shipping_cost: 5, discount_amount: 3 })
  assert.equal(order.total, 34.7)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 20 }), 201)
  const made = dataOf(await create(shop, order, [line(item, 3)]), 201)
  dataOf(await act(shop, made, 'receive'), 200)
  assert.deepEqual(faultsOf(await act(shop, made, 'refund', { shipping: 6 })), { shipping: 'must be at most 5' })
  const fee = await act(shop, made, 'refund', { shipping: 5, restocking_fee: 14.7 })
  assert.deepEqual(faultsOf(fee), { restocking_fee: 'must be at most 14.7' })
  dataOf(await act(shop, made, 'refund', { shipping: 5 }), 200)
  const after = await orderOf(shop, order)
  assert.deepEqual([after.refunded_amount, after.payment_status], [34.7, 'refunded'])
  await assertSums(world, shop)
})

test('a return asks for shipped units that are neither refunded nor in another return', async () => {
  const shop = await newShop(world)
  const open = await shop.order([sold(await shop.product())], paid)
  assert.deepEqual(faultsOf(await create(shop, open, [line(open.items[0])])), {
    'items.0.quantity': 'cannot be returned: no unit of it has been shipped',
  })
  const { order, item } = await shipped(shop)
  const over = (count: number) => ({ 'items.0.quantity': `exceeds the units that can still be returned (${count})` })
  assert.deepEqual(faultsOf(await create(shop, order, [line(item, 4)])), over(3))
  const refund = { items: [{ item_id: item.id, quantity: 1, returned: 1 }] }
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, refund), 201)
  assert.deepEqual(faultsOf(await create(shop, order, [line(item, 3)])), over(2))
  const made = dataOf(await create(shop, order, [line(item, 2)]), 201)
  assert.deepEqual(faultsOf(await create(shop, order, [line(item)])), over(0))
  dataOf(await act(shop, made, 'cancel'), 200)
  assert.equal(dataOf(await create(shop, order, [line(item, 2)]), 201).number, 2)
  assert.deepEqual(faultsOf(await create(shop, order, [line(open.items[0]), line(item), line(item)])), {
    'items.0.item_id': 'does not exist',
    'items.1.quantity': over(0)['items.0.quantity'],
    'items.2.item_id': 'is listed twice',
  })
  const { error } = await create(shop, order, [{ item_id: item.id, quantity: 1, reason: 'bored' }, { quantity: 0 }])
  assert.deepEqual(error.details.map(({ field }: any) => field).sort(), [
    'items.0.reason',
    'items.1.item_id',
    'items.1.quantity',
    'items.1.reason',
  ])
})

test('the items of a canceled order are not returned', async () => {
  const shop = await newShop(world)
  const { order, item } = await shipped(shop)
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(faultsOf(await create(shop, order, [line(item)])), {
    items: 'cannot be returned: the order is cancelled',
  })
})

test('a return moves one way, and each step once', async () => {
  const shop = await newShop(world)
  const { order, item } = await shipped(shop)
  const asked = dataOf(await create(shop, order, [line(item)], { status: 'requested' }), 201)
  assert.deepEqual(faultsOf(await act(shop, asked, 'receive')), {
    status: 'cannot change from requested to received; allowed: approved, declined, cancelled',
  })
  assert.deepEqual(faultsOf(await act(shop, asked, 'refund')), {
    status: 'cannot be refunded: the return is requested',
  })
  const declined = dataOf(await act(shop, asked, 'decline', { reason: 'Worn' }), 200)
  assert.deepEqual([declined.status, declined.decline_reason], ['declined', 'Worn'])
  assert.deepEqual(faultsOf(await act(shop, asked, 'approve')), { status: 'cannot be changed: declined is final' })
  assert.deepEqual(faultsOf(await act(shop, asked, 'decline')), { status: 'is declined already' })
  const made = dataOf(await create(shop, order, [line(item)]), 201)
  const none = [{ item_id: item.id, quantity: 2 }]
  assert.deepEqual(faultsOf(await act(shop, made, 'receive', { items: none })), {
    'items.0.quantity': 'must be at most 1',
  })
  dataOf(await act(shop, made, 'receive'), 200)
  const closed = dataOf(await act(shop, made, 'close'), 200)
  assert.deepEqual([closed.status, closed.refund_id], ['closed', null])
  const { items: left } = dataOf(await shop.api.get(`/v1/orders/${order.id}/returnable`), 200)
  assert.deepEqual(left, [{ item_id: item.id, quantity: 2, parts: null }])
  // Closed without a refund, it can still be refunded once.
  dataOf(await act(shop, made, 'refund'), 200)
  assert.deepEqual(faultsOf(await act(shop, made, 'refund')), { status: 'cannot be refunded: the return is closed' })
  assert.equal((await orderOf(shop, order)).refunded_amount, 10)
  assert.deepEqual(await eventsOf(shop), [
    'return.created',
    'return.declined',
    'return.created',
    'return.received',
    'return.closed',
    'order.refunded',
    'return.refunded',
  ])
})

test('units that were refunded meanwhile are not refunded again', async () => {
  const shop = await newShop(world)
  const { mug, order, item } = await shipped(shop)
  const made = dataOf(await create(shop, order, [line(item, 2)]), 201)
  dataOf(await act(shop, made, 'receive'), 200)
  const refund = { items: [{ item_id: item.id, quantity: 2, returned: 2 }] }
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, refund), 201)
  assert.deepEqual(faultsOf(await act(shop, made, 'refund')), {
    items: 'cannot be refunded: only 1 of the received units can still be refunded',
  })
  assert.equal(await shop.stockOf(mug), 5)
  await assertSums(world, shop)
})

test('a dry run of a refund changes nothing', async () => {
  const shop = await newShop(world)
  const { order, item } = await shipped(shop)
  const made = dataOf(await create(shop, order, [line(item)]), 201)
  dataOf(await act(shop, made, 'receive'), 200)
  const tried = await shop.api.post(`/v1/returns/${made.id}/refund`, {}, { headers: { prefer: 'dry-run' } })
  assert.equal(tried.data.status, 'closed')
  assert.equal((await returnOf(shop, made)).status, 'received')
  assert.equal((await orderOf(shop, order)).refunded_amount, 0)
})

test('returns are listed, newest first, by status and order', async () => {
  const shop = await newShop(world)
  const [first, second] = [await shipped(shop), await shipped(shop)]
  const made = dataOf(await create(shop, first.order, [line(first.item)]), 201)
  const asked = dataOf(await create(shop, second.order, [line(second.item)], { status: 'requested' }), 201)
  const listed = async (query: string) => (await shop.api.get(`/v1/returns${query}`)).data.map(({ id }: any) => id)
  assert.deepEqual(await listed(''), [asked.id, made.id])
  assert.deepEqual(await listed('?status=requested'), [asked.id])
  assert.deepEqual(await listed(`?order_id=${first.order.id}`), [made.id])
  const other = await newShop(world)
  assert.equal((await other.api.get(`/v1/returns/${made.id}`)).status, 404)
  assert.equal((await act(other, made, 'receive')).status, 404)
})

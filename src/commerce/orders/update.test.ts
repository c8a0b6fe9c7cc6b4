import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { newId } from '../../kit/values/ids.ts'
import { nextPaymentStatuses, nextStatuses, paymentStatuses, statuses, type OrderStatus } from './states.ts'

const world = await openWorld()

// The transitions that lead to a status in which no order can be created.
const ways: Partial<Record<OrderStatus, OrderStatus>> = { cancelled: 'pending', returned: 'in_progress' }

async function orderIn(shop: Shop, status: OrderStatus, body: object = {}): Promise<any> {
  const line = { product_name: 'Engraving', unit_price: 10, quantity: 1 }
  const order = await shop.order([line], { status: ways[status] ?? status, ...body })
  const ended = ways[status] ? dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status }), 200) : order
  await shop.events()
  return ended
}

const eventOf: Partial<Record<OrderStatus, string>> = {
  completed: 'order.completed',
  cancelled: 'order.cancelled',
  returned: 'order.cancelled',
}

for (const from of statuses) {
  test(`an order that is ${from} becomes ${nextStatuses[from].join(', ') || 'nothing else'}`, async () => {
    const shop = await newShop(world)
    for (const to of statuses) {
      const order = await orderIn(shop, from)
      world.clock.advance(1)
      const answer = await shop.api.patch(`/v1/orders/${order.id}`, { status: to })
      const emitted = await shop.events()
      if (to === from) {
        assert.deepEqual([answer.status, answer.data, emitted], [200, order, []])
      } else if (nextStatuses[from].includes(to)) {
        const changed = dataOf(answer, 200)
        assert.equal(changed.status, to)
        assert.deepEqual(
          emitted.map(({ event }) => event),
          [eventOf[to] ?? 'order.updated'],
        )
        assert.deepEqual(
          [changed.is_pending, changed.is_completed, changed.is_cancellable],
          [to === 'pending', to === 'completed', ['pending', 'confirmed', 'in_progress'].includes(to)],
        )
        assert.ok(changed.updated_at > order.updated_at)
        assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data, changed)
      } else {
        assert.deepEqual(Object.keys(faultsOf(answer)), ['status'], to)
        assert.deepEqual(emitted, [])
        assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data, order)
      }
    }
  })
}

test('a payment status takes its own ways, whatever the status', async () => {
  const shop = await newShop(world)
  for (const from of paymentStatuses) {
    for (const to of paymentStatuses) {
      const order = await orderIn(shop, from === 'paid' ? 'cancelled' : 'completed', { payment_status: from })
      const answer = await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: to })
      const emitted = await shop.events()
      if (to === from) {
        assert.deepEqual([answer.status, answer.data, emitted], [200, order, []])
      } else if (nextPaymentStatuses[from].includes(to)) {
        const { id, payment_status, is_fully_paid, status } = dataOf(answer, 200)
        assert.deepEqual([payment_status, is_fully_paid, status], [to, to === 'paid', order.status])
        assert.deepEqual(
          emitted
            .filter(({ event }) => event !== 'order.refunded')
            .map(({ event, body }) => [event, body.event_id, body.order]),
          [['order.updated', id, { id, payment_status: to }]],
        )
      } else {
        assert.deepEqual(Object.keys(faultsOf(answer)), ['payment_status'], `${from} ${to}`)
        assert.deepEqual(emitted, [])
      }
    }
  }
})

test('order.updated carries no more than what changed', async () => {
  const shop = await newShop(world, { timezone: 'Asia/Tokyo' })
  const { id } = await orderIn(shop, 'pending')
  const store = { id: shop.store.id, timezone: 'Asia/Tokyo' }
  const told = async (patch: object) => {
    const { updated_at } = dataOf(await shop.api.patch(`/v1/orders/${id}`, patch), 200)
    return (await shop.events()).map(({ event, body: { occurred_at, event_id, ...body } }) => {
      assert.deepEqual([event_id, occurred_at], [id, updated_at])
      return [event, body]
    })
  }
  const updated = (order: object) => ['order.updated', { order: { id, ...order }, store }]
  assert.deepEqual(await told({ status: 'confirmed' }), [updated({ status: 'confirmed' })])
  assert.deepEqual(await told({ payment_status: 'failed' }), [updated({ payment_status: 'failed' })])
  assert.deepEqual(await told({ internal_notes: 'VIP', customer_notes: 'Thanks' }), [updated({})])
  assert.deepEqual(await told({ shipping_address: { city: 'León' } }), [updated({})])
  assert.deepEqual(await told({ status: 'in_progress', payment_status: 'paid', internal_notes: null }), [
    updated({ status: 'in_progress' }),
    updated({ payment_status: 'paid' }),
  ])
  assert.deepEqual(await told({}), [])
})

test('order.completed tells when, and order.cancelled when and why', async () => {
  const shop = await newShop(world, { timezone: 'Asia/Tokyo' })
  const store = { id: shop.store.id, timezone: 'Asia/Tokyo' }
  const told = async (patch: object) => {
    const order = await orderIn(shop, 'in_progress')
    world.clock.advance(1)
    const changed = dataOf(await shop.api.patch(`/v1/orders/${order.id}`, patch), 200)
    const [{ event, body }] = (await shop.events()) as any
    assert.deepEqual([body.event_id, body.occurred_at, body.store], [order.id, changed.updated_at, store])
    const { id, order_number, payment_status, total, currency } = order
    return { event, changed, order: body.order, known: { id, order_number, payment_status, total, currency } }
  }
  const completed = await told({ status: 'completed' })
  assert.equal(completed.event, 'order.completed')
  assert.equal(completed.changed.completed_at, completed.changed.updated_at)
  assert.deepEqual(completed.order, {
    ...completed.known,
    status: 'completed',
    completed_at: completed.changed.completed_at,
    cancel_reason: null,
  })
  for (const [status, cancel_reason] of [
    ['cancelled', 'fraud'],
    ['returned', null],
  ] as const) {
    const { event, changed, order, known } = await told({ status, cancel_reason })
    assert.equal(event, 'order.cancelled')
    const { cancelled_at } = changed
    assert.deepEqual([changed.updated_at, changed.completed_at], [cancelled_at, null])
    assert.equal(changed.cancel_reason, cancel_reason)
    assert.deepEqual(order, { ...known, status, cancelled_at, cancel_reason })
  }
})

test('a returned order keeps when it was completed', async () => {
  const shop = await newShop(world)
  const order = await orderIn(shop, 'completed')
  world.clock.advance(60)
  const returned = await shop.api.patch(`/v1/orders/${order.id}`, { status: 'returned' })
  const { completed_at, cancelled_at } = dataOf(returned, 200)
  assert.equal(completed_at, order.completed_at)
  assert.ok(cancelled_at > completed_at)
})

test('a reason is one of the known, and belongs to a cancelled or returned order', async () => {
  const shop = await newShop(world)
  const { id } = await orderIn(shop, 'pending')
  const patch = (body: object) => shop.api.patch(`/v1/orders/${id}`, body)
  assert.deepEqual(faultsOf(await patch({ cancel_reason: 'staff' })), {
    cancel_reason: 'requires the status cancelled or returned',
  })
  assert.ok('cancel_reason' in faultsOf(await patch({ status: 'cancelled', cancel_reason: 'bored' })))
  assert.equal(dataOf(await patch({ cancel_reason: null }), 200).cancel_reason, null)
  for (const reason of ['customer', 'declined', 'fraud', 'inventory', 'staff', 'other']) {
    const order = await orderIn(shop, 'pending')
    const cancelled = await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled', cancel_reason: reason })
    assert.equal(dataOf(cancelled, 200).cancel_reason, reason)
  }
  await patch({ status: 'cancelled' })
  await shop.events()
  assert.equal(dataOf(await patch({ cancel_reason: 'customer' }), 200).cancel_reason, 'customer')
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order]),
    [['order.updated', { id }]],
  )
})

test('a cancelled or returned order puts back what it took, unless restock is false', async () => {
  const shop = await newShop(world)
  const mug = await shop.product(),
    shirt = await shop.variants()
  const [first] = shirt.variants
  const items = [sold(mug, 2), sold(shirt, 1, { variant_id: first.id }), sold(mug, 1)]
  const stocks = async () => [await shop.stockOf(mug), await shop.stockOf(shirt)]
  for (const [body, left] of [
    [{ status: 'cancelled' }, [5, 7]],
    [{ status: 'returned' }, [5, 7]],
    [{ status: 'returned', restock: true }, [5, 7]],
    [{ status: 'cancelled', restock: false }, [2, 6]],
  ] as const) {
    const { id } = await shop.order(items, { status: 'in_progress' })
    assert.deepEqual(await stocks(), [2, 6])
    dataOf(await shop.api.patch(`/v1/orders/${id}`, body), 200)
    dataOf(await shop.api.patch(`/v1/orders/${id}`, { status: body.status, restock: true }), 200)
    assert.deepEqual(await stocks(), left, JSON.stringify(body))
  }
  const { data } = await shop.api.get(`/v1/inventory/products/${mug.id}/transactions?order=asc`)
  assert.deepEqual(
    data.map(({ quantity, reason }: any) => [quantity, reason]),
    [
      [5, 'received'],
      [-3, 'sale'],
      [3, 'cancellation'],
      [-3, 'sale'],
      [3, 'return'],
      [-3, 'sale'],
      [3, 'return'],
      [-3, 'sale'],
    ],
  )
  assert.equal(data[2].order_id, data[1].order_id)
})

test('only what was taken is put back, and only where it still belongs', async () => {
  const shop = await newShop(world)
  const untracked = await shop.product({ track_inventory: false }),
    tracked = await shop.product()
  const gone = await shop.product(),
    plain = await shop.product()
  const { id } = await shop.order([untracked, tracked, gone, plain].map((one) => sold(one, 2)))
  await shop.api.patch(`/v1/products/${untracked.id}`, { track_inventory: true })
  await shop.api.patch(`/v1/products/${tracked.id}`, { track_inventory: false })
  await shop.api.patch(`/v1/products/${plain.id}`, {
    variants: [{ option_values: [{ option_title: 'Size', value: 'S' }], stock_quantity: 1 }],
  })
  await shop.api.delete(`/v1/products/${gone.id}`)
  dataOf(await shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled' }), 200)
  assert.deepEqual([await shop.stockOf(untracked), await shop.stockOf(tracked), await shop.stockOf(plain)], [5, 5, 1])
})

test('a cancelled or returned order gives the use of its discount back', async () => {
  const shop = await newShop(world)
  const once = { code: 'ONCE', type: 'percentage', value: 10, max_uses: 1 }
  const { data: discount } = await shop.api.post('/v1/discounts', once)
  const uses = async () => (await shop.api.get(`/v1/discounts/${discount.id}`)).data.current_uses
  for (const status of ['cancelled', 'returned']) {
    const { id } = await orderIn(shop, 'in_progress', { discount_code: 'ONCE' })
    assert.equal(await uses(), 1)
    for (let times = 0; times < 2; times++) {
      dataOf(await shop.api.patch(`/v1/orders/${id}`, { status, restock: false }), 200)
    }
    assert.equal(await uses(), 0)
  }
  const { id } = await orderIn(shop, 'pending', { discount_code: 'ONCE' })
  await shop.api.delete(`/v1/discounts/${discount.id}`)
  dataOf(await shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled' }), 200)
})

test("a customer's cancelled orders do not count, and only what is paid was spent", async () => {
  const shop = await newShop(world)
  const { id, customer_id } = await orderIn(shop, 'in_progress', { customer_email: 'ana@example.com' })
  await orderIn(shop, 'pending', { customer_id })
  const sums = async () => {
    const { orders_count, total_spent } = (await shop.api.get(`/v1/customers/${customer_id}`)).data
    return [orders_count, total_spent]
  }
  const steps: [object, number[]][] = [
    [{ payment_status: 'failed' }, [2, 0]],
    [{ payment_status: 'paid' }, [2, 10]],
    [{ status: 'completed' }, [2, 10]],
    [{ status: 'returned' }, [2, 10]],
    [{ payment_status: 'refunded' }, [2, 0]],
  ]
  for (const [body, expected] of steps) {
    dataOf(await shop.api.patch(`/v1/orders/${id}`, body), 200)
    assert.deepEqual(await sums(), expected, JSON.stringify(body))
  }
  const paid = await orderIn(shop, 'pending', { customer_id, payment_status: 'paid' })
  assert.deepEqual(await sums(), [3, 10])
  dataOf(await shop.api.patch(`/v1/orders/${paid.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await sums(), [2, 10])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event).filter((event) => event.startsWith('customer')),
    [],
  )
})

test('an order outlives its customer, and can still be changed', async () => {
  const shop = await newShop(world)
  const { id, customer_id } = await orderIn(shop, 'pending', { customer: { name: 'Ana', email: 'ana@example.com' } })
  await shop.api.delete(`/v1/customers/${customer_id}`)
  const order = dataOf(await shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled', payment_status: 'paid' }), 200)
  assert.deepEqual([order.customer_id, order.customer_name, order.customer_email], [null, 'Ana', 'ana@example.com'])
})

test('an address is changed field by field, and null takes it away', async () => {
  const shop = await newShop(world)
  const { id } = await orderIn(shop, 'pending', { customer: { name: 'Ana', phone: '2133734253' } })
  const patch = async (shipping_address: object | null) =>
    dataOf(await shop.api.patch(`/v1/orders/${id}`, { shipping_address }), 200)
  const empty = {
    address: null,
    city: null,
    province: null,
    country: null,
    postal_code: null,
    notes: null,
    address_2: null,
    company: null,
    province_code: null,
  }
  const first = await patch({ city: 'Mérida', country: 'México' })
  assert.deepEqual(first.shipping_address, {
    name: 'Ana',
    phone: '2133734253',
    ...empty,
    city: 'Mérida',
    country: 'México',
  })
  assert.equal(first.country_code, 'MX')
  const second = await patch({ city: null, country: 'Spain', unknown: 'x' })
  assert.deepEqual(second.shipping_address, { name: 'Ana', phone: '2133734253', ...empty, country: 'Spain' })
  assert.equal(second.country_code, 'ES')
  assert.equal((await patch(null)).shipping_address, null)
  assert.deepEqual(faultsOf(await shop.api.patch(`/v1/orders/${id}`, { shipping_address: { city: 1 } })), {
    'shipping_address.city': 'must be a string or null',
  })
})

test('every fault of a change is named at once, and nothing of it is done', async () => {
  const shop = await newShop(world)
  const order = await orderIn(shop, 'completed', { payment_status: 'refunded' })
  const refused = await shop.api.patch(`/v1/orders/${order.id}`, {
    status: 'pending',
    payment_status: 'paid',
    cancel_reason: 'fraud',
    internal_notes: 'x',
  })
  assert.deepEqual(faultsOf(refused), {
    status: 'cannot change from completed to pending; allowed: returned',
    payment_status: 'cannot be changed: refunded is final',
    cancel_reason: 'requires the status cancelled or returned',
  })
  const wrong = {
    status: 'done',
    payment_status: 1,
    internal_notes: 7,
    customer_notes: 'x'.repeat(5001),
    restock: 'no',
  }
  const faults = faultsOf(await shop.api.patch(`/v1/orders/${order.id}`, wrong))
  assert.deepEqual(Object.keys(faults).sort(), Object.keys(wrong).sort())
  assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data, order)
  assert.deepEqual(await shop.events(), [])
})

test('an order that was read can be sent back, and nothing happens', async () => {
  const shop = await newShop(world)
  const order = await orderIn(shop, 'confirmed', { shipping_address: { city: 'León' }, customer_notes: 'x' })
  world.clock.advance(1)
  assert.deepEqual(dataOf(await shop.api.patch(`/v1/orders/${order.id}`, order), 200), order)
  const edited = { ...order, total: 1, items: [], internal_notes: 'y' }
  const changed = dataOf(await shop.api.patch(`/v1/orders/${order.id}`, edited), 200)
  assert.deepEqual(changed, { ...order, internal_notes: 'y', updated_at: changed.updated_at })
})

test('strictly, an order may be sent back whole, but not with a field that none has', async () => {
  const shop = await newShop(world)
  const order = await orderIn(shop, 'confirmed')
  const headers = { prefer: 'handling=strict' }
  const patch = (body: object) => shop.api.patch(`/v1/orders/${order.id}`, body, { headers })
  assert.deepEqual(dataOf(await patch(order), 200), order)
  const change = { status: 'cancelled', cancel_reason: 'staff', restock: false }
  assert.equal(dataOf(await patch({ ...order, ...change }), 200).status, 'cancelled')
  assert.deepEqual(faultsOf(await patch({ ...order, colour: 'red' })), { colour: 'is not a recognized field' })
})

test('what is no order of the store is not found, and changing needs write:orders', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const { id } = await orderIn(other, 'pending')
  for (const unknown of [id, newId('ord'), newId('cus'), 'x']) {
    for (const answer of [
      await shop.api.get(`/v1/orders/${unknown}`),
      await shop.api.get(`/v1/orders/${unknown}/items`),
      await shop.api.patch(`/v1/orders/${unknown}`, {}),
      await shop.api.patch(`/v1/orders/${unknown}`, { status: 'cancelled' }),
    ]) {
      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error: { code: 'NOT_FOUND', message: 'Order not found' } })
    }
  }
  assert.equal((await other.api.get(`/v1/orders/${id}`)).data.status, 'pending')
  const reader = await other.withKey({ scopes: ['read:orders'] })
  assert.equal((await reader.patch(`/v1/orders/${id}`, {})).status, 403)
  assert.equal((await reader.get(`/v1/orders/${id}`)).status, 200)
  const stranger = await other.withKey({ scopes: ['write:customers', 'write:products'] })
  for (const path of ['', '/count', `/${id}`, `/${id}/items`]) {
    assert.equal((await stranger.get(`/v1/orders${path}`)).status, 403)
  }
})

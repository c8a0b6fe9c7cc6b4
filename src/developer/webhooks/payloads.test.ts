import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, home, productOf, shopperOf } from '../../../test/checkouts.ts'
import { subscribed, until, type Subscribed } from '../../../test/deliveries.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { openWorld } from '../../../test/world.ts'
import { buildEventBody } from '../../tenancy/events/emit.ts'
import { type EventType, eventTypes, declaredEvents } from './events.ts'

// Section 6 of the contract, and what is added to it: the paths of each body. `x[]` are those of a list's elements.
const common = ['event_id', 'occurred_at', 'store.id', 'store.timezone']
const under = (parent: string, names: string[]) => names.map((name) => `${parent}.${name}`)
const address = under('shipping_address', [
  'name',
  'phone',
  'address',
  'city',
  'province',
  'country',
  'postal_code',
  'notes',
  // Additions.
  'address_2',
  'company',
  'province_code',
])
const items = under('items[]', ['product_id', 'product_name', 'variant_name', 'quantity', 'unit_price', 'total_price'])
const customer = ['customer.id', 'customer.name', 'customer.email', 'customer.phone']
const product = under('product', ['id', 'name', 'slug', 'price', 'product_status', 'archived_at', 'main_image'])
const ended = under('order', ['id', 'order_number', 'status', 'payment_status', 'total', 'currency', 'cancel_reason'])
const checkout = under('checkout', [
  'id',
  'status',
  'total',
  'subtotal',
  'shipping',
  'discount',
  'currency',
  'recovery_url',
  'created_at',
  'abandoned_at',
  ...address,
  ...items,
])
const draftOrder = under('draft_order', [
  'id',
  'draft_number',
  'status',
  'order_id',
  'customer_id',
  'item_count',
  'currency',
  'total',
  'link_expires_at',
  'completed_at',
  'created_at',
])
const group = under('customer_group', ['id', 'name', 'has_rules', 'created_at', 'updated_at'])
const redirect = under('redirect', ['id', 'path', 'target', 'created_at', 'updated_at'])
const returned = [
  ...common,
  'order.id',
  'order.order_number',
  // prettier-ignore
  ...under('return', [
    'id', 'number', 'status', 'requested_by', 'instructions', 'decline_reason', 'restocking_fee', 'refund_id',
    'exchange_order_id',
    ...under('items[]', [
      'item_id', 'part', 'product_id', 'product_name', 'variant_name', 'quantity', 'reason', 'received_quantity',
      'damaged_quantity',
    ]),
  ]),
]
// prettier-ignore
const contract: Record<EventType | 'downloads.keys_missing', string[]> = {
  'order.created': [...common, 'store.name', ...customer, ...under('order', [
    'id', 'order_number', 'status', 'payment_status', 'payment_method', 'total', 'subtotal', 'shipping', 'discount',
    'coupon_code', 'free_shipping', 'currency', 'created_at', 'custom_fields', ...address, ...items,
  ])],
  'order.updated':      [...common, 'order.id', 'order.status'],
  'order.cancelled':    [...common, ...ended, 'order.cancelled_at'],
  'order.completed':    [...common, ...ended, 'order.completed_at'],
  'product.created':    [...common, ...product],
  'product.updated':    [...common, ...product],
  'product.deleted':    [...common, 'product.id'],
  'customer.created':   [...common, 'store.name', ...customer],
  'customer.merged': [...common, 'store.name', ...customer, 'merged_customer_id'],
  'customer.updated':   [...common, 'store.name', ...customer],
  'checkout.completed': [
    ...common, 'store.name', ...checkout, 'checkout.completed_at', 'checkout.recovered',
    'checkout.recovered_checkout_id',
    'order.id', 'order.order_number', ...customer,
  ],
  'order.fulfilled': [
    ...common, 'order.id', 'order.order_number', 'order.fulfillment_status',
    ...under('fulfillment', [
      'id', 'status', 'carrier', 'tracking_number', 'tracking_url', 'shipped_at', 'delivered_at',
      ...under('items[]', ['item_id', 'product_id', 'product_name', 'variant_name', 'quantity']),
    ]),
  ],
  'order.commented': [
    ...common,
    ...under('order', ['id', 'order_number']),
    ...under('comment', ['id', 'body', 'author_kind', 'author_id', 'mentions[]', 'created_at', 'edited_at']),
  ],
  'order.refunded': [
    ...common,
    ...under('order', [
      'id', 'order_number', 'payment_status', 'total', 'currency', 'captured_amount', 'refunded_amount',
    ]),
    ...under('refund', [
      'id', 'amount', 'shipping', 'tax_amount', 'shipping_tax_amount', 'reason', 'by_hand',
      ...under('items[]', [
        'part',
        'item_id', 'product_id', 'product_name', 'variant_name', 'quantity', 'amount', 'tax_amount',
      ]),
      ...under('tax_lines[]', [
        'type', 'item_id', 'bump_id', 'name', 'country_code', 'rate', 'reason', 'base', 'amount', 'included', 'tax_id',
      ]),
    ]),
  ],
  'return.created':     returned,
  'return.approved':    returned,
  'return.declined':    returned,
  'return.received':    returned,
  'return.refunded':    returned,
  'return.exchanged':   returned,
  'return.closed':      returned,
  'return.cancelled':   returned,
  'return.reopened':    returned,
  'checkout.abandoned': [...common, 'store.name', ...checkout, 'customer.name', 'customer.email', 'customer.phone'],
  'draft_order.created':   [...common, ...draftOrder],
  'draft_order.updated':   [...common, ...draftOrder],
  'draft_order.sent':      [...common, ...draftOrder],
  'draft_order.completed': [...common, ...draftOrder],
  'draft_order.deleted':   [...common, 'draft_order.id'],
  'customer_group.created': [...common, ...group],
  'customer_group.updated': [...common, ...group],
  'customer_group.deleted': [...common, 'customer_group.id'],
  'redirect.created': [...common, ...redirect],
  'redirect.updated': [...common, ...redirect],
  'redirect.deleted': [...common, 'redirect.id'],
  'downloads.keys_missing': [
    ...common,
    'order.id',
    ...under('grant', ['id', 'item_id', 'product_id', 'variant_id', 'missing_keys']),
  ],
}

/** The paths of what is neither an object nor a list of objects. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value) && value.length > 0) return [...new Set(value.flatMap((one) => pathsOf(one, `${path}[]`)))]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, path === '' ? name : `${path}.${name}`))
}

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca }, delivers: true },
)

/** The bodies that have come, by event. */
async function received({ shop }: Subscribed, count: number): Promise<{ event: string; body: any }[]> {
  const all = await shop.waitFor(count)
  return all.map(({ headers, body }) => ({
    event: String(headers['x-webhook-event']),
    body: JSON.parse(body.toString()),
  }))
}

function assertPaths(event: string, body: unknown): void {
  assert.deepEqual(pathsOf(body).sort(), [...contract[event as EventType]].sort(), event)
}

async function assertReceived(one: Subscribed, events: EventType[]): Promise<any[]> {
  const all = await received(one, events.length)
  assert.deepEqual(all.map(({ event }) => event).sort(), [...events].sort())
  for (const { event, body } of all) assertPaths(event, body)
  return events.map((event) => all.find((own) => own.event === event)!.body)
}

test('the sample of each event has exactly the paths of the contract', () => {
  const store = { id: 'AB-01234567', name: 'Shop', timezone: 'UTC' }
  for (const event of eventTypes) {
    const { subjectId, payload } = declaredEvents[event].sample
    assertPaths(event, JSON.parse(buildEventBody(store, event, subjectId, payload, new Date())))
  }
})

test('products: created, updated and deleted arrive as the contract says', async () => {
  const one = await subscribed(world, ['product.created', 'product.updated', 'product.deleted'])
  const { data } = await one.api.post('/v1/products', {
    name: 'Backpack',
    price: 1500.5,
    gallery: ['https://example.com/a.jpg'],
  })
  await one.api.patch(`/v1/products/${data.id}`, { product_status: 'archived' })
  await one.api.delete(`/v1/products/${data.id}`)
  const [created, updated, deleted] = await assertReceived(one, [
    'product.created',
    'product.updated',
    'product.deleted',
  ])
  assert.deepEqual(created.product, {
    id: data.id,
    name: 'Backpack',
    slug: 'backpack',
    price: 1500.5,
    product_status: 'active',
    archived_at: null,
    main_image: 'https://example.com/a.jpg',
  })
  assert.match(updated.product.archived_at, /Z$/)
  assert.deepEqual(deleted.product, { id: data.id })
  for (const body of [created, updated, deleted]) assert.equal(body.event_id, data.id)
})

test('customers: created and updated arrive as the contract says', async () => {
  const one = await subscribed(world, ['customer.created', 'customer.updated'])
  const { data } = await one.api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  await one.api.patch(`/v1/customers/${data.id}`, { phone: '+525512345678' })
  const [created, updated] = await assertReceived(one, ['customer.created', 'customer.updated'])
  assert.deepEqual(created.customer, { id: data.id, name: 'Ana', email: 'ana@example.com', phone: null })
  assert.equal(updated.customer.phone, '+525512345678')
  assert.equal(updated.event_id, data.id)
  assert.equal(updated.store.name, one.store.name)
})

test('orders: created, cancelled and completed in full, updated with its partial bodies', async () => {
  const one = await subscribed(world, ['order.created', 'order.updated', 'order.cancelled', 'order.completed'])
  const item = await productOf(one)
  const place = async () =>
    (
      await one.api.post('/v1/orders', {
        items: [{ product_id: item.id, quantity: 2 }],
        customer_name: ana.name,
        customer_email: ana.email,
        payment_method: 'cash',
        shipping_address: { ...home, name: ana.name, phone: ana.phone, country: 'Mexico', notes: 'ring twice' },
      })
    ).data
  const order = await place()
  const [created] = await assertReceived(one, ['order.created'])
  const { order_number, total } = created.order
  assert.deepEqual([created.event_id, order_number, total], [order.id, order.order_number, 40])

  for (const [patch, partial] of [
    [{ status: 'confirmed' }, { id: order.id, status: 'confirmed' }],
    [{ payment_status: 'paid' }, { id: order.id, payment_status: 'paid' }],
    [{ internal_notes: 'gift' }, { id: order.id }],
  ] as const) {
    const before = one.shop.received.length
    await one.api.patch(`/v1/orders/${order.id}`, patch)
    const { event, body } = (await received(one, before + 1)).at(-1)!
    assert.deepEqual([event, body.order, body.event_id], ['order.updated', partial, order.id])
    assert.deepEqual(Object.keys(body).sort(), ['event_id', 'occurred_at', 'order', 'store'])
    assert.deepEqual(Object.keys(body.store).sort(), ['id', 'timezone'])
  }
  const other = await place()
  await received(one, 5)
  await one.api.patch(`/v1/orders/${order.id}`, { status: 'completed' })
  await one.api.patch(`/v1/orders/${other.id}`, { status: 'cancelled', cancel_reason: 'customer' })
  for (const { event, body } of (await received(one, 7)).slice(5)) assertPaths(event, body)
})

test('checkouts: completed and abandoned arrive as the contract says', async () => {
  const one = await subscribed(world, ['checkout.completed', 'checkout.abandoned'])
  const shopper = shopperOf(world, one)
  const item = await productOf(one)
  const filled = {
    items: [{ product_id: item.id, quantity: 1 }],
    customer: ana,
    shipping_address: home,
    payment_method: 'cod',
    shipping_method: 'standard',
  }
  const { data: begun } = await shopper.begin(filled)
  assert.equal((await shopper.complete(begun.token)).status, 201)
  const [completed] = await assertReceived(one, ['checkout.completed'])
  assert.deepEqual([completed.event_id, completed.checkout.recovered], [completed.checkout.id, false])
  await shopper.begin({ ...filled, customer: { ...ana, email: 'other@example.com', phone: '+52 55 8765 4321' } })
  world.clock.advance(31 * 60)
  await world.app.jobs.run('sweep checkouts')
  await until(async () => one.shop.received.length === 2)
  const { event, body } = (await received(one, 2))[1]!
  assert.equal(event, 'checkout.abandoned')
  assertPaths(event, body)
  assert.equal(body.event_id, body.checkout.id)
})

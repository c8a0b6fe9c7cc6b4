// Each task counts what its list shows; the scopes decide which are counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdMoney } from '../../../test/hold.ts'
import { dataOf } from '../../../test/shop.ts'
import { statementsOf } from '../../../test/statements.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'

const world = await openWorld()
const { db } = world.app

const tasksOf = async ({ api }: Pick<TestStore, 'api'>) => dataOf(await api.get('/v1/tasks'), 200)

/** Their counts, each compared with the list that it names. */
async function countsOf(shop: TestStore): Promise<Record<string, number>> {
  const tasks: Record<string, { count: number; list: string }> = await tasksOf(shop)
  for (const [name, { count, list }] of Object.entries(tasks)) {
    const { data, body } = await shop.api.get(list)
    assert.deepEqual([data.length, body.pagination.total], [count, count], `${name}: ${list}`)
  }
  return Object.fromEntries(Object.entries(tasks).map(([name, { count }]) => [name, count]))
}

const mug = { product_name: 'Mug', unit_price: 20, quantity: 2 }
const place = async ({ api }: TestStore, body: object = {}) =>
  dataOf(await api.post('/v1/orders', { items: [mug], ...body }), 201)

async function dispute({ store }: TestStore, orderId: string, reference: string, due: string): Promise<void> {
  await db.rows(sql`
    insert into disputes (store_id, id, session_id, reference, status, amount, currency, evidence_due_at, created_at,
      updated_at)
    select store_id, gen_random_uuid(), id, ${reference}, 'needs_response', amount, currency, ${due}, created_at,
      created_at
    from payment_sessions
    where store_id = ${store.id}
      and order_id = ${toUuid('ord', orderId)}`)
}

async function failEmails({ store }: TestStore, count: number): Promise<void> {
  await db.rows(sql`
    insert into mails (store_id, id, kind, language, status, created_at)
    select ${store.id}, gen_random_uuid(), 'order_paid', 'en', 'failed', ${world.clock.now()}
    from generate_series(1, ${count}::int)`)
}

const none = {
  orders_to_fulfill: 0,
  payments_to_capture: 0,
  disputes_to_answer: 0,
  payments_to_review: 0,
  returns_to_review: 0,
  low_stock: 0,
  out_of_stock: 0,
  failed_emails: 0,
  failing_webhooks: 0,
}

test('a new store has every task, and none of them waits', async () => {
  const shop = await world.newStore()
  assert.deepEqual(await countsOf(shop), none)
  const { orders_to_fulfill, disputes_to_answer } = await tasksOf(shop)
  const list = '/v1/orders?needs_fulfillment=true&is_archived=false'
  assert.deepEqual(orders_to_fulfill, { count: 0, has_more: false, list, next_due_at: null })
  assert.equal(disputes_to_answer.next_due_at, null)
})

test('an order waits until it is fulfilled, cancelled, refunded, archived, or its payment fails', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const change = async (id: string, body: object) => dataOf(await api.patch(`/v1/orders/${id}`, body), 200)
  const ends: [string, (order: any) => Promise<unknown>][] = [
    ['fulfilled', ({ id }) => api.post(`/v1/orders/${id}/fulfillments`, {})],
    ['cancelled', ({ id }) => change(id, { status: 'cancelled' })],
    ['completed', ({ id }) => change(id, { status: 'completed' })],
    ['failed', ({ id }) => change(id, { payment_status: 'failed' })],
    ['archived', ({ id }) => change(id, { is_archived: true })],
  ]
  for (const [name, end] of ends) {
    const order = await place(shop)
    assert.equal((await countsOf(shop)).orders_to_fulfill, 1, name)
    await end(order)
    assert.equal((await countsOf(shop)).orders_to_fulfill, 0, name)
  }
  const refunded = await place(shop, { payment_status: 'paid' })
  assert.equal((await countsOf(shop)).orders_to_fulfill, 1)
  dataOf(await api.post(`/v1/orders/${refunded.id}/refunds`, { amount: 40 }), 201)
  assert.equal((await countsOf(shop)).orders_to_fulfill, 0)
  const partly = await place(shop)
  await api.post(`/v1/orders/${partly.id}/fulfillments`, { items: [{ item_id: partly.items[0].id, quantity: 1 }] })
  assert.equal((await countsOf(shop)).orders_to_fulfill, 1)
})

test('an authorization waits until its capture is requested', async () => {
  const shop = await world.newStore()
  const { id } = await place(shop)
  await holdMoney(world, shop.store.id, id)
  assert.equal((await countsOf(shop)).payments_to_capture, 1)
  dataOf(await shop.api.post(`/v1/orders/${id}/capture`, {}), 200)
  assert.equal((await countsOf(shop)).payments_to_capture, 0)
})

test('a disputed payment waits once, with the nearest deadline; others that need review wait beside it', async () => {
  const shop = await world.newStore()
  const orders = [await place(shop), await place(shop)]
  for (const { id } of orders) await holdMoney(world, shop.store.id, id)
  await dispute(shop, orders[0].id, 'dp_1', '2030-03-01T00:00:00Z')
  await dispute(shop, orders[0].id, 'dp_2', '2030-02-01T00:00:00Z')
  const { data: all } = await shop.api.get('/v1/payments')
  for (const { id } of all) await shop.api.patch(`/v1/payments/${id}`, { needs_review: true })
  const { disputes_to_answer, payments_to_review } = await countsOf(shop)
  assert.deepEqual([disputes_to_answer, payments_to_review], [1, 1])
  assert.equal((await tasksOf(shop)).disputes_to_answer.next_due_at, '2030-02-01T00:00:00.000Z')
})

test('stock, emails and webhooks wait as their lists show them', async () => {
  const shop = await world.newStore()
  const stocked = { price: 5, track_inventory: true, low_stock_threshold: 3 }
  for (const stock_quantity of [0, 2, 3, 4]) {
    dataOf(await shop.api.post('/v1/products', { ...stocked, name: `Cup ${stock_quantity}`, stock_quantity }), 201)
  }
  await shop.api.post('/v1/products', { ...stocked, name: 'Draft', product_status: 'draft' })
  await failEmails(shop, 2)
  const urls = ['a', 'b', 'c', 'd'].map((path) => `https://hooks.example/${path}`)
  const [failing, off, gone] = await Promise.all(
    urls.map(async (url) => {
      const { id } = dataOf(await shop.api.post('/v1/webhooks', { url, events: ['order.created'] }), 201)
      return toUuid('wh', id)!
    }),
  )
  const off_ = (id: string, reason: string) => sql`
    update webhooks
    set is_active = false, disabled_at = created_at, disabled_reason = ${reason}
    where store_id = ${shop.store.id}
      and id = ${id}`
  await db.rows(off_(off!, 'manual'))
  await db.rows(off_(gone!, 'gone'))
  await db.rows(sql`
    insert into webhook_health (store_id, webhook_id, consecutive_failures)
    values (${shop.store.id}, ${failing!}, 1)
    on conflict (store_id, webhook_id) do update set consecutive_failures = 1`)
  const expected = { ...none, low_stock: 2, out_of_stock: 1, failed_emails: 2, failing_webhooks: 2 }
  assert.deepEqual(await countsOf(shop), expected)
})

test('beyond ten thousand nothing is counted', async () => {
  const shop = await world.newStore()
  await failEmails(shop, 10_000)
  const first = (await tasksOf(shop)).failed_emails
  assert.deepEqual([first.count, first.has_more], [10_000, false])
  await failEmails(shop, 1)
  const second = (await tasksOf(shop)).failed_emails
  assert.deepEqual([second.count, second.has_more], [10_000, true])
})

test('the scopes decide what is counted, other stores do not', async () => {
  const shop = await world.newStore()
  await place(shop)
  const other = await world.newStore()
  assert.deepEqual(await countsOf(other), none)
  const names = async (scopes: string[]) => Object.keys(await tasksOf({ api: await shop.withKey({ scopes }) }))
  assert.deepEqual(await names(['read:products']), ['low_stock', 'out_of_stock'])
  assert.deepEqual(await names(['write:webhooks']), ['failing_webhooks'])
  assert.equal((await names(['read:orders', 'read:customers'])).length, 6)
  const stranger = await shop.withKey({ scopes: ['read:customers'] })
  assert.equal((await stranger.get('/v1/tasks')).status, 403)
})

test('all tasks are counted by one statement', async () => {
  const shop = await world.newStore()
  for (let times = 0; times < 2; times++) await tasksOf(shop)
  const statements = await statementsOf(() => tasksOf(shop))
  // The other one reads the versions of the store.
  assert.equal(statements.length, 2, statements.join('\n'))
})

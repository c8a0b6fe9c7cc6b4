import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { differing, fingerprintOf } from '../../../test/fingerprint.ts'
import { holdMoney } from '../../../test/hold.ts'
import { send as upload } from '../../../test/uploads.ts'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { deliveriesQueued } from '../../tenancy/events/topics.ts'
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { sql } from '../../kit/database/sql.ts'
import { systemClock } from '../../kit/values/clock.ts'
import { providerRequested } from '../../commerce/payments/requests.ts'
import { storeChanged } from '../../tenancy/stores/store.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database })
const { db } = world.app

const dry = { headers: { prefer: 'dry-run' } }
const mug = { name: 'Mug', price: 5, track_inventory: true, stock_quantity: 9 }

async function withProduct(): Promise<TestStore & { product: any }> {
  const shop = await world.newStore()
  const { data: product } = await shop.api.post('/v1/products', mug)
  return { ...shop, product }
}

test('a rehearsal answers what the request would answer, and beside it all else that it would do', async () => {
  const { api, product } = await withProduct()
  await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['order.created'] })
  const items = [{ product_id: product.id, quantity: 2 }]
  const order = { items, customer_email: 'ana@example.com', notify_customer: true }
  const { status, headers, body } = await api.post('/v1/orders', order, dry)
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body), ['data', 'rehearsal'])
  assert.deepEqual([body.data.order_number, body.data.total], [1001, 10])
  const { changes, stock_movements, events, deliveries, mails } = body.rehearsal
  assert.deepEqual(
    changes.find(({ resource }: any) => resource === 'product'),
    { resource: 'product', id: product.id, before: { stock_quantity: 9 }, after: { stock_quantity: 7 }, masked: [] },
  )
  assert.deepEqual(stock_movements, [
    { product_id: product.id, variant_id: null, quantity: -2, stock_after: 7, reason: 'sale' },
  ])
  assert.deepEqual(
    events.map(({ event }: any) => event),
    ['customer.created', 'order.created'],
  )
  assert.equal(events[1].body.order.total, 10)
  assert.deepEqual(
    deliveries.map(({ event }: any) => event),
    ['order.created'],
  )
  assert.deepEqual(mails, [{ kind: 'order_confirmation', recipient: 'ana@example.com', language: 'en' }])
  assert.deepEqual([headers.get('preference-applied'), headers.get('location')], ['dry-run', null])
  assert.equal((await api.get('/v1/orders')).data.length, 0)
  assert.equal((await api.post('/v1/orders', order)).data.order_number, 1001, 'no number was taken')
})

test('what would be refused is refused in the same words, and says that it was a rehearsal', async () => {
  const { api, product } = await withProduct()
  const bodies = [
    ['POST', '/v1/products', { name: '' }],
    ['PATCH', `/v1/products/${product.id}`, { price: -1 }],
    ['POST', '/v1/orders', { items: [{ product_id: product.id, quantity: 10 }] }],
    ['DELETE', '/v1/products/prod_none', {}],
  ] as const
  for (const [method, path, body] of bodies) {
    const init = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const rehearsed = await api.send(method, path, { ...init, headers: { ...init.headers, ...dry.headers } })
    const refused = await api.send(method, path, init)
    assert.deepEqual([rehearsed.status, rehearsed.body], [refused.status, refused.body], path)
    assert.equal(rehearsed.headers.get('preference-applied'), 'dry-run')
  }
})

test('a plan that is full refuses a rehearsal too, and one that has room for one more has it afterwards', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  for (let count = 1; count <= 3; count++) {
    const discount = { code: `C${count}`, type: 'percentage', value: 5 }
    assert.equal((await api.post('/v1/discounts', discount, dry)).status, 201)
    assert.equal((await api.post('/v1/discounts', discount)).status, 201)
  }
  const { status, error } = await api.post('/v1/discounts', { code: 'C4', type: 'percentage', value: 5 }, dry)
  assert.deepEqual([status, error.code], [403, 'PLAN_LIMIT_EXCEEDED'])
})

test('an Idempotency-Key is neither used nor looked at by a rehearsal', async () => {
  const { api } = await world.newStore()
  const keyed = (more: object = {}) => ({ headers: { 'idempotency-key': 'one', ...more } })
  const rehearsal = keyed(dry.headers)
  assert.equal((await api.post('/v1/products', mug, rehearsal)).status, 201)
  const first = await api.post('/v1/products', { ...mug, name: 'Cup' }, keyed())
  assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null])
  const again = await api.post('/v1/products', mug, rehearsal)
  assert.deepEqual([again.status, again.data.name, again.headers.get('idempotent-replayed')], [201, 'Mug', null])
})

test('preferences stand together, in one header or several, and those that are unknown are passed over', async () => {
  const { api } = await world.newStore()
  const post = (prefer: string) => api.post('/v1/products', { ...mug, nonsense: 1 }, { headers: { prefer } })
  const isRehearsed = async (prefer: string) => (await post(prefer)).headers.get('preference-applied') === 'dry-run'
  for (const prefer of ['dry-run', 'Dry-Run', 'respond-async, dry-run', 'dry-run; a=b', 'a="x, y",dry-run'])
    assert.ok(await isRehearsed(prefer), prefer)
  assert.equal((await api.get('/v1/products')).data.length, 0)
  const strict = await post('dry-run, handling=strict')
  assert.deepEqual([strict.status, strict.headers.get('preference-applied')], [422, 'dry-run'])
  for (const prefer of ['dry-runner', 'a="dry-run"', 'handling=lenient', 'a; dry-run'])
    assert.equal(await isRehearsed(prefer), false, prefer)
})

test('a record that has changed refuses the rehearsal of a change with its old ETag', async () => {
  const { api, product } = await withProduct()
  const { headers } = await api.get(`/v1/products/${product.id}`)
  const ifMatch = { headers: { ...dry.headers, 'if-match': headers.get('etag')! } }
  const path = `/v1/products/${product.id}`
  assert.equal((await api.patch(path, { price: 6 }, ifMatch)).status, 200)
  await api.patch(path, { price: 7 })
  assert.equal((await api.patch(path, { price: 6 }, ifMatch)).status, 412)
})

test('nobody is woken, no cache is emptied and no provider is asked', async () => {
  const { api, store, product } = await withProduct()
  const { data: order } = await api.post('/v1/orders', { items: [{ product_id: product.id, quantity: 1 }] })
  await holdMoney(world, store.id, order.id)
  const heard: unknown[] = []
  const topics: Topic<any>[] = [providerRequested, deliveriesQueued, storeChanged]
  const ends = topics.map((topic) => db.bus.subscribe(topic, (message) => void heard.push(message)))
  const capture = await api.post(`/v1/orders/${order.id}/capture`, {}, dry)
  assert.equal(capture.status, 200)
  const [request] = capture.body.rehearsal.provider_requests
  assert.deepEqual([request.asks, request.id.slice(0, 4)], ['capture', 'pmt_'])
  await api.patch('/v1/store', { name: 'Another' }, dry)
  await api.patch(`/v1/products/${product.id}`, { name: 'Another' }, dry)
  assert.deepEqual(heard, [])
  for (const end of ends) end()
})

test('a picture is looked at and not kept; one that would have to be fetched is refused', async () => {
  const { api } = await world.newStore()
  const before = await fingerprintOf(db)
  const preferring = {
    ...api,
    send: (method: string, path: string, init: any) =>
      api.send(method, path, { ...init, headers: { ...init.headers, ...dry.headers } }),
  }
  const { status, data } = await upload(preferring)
  assert.deepEqual([status, data.width], [201, 16])
  const { status: refusal, error } = await api.post('/v1/media', { url: 'https://93.184.216.34/a.jpg' }, dry)
  assert.deepEqual([refusal, error.details[0].field], [422, 'url'])
  assert.deepEqual(differing(before, await fingerprintOf(db)), [])
})

test('a caller sees what its scopes let it read elsewhere, and which would show more', async () => {
  const { api, withKey, product } = await withProduct()
  await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['product.updated'] })
  const catalogue = await withKey({ scopes: ['write:products'] })
  const { body } = await catalogue.patch(`/v1/products/${product.id}`, { stock_quantity: 4 }, dry)
  assert.equal(body.data.stock_quantity, 4)
  assert.deepEqual(body.rehearsal.withheld, ['read:inventory', 'read:webhooks'])
  assert.deepEqual(
    ['stock_movements', 'events', 'deliveries'].filter((part) => part in body.rehearsal),
    [],
  )
  assert.equal(
    (await (await withKey({ scopes: ['read:products'] })).patch(`/v1/products/${product.id}`, {}, dry)).status,
    403,
  )
})

test('forty rehearsals of the last piece beside its sale find it or find it gone, and it is sold once', async () => {
  const { api, store, product } = await withProduct()
  const order = { items: [{ product_id: product.id, quantity: 9 }] }
  const asked = Array.from({ length: 40 }, () => api.post('/v1/orders', order, dry))
  const [sale, ...rehearsals] = await Promise.all([api.post('/v1/orders', order), ...asked])
  assert.equal(sale!.status, 201)
  for (const { status } of rehearsals) assert.ok([201, 409, 422].includes(status), String(status))
  const row = await db.one<{ sold: number }>(sql`
    select -sum(quantity)::int as sold from inventory_transactions where store_id = ${store.id} and reason = 'sale'`)
  assert.equal(row!.sold, 9)
})

test('a store has two rehearsals at a time in all processes, and those of other stores go on beside', async () => {
  const [{ store }, other] = [await withProduct(), await world.newStore()]
  const processes = [1, 2].map(() => openDatabase({ url: database.url, clock: systemClock }))
  const end = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const hold = async (tx: Tx) => {
    await tx.one(sql`select 1`)
    most = Math.max(most, ++running)
    await end.promise
    running--
  }
  const held = processes.flatMap((one) => [1, 2, 3].map(() => one.ofStore(store.id).dryRun(hold, async () => 'done')))
  while (running < 2) await sleep(5)
  assert.equal((await other.api.post('/v1/products', { name: 'Cup', price: 5 }, dry)).status, 201)
  end.resolve()
  assert.deepEqual(
    await Promise.all(held),
    Array.from({ length: 6 }, () => 'done'),
  )
  assert.equal(most, 2)
  await Promise.all(processes.map((one) => one.close()))
})

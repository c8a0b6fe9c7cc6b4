import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { declaredEvents } from '../../developer/webhooks/events.ts'
import { emit } from './emit.ts'

const world = await openWorld()
const { db } = world.app

const newProduct = ({ api }: TestStore) => api.post('/v1/products', { name: 'Mug', price: 5 })

async function subscribe({ api }: TestStore, events: string[], more: object = {}): Promise<void> {
  const { status } = await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events, ...more })
  assert.equal(status, 201)
}

async function deliveriesOf({ store }: TestStore): Promise<number> {
  const row = await db.one<{ count: number }>(sql`
    select count(*) as count from deliveries where store_id = ${store.id}`)
  return row!.count
}

test('an event that no webhook wants is written and not queued', async () => {
  const one = await world.newStore()
  assert.equal((await newProduct(one)).status, 201)
  await subscribe(one, ['order.created'])
  assert.equal((await newProduct(one)).status, 201)
  assert.equal((await one.events()).length, 2)
  assert.equal(await deliveriesOf(one), 0)
})

test('an event has the id of the request that made the change, and of none otherwise', async () => {
  const one = await world.newStore()
  await one.api.post('/v1/products', { name: 'Mug', price: 5 }, { headers: { 'x-request-id': 'order-import-17' } })
  await db.transaction(async (tx) =>
    emit(tx, one.store, 'product.deleted', 'prod_x', declaredEvents['product.deleted'].sample.payload),
  )
  const rows = await db.rows<{ request_id: string | null }>(sql`
    select request_id from events where store_id = ${one.store.id} order by id`)
  assert.deepEqual(
    rows.map(({ request_id }) => request_id),
    ['order-import-17', null],
  )
})

test('an event that only a disabled webhook wants is written and not queued', async () => {
  const one = await world.newStore()
  await subscribe(one, ['product.created'], { is_active: false })
  await newProduct(one)
  assert.deepEqual(
    (await one.events()).map(({ event }) => event),
    ['product.created'],
  )
  assert.equal(await deliveriesOf(one), 0)
})

test('ids of an event and its deliveries have the time of the change; events of one change are in order', async () => {
  const one = await world.newStore()
  await subscribe(one, ['customer.created', 'customer.updated', 'product.created'])
  world.clock.advance(3600)
  await db.transaction(async (tx) => {
    const each = ['product.created', 'customer.updated', 'customer.created', 'customer.updated'] as const
    for (const event of each) emit(tx, one.store, event, 'x', declaredEvents[event].sample.payload)
  })
  const rows = await db.rows<{ event: string; of_change: boolean; same: boolean }>(sql`
    select events.event, uuid_extract_timestamp(events.id) = occurred_at as of_change,
      uuid_extract_timestamp(deliveries.id) = occurred_at as same
    from events
    join deliveries on deliveries.store_id = events.store_id and deliveries.event_uuid = events.id
    where events.store_id = ${one.store.id}
    order by events.id`)
  assert.deepEqual(
    rows.map(({ event }) => event),
    ['product.created', 'customer.updated', 'customer.created', 'customer.updated'],
  )
  assert.ok(rows.every(({ of_change, same }) => of_change && same))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { declaredEvents } from '../webhooks/events.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app
const day = 24 * 3600

/** An event that says that it happened so many days ago. */
async function happen({ store }: TestStore, daysAgo = 0): Promise<void> {
  const { subjectId, payload } = declaredEvents['product.created'].sample
  const past = new Date(world.clock.now().getTime() - daysAgo * day * 1000)
  await db.transaction(async (tx) => emit(tx.at(past), store, 'product.created', subjectId, payload))
}

const numbersOf = async ({ api }: TestStore) =>
  (await api.get('/v1/events')).data.map(({ sequence }: any) => sequence) as number[]

test('the log is kept for 30 days, and what is gone is told with the oldest number that is there', async () => {
  const [store, other] = [await world.newStore(), await world.newStore()]
  await happen(store)
  await happen(store)
  world.clock.advance(20 * day)
  await happen(store)
  await happen(other)
  await jobs.run('number events')
  await jobs.run('drop old deliveries')
  assert.deepEqual(await numbersOf(store), [1, 2, 3])
  world.clock.advance(10 * day + 60)
  await jobs.run('drop old deliveries')
  assert.deepEqual([await numbersOf(store), await numbersOf(other)], [[3], [1]])
  for (const after of [0, 1]) {
    const { status, headers, error } = await store.api.get(`/v1/events?after=${after}`)
    assert.deepEqual([status, error], [410, { code: 'GONE', message: 'Events before sequence 3 have been deleted' }])
    assert.equal(headers.get('x-oldest-sequence'), '3')
  }
  assert.equal((await store.api.get('/v1/events?after=2')).data.length, 1)
  world.clock.advance(20 * day)
  await jobs.run('drop old deliveries')
  const { data, body } = await store.api.get('/v1/events')
  assert.deepEqual([data, body.log], [[], { next_after: 3, oldest: 4, newest: 3 }])
  assert.equal((await store.api.get('/v1/events?after=3')).status, 200)
  await happen(store)
  assert.deepEqual(await numbersOf(store), [4])
})

test('an event that tells of long ago stays as long as those before it: the log has no gap', async () => {
  const store = await world.newStore()
  await happen(store, 40)
  await happen(store)
  await happen(store, 40)
  await happen(store)
  await jobs.run('number events')
  await jobs.run('drop old deliveries')
  assert.deepEqual(await numbersOf(store), [2, 3, 4])
  world.clock.advance(30 * day + 60)
  await jobs.run('drop old deliveries')
  assert.deepEqual(await numbersOf(store), [])
  const left = await db.one<{ events: number; numbers: number }>(sql`
    select (select count(*) from events where store_id = ${store.store.id}) as events,
      (select count(*) from event_numbers where store_id = ${store.store.id}) as numbers`)
  assert.deepEqual(left, { events: 0, numbers: 0 })
})

test('a log of thousands goes in batches, and its samples with it', async () => {
  const store = await world.newStore()
  const hook = await store.api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['order.created'] })
  await store.api.post(`/v1/webhooks/${hook.data.id}/test`)
  await db.rows(sql`
    with written as (
      insert into events (store_id, id, event, event_id, body, occurred_at)
      select ${store.store.id}, uuidv7(), 'product.created', 'prod_x', '{}', now() from generate_series(1, 4500)
      returning store_id, id
    )
    insert into unnumbered_events (store_id, event_uuid)
    select store_id, id from written`)
  await jobs.run('number events')
  assert.equal((await store.api.get('/v1/events')).body.log.newest, 4500)
  world.clock.advance(40 * day)
  await jobs.run('drop old deliveries')
  assert.deepEqual((await store.api.get('/v1/events')).body.log, { next_after: 4500, oldest: 4501, newest: 4500 })
  assert.deepEqual(await db.rows(sql`select from events where store_id = ${store.store.id}`), [])
})

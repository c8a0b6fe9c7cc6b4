import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import type { Client } from '../../../test/client.ts'
import { client } from '../../../test/client.ts'
import { invariants, brokenInvariants } from '../../program/cli/invariants.ts'
import { sql } from '../../kit/database/sql.ts'
import { declaredEvents } from '../../developer/webhooks/events.ts'
import type { Tx } from '../../kit/database/database.ts'
import { emit } from './emit.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database })
const other = await openWorld({}, { database: { ...database, drop: async () => {} } })
const { db, jobs } = world.app

const about =
  (subject: string) =>
  (tx: Tx, { store }: TestStore) =>
    emit(tx, store, 'product.created', subject, declaredEvents['product.created'].sample.payload)
const elsewhere = ({ api }: TestStore): Client => client(other.url, { 'x-api-key': api.key })

type Entry = { sequence: number; event: string; event_id: string; id: string }

/** Reads the whole log page by page, until `isEnd`. */
async function follow(api: Client, isEnd: (seen: Entry[]) => boolean, query = ''): Promise<Entry[]> {
  const seen: Entry[] = []
  for (let after = 0; !isEnd(seen);) {
    const { status, body } = await api.get(`/v1/events?after=${after}&limit=7${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    seen.push(...body.data)
    after = body.log.next_after
  }
  return seen
}

const numbers = (entries: Entry[]) => entries.map(({ sequence }) => sequence)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('of 16 who write at once numbers have no gap; who was answered before another began is before it', async () => {
  const store = await world.newStore()
  const each = 12
  const times = new Map<string, { begun: number; answered: number }>()
  const write = async (api: Client) => {
    for (let index = 0; index < each; index++) {
      const begun = performance.now()
      const { data } = await api.post('/v1/products', { name: 'Mug', price: 5 })
      times.set(data.id, { begun, answered: performance.now() })
    }
  }
  const writers = Array.from({ length: 16 }, (_, index) => write(index % 2 ? store.api : elsewhere(store)))
  const isEnd = (seen: Entry[]) => seen.length === 16 * each
  const [here, there] = await Promise.all([
    follow(store.api, isEnd, '&wait=5'),
    follow(elsewhere(store), isEnd),
    ...writers,
  ])
  assert.deepEqual(numbers(here), upTo(16 * each))
  assert.deepEqual(there, here, 'both nodes have seen the same, number by number, while it was written')
  let latest = 0
  for (const { event_id } of here) {
    const { begun, answered } = times.get(event_id)!
    assert.ok(answered >= latest, 'it was answered before one began that stands before it')
    latest = Math.max(latest, begun)
  }
  assert.deepEqual(await brokenInvariants(db, store.store.id, invariants), [])
})

test('what is committed later has the later number, however early it was written', async () => {
  const store = await world.newStore()
  const written = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const slow = db.transaction(async (tx) => {
    about('slow')(tx, store)
    await tx.rows(sql`select`)
    written.resolve()
    await end.promise
  })
  await written.promise
  await db.transaction(async (tx) => about('quick')(tx, store))
  const subjects = async () => (await store.api.get('/v1/events')).data.map(({ event_id }: any) => event_id)
  assert.deepEqual(await subjects(), ['quick'])
  end.resolve()
  await slow
  assert.deepEqual(await subjects(), ['quick', 'slow'])
})

test('who waited for the change of another stands behind it, though it had begun before', async () => {
  const store = await world.newStore()
  const { id } = (await store.api.post('/v1/products', { name: 'Mug', price: 5 })).data
  const begun = Promise.withResolvers<void>()
  const lock = sql`select from store_counters where store_id = ${store.store.id} for update`
  const early = db.transaction(async (tx) => {
    await tx.rows(sql`select`)
    begun.resolve()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await tx.rows(lock)
    about('second')(tx, store)
  })
  await begun.promise
  await db.transaction(async (tx) => {
    await tx.rows(lock)
    await new Promise((resolve) => setTimeout(resolve, 100))
    about('first')(tx, store)
  })
  await early
  const { data } = await store.api.get('/v1/events')
  assert.deepEqual(
    data.map(({ event_id }: any) => event_id),
    [id, 'first', 'second'],
  )
})

test('what is rolled back takes no number', async () => {
  const store = await world.newStore()
  const failing = db.transaction(async (tx) => {
    about('nothing')(tx, store)
    throw new Error('not this one')
  })
  await assert.rejects(failing, /not this one/)
  await db.transaction(async (tx) => about('something')(tx, store))
  const { data } = await store.api.get('/v1/events')
  assert.deepEqual(
    data.map(({ sequence, event_id }: any) => [sequence, event_id]),
    [[1, 'something']],
  )
})

test('a job numbers what nobody has read, of many stores and more than one batch', async () => {
  const [large, ...small] = await Promise.all(Array.from({ length: 5 }, () => world.newStore()))
  await db.rows(sql`
    with written as (
      insert into events (store_id, id, event, event_id, body, occurred_at)
      select ${large!.store.id}, uuidv7(), 'product.created', 'prod_x', '{}', now() from generate_series(1, 4500)
      returning store_id, id
    )
    insert into unnumbered_events (store_id, event_uuid)
    select store_id, id from written`)
  for (const store of small) await db.transaction(async (tx) => about('x')(tx, store))
  await jobs.run('number events')
  const counts = await db.rows<{ store_id: string; count: number; last: number }>(sql`
    select event_logs.store_id, event_logs.last, (
      select count(distinct sequence)
      from event_numbers
      where event_numbers.store_id = event_logs.store_id) as count
    from event_logs
    where store_id = any(${[large!, ...small].map(({ store }) => store.id)}::text[])`)
  for (const { store_id, count, last } of counts) {
    const expected = store_id === large!.store.id ? 4500 : 1
    assert.deepEqual([count, last], [expected, expected])
  }
  assert.deepEqual(await db.rows(sql`select from unnumbered_events`), [])
})

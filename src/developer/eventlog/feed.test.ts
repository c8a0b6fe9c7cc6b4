import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/deliveries.ts'
import { client } from '../../../test/client.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { setPlan } from '../../tenancy/stores/operations.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { type EventType, declaredEvents } from '../webhooks/events.ts'

const world = await openWorld()
const { db } = world.app

const newProduct = async ({ api }: TestStore, name = 'Mug') => (await api.post('/v1/products', { name, price: 5 })).data
const log = ({ api }: TestStore, query = '') => api.get(`/v1/events${query}`)
const numbersOf = (answer: { data: { sequence: number }[] }) => answer.data.map(({ sequence }) => sequence)

async function happen({ store }: TestStore, type: EventType): Promise<void> {
  const { subjectId, payload } = declaredEvents[type].sample
  await db.transaction(async (tx) => emit(tx, store, type, subjectId, payload))
}

/** A request that waits, and whether it was answered. */
function waiting(store: TestStore, query: string, init: RequestInit = {}) {
  const state = { isAnswered: false }
  const answer = fetch(`${world.url}/v1/events?${query}`, { headers: { 'x-api-key': store.api.key }, ...init })
    .then(async (response) => ({ status: response.status, ...((await response.json()) as any) }))
    .finally(() => (state.isAnswered = true))
  answer.catch(() => {})
  return { state, answer }
}

/** Requests that wait, of this process. */
async function places(): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(/^event_waits (\d+)$/m.exec(text)![1])
}

test('the log has every event, in order, with its number, request and the body that webhooks get', async () => {
  const store = await world.newStore()
  const product = await newProduct(store)
  const changed = await store.api.patch(`/v1/products/${product.id}`, { price: 7 })
  const { status, body } = await log(store)
  assert.equal(status, 200)
  const [created, updated] = body.data
  assert.deepEqual(
    body.data.map(({ event, sequence, event_id }: any) => [event, sequence, event_id]),
    [
      ['product.created', 1, product.id],
      ['product.updated', 2, product.id],
    ],
  )
  assert.match(created.id, /^evt_/)
  assert.equal(updated.request_id, changed.headers.get('x-request-id'))
  assert.deepEqual(
    [created.body, updated.body],
    (await store.events()).map((event) => event.body),
  )
  assert.equal(created.occurred_at, created.body.occurred_at)
  assert.deepEqual(body.log, { next_after: 2, oldest: 1, newest: 2 })
  const one = await store.api.get(`/v1/events/${updated.id}`)
  assert.deepEqual(one.data, updated)
})

test('an event that is asked for by its id has its number at once', async () => {
  const store = await world.newStore()
  await newProduct(store)
  const [{ id }] = (await log(store)).data
  const later = await newProduct(store, 'Cup')
  const row = await db.one<{ id: string }>(sql`
    select id
    from events
    where store_id = ${store.store.id}
      and event_id = ${later.id}`)
  const { data } = await store.api.get(`/v1/events/${publicId('evt', row!.id)}`)
  assert.notEqual(data.id, id)
  assert.equal(data.sequence, 2)
})

test('after, limit and types choose; next_after leads on behind what was looked at', async () => {
  const store = await world.newStore()
  for (let index = 0; index < 3; index++) {
    const { id } = await newProduct(store, `Mug ${index}`)
    await store.api.patch(`/v1/products/${id}`, { price: 6 })
  }
  const first = (await log(store, '?limit=4')).body
  assert.deepEqual([numbersOf(first), first.log], [[1, 2, 3, 4], { next_after: 4, oldest: 1, newest: 6 }])
  const rest = (await log(store, `?after=${first.log.next_after}`)).body
  assert.deepEqual([numbersOf(rest), rest.log.next_after], [[5, 6], 6])
  const created = (await log(store, '?types=product.created&limit=2')).body
  assert.deepEqual([numbersOf(created), created.log.next_after], [[1, 3], 3])
  const last = (await log(store, '?types=product.created,order.created&after=3')).body
  assert.deepEqual([numbersOf(last), last.log.next_after], [[5], 6])
  const none = (await log(store, '?types=order.created')).body
  assert.deepEqual([none.data, none.log.next_after], [[], 6])
  const end = (await log(store, '?after=6')).body
  assert.deepEqual([end.data, end.log], [[], { next_after: 6, oldest: 1, newest: 6 }])
})

test('the log of a store where nothing has happened is empty', async () => {
  const store = await world.newStore()
  assert.deepEqual((await log(store)).body, { data: [], log: { next_after: 0, oldest: 1, newest: 0 } })
  assert.equal((await log(store, '?after=0')).status, 200)
})

test('a number from the future, unknown types and wrong limits are refused', async () => {
  const store = await world.newStore()
  await newProduct(store)
  const refused = async (query: string) => {
    const { status, error } = await log(store, query)
    return [status, error.code, ...(error.details ?? []).map(({ field }: any) => field)]
  }
  assert.deepEqual(await refused('?after=2'), [422, 'VALIDATION_ERROR', 'after'])
  assert.deepEqual(await refused('?after=9007199254740991'), [422, 'VALIDATION_ERROR', 'after'])
  assert.deepEqual(await refused('?after=9007199254740992'), [422, 'VALIDATION_ERROR', 'after'])
  assert.deepEqual(await refused('?after=-1'), [422, 'VALIDATION_ERROR', 'after'])
  assert.deepEqual(await refused('?after=2&wait=5'), [422, 'VALIDATION_ERROR', 'after'])
  assert.deepEqual(await refused('?types=order.eaten'), [422, 'VALIDATION_ERROR', 'types'])
  assert.deepEqual(await refused('?types=order.created,'), [422, 'VALIDATION_ERROR', 'types'])
  assert.deepEqual(await refused('?types='), [422, 'VALIDATION_ERROR', 'types'])
  assert.deepEqual(await refused('?limit=0&wait=31'), [422, 'VALIDATION_ERROR', 'limit', 'wait'])
  assert.deepEqual(await refused('?limit=501'), [422, 'VALIDATION_ERROR', 'limit'])
  assert.match((await log(store, '?after=2')).error.details[0].message, /newest sequence is 1$/)
})

test('the log needs the scope of webhooks', async () => {
  const store = await world.newStore()
  const other = await store.withKey({ scopes: ['read:products', 'read:checkout_drafts'] })
  assert.equal((await other.get('/v1/events')).error.code, 'SCOPE_INSUFFICIENT')
  assert.equal((await (await store.withKey({ scopes: ['write:webhooks'] })).get('/v1/events')).status, 200)
})

test("another store's event is not found, its log not seen, and a request that waits does not hear of it", async () => {
  const [store, other] = [await world.newStore(), await world.newStore()]
  await newProduct(other)
  const [theirs] = (await log(other)).data
  assert.deepEqual(
    [
      await store.api.get(`/v1/events/${theirs.id}`),
      await store.api.get('/v1/events/evt_01h455vb4pex5vsknk084sn02q'),
    ].map(({ status, body }) => [status, body]),
    Array(2).fill([404, { error: { code: 'NOT_FOUND', message: 'Event not found' } }]),
  )
  const { answer } = waiting(store, 'wait=1')
  await newProduct(other)
  assert.deepEqual((await answer).data, [])
  assert.deepEqual((await log(store)).body.log, { next_after: 0, oldest: 1, newest: 0 })
})

test('a sample is in no log', async () => {
  const store = await world.newStore()
  const hook = await store.api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['order.created'] })
  const sent = await store.api.post(`/v1/webhooks/${hook.data.id}/test`)
  assert.equal(sent.data.sequence, null)
  assert.deepEqual((await log(store)).data, [])
})

test('an event that the plan lacks keeps its number and hides its body', async () => {
  const store = await world.newStore({ plan: 'growth' })
  await happen(store, 'checkout.abandoned')
  assert.equal((await log(store, '?types=checkout.abandoned')).data[0].body.checkout.status, 'abandoned')
  await db.transaction((tx) => setPlan(tx, store.store.id, 'free'))
  const { data } = await log(store)
  assert.deepEqual([data[0].sequence, data[0].event, data[0].body], [1, 'checkout.abandoned', null])
  assert.equal((await store.api.get(`/v1/events/${data[0].id}`)).data.body, null)
  const { status, error } = await log(store, '?types=order.created,checkout.abandoned')
  assert.deepEqual([status, error.details], [403, { feature: 'abandoned_checkouts' }])
})

test('who waits is answered when something comes, at once if something is there, in the end with nothing', async () => {
  const store = await world.newStore()
  const first = waiting(store, 'wait=20')
  await until(async () => (await places()) > 0)
  assert.equal(first.state.isAnswered, false)
  await newProduct(store)
  assert.deepEqual(numbersOf(await first.answer), [1])
  assert.deepEqual(numbersOf(await waiting(store, 'wait=20').answer), [1])
  const last = await waiting(store, 'after=1&wait=1').answer
  assert.deepEqual([last.status, last.data, last.log.next_after], [200, [], 1])
})

test('who waits for some types is not answered with others, and comes to the end of the log all the same', async () => {
  const store = await world.newStore()
  const { state, answer } = waiting(store, 'types=product.deleted&wait=20')
  await until(async () => (await places()) > 0)
  const { id } = await newProduct(store)
  await sleep(300)
  assert.equal(state.isAnswered, false)
  await store.api.delete(`/v1/products/${id}`)
  const { data, log: end } = await answer
  assert.deepEqual([data.map(({ event }: any) => event), end.next_after], [['product.deleted'], 2])
})

test('requests of a key that wait are bounded; a connection that is closed frees its place', async () => {
  const store = await world.newStore()
  const before = await places()
  const gone = new AbortController()
  const held = Array.from({ length: 5 }, () => waiting(store, 'wait=30', { signal: gone.signal }))
  await until(async () => (await places()) === before + 5)
  const { status, headers, error } = await log(store, '?wait=30')
  assert.deepEqual([status, error.code, headers.get('retry-after')], [429, 'RATE_LIMITED', '1'])
  assert.equal((await log(store)).status, 200, 'who does not wait needs no place')
  gone.abort()
  await Promise.allSettled(held.map(({ answer }) => answer))
  await until(async () => (await places()) === before)
  const { answer } = waiting(store, 'wait=20')
  await until(async () => (await places()) === before + 1)
  await newProduct(store)
  assert.equal((await answer).status, 200)
})

test('the keys of a store share its places', async () => {
  const store = await world.newStore()
  const before = await places()
  const keys = await Promise.all(Array.from({ length: 5 }, () => store.withKey({})))
  const requests = keys.slice(0, 4).flatMap(({ key }) => Array.from({ length: 5 }, () => key))
  const held = requests.map((key) => waiting({ ...store, api: { ...store.api, key } }, 'wait=20').answer)
  await until(async () => (await places()) === before + 20)
  const refused = await keys[4]!.get('/v1/events?wait=20')
  assert.deepEqual([refused.status, refused.error.code], [429, 'RATE_LIMITED'])
  await newProduct(store)
  assert.deepEqual(new Set((await Promise.all(held)).map(({ status }) => status)), new Set([200]))
})

test('a key that ends while it waits gets no answer but 401', async () => {
  const store = await world.newStore()
  const expires_at = new Date(world.clock.now().getTime() + 60_000)
  const api = await store.withKey({ expires_at })
  const { answer } = waiting({ ...store, api }, 'wait=20')
  await until(async () => (await places()) > 0)
  world.clock.advance(120)
  await newProduct(store)
  const { status, error } = await answer
  assert.deepEqual([status, error.code], [401, 'AUTHENTICATION_ERROR'])
})

test('a server that ends answers those who wait, and lets nobody wait any more', async () => {
  const store = await world.newStore()
  const ending = await openWorld()
  const ask = () => client(ending.url, { 'x-api-key': store.api.key }).get('/v1/events?wait=30')
  const before = await places()
  const first = ask()
  await until(async () => (await places()) > before)
  ending.app.endWaits()
  assert.deepEqual((await first).data, [])
  assert.deepEqual((await ask()).data, [])
})

test('what another process writes is heard without its telling', async () => {
  const store = await world.newStore()
  const before = await places()
  const { answer } = waiting(store, 'wait=20')
  await until(async () => (await places()) > before)
  // No one in this process announces it, nor does anybody notify.
  await db.rows(sql`
    with written as (
      insert into events (store_id, id, event, event_id, body, occurred_at)
      values (${store.store.id}, uuidv7(), 'product.created', 'prod_x', '{}', now())
      returning store_id, id
    )
    insert into unnumbered_events (store_id, event_uuid)
    select store_id, id from written`)
  assert.deepEqual(numbersOf(await answer), [1])
})

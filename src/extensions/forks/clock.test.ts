// A year of a store, lived in a moment by a fork and step by step by a store of another world.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, setUp, shopperOf, type Shopper } from '../../../test/checkouts.ts'
import { client, type Client } from '../../../test/client.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'

const world = await openWorld({}, { forks: true })
const day = 24 * 3600

async function forkOf({ api, store }: TestStore): Promise<{ api: Client; shopper: Shopper }> {
  const { data } = await api.post('/v1/forks')
  const url = `${world.url}/forks/${toUuid('fork', data.id)}`
  const shopper = shopperOf({ ...world, url }, { store } as TestStore)
  return { api: client(url, { 'x-api-key': data.key }), shopper }
}

const nowOf = async (api: Client) => new Date((await api.get('/v1/test/clock')).data.now)

test('the clock of a fork moves forward only, and that of no other store', async () => {
  const shop = await world.newStore()
  const { api } = await forkOf(shop)
  const before = await nowOf(api)
  const onStore = [
    await shop.api.get('/v1/test/clock'),
    await shop.api.post('/v1/test/clock', { advance: 3600 }),
    await shop.api.get('/v1/test/outbox'),
  ]
  for (const { status, error } of onStore) {
    assert.deepEqual([status, error.code, error.details], [403, 'FEATURE_ACCESS_DENIED', { feature: 'forks' }])
    assert.match(error.message, /^Only forks /)
  }
  const moved = await api.post('/v1/test/clock', { advance: 3600 })
  assert.equal(moved.status, 200)
  assert.ok(Date.parse(moved.data.now) >= before.getTime() + 3600_000)
  assert.ok((await nowOf(api)) >= new Date(moved.data.now))
  assert.ok(world.app.db.clock.now() < new Date(before.getTime() + 1800_000))

  const refusal = async (body: object) => (await api.post('/v1/test/clock', body)).error
  assert.deepEqual((await refusal({ now: before })).details, [
    { field: 'now', message: 'is in the past: time moves forward only' },
  ])
  assert.deepEqual((await refusal({})).details, [{ field: 'now', message: 'is required' }])
  assert.deepEqual((await refusal({ now: before, advance: 1 })).details, [
    { field: 'advance', message: 'cannot be combined with now' },
  ])
  assert.deepEqual((await refusal({ advance: 0 })).details, [{ field: 'advance', message: 'must be at least 1' }])

  const rehearsed = await api.post('/v1/test/clock', { advance: 365 * day }, { headers: { prefer: 'dry-run' } })
  assert.equal(rehearsed.status, 200)
  assert.ok((await nowOf(api)) < new Date(before.getTime() + 2 * 3600_000))
  const key = { headers: { 'idempotency-key': 'once' } }
  for (const _ of [1, 2]) assert.equal((await api.post('/v1/test/clock', { advance: 3600 }, key)).status, 200)
  assert.ok((await nowOf(api)) < new Date(before.getTime() + 3 * 3600_000))
})

test('of two movements at once, one is refused', async () => {
  const { api } = await forkOf(await world.newStore())
  const answers = await Promise.all([1, 2, 3].map(() => api.post('/v1/test/clock', { advance: 30 * day })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, 409, 409])
})

type Life = { api: Client; shopper: Shopper; now: Date; wait: (seconds: number) => unknown }

/** A checkout that is left, a discount of ten days, a product that is published and taken back. */
async function beginLife({ api, shopper, now, wait }: Life): Promise<string> {
  const after = (days: number) => new Date(now.getTime() + days * day * 1000).toISOString()
  const mug = (await api.post('/v1/products', { name: 'Mug', price: 12 })).data
  await api.post('/v1/products', {
    name: 'Advent calendar',
    price: 30,
    product_status: 'draft',
    publish_at: after(5),
    unpublish_at: after(25),
  })
  await api.post('/v1/discounts', {
    code: 'SPRING',
    type: 'percentage',
    value: 10,
    starts_at: after(3),
    expires_at: after(13),
  })
  await api.post('/v1/orders', { customer: ana, items: [{ product_id: mug.id, quantity: 1 }] })
  const { data } = await shopper.begin({ items: [{ product_id: mug.id, quantity: 2 }] })
  await wait(60)
  const contact = { customer: { name: 'Bo', email: 'bo@example.com' } }
  assert.equal((await shopper.change(data.token, contact)).status, 200)
  return data.token
}

/** What there is to see of it, without ids and times. */
async function stateOf({ api, shopper }: Pick<Life, 'api' | 'shopper'>, token: string) {
  const names = async (path: string, pick: (record: any) => unknown) => {
    const { status, data } = await api.get(path)
    assert.equal(status, 200, path)
    return data.map(pick)
  }
  const valid = await api.post('/v1/discounts/validate', { code: 'SPRING', order_total: 50 })
  return {
    drafts: await names('/v1/checkout-drafts?status=all', ({ status, recovery_mail, customer }) => [
      status,
      recovery_mail,
      customer?.email ?? null,
    ]),
    products: await names('/v1/products?status=all&sort=name&order=asc', ({ name, product_status }) => [
      name,
      product_status,
    ]),
    mails: await names('/v1/mails?sort=created_at&order=asc', ({ kind, status }) => [kind, status]),
    events: await names('/v1/events?limit=100', ({ event }) => event),
    discount: [valid.data.valid, valid.data.reason],
    token: (await shopper.read(token)).status,
  }
}

test('a year in a fork ends as a year that was lived', async () => {
  const own = await openWorld({}, { sweeps: true })
  const [origin, lived] = [await setUp(await world.newStore()), await setUp(await own.newStore())]
  const fork = await forkOf(origin)
  const forkNow = await nowOf(fork.api)
  const life = { api: lived.api, shopper: shopperOf(own, lived), now: own.clock.now(), wait: own.clock.advance }
  const advance = (seconds: number) => fork.api.post('/v1/test/clock', { advance: seconds })
  const forkToken = await beginLife({ ...fork, now: forkNow, wait: advance })
  const token = await beginLife(life)
  const live = async (days: number) => {
    const until = life.now.getTime() + days * day * 1000
    while (own.clock.now().getTime() < until) {
      own.clock.advance(days > 40 ? 5 * day : days > 4 ? day / 4 : 1800)
      for (const name of ['sweep checkouts', 'publish products']) await own.app.jobs.run(name)
      await own.app.sender.sendDue()
    }
    for (const { name } of own.app.jobs.list) await own.app.jobs.run(name)
  }
  const seen = []
  for (const days of [1, 4, 6, 14, 26, 32, 130, 366]) {
    await live(days)
    const { status, data } = await fork.api.post('/v1/test/clock', {
      now: new Date(forkNow.getTime() + days * day * 1000),
    })
    assert.equal(status, 200)
    assert.ok(data.steps < 1000)
    const [ofFork, ofStore] = [await stateOf(fork, forkToken), await stateOf(life, token)]
    assert.deepEqual(ofFork, ofStore, `after ${days} days`)
    seen.push([
      days,
      ofFork.drafts[0]?.[0] ?? null,
      ofFork.discount[0],
      ofFork.products[0][1],
      ofFork.mails.length,
      ofFork.token,
    ])
  }
  assert.deepEqual(seen, [
    [1, 'abandoned', false, 'draft', 1, 200],
    [4, 'abandoned', true, 'draft', 1, 200],
    [6, 'abandoned', true, 'active', 1, 200],
    [14, 'abandoned', false, 'active', 1, 200],
    [26, 'abandoned', false, 'draft', 1, 200],
    [32, 'expired', false, 'draft', 0, 410],
    [130, 'expired', false, 'draft', 0, 410],
    [366, 'expired', false, 'draft', 0, 410],
  ])
  const { emails } = (await fork.api.get('/v1/test/outbox')).data
  const kept = (await readOutbox(own.app.db, own.app.vault)).map(({ to, subject }) => [to, subject])
  assert.deepEqual(
    emails.map(({ to, subject }: any) => [to, subject]),
    kept,
  )
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { client } from '../../../../test/client.ts'
import { postmasterOf } from '../../../../test/postmaster.ts'
import { testAuthority, type Received } from '../../../../test/receiver.ts'
import { running } from '../../../../test/strangers.ts'
import { workerProcess } from '../../../../test/worker-process.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { openWorld, type TestStore, type World } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { migrate } from '../../../platform/postgres/migrate.ts'
import { startPostgres } from '../../../platform/postgres/postgres.ts'
import { claim, type ReceiverQueue } from './claim.ts'
import { endClaims } from './workers.ts'

const allowed = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
const idsOf = (received: Received[]) => received.map(({ headers }) => String(headers['x-webhook-id']))

/** Until no delivery of the store is pending; answers how many there are by status. */
async function settled({ app }: World, { store }: Pick<TestStore, 'store'>): Promise<Record<string, number>> {
  const end = Date.now() + 30_000
  for (;;) {
    const rows = await app.db
      .rows<{ status: string; count: number }>(sql`
      select status, count(*) as count
      from deliveries
      where store_id = ${store.id}
      group by status`)
      .catch(() => [{ status: 'pending', count: 0 }])
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    if (!('pending' in counts)) return counts
    assert.ok(Date.now() < end, JSON.stringify(counts))
    await sleep(50)
  }
}

/** Five at a time. */
async function createProducts({ api }: Pick<TestStore, 'api'>, count: number): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      while (left-- > 0) assert.equal((await api.post('/v1/products', { name: 'Backpack', price: 10 })).status, 201)
    }),
  )
}

test('what a worker had under way when it was killed is delivered by another, and no more is repeated', async () => {
  const database = await ownDatabase()
  const world = await openWorld(allowed, { database })
  const store = await world.newStore()
  const shop = await running({ answer: () => ({ delayMs: 100 }) })
  await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
  await createProducts(store, 60)
  const first = await workerProcess(database.url)
  await shop.waitFor(20, 20_000)
  await first.end('SIGKILL')
  const [left] = await world.app.db.rows<{ claimed: number; delivered: number }>(sql`
    select (select count(claimed_by) from webhook_health where store_id = ${store.store.id}) as claimed,
      (select count(*) from deliveries where store_id = ${store.store.id} and status = 'delivered') as delivered`)
  const unwritten = shop.received.length - left!.delivered
  assert.equal(left!.claimed, 1, 'it was killed with rows in flight')
  const second = await workerProcess(database.url)
  after(() => second.end('SIGKILL'))
  assert.deepEqual(await settled(world, store), { delivered: 60 })
  const ids = idsOf(shop.received)
  assert.equal(new Set(ids).size, 60)
  assert.ok(ids.length - 60 <= unwritten, `${ids.length - 60} repeated, ${unwritten} were sent and not written down`)
})

test('two processes deliver each event once, never more than 8 at a time to one receiver', async () => {
  const database = await ownDatabase()
  const world = await openWorld(allowed, { database, network: { ca: testAuthority.ca }, delivers: true })
  const other = await workerProcess(database.url)
  after(() => other.end('SIGKILL'))
  const stores = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const store = await world.newStore()
      // Counted here: a response is closed a moment after its end has left.
      const calls = { underWay: 0, most: 0 }
      const shop = await running({
        answer: async () => {
          calls.most = Math.max(calls.most, ++calls.underWay)
          await sleep(5)
          calls.underWay--
          return {}
        },
      })
      await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
      return { ...store, shop, calls }
    }),
  )
  const remote = ({ api }: TestStore) => ({ api: client(other.url, { 'x-api-key': api.key }) })
  await Promise.all(stores.flatMap((store) => [createProducts(store, 50), createProducts(remote(store), 50)]))
  for (const store of stores) {
    assert.deepEqual(await settled(world, store), { delivered: 100 })
    const ids = idsOf(store.shop.received)
    assert.deepEqual([ids.length, new Set(ids).size], [100, 100])
    assert.ok(store.calls.most <= 8, `${store.calls.most} at once`)
  }
})

test("a receiver is one worker's until that dies, and what twenty of them died of is given up", async () => {
  const database = await ownDatabase()
  const world = await openWorld(allowed, { database })
  const { db } = world.app
  const store = await world.newStore()
  const shop = await running()
  await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
  await createProducts(store, 1)
  const [place] = await db.rows<ReceiverQueue>(sql`
    select store_id, id as webhook_id from webhooks where store_id = ${store.store.id}`)
  const claimed = async (me: number) =>
    (await claim(db, me, [{ ...place!, room: 8, ids: [], is_kept: false }])).flatMap(({ deliveries }) => deliveries)
  for (let me = 1; me <= 20; me++) {
    const [row] = await claimed(me)
    assert.equal(row!.crashes, me - 1, `claim ${me}`)
    assert.deepEqual(await claimed(me + 1), [], 'it is taken')
    await endClaims(db, sql`claimed_by = ${me}`)
  }
  const worker = await workerProcess(database.url)
  after(() => worker.end('SIGKILL'))
  assert.deepEqual(await settled(world, store), { failed: 1 })
  assert.equal(shop.received.length, 0)
  await createProducts(store, 1)
  assert.deepEqual(await settled(world, store), { failed: 1, delivered: 1 })
})

test('a worker that is told to stop gives back what it has not begun, and writes down what it has', async () => {
  const database = await ownDatabase()
  const world = await openWorld(allowed, { database })
  const store = await world.newStore()
  const shop = await running({ answer: () => ({ delayMs: 200 }) })
  await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
  await createProducts(store, 20)
  const first = await workerProcess(database.url)
  await shop.waitFor(8, 20_000)
  await first.end('SIGTERM')
  const [left] = await world.app.db.rows<{ claimed: number; delivered: number; pending: number }>(sql`
    select (select count(claimed_by) from webhook_health where store_id = ${store.store.id}) as claimed,
      count(*) filter (where status = 'delivered') as delivered,
      count(*) filter (where status = 'pending') as pending
    from deliveries
    where store_id = ${store.store.id}`)
  const sent = shop.received.length
  assert.deepEqual([left!.claimed, left!.delivered, left!.pending], [0, sent, 20 - sent])
  const second = await workerProcess(database.url)
  after(() => second.end('SIGKILL'))
  assert.deepEqual(await settled(world, store), { delivered: 20 })
  assert.equal(idsOf(shop.received).length, 20)
})

test('kill -9 of PostgreSQL under load loses no delivery of a change that was answered', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'stoa-kill-'))
  const postgres = await startPostgres({ dataDir })
  await migrate(postgres.url)
  const drop = async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const database = { url: postgres.url, drop }
  const world = await openWorld(allowed, { database, network: { ca: testAuthority.ca }, delivers: true })
  const store = await world.newStore()
  const shop = await running({ answer: () => ({ delayMs: 20 }) })
  await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
  const created = new Set<string>()
  let isOver = false
  const feed = async () => {
    while (!isOver) {
      const answer = await store.api.post('/v1/products', { name: 'Backpack', price: 10 })
      if (answer.status === 201) created.add(answer.data.id)
      else await sleep(50)
    }
  }
  const feeds = [feed(), feed(), feed()]
  await sleep(1000)
  const before = created.size
  process.kill((await postmasterOf(dataDir))!, 'SIGKILL')
  const end = Date.now() + 20_000
  while (created.size < before + 50 && Date.now() < end) await sleep(50)
  isOver = true
  await Promise.all(feeds)
  await settled(world, store)
  const arrived = new Set(shop.received.map(({ body }) => JSON.parse(body.toString()).event_id as string))
  assert.ok(created.size >= before + 50, 'it serves again')
  assert.deepEqual(
    [...created].filter((id) => !arrived.has(id)),
    [],
  )
})

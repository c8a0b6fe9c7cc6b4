// What was answered with 2xx is there after kill -9 of the server, of PostgreSQL, of both and of a worker, whole and
// once. KILLS=200 npm test -- test/durability.test.ts, where KILLS_WITHIN_S=600 ends it early.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vault } from '../src/kit/values/secrets.ts'
import { raw, sql, type Sql } from '../src/kit/database/sql.ts'
import type { EventType } from '../src/developer/webhooks/events.ts'
import { readSecretKey } from '../src/platform/process/secretkey.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { createWebhook } from '../src/developer/webhooks/operations.ts'
import { asking, killPostgres, ready, type Asked } from './killed.ts'
import { randomBy, seed } from './random.ts'
import { databaseOf, newDataDir, newStore, startServer, workersOf, type Server } from './server.ts'
import { assertSumsOf } from './sums.ts'
import { startWriters, type Written } from './writers.ts'

const kills = Number(process.env.KILLS ?? 1)
const endsAt = performance.now() + Number(process.env.KILLS_WITHIN_S ?? Infinity) * 1000
const kinds = ['server', 'PostgreSQL', 'both', 'worker'] as const
const connections = 8
// Each key has 1,000 requests a minute.
const maximumKeys = 50
const writesBefore = 25
const writesAfter = 10
// A look at the whole store grows with it.
const roundsPerLook = 10

test(`${kills} times kill -9 under writes: every 2xx is there`, async (t) => {
  let server: Server | undefined
  t.after(() => server?.end('SIGKILL'))
  const end = new AbortController()
  t.after(() => end.abort())
  const dataDir = await newDataDir(t)
  server = await startServer(dataDir, { WORKERS: '2' })
  const env = { PORT: new URL(server.url).port, WORKERS: '2' }
  const store = await newStore(dataDir, maximumKeys)
  await subscribe(dataDir, store.id)
  const written: Written[] = []
  const readyMs: Record<string, number[]> = { server: [], PostgreSQL: [], both: [], worker: [] }

  const random = randomBy(seed)
  let rounds = 0
  for (; rounds < kills && (rounds < kinds.length || performance.now() < endsAt); rounds++) {
    const kind = kinds[rounds % kinds.length]!
    const name = `stocked ${rounds}`
    const writers = await startWriters({ url: server.url, keys: store.keys, connections, name, signal: end.signal })
    await writers.acknowledged(writesBefore + random.below(writesBefore))
    const killedAt = performance.now()
    if (kind === 'worker') process.kill(random.pick(await workersOf(server.child.pid!)), 'SIGKILL')
    if (['PostgreSQL', 'both'].includes(kind)) await killPostgres(dataDir, { awaitsNext: kind === 'PostgreSQL' })
    if (['server', 'both'].includes(kind)) {
      await server.end('SIGKILL')
      server = await startServer(dataDir, env)
    }
    await ready(server)
    readyMs[kind]!.push(performance.now() - killedAt)
    await writers.acknowledged(writesAfter)
    const writtenNow = await writers.stop()
    written.push(...writtenNow)

    await asking(dataDir, async (db) => {
      await assertWritten(db, store.id, writtenNow)
      if (rounds % roundsPerLook === 0) await assertWhole(db, store.id)
    })
  }
  await asking(dataDir, async (db) => {
    await assertWritten(db, store.id, written)
    await assertWhole(db, store.id)
  })
  t.diagnostic(
    JSON.stringify({
      rounds,
      acknowledged: written.length,
      afterRepetition: written.filter(({ tries }) => tries > 1).length,
      readyMs: Object.fromEntries(Object.entries(readyMs).map(([kind, times]) => [kind, times.map(Math.round)])),
    }),
  )
})

/** To a receiver that does not exist: each order has its delivery all the same. */
async function subscribe(dataDir: string, storeId: string): Promise<void> {
  const db = await databaseOf(dataDir)
  const seals = vault(await readSecretKey(dataDir))
  const events: EventType[] = ['order.created']
  await db.transaction(async (tx) => {
    const store = await loadStore(tx, storeId)
    await createWebhook(tx, store!, { url: 'https://receiver.invalid/', events, is_active: true }, { vault: seals })
  })
  await db.close()
}

/** Each write that was answered with 2xx happened as it was answered, and once. */
async function assertWritten(db: Asked, storeId: string, written: Written[]): Promise<void> {
  const of = (kind: Written['kind']) => written.filter((write) => write.kind === kind)
  const pairs = async (query: Sql) => {
    const rows = await db.rows<{ mark: string; is: string; times: number }>(query)
    return new Map(rows.map(({ mark, is, times }) => [mark, `${is} ${times}`]))
  }
  const expected = (writes: Written[]) => new Map(writes.map(({ mark, answer }) => [mark, `${answer} 1`]))

  // Where a write of each kind left its mark, and what it was answered with.
  const places: [Written['kind'], table: string, mark: string, is: string][] = [
    ['product', 'products', 'name', 'price'],
    ['order', 'orders', 'internal_notes', 'order_number'],
    ['adjustment', 'inventory_transactions', 'reason', 'quantity'],
  ]
  for (const [kind, table, mark, is] of places) {
    const found = await pairs(sql`
      select ${raw(mark)} as mark, min(${raw(is)})::text as is, count(*) as times
      from ${raw(table)}
      where store_id = ${storeId}
        and ${raw(mark)} = any(${of(kind).map((write) => write.mark)}::text[])
      group by ${raw(mark)}`)
    assert.deepEqual(differences(expected(of(kind)), found), [])
  }
}

function differences(expected: Map<string, string>, found: Map<string, string>): string[] {
  return [...expected]
    .filter(([mark, is]) => found.get(mark) !== is)
    .map(([mark, is]) => `${mark}: ${is}, found ${found.get(mark)}`)
}

/** Whatever is there, answered or not, is there with all that belongs to it. */
async function assertWhole(db: Asked, storeId: string): Promise<void> {
  await assertSumsOf(db, storeId)
  const [counts] = await db.rows<Record<string, string>>(sql`
    with of_store as (
      select ${storeId}::text as id
    ), moves as (
      select * from inventory_transactions where store_id = (select id from of_store)
    )
    select
      (select count(*) from products where store_id = of_store.id) as products,
      (select count(*) from events where store_id = of_store.id and event = 'product.created') as products_created,
      (select products_active::bigint from store_counters where store_id = of_store.id) as products_counted,
      (select count(*) from orders where store_id = of_store.id) as orders,
      (select count(*) from events where store_id = of_store.id and event = 'order.created') as orders_created,
      (select count(*) from deliveries where store_id = of_store.id) as orders_delivered,
      (select count(distinct order_id) from order_items where store_id = of_store.id) as orders_with_items,
      (select count(distinct order_id) from moves where reason = 'sale') as orders_with_moves,
      (select count(*) from moves where reason not in ('sale', 'received')) as adjustments,
      (select count(*) from events where store_id = of_store.id and event = 'product.updated') as products_updated
    from of_store`)
  const { products, orders, adjustments } = counts!
  assert.deepEqual(counts, {
    products,
    products_created: products,
    products_counted: products,
    orders,
    orders_created: orders,
    orders_delivered: orders,
    orders_with_items: orders,
    orders_with_moves: orders,
    adjustments,
    products_updated: adjustments,
  })
}

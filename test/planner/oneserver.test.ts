// What is sent on one server only, and what a distributed database gets instead.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { placement } from '../../src/developer/tables.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { migrateAndDistribute } from '../../src/platform/postgres/migrate.ts'
import { newCluster } from '../citus/cluster.ts'
import { databaseUrl } from '../database.ts'
import { recordStatements } from '../statements.ts'
import { openWorld, type TestStore, type World } from '../world.ts'
import { newJudge } from './judge.ts'
import { onOneServer } from './known.ts'
import { breachesIn, nameOf } from './names.ts'

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())
const judge = await newJudge(client)
const cluster = await newCluster({ after })
await migrateAndDistribute(cluster.url, placement, { distributes: true })
const distributed = await openWorld({ DISTRIBUTED: 'on' }, { database: { url: cluster.url, drop: async () => {} } })
const plain = await openWorld()

const numbers = [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008]

test('a distributed database numbers orders without gaps, and is sent nothing that it refuses', async () => {
  const { statements } = recordStatements()
  const shop = await distributed.newStore()
  assert.deepEqual(await orderNumbers(shop, distributed), numbers)
  assert.ok(statements.keys().some((text) => nameOf(text) === 'insert orders store_counters'))
  assert.deepEqual(await breachesIn(statements.keys(), judge), {})
})

test('what is sent on one server only is sent there, and breaks these rules', async () => {
  const { statements } = recordStatements()
  const shop = await plain.newStore()
  assert.deepEqual(await orderNumbers(shop, plain), numbers)
  assert.deepEqual(await breachesIn(statements.keys(), judge), onOneServer)
})

/** Of orders at once, half of them with a shipping method, whose rate each of these keeps. */
async function orderNumbers({ api, store }: TestStore, { app: { db } }: World): Promise<number[]> {
  await api.post('/v1/store/shipping-rates', { code: 'express', name: 'Express', price: 9 })
  const { data: product } = await api.post('/v1/products', { name: 'Mug', price: 12 })
  const items = [{ product_id: product.id, quantity: 1 }]
  const orders = Array.from({ length: 8 }, (_, at) => ({ items, ...(at % 2 ? { shipping_method: 'express' } : {}) }))
  const answers = await Promise.all(orders.map((order) => api.post('/v1/orders', order)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  const rates = await db.rows(sql`
    select shipping_rate ->> 'name' as name from orders where store_id = ${store.id} and shipping_method is not null`)
  assert.deepEqual(rates, Array(4).fill({ name: 'Express' }))
  return answers.map(({ data }) => data.order_number).toSorted((one, other) => one - other)
}

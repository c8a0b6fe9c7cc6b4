import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../test/database.ts'
import { makeDemo } from './demo.ts'
import { findFirstStore } from './firststore.ts'

const secretKey = 'a key of the tests, 32 characters'
const dayMs = 86_400_000

test('the demo is a store that has sold for 30 days, up to now and not beyond', async (t) => {
  const { url, one } = await openDatabase(t)
  const began = Date.now()
  const { id } = await makeDemo(url, secretKey)
  const counters = await one(`
    select products_active, products_draft, categories, discounts, webhooks, orders > 40 as sells, customers > 15 as has_customers
    from store_counters where store_id = '${id}'`)
  assert.deepEqual(counters, {
    products_active: 24, products_draft: 1, categories: 6, discounts: 3, webhooks: 1, sells: true, has_customers: true,
  })
  const orders = await one(`
    select min(created_at) as first, max(created_at) as last, count(distinct created_at::date)::int as days,
      count(distinct status)::int as statuses, count(distinct payment_status)::int as payments
    from orders where store_id = '${id}'`)
  assert.ok(began - orders.first.getTime() > 28 * dayMs && began - orders.first.getTime() < 30 * dayMs)
  assert.ok(began - orders.last.getTime() < dayMs && orders.last <= new Date())
  assert.ok(orders.days > 24 && orders.statuses >= 3 && orders.payments >= 2)
  for (const table of ['products', 'orders', 'customers', 'discounts', 'inventory_transactions', 'events']) {
    const column = table === 'events' ? 'occurred_at' : 'created_at'
    assert.deepEqual(await one(`select count(*)::int as late from ${table} where ${column} > now()`), { late: 0 }, table)
  }
})

test('two carts were left, and one order waits for a receiver that is away', async (t) => {
  const { url, one } = await openDatabase(t)
  const { id } = await makeDemo(url, secretKey)
  const carts = `from checkouts where store_id = '${id}' and status = 'active' and due_at < now() and customer_email is not null`
  assert.deepEqual(await one(`select count(*)::int as carts ${carts}`), { carts: 2 })
  assert.deepEqual(await one('select count(*)::int as pending, min(status) as status from deliveries'), { pending: 1, status: 'pending' })
})

test('a first start makes the demo once, and a key only for somebody who reads it', async (t) => {
  const { url, one } = await openDatabase(t)
  const find = (more: { demo: boolean; showsKey: boolean }) => findFirstStore(url, { secretKey, ...more })
  assert.equal((await find({ demo: false, showsKey: true })).store, null)
  const { store, postgres } = await find({ demo: true, showsKey: true })
  assert.match(postgres, /^18/)
  assert.equal(store!.name, 'Harbour & Pine')
  assert.match(store!.first!.key, /^wk_test_/)
  assert.match(store!.first!.signInLink, /^[0-9A-Za-z]{43}$/)
  assert.deepEqual((await find({ demo: true, showsKey: true })).store, { ...store, first: null })
  assert.deepEqual(await one('select count(*)::int as stores from stores'), { stores: 1 })
})

test('without a reader no key is made', async (t) => {
  const { url, one } = await openDatabase(t)
  assert.equal((await findFirstStore(url, { secretKey, demo: true, showsKey: false })).store!.first, null)
  assert.deepEqual(await one('select count(*)::int as keys from api_keys'), { keys: 0 })
})

async function openDatabase(t: { after(hook: () => Promise<void>): void }) {
  const url = await newDatabase(t)
  return {
    url,
    async one(text: string): Promise<any> {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text)).rows[0]
      } finally {
        await client.end()
      }
    },
  }
}

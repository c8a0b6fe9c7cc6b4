// A large store among many small ones: the plans, which all stores share, serve it as well. What lists and pages send
// is run again as the app has it planned, and the blocks that PostgreSQL touches are counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { productOf } from './checkouts.ts'
import { copyRows, fillListed } from './filled.ts'
import { newShop } from './shop.ts'
import { staffOf } from './staff.ts'
import { bindingsOf } from './statements.ts'
import { openWorld, type TestStore } from './world.ts'

// The database is its own: `sweeps` says so. No answer is kept.
const world = await openWorld({ CACHE_MAX_MB: '0' }, { sweeps: true })
const client = new pg.Client({ connectionString: world.app.db.pool.options.connectionString! })
client.on('error', () => {}) // it is cut when the database is dropped
await client.connect()

const rows = 40_000
const neighbours = 300
const large = await newShop(world)
const small = await newShop(world)
for (const shop of [large, small]) {
  const product = await productOf(shop, { sku: 'SKU-1' })
  const items = [{ product_id: product.id, quantity: 1 }]
  const customer = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }
  await shop.api.post('/v1/orders', { items, ...customer })
}
await client.query('set session_replication_role = replica')
await grow(large, rows)
await grow(small, 8)
await surround(small)
await fillListed(client)
await client.query(`update store_counters set products_active = $2, orders = $2, customers = $2 where store_id = $1`, [
  large.store.id,
  rows,
])
await client.query('analyze')
await client.query('set plan_cache_mode = force_generic_plan')

// prettier-ignore
const asked: Record<string, (shop: TestStore) => string> = {
  'products':                   () => '/v1/products',
  'products of all states':     () => '/v1/products?status=all',
  'products by a walk':         () => '/v1/products?status=all&cursor=',
  'products by a rare word':    () => '/v1/products?search=nowhere',
  'products by a SKU':          () => '/v1/products?search=SKU-77',
  'inventory by a rare word':   () => '/v1/inventory/products?search=nowhere',
  'orders':                     () => '/v1/orders',
  'orders by a rare word':      () => '/v1/orders?search=nowhere',
  'orders by an email':         () => '/v1/orders?search=person77@example.com',
  'orders by their status':     () => '/v1/orders?status=confirmed',
  'orders that are archived':   () => '/v1/orders?is_archived=true',
  'orders last changed':        () => '/v1/orders?sort=updated_at&order=desc',
  'customers':                  () => '/v1/customers',
  'drafts of shoppers':         () => '/v1/checkout-drafts?status=all',
  'customers by a rare word':   () => '/v1/customers?search=nowhere',
  'the home page':              ({ store }) => `/s/${store.slug}`,
  'products last changed':      () => '/v1/products?sort=updated_at&order=desc',
  'customers who spent most':   () => '/v1/customers?sort=total_spent&order=desc',
  'customers by last order':    () => '/v1/customers?sort=last_order_at&order=desc',
  'the search of the shop':     ({ store }) => `/s/${store.slug}/search?q=nowhere`,
}

// Of a store of 40,000 rows; to read all of them takes 1,400 and more.
const few = 1000

for (const [name, path] of Object.entries(asked)) {
  test(`${name}: few blocks are read in a large store and in a small one`, async () => {
    for (const shop of [large, small]) {
      const sent = await bindingsOf(async () => {
        const answer = await fetch(world.url + path(shop), { headers: { 'x-api-key': shop.api.key } })
        assert.equal(answer.status, 200)
        await answer.text()
      })
      const reads = sent.filter(
        ({ text }) => /^\s*(select|with)\b/.test(text) && !/\bfor (no key )?update\b/.test(text),
      )
      assert.ok(reads.length > 0)
      for (const read of reads) {
        const blocks = await countBlocks(read)
        assert.ok(blocks < few, `${shop === large ? 'large' : 'small'}: ${blocks} blocks by ${read.text}`)
      }
    }
  })
}

test('a list of the dashboard counts matches up to 10,000, and has those of the API', async () => {
  const staff = await staffOf(world, [large])
  const lists = { products: 'canvas', orders: 'torres', customers: 'person' }
  for (const [name, word] of Object.entries(lists)) {
    for (const page of [1, 3, 40]) {
      const { data, body } = await large.api.get(`/v1/${name}?search=${word}&page=${page}`)
      assert.ok(body.pagination.total >= rows, `${name}: ${body.pagination.total}`)
      const { text } = await staff.get(`/${large.store.id}/${name}?search=${word}&page=${page}`)
      assert.match(text, /of 10,000\+</)
      const links = text.matchAll(new RegExp(`href="[^"]*/${name}/(\\w+_\\w+)"`, 'g'))
      assert.deepEqual(
        [...new Set([...links].map(([, id]) => id))],
        data.map(({ id }: { id: string }) => id),
      )
    }
  }
  const { text } = await staff.get(`/${large.store.id}/customers?search=person777@`)
  assert.match(text, /of 1</)
})

let count = 0

/** Blocks of tables and indexes that the statement touches, planned once for all stores. */
async function countBlocks({ text, values }: { text: string; values: unknown[] }): Promise<number> {
  const name = `asked_${++count}`
  const literals = values.map((value) => {
    const text = prepareValue(value)
    return text === null ? 'null' : pg.escapeLiteral(Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : text)
  })
  await client.query(`prepare ${name} as ${text}`)
  const { rows: plans } = await client.query(
    `explain (analyze, buffers, format json) execute ${name}${literals.length > 0 ? `(${literals.join(', ')})` : ''}`,
  )
  const { Plan: plan } = plans[0]['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

/** Repeats the rows of a store, each with other words. */
async function grow({ store }: TestStore, times: number): Promise<void> {
  const own = `store_id = '${store.id}'`
  await copy(
    'products',
    {
      id: id('n'),
      name: `'Bag ' || n`,
      slug: `'bag-' || n`,
      sku: `'SKU-' || n`,
      search_text: `search_text || ' ' || md5(n::text)`,
      price: '1 + n % 50',
      created_at: "created_at - n * interval '1 minute'",
    },
    own,
    times,
  )
  await copy(
    'customers',
    {
      id: id('n'),
      name: `'Person ' || n`,
      email: `'person' || n || '@example.com'`,
      search_text: `'person' || n || '@example.com ' || md5(n::text)`,
      created_at: "created_at - n * interval '1 minute'",
    },
    own,
    times,
  )
  await copy(
    'orders',
    {
      id: id('n'),
      order_number: 'order_number + n',
      customer_email: `'person' || n || '@example.com'`,
      customer_name: `'Person ' || n`,
      created_at: "created_at - n * interval '1 minute'",
    },
    own,
    times,
  )
}

/** Uuids in the order of numbers. */
function id(number: string): string {
  return `('01900000-0000-7000-8000-' || lpad(${number}::text, 12, '0'))::uuid`
}

async function surround({ store }: TestStore): Promise<void> {
  await copy('stores', { id: `'XX-' || lpad(n::text, 8, '0')`, slug: `slug || n` }, `id = '${store.id}'`, neighbours)
  for (const table of ['products', 'product_words', 'customers', 'orders', 'order_items']) {
    await copy(table, { store_id: `'XX-' || lpad(n::text, 8, '0')` }, `store_id = '${store.id}'`, neighbours)
  }
}

function copy(table: string, but: Record<string, string>, where: string, times: number): Promise<void> {
  return copyRows(client, table, but, `${table} cross join generate_series(1, ${times}) as n where ${where}`)
}

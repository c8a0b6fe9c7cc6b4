// A store that grows while it is asked, and a database without statistics, as after a restore: answers stay right,
// whatever PostgreSQL knows of the sizes of its tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { productOf } from './checkouts.ts'
import { copyRows, fillListed } from './filled.ts'
import { newShop } from './shop.ts'
import { openWorld } from './world.ts'

// The database is its own, as others' statistics go too: `sweeps` says so. No answer is kept.
const world = await openWorld({ CACHE_MAX_MB: '0' }, { sweeps: true })
const client = new pg.Client({ connectionString: world.app.db.pool.options.connectionString! })
client.on('error', () => {}) // it is cut when the database is dropped
await client.connect()
await client.query('set session_replication_role = replica')

const shop = await newShop(world)
const first = await productOf(shop, { sku: 'SKU-1' })
await shop.api.post('/v1/orders', {
  items: [{ product_id: first.id, quantity: 1 }],
  customer_name: 'Ana Torres',
  customer_email: 'ana@example.com',
})

/** Copies of the first rows: their words and states tell them apart. */
async function grow(from: number, until: number): Promise<void> {
  const own = `store_id = '${shop.store.id}'`
  const first = (table: string) => `${table}
    cross join generate_series(${from}, ${until}) as n
    where ${own} and ${table}.id = (select id from ${table} where ${own} order by created_at desc limit 1)`
  const id = `('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const created_at = "now() - n * interval '1 minute' - interval '1 day'"
  await copyRows(
    client,
    'products',
    {
      id,
      name: `'Bag ' || n`,
      slug: `'bag-' || n`,
      sku: `'SKU-' || n`,
      search_text: `'bag ' || n || ' word' || n || 'end'`,
      product_status: `case when n % 10 = 0 then 'archived' else 'active' end`,
      is_featured: 'n % 100 = 1',
      created_at,
    },
    first('products'),
  )
  await copyRows(
    client,
    'orders',
    {
      id,
      order_number: 'order_number + n',
      status: `case when n % 4 = 0 then 'confirmed' else 'pending' end`,
      created_at,
    },
    first('orders'),
  )
  await fillListed(client)
  await client.query(
    `update store_counters set products_active = $2, products_archived = $3, orders = $4 where store_id = $1`,
    [shop.store.id, until - Math.floor(until / 10) + 1, Math.floor(until / 10), until + 1],
  )
}

/** What lists answer of the rows 1 to `count`, and of the first of each table. */
async function isRight(count: number): Promise<void> {
  const total = async (path: string) => (await shop.api.get(path)).body.pagination.total
  const tenths = Math.floor(count / 10)
  assert.equal(await total('/v1/products?status=all'), count + 1)
  assert.equal(await total('/v1/products?status=archived&search=bag'), tenths)
  assert.equal(await total('/v1/products?is_featured=true'), Math.ceil(count / 100))
  assert.equal(await total('/v1/orders?status=confirmed'), Math.floor(count / 4))
  const { data: found } = await shop.api.get(`/v1/products?status=all&search=word${count}end`)
  assert.deepEqual(
    found.map(({ name }: { name: string }) => name),
    [`Bag ${count}`],
  )
  const { data: last } = await shop.api.get(`/v1/products?status=all&page=${Math.ceil((count + 1) / 25)}`)
  assert.equal(last.at(-1).name, `Bag ${count}`)
}

test('a store that grows from ten rows to thousands while it is asked gets right answers', async () => {
  await grow(1, 10)
  await client.query('analyze')
  for (let turn = 0; turn < 6; turn++) await isRight(10) // its statements are prepared
  await grow(11, 3000)
  await isRight(3000)
  await client.query('analyze')
  await isRight(3000)
})

test('without statistics, as after a restore, answers are the same', async () => {
  await client.query(`delete from pg_statistic`)
  await client.query(`update pg_class set reltuples = -1, relpages = 0 where relnamespace = 'public'::regnamespace`)
  await isRight(3000)
})

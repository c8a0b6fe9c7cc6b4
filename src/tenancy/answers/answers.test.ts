// Answers in memory, asked of two nodes over one database: none is older than the last write that was acknowledged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { client } from '../../../test/client.ts'
import { databaseUrl } from '../../../test/database.ts'
import { statementsOf } from '../../../test/statements.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { loadDependencies } from './dependencies.ts'
import { toSubjectSet } from './versions.ts'
import { deactivateKey } from '../../identity/apikeys/operations.ts'
import type { Db } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'

const [one, other] = [await openWorld(), await openWorld()]

/** A store with a product, as both nodes serve it. */
async function onBoth() {
  const shop = await one.newStore()
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 1 })
  return { shop, product, here: shop.api, there: client(other.url, { 'x-api-key': shop.api.key }) }
}

test('a repeated read sends the statement that reads the versions, and no other', async () => {
  const { here, product } = await onBoth()
  for (const path of ['/v1/products', `/v1/products/${product.id}`, '/v1/products/count']) {
    for (let times = 0; times < 3; times++) await here.get(path)
    assert.equal((await statementsOf(() => here.get(path))).length, 1, path)
  }
})

test('a write on one node shows on the other at once', async () => {
  const { here, there, product } = await onBoth()
  const paths = ['/v1/products', `/v1/products/${product.id}`]
  for (let price = 2; price <= 20; price++) {
    const [writer, reader] = price % 2 === 0 ? [here, there] : [there, here]
    await writer.patch(`/v1/products/${product.id}`, { price })
    for (const path of paths) {
      const { data } = await reader.get(path)
      assert.equal([data].flat()[0].price, price)
    }
  }
})

test('while writers run on both nodes, no answer is older than what was acknowledged before it', async () => {
  const { here, there, product } = await onBoth()
  const { data: second } = await here.post('/v1/products', { name: 'Cup', price: 1 })
  const writers = [
    { node: here, id: product.id, acknowledged: 1 },
    { node: there, id: second.id, acknowledged: 1 },
  ]
  const last = 40
  const write = async (writer: (typeof writers)[number]) => {
    while (writer.acknowledged < last) {
      const price = writer.acknowledged + 1
      assert.equal((await writer.node.patch(`/v1/products/${writer.id}`, { price })).status, 200)
      writer.acknowledged = price
    }
  }
  const read = async (node: typeof here) => {
    while (writers.some(({ acknowledged }) => acknowledged < last)) {
      for (const { id, acknowledged } of writers.map((writer) => ({ ...writer }))) {
        const { data } = await node.get(`/v1/products/${id}`)
        assert.ok(data.price >= acknowledged, `${data.price} after ${acknowledged}`)
      }
    }
  }
  await Promise.all([...writers.map(write), ...[here, there, here, there].map(read)])
})

/** The versions of a store, as `db` sees them. */
async function versionsOf(db: Db, { store }: TestStore): Promise<Record<string, number>> {
  const sums = await db.one<Record<string, number>>(sql`
    select sum(access)::bigint as access, sum(settings)::bigint as settings, sum(catalog)::bigint as catalog,
      sum(discounts)::bigint as discounts, sum(customers)::bigint as customers, sum(orders)::bigint as orders
    from store_versions
    where store_id = ${store.id}`)
  return sums!
}

/** The subjects that `write` moves. */
async function movedBy(shops: TestStore[], write: () => Promise<unknown>): Promise<string[][]> {
  const { db } = one.app
  const before = await Promise.all(shops.map((shop) => versionsOf(db, shop)))
  await write()
  const after = await Promise.all(shops.map((shop) => versionsOf(db, shop)))
  return after.map((sums, index) => Object.keys(sums).filter((subject) => sums[subject]! > before[index]![subject]!))
}

const renamed = ({ store }: TestStore, table: 'products' | 'customers') =>
  sql`update ${raw(table)} set name = name || '.' where store_id = ${store.id}`

test('writers that are open at once in one store do not wait for each other', async () => {
  const { shop } = await onBoth()
  const { db } = one.app
  const move = (meanwhile: () => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await tx.rows(sql`select move_version(${shop.store.id}, 'catalog')`)
      await meanwhile()
    })
  // The inner one ends while the outer one has moved the same version.
  await move(() => move(async () => {}))
  const rows = await db.rows(sql`select slot from store_versions where store_id = ${shop.store.id}`)
  assert.equal(rows.length, 2)
})

test('a transaction moves all versions of its store with its last statement', async () => {
  const { shop, here } = await onBoth()
  await here.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  const { db } = one.app
  const write = () =>
    db.transaction(async (tx) => {
      const before = await versionsOf(tx, shop)
      for (const table of ['products', 'customers', 'products'] as const) await tx.rows(renamed(shop, table))
      assert.deepEqual(await versionsOf(tx, shop), before)
    })
  assert.deepEqual(await movedBy([shop], write), [['catalog', 'customers']])
})

test('a transaction over several stores moves the versions of each', async () => {
  const shops = [(await onBoth()).shop, (await onBoth()).shop]
  const write = () => one.app.db.transaction(async (tx) => shops.forEach((shop) => tx.later(renamed(shop, 'products'))))
  assert.deepEqual(await movedBy(shops, write), [['catalog'], ['catalog']])
})

test('what is undone to a savepoint moves no version, and what came before it does', async () => {
  const { shop, here } = await onBoth()
  await here.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  const write = () =>
    one.app.db.transaction(async (tx) => {
      tx.later(renamed(shop, 'products'))
      tx.later(sql`savepoint here`)
      tx.later(renamed(shop, 'customers'))
      tx.later(sql`rollback to savepoint here`)
    })
  assert.deepEqual(await movedBy([shop], write), [['catalog']])
})

test('a write outside a transaction of ours moves versions at once: of a session of ours, and of psql', async (t) => {
  const { shop } = await onBoth()
  assert.deepEqual(await movedBy([shop], () => one.app.db.rows(renamed(shop, 'products'))), [['catalog']])
  const psql = new pg.Client({ connectionString: databaseUrl() })
  await psql.connect()
  t.after(() => psql.end())
  const rename = () => psql.query(`update products set name = name || '.' where store_id = '${shop.store.id}'`)
  assert.deepEqual(await movedBy([shop], rename), [['catalog']])
  for (const begin of ['begin', 'begin deferrable']) {
    const write = async () => {
      await psql.query(begin)
      await rename()
      await psql.query('commit')
    }
    assert.deepEqual(await movedBy([shop], write), [['catalog']], begin)
  }
})

test('a write that is rolled back moves no version', async () => {
  const { shop, here } = await onBoth()
  const sum = () => one.app.db.one(sql`select sum(catalog) from store_versions where store_id = ${shop.store.id}`)
  const before = await sum()
  const rehearsal = await here.post('/v1/products', { name: 'Mug', price: 5 }, { headers: { prefer: 'dry-run' } })
  assert.equal(rehearsal.headers.get('preference-applied'), 'dry-run')
  assert.deepEqual(await sum(), before)
})

test('a key that is deactivated on one node reads nothing more on the other', async () => {
  const { shop, there } = await onBoth()
  for (let times = 0; times < 3; times++) assert.equal((await there.get('/v1/products')).status, 200)
  const [key] = await one.app.db.rows<{ id: string }>(sql`select id from api_keys where store_id = ${shop.store.id}`)
  await one.app.db.transaction((tx) => deactivateKey(tx, key!.id))
  assert.equal((await there.get('/v1/products')).status, 401)
})

test('a store that is paused on one node is closed on the other at once', async () => {
  const { shop, here } = await onBoth()
  const read = () => fetch(`${other.url}/storefront/${shop.store.slug}/products`)
  for (let times = 0; times < 3; times++) assert.equal((await read()).status, 200)
  await here.patch('/v1/store', { status: 'paused' })
  assert.equal((await read()).status, 503)
})

test('an answer that depends on the time ends with the next time in its records, and begins with its own', async () => {
  const { here } = await onBoth()
  const at = (seconds: number) => new Date(one.clock.now().getTime() + seconds * 1000).toISOString()
  const body = { code: 'TEN', type: 'percentage', value: 10, starts_at: at(100), expires_at: at(200) }
  const { data } = await here.post('/v1/discounts', body)
  const reason = async () => {
    const answers = [await here.get(`/v1/discounts/${data.id}`), await here.get('/v1/discounts?status=all')]
    const [record, list] = answers.map(({ data }) => [data].flat()[0].unusable_reason)
    assert.equal(record, list)
    return record
  }
  const often = async () => [await reason(), await reason(), await reason()]
  assert.deepEqual(await often(), Array(3).fill('not_started'))
  one.clock.advance(150)
  assert.deepEqual(await often(), [null, null, null])
  one.clock.advance(100)
  assert.deepEqual(await often(), Array(3).fill('expired'))
  // A clock that is set back.
  one.clock.set(-100)
  assert.deepEqual(await often(), [null, null, null])
  one.clock.set(100)
})

test('a list has an entity tag, which changes with its records and not with others', async () => {
  const { here, product } = await onBoth()
  const { headers } = await here.get('/v1/products')
  const etag = headers.get('etag')!
  const again = (path = '/v1/products') => here.get(path, { headers: { 'if-none-match': etag } })
  assert.equal((await again()).status, 304)
  await here.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  assert.equal((await again()).status, 304)
  await here.patch(`/v1/products/${product.id}`, { price: 7 })
  const changed = await again()
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.get('etag'), etag)
})

test('what no version follows is never kept, and has no tag', async () => {
  const { here } = await onBoth()
  for (let times = 0; times < 3; times++) {
    const { headers, status } = await here.get('/v1/events')
    assert.deepEqual([status, headers.get('etag')], [200, null])
  }
})

test('what a statement reads by a function is followed, too', async () => {
  const find = await loadDependencies(one.app.db)
  const read = (text: string) => find({ text, values: [] })?.subjects
  assert.equal(read(`select bundle_stock('SH-1', '[]') as kept`), toSubjectSet('catalog'))
  assert.equal(read(`select shown_custom_fields('SH-1', 'product', '{}')`), toSubjectSet('settings'))
  const { shop, product, here, there } = await onBoth()
  const bundle_items = [{ product_id: product.id }]
  const { data: set } = await shop.api.post('/v1/products', { name: 'Set', price: 1, bundle_items })
  await here.patch(`/v1/products/${product.id}`, { track_inventory: true })
  for (let stock = 1; stock <= 5; stock++) {
    await here.patch(`/v1/inventory/products/${product.id}`, { quantity: 1 })
    for (const node of [there, here, there])
      assert.equal((await node.get(`/v1/products/${set.id}`)).data.bundle_stock, stock)
  }
})

test('two keys of a store share an answer that their scopes allow', async () => {
  const { shop, here } = await onBoth()
  const second = await shop.withKey({})
  await second.get('/v1/customers')
  for (let times = 0; times < 3; times++) await here.get('/v1/products')
  assert.equal((await statementsOf(() => second.get('/v1/products'))).length, 1)
  const narrow = await shop.withKey({ scopes: ['read:orders'] })
  assert.equal((await narrow.get('/v1/products')).status, 403)
})

test('memory stays within its limit', async () => {
  const small = await openWorld({ CACHE_MAX_MB: '1' })
  const shop: TestStore = await small.newStore()
  const text = 'x'.repeat(4000)
  for (let n = 0; n < 20; n++) await shop.api.post('/v1/products', { name: `Mug ${n}`, price: n, description: text })
  for (let n = 1; n < 40; n++) {
    for (let times = 0; times < 3; times++) await shop.api.get(`/v1/products?per_page=${n}`)
  }
  const metrics = await (await fetch(`${small.url}/metrics`)).text()
  const bytes = metrics.split('\n').find((line) => line.startsWith('answer_cache_bytes '))!
  const all = Number(bytes.split(' ')[1])
  assert.ok(all > 100_000 && all < 3_000_000, bytes)
})

test('the key of an answer is a whole address', async () => {
  const { here, product } = await onBoth()
  const { data: second } = await here.post('/v1/products', { name: 'Cup', price: 3 })
  const names = async (path: string) => [(await here.get(path)).data].flat().map(({ name }: any) => name)
  for (let times = 0; times < 3; times++) {
    assert.deepEqual(await names('/v1/products?per_page=1'), ['Cup'])
    assert.deepEqual(await names('/v1/products?per_page=1&page=2'), ['Mug'])
    assert.deepEqual(await names(`/v1/products/${product.id}`), ['Mug'])
    assert.deepEqual(await names(`/v1/products/${second.id}`), ['Cup'])
  }
})

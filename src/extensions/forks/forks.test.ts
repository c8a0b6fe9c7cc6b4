import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ana, buyer, productOf, setUp } from '../../../test/checkouts.ts'
import { client, type Client } from '../../../test/client.ts'
import { newDataDir } from '../../../test/server.ts'
import { stoaOn } from '../../../test/stoa.ts'
import { madeReady, send as upload } from '../../../test/uploads.ts'
import { openWorld, secretKey, type TestStore } from '../../../test/world.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { personalNames } from '../../kit/declare/row.ts'
import { listDatabases, createDatabase } from './databases.ts'
import { nounNames, getTableNoun, getNounTable } from '../../developer/auditlog/nouns.ts'
import { checkout } from '../../storefront/checkout/checkout.ts'
import { copiedTables, replacementsWith } from './content.ts'
import { toForkDatabase, databasePrefix, forkUrl } from './names.ts'

const world = await openWorld({}, { forks: true })
const { app, url, clock } = world
const databaseUrl = String(app.db.pool.options.connectionString)

const inAnHour = new Date(Date.now() + 3600_000)

type Fork = { id: string; uuid: string; key: string; api: Client }

async function forkOf({ api }: TestStore): Promise<Fork> {
  const { status, data } = await api.post('/v1/forks', { name: 'Checkout tests' })
  assert.deepEqual([status, data.status, data.name], [201, 'ready', 'Checkout tests'])
  const uuid = toUuid('fork', data.id)!
  assert.equal(data.url, `https://shop.example/forks/${uuid}`)
  return { id: data.id, uuid, key: data.key, api: client(`${url}/forks/${uuid}`, { 'x-api-key': data.key }) }
}

async function inDatabase<T>(uuid: string, statement: string): Promise<T[]> {
  const other = new pg.Client({ connectionString: forkUrl(databaseUrl, uuid) })
  await other.connect()
  try {
    return (await other.query(statement)).rows as T[]
  } finally {
    await other.end()
  }
}

test('a fork has what the store has, and neither sees what the other writes', async () => {
  const shop = await setUp(await world.newStore())
  const backpack = await productOf(shop, { stock: 7 })
  const order = (await shop.api.post('/v1/orders', { ...buyer(), items: [{ product_id: backpack.id, quantity: 2 }] }))
    .data
  const fork = await forkOf(shop)

  const copied = (await fork.api.get(`/v1/products/${backpack.id}`)).data
  assert.deepEqual([copied.name, copied.stock_quantity], ['Canvas backpack', 5])
  assert.equal((await fork.api.get(`/v1/orders/${order.id}`)).data.total, order.total)
  assert.equal((await fork.api.get('/v1/store')).data.id, shop.store.id)

  await fork.api.patch(`/v1/products/${backpack.id}`, { name: 'Renamed in the fork' })
  await shop.api.patch(`/v1/products/${backpack.id}`, { price: 99 })
  const next = await fork.api.post('/v1/orders', { ...buyer(), items: [{ product_id: backpack.id, quantity: 1 }] })
  assert.equal(next.data.order_number, order.order_number + 1)
  assert.equal(next.headers.get('location'), `/forks/${fork.uuid}/v1/orders/${next.data.id}`)
  assert.equal(next.headers.get('x-robots-tag'), 'noindex, nofollow')
  const original = (await shop.api.get(`/v1/products/${backpack.id}`)).data
  const forked = (await fork.api.get(`/v1/products/${backpack.id}`)).data
  assert.deepEqual([original.name, original.price, original.stock_quantity], ['Canvas backpack', 99, 5])
  assert.deepEqual([forked.name, forked.price, forked.stock_quantity], ['Renamed in the fork', 20, 4])
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
})

test('keys of a store and of its fork open only their own', async () => {
  const shop = await world.newStore()
  const fork = await forkOf(shop)
  assert.match(fork.key, /^wk_test_/)
  const [forkWithOwn, storeWithFork] = [
    client(fork.api.url, { 'x-api-key': shop.api.key }),
    client(url, { 'x-api-key': fork.key }),
  ]
  assert.equal((await forkWithOwn.get('/v1/store')).status, 401)
  assert.equal((await storeWithFork.get('/v1/store')).status, 401)
  assert.equal((await fork.api.post('/v1/forks')).error.message, 'A fork cannot be forked')
  const other = await world.newStore()
  assert.equal((await other.api.get(`/v1/forks/${fork.id}`)).status, 404)
})

test('the key of a fork has the scopes of its creator, and is returned only once', async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ scopes: ['write:store', 'read:products'] })
  const { data } = await api.post('/v1/forks')
  assert.equal('key' in (await api.get(`/v1/forks/${data.id}`)).data, false)
  const own = client(`${url}/forks/${toUuid('fork', data.id)}`, { 'x-api-key': data.key })
  assert.equal((await own.get('/v1/products')).status, 200)
  assert.equal((await own.get('/v1/orders')).error.code, 'SCOPE_INSUFFICIENT')
})

test('personal data is masked: addresses stay valid and unique, and a customer keeps their orders', async () => {
  const shop = await setUp(await world.newStore())
  await shop.api.patch('/v1/store', { reply_to_email: 'ana.owner@example.net' })
  const mug = await productOf(shop)
  const items = [{ product_id: mug.id, quantity: 1 }]
  for (const email of ['ana@example.net', 'bo@example.net', 'ana@example.net']) {
    const customer = {
      name: email.split('@')[0],
      email,
      phone: email.startsWith('ana') ? '+52 55 1234 5678' : '+52 55 8765 4321',
    }
    const { status } = await shop.api.post('/v1/orders', {
      ...buyer(email),
      customer,
      items,
      customer_notes: 'Ring twice',
    })
    assert.equal(status, 201)
  }
  const typedByStaff = {
    customer: { name: 'ana', email: 'ana@example.net' },
    items: [{ product_name: 'ana cake', unit_price: 5, quantity: 1 }],
    shipping_address: { address: '1 Main Street', city: 'Cork', country_code: 'IE', province: 'ana county' },
    tags: ['ana likes blue'],
  }
  const custom = await shop.api.post('/v1/orders', typedByStaff)
  assert.equal(custom.status, 201)
  const parcel = { carrier: 'ana van', tracking_number: '5512345678' }
  assert.equal((await shop.api.post(`/v1/orders/${custom.data.id}/fulfillments`, parcel)).status, 201)
  const fork = await forkOf(shop)
  const customers = (await fork.api.get('/v1/customers?sort=created_at&order=asc')).data
  const emails = customers.map(({ email }: { email: string }) => email)
  assert.equal(new Set(emails).size, 2)
  for (const email of emails) assert.match(email, /^customer-[0-9a-f]{12}@example\.com$/)
  const orders = (await fork.api.get('/v1/orders?sort=created_at&order=asc')).data
  assert.deepEqual(
    orders.map((order: any) => order.customer_email),
    [emails[0], emails[1], emails[0], emails[0]],
  )
  assert.equal(orders[0].shipping_address.address, '1 Sample Street')
  assert.equal((await fork.api.get(`/v1/customers?search=${emails[1]}`)).data.length, 1)
  const typed = ['ana', 'bo@', 'Reforma', '1234 5678', '5512345678', 'Ring twice', 'example.net', '06600']
  for (const table of copiedTables) {
    const rows = await inDatabase<{ row: string }>(fork.uuid, `select to_jsonb(${table})::text as row from ${table}`)
    const found = rows.flatMap(({ row }) =>
      typed.filter((text) => row.includes(`"${text}`) || row.includes(`${text}"`)),
    )
    assert.deepEqual(found, [], table)
  }
})

test('every personal column of a copied table is replaced', () => {
  const replaced = replacementsWith('salt')
  const declared = nounNames.map((name) => getTableNoun(getNounTable(name)!))
  const missing = [...declared, { table: 'checkouts', fields: checkout.fields }]
    .filter(({ table }) => copiedTables.includes(table))
    .flatMap(({ table, fields }) =>
      personalNames(fields)
        .filter((name) => !(fields as any)[name].spec.expression && !Object.hasOwn(replaced[table] ?? {}, name))
        .map((name) => `${table}.${name}`),
    )
  assert.deepEqual(missing, [])
  assert.deepEqual(
    Object.keys(replaced).filter((table) => !copiedTables.includes(table)),
    [],
  )
})

test('what is copied refers to nothing that stays behind, and a fork has every index', async () => {
  const references = await app.db.rows<{ from: string; to: string }>(sql`
    select distinct conrelid::regclass::text as from, confrelid::regclass::text as to
    from pg_constraint
    where contype = 'f'`)
  const copied = new Set([...copiedTables, 'plans'])
  assert.deepEqual(
    references.filter(({ from, to }) => copied.has(from) && !copied.has(to)),
    [],
  )
  const shop = await world.newStore()
  await app.db.rows(sql`
    insert into unsummed (store_id, kind, quarter)
    select ${shop.store.id}, 'orders', '2026-01-01'::timestamptz + n * interval '15 minutes'
    from generate_series(1, 2500) as n`)
  const { uuid } = await forkOf(shop)
  const [{ rows }] = (await inDatabase<{ rows: string }>(uuid, 'select count(*) as rows from unsummed')) as [any]
  assert.equal(Number(rows), 2500)
  const definitions = `select indexdef from pg_indexes where schemaname = 'public' order by indexdef`
  assert.deepEqual(await inDatabase(uuid, definitions), await app.db.rows(sql`${raw(definitions)}`))
})

test('webhooks, mail and payments of the original reach nobody from a fork', async () => {
  const shop = await setUp(await world.newStore())
  await shop.api.post('/v1/store/payment-methods', {
    code: 'card',
    provider: 'stripe',
    settings: { secret_key: 'sk_live_abcdefghijklmnop', webhook_secret: 'whsec_abcdefghijklmnop' },
  })
  const hook = { url: 'https://93.184.216.34/hooks', events: ['order.created'] }
  assert.equal((await shop.api.post('/v1/webhooks', hook)).status, 201)
  const fork = await forkOf(shop)
  assert.deepEqual((await fork.api.get('/v1/webhooks')).data, [])
  const methods = (await fork.api.get('/v1/store/payment-methods')).data
  assert.deepEqual(methods.map(({ code, provider }: any) => [code, provider]).sort(), [
    ['card', 'test'],
    ['cod', 'manual'],
  ])
  const mug = await productOf({ ...shop, api: fork.api })
  const order = { ...buyer(), items: [{ product_id: mug.id, quantity: 1 }], notify_customer: true }
  assert.equal((await fork.api.post('/v1/orders', order)).status, 201)
  await fork.api.post('/v1/test/clock', { advance: 60 })
  const { emails } = (await fork.api.get('/v1/test/outbox')).data
  assert.deepEqual(
    emails.map(({ to }: { to: string }) => to),
    [ana.email],
  )
})

test('a fork shows the images of its original, and removes none of them', async () => {
  const shop = await world.newStore()
  const { data: picture } = await upload(shop.api)
  await madeReady(shop.api, picture.id)
  const { api } = await forkOf(shop)
  const { pathname } = new URL(picture.url)
  const statuses = async () => [(await fetch(url + pathname)).status, (await fetch(api.url + pathname)).status]
  assert.deepEqual(await statuses(), [200, 200])
  assert.equal(
    (await api.get(`/v1/media/${picture.id}`)).data.url,
    picture.url.replace('.example/', `.example${new URL(api.url).pathname}/`),
  )
  assert.equal((await api.delete(`/v1/media/${picture.id}`)).status, 200)
  const { data: own } = await upload(api)
  await madeReady(api, own.id)
  await api.post('/v1/test/clock', { advance: 24 * 3600 })
  const ownPath = new URL(own.url).pathname.replace(/^\/forks\/[^/]+/, '')
  assert.deepEqual([(await fetch(api.url + ownPath)).status, (await fetch(url + pathname)).status], [200, 200])
})

test('who guesses IDs of forks is turned away, and others are not', async () => {
  const { uuid } = await forkOf(await world.newStore())
  const ask = async (id: string, ip: string) =>
    (await fetch(`${url}/forks/${id}/v1/store`, { headers: { 'x-forwarded-for': ip } })).status
  const guesses = []
  for (let count = 0; count < 70; count++) guesses.push(await ask(newUuid(), '10.9.9.9'))
  assert.deepEqual([guesses[0], guesses.at(-1)], [404, 429])
  assert.deepEqual([await ask(uuid, '10.9.9.9'), await ask(uuid, '10.9.9.10')], [429, 401])
})

test('a store has at most five forks; a deleted one leaves no database', async () => {
  const shop = await world.newStore()
  const forks = [await forkOf(shop), await forkOf(shop)]
  // Their databases are still to be made.
  await app.db.rows(sql`
    insert into forks (store_id, id, status, scopes, key_hash, key_last4, expires_at, created_at, updated_at)
    select ${shop.store.id}, gen_random_uuid(), 'creating', '{}', '', '', ${inAnHour}, ${inAnHour}, ${inAnHour}
    from generate_series(1, 3)`)
  const refused = await shop.api.post('/v1/forks')
  assert.deepEqual(
    [refused.status, refused.error.message],
    [409, 'This store has 5 forks, the maximum. Delete one first'],
  )
  for (const { id, uuid, api } of forks) {
    assert.equal((await api.get('/v1/store')).status, 200)
    assert.equal((await shop.api.delete(`/v1/forks/${id}`)).status, 200)
    assert.equal((await api.get('/v1/store')).status, 404)
    await app.jobs.run('keep forks')
    assert.ok(
      !(await listDatabases(databaseUrl, databasePrefix(databaseUrl))).includes(toForkDatabase(databaseUrl, uuid)),
    )
  }
})

test('a database left by a process that ended is dropped, and its fork is built', async () => {
  const shop = await world.newStore()
  const stray = databasePrefix(databaseUrl) + 'f'.repeat(32)
  await createDatabase(databaseUrl, stray)
  const fork = await forkOf(shop)
  // As if its process had been killed halfway.
  await createDatabase(databaseUrl, toForkDatabase(databaseUrl, fork.uuid))
  await app.db.transaction(async (tx) =>
    tx.later(sql`
      update forks set status = 'creating', due_at = ${tx.now}, ready_at = null where id = ${fork.uuid}`),
  )
  assert.equal((await fork.api.get('/v1/store')).status, 409)
  await app.jobs.run('keep forks')
  assert.equal((await shop.api.get(`/v1/forks/${fork.id}`)).data.status, 'ready')
  assert.ok(!(await listDatabases(databaseUrl, databasePrefix(databaseUrl))).includes(stray))
  assert.equal((await fork.api.get('/v1/store')).status, 200)
})

test('a fork whose process is killed is made by another process, and nothing else is left', async (t) => {
  const shop = await world.newStore()
  const dataDir = await newDataDir(t)
  const stoa = stoaOn({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET_KEY: secretKey })
  const databases = () => listDatabases(databaseUrl, databasePrefix(databaseUrl))
  const before = (await databases()).length
  const { child, ended } = stoa('store', 'fork', shop.store.id)
  while ((await databases()).length === before) await sleep(2)
  child.kill('SIGKILL')
  await ended
  const [left] = (await shop.api.get('/v1/forks')).data
  assert.equal(left.status, 'creating')
  clock.advance(61)
  await app.jobs.run('keep forks')
  assert.equal((await shop.api.get(`/v1/forks/${left.id}`)).data.status, 'ready')
  assert.equal((await shop.api.delete(`/v1/forks/${left.id}`)).status, 200)
  const made = await stoa.json('store', 'fork', shop.store.id, '--name', 'By command')
  assert.deepEqual([made.fork.status, made.fork.name], ['ready', 'By command'])
  assert.equal((await stoa.json('store', 'forks', shop.store.id)).forks[0].id, made.fork.id)
  await stoa.json('store', 'delete-fork', made.fork.id)
  await app.jobs.run('keep forks')
  assert.equal((await databases()).length, before)
})

test('a fork ends after seven days', async () => {
  const shop = await world.newStore()
  const fork = await forkOf(shop)
  const { created_at, expires_at } = (await shop.api.get(`/v1/forks/${fork.id}`)).data
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 24 * 3600_000)
  assert.equal((await fork.api.get('/v1/store')).status, 200)
  clock.advance(7 * 24 * 3600)
  assert.equal((await fork.api.get('/v1/store')).status, 404)
  await app.jobs.run('keep forks')
  assert.equal((await shop.api.get(`/v1/forks/${fork.id}`)).status, 404)
  const [{ count }] = (await app.db.rows<{ count: number }>(
    sql`select count(*) from pg_database where datname = ${toForkDatabase(databaseUrl, fork.uuid)}`,
  )) as [{ count: number }]
  assert.equal(count, 0)
})

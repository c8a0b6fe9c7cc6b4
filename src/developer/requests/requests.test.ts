import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { client } from '../../../test/client.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { ConnectionLost } from '../../kit/database/errors.ts'
import { sql } from '../../kit/database/sql.ts'
import { openLog } from '../../platform/process/log.ts'
import { openRequestLog, type RequestRow } from './log.ts'

// The database is its own: days are made and dropped.
const world = await openWorld({}, { sweeps: true })
const { db } = world.app

/** The store's request log, newest first. Reading it is logged too, but that entry is not written yet. */
async function logOf({ api }: TestStore, query = ''): Promise<any[]> {
  await world.app.requestLog!.flush()
  return dataOf(await api.get(`/v1/requests?${query}`), 200)
}

/** The newest one, with its bodies. */
async function newestOf(shop: TestStore, query = ''): Promise<any> {
  const [newest] = await logOf(shop, query)
  return dataOf(await shop.api.get(`/v1/requests/${newest.id}`), 200)
}

test('a request is told with its time, route, key, status, duration and sizes', async () => {
  const shop = await world.newStore()
  const product = await productOf(shop)
  const answer = await shop.api.get(`/v1/products/${product.id}`)
  const [read, write] = await logOf(shop)
  const { id, created_at, duration_ms, credential, bytes_out, ...rest } = read
  assert.equal(id, answer.headers.get('x-request-id')!)
  assert.match(id, /^req_[0-9a-z]{26}$/)
  assert.match(credential, /^key_[0-9a-z]{26}$/)
  assert.ok(Math.abs(world.clock.now().getTime() - Date.parse(created_at)) < 60_000)
  assert.ok(duration_ms > 0 && duration_ms < 60_000)
  assert.equal(bytes_out, Buffer.byteLength(JSON.stringify(answer.body)))
  assert.deepEqual(rest, {
    request_id: id,
    method: 'GET',
    route: '/v1/products/{id}',
    path: `/v1/products/${product.id}`,
    query: null,
    status: 200,
    code: null,
    bytes_in: 0,
    is_rehearsal: false,
    tool: null,
    agent: null,
  })
  assert.deepEqual(
    [write.method, write.route, write.status, write.credential],
    ['POST', '/v1/products', 201, credential],
  )
  assert.ok(write.bytes_in > 20)
})

test('a write has what was sent and answered, a read has not', async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/products', { name: 'Mug', price: 10 })
  const write = await newestOf(shop)
  assert.deepEqual(write.request_body, { name: 'Mug', price: 10 })
  assert.deepEqual([write.answer_body.data.slug, write.answer_body.data.price], ['mug', 10])
  await shop.api.get('/v1/products')
  const read = await newestOf(shop, 'method=GET&route=/v1/products')
  assert.deepEqual([read.request_body, read.answer_body, read.error], [null, null, null])
})

test('what is personal or secret, or named by no schema, is masked in both bodies', async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/customers', { ...ana, notes: 'Knocks twice', tax_exempt: true, nickname: 'Anita' })
  const made = await newestOf(shop)
  const hidden = '***'
  assert.deepEqual(made.request_body, {
    name: hidden,
    email: hidden,
    phone: hidden,
    notes: hidden,
    tax_exempt: true,
    nickname: hidden,
  })
  const { id, name, email, display_contact, orders_count } = made.answer_body.data
  assert.match(id, /^cus_/)
  assert.deepEqual([name, email, display_contact, orders_count], [hidden, hidden, hidden, 0])

  const secret = 'a secret of 24 characters'
  await shop.api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['order.created'], secret })
  const subscribed = await newestOf(shop)
  assert.deepEqual([subscribed.request_body.secret, subscribed.answer_body.data.secret], [hidden, hidden])
  const everything = await db.rows(sql`select requests::text as row from requests where store_id = ${shop.store.id}`)
  for (const trace of ['Ana', 'Torres', 'ana@', '5512', '1234 5678', 'Knocks', 'Anita', secret]) {
    assert.ok(!JSON.stringify(everything).includes(trace), trace)
  }
})

test('a shopper is logged for the store, without a credential and without what opens the checkout', async () => {
  const shop = await world.newStore()
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const shopper = shopperOf(world, shop)
  const { token } = dataOf(await shopper.begin({ items, ...buyer() }), 201)
  await shopper.read(token)
  const [read, begun] = await logOf(shop)
  assert.deepEqual(
    [read.route, read.path, read.credential],
    ['/storefront/{slug}/checkouts/{token}', `/storefront/${shop.store.slug}/checkouts/***`, null],
  )
  const { request_body, answer_body } = dataOf(await shop.api.get(`/v1/requests/${begun.id}`), 200)
  assert.deepEqual(request_body.customer, { name: '***', email: '***', phone: '***' })
  assert.deepEqual([request_body.items, answer_body.data.token], [items, '***'])
  const everything = await db.rows(sql`select requests::text as row from requests where store_id = ${shop.store.id}`)
  for (const trace of [token, 'Ana', 'Reforma', 'Puebla', '06600']) {
    assert.ok(!JSON.stringify(everything).includes(trace), trace)
  }
})

test('a refusal has its code and its faults, reads included', async () => {
  const shop = await world.newStore()
  await shop.api.get('/v1/products?per_page=500&search=ana@example.com&status=active')
  await shop.api.post('/v1/products', { name: '', price: -1 })
  const [write, read] = await logOf(shop, 'status=4xx')
  assert.deepEqual(
    [read.status, read.code, read.query],
    [422, 'VALIDATION_ERROR', 'per_page=500&search=***&status=active'],
  )
  const { error, answer_body } = dataOf(await shop.api.get(`/v1/requests/${write.id}`), 200)
  assert.deepEqual(error.details.map(({ field }: any) => field).sort(), ['name', 'price'])
  assert.equal(answer_body, null)
})

test('who may not do it is logged, who is not known is in nobody’s log', async () => {
  const shop = await world.newStore()
  const narrow = await shop.withKey({ scopes: ['read:products'] })
  assert.equal((await narrow.get('/v1/orders')).status, 403)
  const count = async () => (await db.one<{ count: number }>(sql`select count(*) as count from requests`))!.count
  await world.app.requestLog!.flush()
  const before = await count()
  const old = await shop.withKey({ expires_at: new Date(0) })
  for (const api of [client(world.url, {}), client(world.url, { 'x-api-key': 'wk_live_unknown' }), old]) {
    assert.equal((await api.get('/v1/orders')).status, 401)
  }
  assert.equal((await client(world.url, {}).get('/storefront/no-such-shop')).status, 404)
  assert.equal((await shop.api.get('/v1/no-such-route')).status, 404)
  await world.app.requestLog!.flush()
  assert.equal(await count(), before)
  const [refused] = await logOf(shop)
  assert.deepEqual([refused.status, refused.code], [403, 'SCOPE_INSUFFICIENT'])
})

test('a caller’s own X-Request-Id is kept beside the id, and finds all requests that had it', async () => {
  const shop = await world.newStore()
  const headers = { 'x-request-id': 'import-17' }
  for (const path of ['/v1/store', '/v1/products']) await shop.api.get(path, { headers })
  await shop.api.get('/v1/store')
  const found = await logOf(shop, 'request_id=import-17')
  assert.deepEqual(
    found.map(({ path, request_id }) => [path, request_id]),
    [
      ['/v1/products', 'import-17'],
      ['/v1/store', 'import-17'],
    ],
  )
  assert.notEqual(found[0].id, found[1].id)
})

test('the log is read by its filters, and page by page while it grows', async () => {
  const shop = await world.newStore()
  const other = await shop.withKey({ scopes: ['read:products'] })
  const begun = world.clock.now()
  await shop.api.get('/v1/products')
  world.clock.advance(60)
  const later = world.clock.now()
  await other.get('/v1/products')
  await other.get('/v1/orders')
  const all = await logOf(shop)
  assert.equal(all.length, 3)
  const key = encodeURIComponent(all[0].credential)
  const pathsOf = async (query: string) =>
    (await logOf(shop, `${query}&from=${begun.toISOString()}&route=/v1/products`)).length
  assert.equal(await pathsOf(`credential=${key}`), 1)
  assert.equal(await pathsOf('status=2xx'), 2)
  assert.equal(await pathsOf('method=POST'), 0)
  assert.equal((await logOf(shop, `to=${new Date(later.getTime() - 1000).toISOString()}`)).length, 1)
  assert.equal((await logOf(shop, 'code=SCOPE_INSUFFICIENT')).length, 1)
  // Newer requests are before the page, not in it.
  const [next] = await logOf(shop, `before=${all[0].id}&per_page=1`)
  assert.deepEqual(next, all[1])
})

test('the log needs its own scope, and the requests of another store are unknown', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  await other.api.get('/v1/store')
  const [{ id }] = await logOf(other)
  assert.deepEqual(
    [(await shop.api.get(`/v1/requests/${id}`)).status, await logOf(shop, `request_id=${id}`)],
    [404, []],
  )
  const narrow = await shop.withKey({ scopes: ['read:store'] })
  const { status, error } = await narrow.get('/v1/requests')
  assert.deepEqual([status, error.message], [403, 'This API key lacks the scope read:requests'])
})

test('a day goes whole once it is 7 days over, and the days to come are made ahead', async () => {
  const shop = await world.newStore()
  await shop.api.get('/v1/store')
  const first = await logOf(shop)
  const days = async () =>
    (
      await db.rows<{ name: string }>(sql`
      select relname as name
      from pg_inherits
      join pg_class on pg_class.oid = inhrelid
      where inhparent = 'requests'::regclass
      order by relname`)
    ).map(({ name }) => name)
  const dayIn = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000)
  const nameOf = (inDays: number) => `requests_${dayIn(inDays).toISOString().slice(0, 10).replaceAll('-', '')}`
  world.clock.advance(7 * 86_400)
  await world.app.jobs.run('turn the log of requests')
  assert.ok((await logOf(shop)).some(({ id }) => id === first[0].id))
  for (const inDays of [-7, -1, 0, 1, 2]) assert.ok((await days()).includes(nameOf(inDays)), nameOf(inDays))
  world.clock.advance(86_400)
  await world.app.jobs.run('turn the log of requests')
  assert.equal((await days())[0]! > nameOf(-8), true)
  assert.ok(!(await logOf(shop)).some(({ id }) => id === first[0].id))
})

test('requests of a day that nobody has made are written all the same', async () => {
  const shop = await world.newStore()
  world.clock.advance(30 * 86_400)
  await shop.api.get('/v1/store')
  assert.equal((await logOf(shop))[0].path, '/v1/store')
})

test('with REQUEST_LOG=off nothing is written, and the list is empty', async () => {
  const quiet = await openWorld({ REQUEST_LOG: 'off' })
  const shop = await quiet.newStore()
  await shop.api.get('/v1/store')
  assert.equal(quiet.app.requestLog, null)
  assert.deepEqual(dataOf(await shop.api.get('/v1/requests'), 200), [])
})

test('a request of a batch whose outcome was never heard is logged once, and nothing is missing', async () => {
  const { api, store } = await world.newStore()
  await api.get('/v1/products')
  await world.app.requestLog!.flush()
  const row = (await db.one<RequestRow>(sql`select * from requests where store_id = ${store.id} limit 1`))!
  const rows = [1, 2].map((n) => ({
    ...row,
    id: `${row.id.slice(0, 24)}${String(n).padStart(12, '0')}`,
    route: '/v1/heard',
  }))
  const outcomes = ['lost', 'heard']
  const log = openRequestLog({
    db: {
      ...db,
      async transaction(run) {
        const made = await db.transaction(run)
        if (outcomes.shift() === 'lost') throw new ConnectionLost('The connection was cut behind the commit')
        return made
      },
    },
    log: openLog('silent'),
  })
  rows.forEach((one) => log.add(one))
  await log.flush()
  await log.flush()
  const found = await db.rows<{ id: string }>(sql`
    select id from requests where store_id = ${store.id} and route = '/v1/heard' order by id`)
  assert.deepEqual(
    found.map(({ id }) => id),
    rows.map(({ id }) => id).sort(),
  )
  assert.deepEqual(outcomes, [])
})

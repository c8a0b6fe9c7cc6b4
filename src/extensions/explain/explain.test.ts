import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, home } from '../../../test/checkouts.ts'
import { newProduct, finished, subscribed } from '../../../test/deliveries.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { dataOf } from '../../../test/shop.ts'
import { run } from '../../../test/server.ts'
import { madeReady, send as upload } from '../../../test/uploads.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId, type Prefix } from '../../kit/values/ids.ts'
import { listCheckOutcomes } from './checks.ts'
import { labelStatement } from '../../developer/requests/statement.ts'

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { delivers: true, network: { ca: testAuthority.ca } },
)

async function explained({ api }: Pick<TestStore, 'api'>, id: string | null): Promise<any> {
  await world.app.requestLog!.flush()
  return dataOf(await api.get(`/v1/requests/${id}/explain`), 200)
}

const outcomesOf = ({ checks }: any) => checks.map(({ check, outcome }: any) => `${check} ${outcome}`)

test('a write is explained: checks, statements, round trips, its event, and each attempt at the delivery', async () => {
  const shop = await subscribed(world)
  let count = 0
  shop.shop.answer = () => ({ status: ++count === 1 ? 500 : 200 })
  const created = await newProduct(shop)
  const id = created.headers.get('x-request-id')
  await finished(shop)
  const { request, checks, database, changes, events, mails } = await explained(shop, id)
  const [made] = changes
  assert.deepEqual([made.resource, made.id, made.change], ['product', created.data.id, 'made'])
  assert.ok(made.fields.includes('price'), made.fields.join())
  assert.equal((await shop.api.get(`/v1/audit?request_id=${id}`)).data[0].id, made.audit_id)
  assert.deepEqual([request.id, request.method, request.route, request.status], [id, 'POST', '/v1/products', 201])
  assert.ok(checks.every(({ outcome }: any) => outcome === 'passed'))
  const { statements } = database
  assert.deepEqual([statements[0], statements.at(-1), statements.length], ['begin', 'commit', database.count])
  assert.ok(statements.includes('insert products'), statements.join('; '))
  assert.ok(database.round_trips >= 1 && database.round_trips <= database.count && database.duration_ms > 0)
  const [event, ...others] = events
  assert.deepEqual([event.event, event.event_id, others, mails], ['product.created', created.data.id, [], []])
  const [delivery] = event.deliveries
  assert.deepEqual([delivery.webhook_id, delivery.status], [shop.hook.id, 'delivered'])
  assert.deepEqual(
    delivery.attempts.map(({ attempt, status_code }: any) => [attempt, status_code]),
    [
      [1, 500],
      [2, 200],
    ],
  )
  // From each of them the way leads back.
  const read = (await shop.api.get(`/v1/webhooks/${shop.hook.id}/deliveries/${delivery.id}`)).data
  assert.equal(read.request_id, id)
  assert.equal((await shop.api.get(`/v1/events/${event.id}`)).data.request_id, id)
})

test('mails that a request has caused name it, and it names them', async () => {
  const shop = await world.newStore()
  const items = [{ product_name: 'Gift', unit_price: 5, quantity: 1 }]
  const body = { items, customer_name: ana.name, customer_email: ana.email, shipping_address: { city: home.city } }
  const placed = await shop.api.post('/v1/orders', { ...body, notify_customer: true })
  const id = placed.headers.get('x-request-id')
  const { mails } = await explained(shop, id)
  assert.deepEqual(
    mails.map(({ kind, status }: any) => [kind, status]),
    [['order_confirmation', 'queued']],
  )
  assert.equal((await shop.api.get(`/v1/mails/${mails[0].id}`)).data.request_id, id)
})

test('of a refusal the checks say which one it was, and why; the rest was not reached', async () => {
  const shop = await world.newStore()
  const narrow = await shop.withKey({ scopes: ['read:products'] })
  const { headers } = await narrow.post('/v1/products', { name: 'Mug', price: 1 })
  const whole = await explained(shop, headers.get('x-request-id'))
  assert.deepEqual(outcomesOf(whole).slice(0, 4), [
    'credential passed',
    'rate_limit passed',
    'scope refused',
    'plan_feature not_reached',
  ])
  assert.equal(whole.checks[2].reason, 'This API key lacks the scope write:products')
  const invalid = await shop.api.post('/v1/products', {})
  const explanation = await explained(shop, invalid.headers.get('x-request-id'))
  assert.deepEqual(
    [explanation.checks[4].check, explanation.checks[4].outcome, explanation.events],
    ['input', 'refused', []],
  )
})

test('a caller’s own id is used again, and each request has its own events', async () => {
  const shop = await world.newStore()
  const headers = { 'x-request-id': 'import' }
  const made: string[] = []
  for (const name of ['Mug', 'Cup']) {
    made.push((await shop.api.post('/v1/products', { name, price: 1 }, { headers })).data.id)
    world.clock.advance(60)
  }
  await world.app.requestLog!.flush()
  const both = (await shop.api.get('/v1/requests?request_id=import')).data
  const events = []
  for (const { id } of both.toReversed()) events.push(...(await explained(shop, id)).events)
  assert.deepEqual(
    events.map(({ event_id }) => event_id),
    made,
  )
})

test('two requests under one id of the caller at the same moment have their own changes each', async () => {
  const shop = await world.newStore()
  const headers = { 'x-request-id': 'import' }
  const made = await Promise.all(['Hats', 'Bags'].map((name) => shop.api.post('/v1/categories', { name }, { headers })))
  await world.app.requestLog!.flush()
  const { data: both } = await shop.api.get('/v1/requests?request_id=import')
  const changed = []
  for (const { id } of both) changed.push((await explained(shop, id)).changes.map((change: any) => change.id))
  assert.deepEqual(changed.flat().toSorted(), made.map(({ data }) => data.id).toSorted())
  assert.deepEqual(
    changed.map(({ length }) => length),
    [1, 1],
  )
})

test('what jobs have done since to what it has changed is explanation, with the entries of the audit log', async () => {
  const shop = await world.newStore()
  const uploaded = await upload(shop.api)
  const id = uploaded.headers.get('x-request-id')
  await madeReady(shop.api, uploaded.data.id)
  const { jobs } = await explained(shop, id)
  const [first] = jobs
  assert.deepEqual([first.changes[0].resource, first.changes[0].id], ['picture', uploaded.data.id])
  const { data: entries } = await shop.api.get(`/v1/audit?id=${uploaded.data.id}`)
  const entry = entries.find(({ id }: any) => id === first.changes[0].audit_id)
  assert.deepEqual([entry.actor.kind, entry.actor.id], ['job', first.job])
  const other = await shop.api.post('/v1/categories', { name: 'Hats' })
  assert.deepEqual((await explained(shop, other.headers.get('x-request-id'))).jobs, [])
})

test('a rehearsal is marked in the log of requests, and the list keeps those alone or the others', async () => {
  const shop = await world.newStore()
  const dry = await shop.api.post('/v1/categories', { name: 'Hats' }, { headers: { prefer: 'dry-run' } })
  await shop.api.post('/v1/categories', { name: 'Hats' })
  const explanation = await explained(shop, dry.headers.get('x-request-id'))
  assert.deepEqual([explanation.request.is_rehearsal, explanation.changes, explanation.events], [true, [], []])
  const statuses = async (query: string) =>
    (await shop.api.get(`/v1/requests?method=POST&${query}`)).data.map((each: any) => each.is_rehearsal)
  assert.deepEqual(await statuses('is_rehearsal=true'), [true])
  assert.deepEqual(await statuses('is_rehearsal=false'), [false])
})

test('every code of a refusal is one of the checks', () => {
  for (const code of ['VALIDATION_ERROR', 'CONFLICT', 'SOMETHING_NEW']) {
    const refused = listCheckOutcomes({ code, message: 'No' }).filter(({ outcome }) => outcome === 'refused')
    assert.equal(refused.length, 1, code)
  }
  assert.ok(listCheckOutcomes(null).every(({ outcome }) => outcome === 'passed'))
})

test('a statement is explanation by what it does to which table', () => {
  for (const [text, label] of [
    ['begin', 'begin'],
    ['select id\n from products\n where id = $1 for update of products', 'select products'],
    ['insert into a (x) values ($1) on conflict (x) do update set x = 1', 'insert a'],
    [
      'with some as (select 1), made as (insert into events select 1) insert into deliveries select 2',
      'insert events, insert deliveries',
    ],
    ['with one as (select 1) select * from one join orders on true', 'select orders'],
    ['select pg_advisory_xact_lock(1)', 'lock'],
    ['select set_config($1, $2, true)', 'select'],
    ['update products set a = 1 where id in (select id from other)', 'update products'],
  ] as const)
    assert.equal(labelStatement(text), label)
})

/** The ids of an order's effects. */
async function effectsOf(shop: TestStore): Promise<Record<string, string>> {
  const { api, store } = shop
  await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['order.created'] })
  const items = [{ product_name: 'Gift', unit_price: 1, quantity: 1 }]
  await api.post('/v1/orders', { customer_email: 'ana@example.com', notify_customer: true, items })
  await world.app.requestLog!.flush()
  const [made] = await world.app.db.rows<Record<string, string>>(sql`
    select (select id from events where store_id = ${store.id} and event = 'order.created') as evt,
      (select id from deliveries where store_id = ${store.id}) as dlv,
      (select id from audit_log where store_id = ${store.id} and operation = 'createOrder') as aud,
      (select id from mails where store_id = ${store.id} order by id limit 1) as mail`)
  return Object.fromEntries(Object.entries(made!).map(([prefix, id]) => [prefix, publicId(prefix as Prefix, id)]))
}

test('the operator explains a request by its id or by the caller’s own', async () => {
  const shop = await world.newStore()
  const own = `import-${shop.store.id}`
  const { headers } = await shop.api.post('/v1/products', { name: 'Mug', price: 1 })
  await shop.api.post('/v1/products', { price: 1 }, { headers: { 'x-request-id': own } })
  await world.app.requestLog!.flush()
  const env = { DATABASE_URL: world.app.db.pool.options.connectionString! }
  const command = (...words: string[]) => run('src/program/cli.ts', ['explain', ...words], { env }).ended
  const made = await command(headers.get('x-request-id')!)
  assert.match(made.stdout, /POST \/v1\/products → 201 in [\d.]+ ms, by key_/)
  assert.match(made.stdout, /All checks passed\n\d+ statements in \d+ round trips/)
  assert.match(made.stdout, /\nEvent product\.created for prod_/)
  const refused = await command(own, '--json')
  const { store_id, checks } = JSON.parse(refused.stdout)
  assert.deepEqual([store_id, checks[4].outcome], [shop.store.id, 'refused'])
  const ids = await effectsOf(shop)
  assert.deepEqual(Object.keys(ids), ['evt', 'dlv', 'aud', 'mail'])
  for (const id of Object.values(ids)) {
    const { stdout } = await command(id, '--json')
    assert.match(stdout, /"route":"\/v1\/orders"/, id)
  }
  for (const id of ['req_unknown', 'evt_unknown', ids.evt!.replace(/.{4}$/, '0000')])
    assert.equal((await command(id)).code, 1)
})

// Two customers become one, and are two again after an undo.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUp, productOf } from '../../../../test/checkouts.ts'
import { dataOf, sold } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { newUuid, toUuid } from '../../../kit/values/ids.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { followingTables, tables } from '../../../developer/tables.ts'

const world = await openWorld()
const { db } = world.app

const home = { address: 'Av. Reforma 222', city: 'Ciudad de México', postal_code: '06600', country_code: 'MX' }
const office = { ...home, address: 'Calle 60' }

async function pair(shop: TestStore) {
  const make = async (body: object) => dataOf(await shop.api.post('/v1/customers', body), 201)
  const kept = await make({
    name: 'Ana Torres',
    email: 'ana@example.com',
    tags: ['vip'],
    addresses: [home],
    metadata: { source: 'erp', a: '1' },
    notes: 'Regular',
    accepts_marketing: true,
  })
  const other = await make({
    name: 'Ana T.',
    email: 'ana.torres@example.com',
    phone: '+52 55 1234 5678',
    tags: ['VIP', 'trade'],
    addresses: [home, office],
    metadata: { source: 'shop', b: '2' },
    notes: 'Rings first',
    external_id: 'erp-7',
  })
  return { kept, other }
}

async function mergeOf(shop: TestStore, id: string, customer_id: string) {
  const headers = { 'x-request-id': newUuid() }
  const answer = await shop.api.post(`/v1/customers/${id}/merge`, { customer_id }, { headers })
  const undo = () => shop.api.post(`/v1/changes/${headers['x-request-id']}/revert`, {})
  return { answer, undo }
}

test('orders, drafts, notes, addresses, tags and consents of both are those of one; the other is gone', async () => {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const product = await productOf(shop)
  const { kept, other } = await pair(shop)
  const items = [sold(product)]
  for (const { id } of [kept, other, other])
    dataOf(await api.post('/v1/orders', { items, customer_id: id, payment_status: 'paid' }), 201)
  const last = dataOf(await api.post('/v1/orders', { items, customer_id: other.id }), 201)
  dataOf(await api.patch(`/v1/orders/${last.id}`, { status: 'cancelled' }), 200)
  const draft = dataOf(await api.post('/v1/draft-orders', { items, customer_id: other.id }), 201)
  dataOf(await api.post(`/v1/customers/${other.id}/notes`, { body: 'Wants size 44' }), 201)
  dataOf(await api.patch(`/v1/customers/${other.id}`, { accepts_marketing: true }), 200)
  dataOf(await api.patch(`/v1/customers/${other.id}`, { accepts_marketing: false }), 200)
  const before = await Promise.all([kept, other].map(async ({ id }) => (await api.get(`/v1/customers/${id}`)).data))
  await shop.events()

  const { answer, undo } = await mergeOf(shop, kept.id, other.id)
  const one = dataOf(answer, 200)
  assert.deepEqual(
    [one.id, one.name, one.email, one.phone, one.external_id],
    [kept.id, 'Ana Torres', 'ana@example.com', '+52 55 1234 5678', 'erp-7'],
  )
  assert.deepEqual([one.tags, one.notes], [['vip', 'trade'], 'Regular\n\nRings first'])
  assert.deepEqual(one.metadata, { source: 'erp', a: '1', b: '2' })
  assert.deepEqual(
    one.addresses.map(({ address, is_default_shipping }: any) => [address, is_default_shipping]),
    [
      [home.address, true],
      [office.address, false],
    ],
  )
  assert.deepEqual([one.accepts_marketing, one.marketing_consent.state], [false, 'unsubscribed'])
  const [first, second] = before as [any, any]
  assert.deepEqual([one.orders_count, one.total_spent], [3, first.total_spent + second.total_spent])
  assert.equal(one.last_order_id, last.id)
  assert.equal((await api.get(`/v1/customers/${other.id}`)).status, 404)
  assert.equal((await api.get(`/v1/orders?customer_id=${kept.id}`)).body.pagination.total, 4)
  assert.equal((await api.get(`/v1/draft-orders/${draft.id}`)).data.customer_id, kept.id)
  assert.equal((await api.get(`/v1/customers/${kept.id}/notes`)).data[0].body, 'Wants size 44')
  assert.equal((await api.get(`/v1/marketing-consents?customer_id=${kept.id}`)).data.length, 3)
  assert.equal((await api.get('/v1/customers')).body.pagination.total, 1)
  const events = await shop.events()
  assert.deepEqual(
    events.map(({ event, body }) => [event, body.event_id, body.merged_customer_id]),
    [
      ['customer.updated', kept.id, undefined],
      ['customer.merged', kept.id, other.id],
    ],
  )

  const later = dataOf(await api.post('/v1/orders', { items, customer_id: kept.id, payment_status: 'paid' }), 201)
  dataOf(await undo(), 200)
  const [ana, again] = await Promise.all(
    [kept, other].map(async ({ id }) => (await api.get(`/v1/customers/${id}`)).data),
  )
  assert.deepEqual({ ...again, updated_at: null }, { ...second, updated_at: null })
  assert.deepEqual(
    [ana.orders_count, ana.last_order_id, ana.tags, ana.phone, ana.external_id, ana.accepts_marketing],
    [2, later.id, ['vip'], null, null, true],
  )
  assert.deepEqual(ana.addresses, first.addresses)
  assert.equal((await api.get(`/v1/orders?customer_id=${other.id}`)).body.pagination.total, 3)
  assert.equal((await api.get(`/v1/draft-orders/${draft.id}`)).data.customer_id, other.id)
  assert.equal((await api.get(`/v1/customers/${other.id}/notes`)).data.length, 1)
  assert.equal((await api.get('/v1/customers')).body.pagination.total, 2)
})

test('a merge is not undone after a change of who remained, and says which', async () => {
  const shop = await world.newStore()
  const { kept, other } = await pair(shop)
  const { undo } = await mergeOf(shop, kept.id, other.id)
  dataOf(await shop.api.patch(`/v1/customers/${kept.id}`, { tags: ['gold'] }), 200)
  const { status, error } = await undo()
  assert.equal(status, 409)
  assert.deepEqual(
    error.details.obstacles.map(({ field, reason }: any) => [field, reason]),
    [['tags', 'changed_since']],
  )
})

test('the merge of a customer who had absorbed another is undone, and then the one before', async () => {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const product = await productOf(shop)
  const people = ['A', 'B', 'C'].map((name) => ({ name, email: `${name}@example.com`, tags: [name] }))
  const ids: string[] = []
  for (const body of people) {
    const { id } = dataOf(await api.post('/v1/customers', body), 201)
    dataOf(await api.post('/v1/orders', { items: [sold(product)], customer_id: id }), 201)
    ids.push(id)
  }
  const [a, b, c] = ids as [string, string, string]
  const read = () =>
    Promise.all(
      ids.map(async (id) => {
        const { status, data } = await api.get(`/v1/customers/${id}`)
        const { total } = (await api.get(`/v1/orders?customer_id=${id}`)).body.pagination
        return status === 404 ? null : [data.tags.join(), data.orders_count, total]
      }),
    )
  const before = await read()
  const first = await mergeOf(shop, b, c)
  dataOf(first.answer, 200)
  const between = await read()
  assert.deepEqual(between, [['A', 1, 1], ['B,C', 2, 2], null])
  const second = await mergeOf(shop, a, b)
  dataOf(second.answer, 200)
  assert.deepEqual(await read(), [['A,B,C', 3, 3], null, null])
  assert.equal((await first.undo()).status, 409)
  dataOf(await second.undo(), 200)
  assert.deepEqual(await read(), between)
  dataOf(await first.undo(), 200)
  assert.deepEqual(await read(), before)
  assert.equal((await second.undo()).status, 409)
})

test('what a merge has not changed can change before its undo, and stays', async () => {
  const shop = await world.newStore()
  const { kept, other } = await pair(shop)
  const { undo } = await mergeOf(shop, kept.id, other.id)
  dataOf(await shop.api.patch(`/v1/customers/${kept.id}`, { name: 'Ana Torres Ruiz' }), 200)
  dataOf(await undo(), 200)
  const { name, phone } = (await shop.api.get(`/v1/customers/${kept.id}`)).data
  assert.deepEqual([name, phone], ['Ana Torres Ruiz', null])
})

test('a customer is not merged with themselves, with an unknown one, or with one of another store', async () => {
  const [shop, foreign] = [await world.newStore(), await world.newStore()]
  const { kept } = await pair(shop)
  const theirs = dataOf(await foreign.api.post('/v1/customers', { name: 'Bo' }), 201)
  assert.equal((await mergeOf(shop, kept.id, kept.id)).answer.status, 422)
  assert.equal((await mergeOf(shop, kept.id, theirs.id)).answer.status, 422)
  assert.equal((await mergeOf(shop, theirs.id, kept.id)).answer.status, 404)
  assert.equal((await shop.api.post(`/v1/customers/${kept.id}/merge`, {})).status, 422)
  assert.equal((await foreign.api.get(`/v1/customers/${theirs.id}`)).status, 200)
})

test('what would exceed a limit is named, all at once, and nothing is merged', async () => {
  const shop = await world.newStore()
  const tags = (letter: string) => Array.from({ length: 30 }, (_, index) => `${letter}${index}`)
  const make = async (letter: string) => {
    const body = { name: letter, tags: tags(letter), notes: letter.repeat(3000) }
    return dataOf(await shop.api.post('/v1/customers', body), 201)
  }
  const [a, b] = [await make('a'), await make('b')]
  const { status, error } = (await mergeOf(shop, a.id, b.id)).answer
  assert.equal(status, 422)
  assert.deepEqual(
    error.details.map(({ field }: any) => field),
    ['tags', 'notes'],
  )
  assert.equal((await shop.api.get(`/v1/customers/${b.id}`)).status, 200)
})

test('a dry run of a merge shows it and keeps both', async () => {
  const shop = await world.newStore()
  const { kept, other } = await pair(shop)
  const body = { customer_id: other.id }
  const headers = { prefer: 'dry-run' }
  const answer = await shop.api.post(`/v1/customers/${kept.id}/merge`, body, { headers })
  assert.equal(dataOf(answer, 200).external_id, 'erp-7')
  assert.deepEqual(
    answer.body.rehearsal.events.map(({ event }: any) => event),
    ['customer.updated', 'customer.merged'],
  )
  assert.equal((await shop.api.get(`/v1/customers/${other.id}`)).status, 200)
})

test('the personal data of who was merged is exported and erased with who remained', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const { kept, other } = await pair(shop)
  dataOf((await mergeOf(shop, kept.id, other.id)).answer, 200)
  const { changes } = dataOf(await api.get(`/v1/customers/${kept.id}/data`), 200)
  assert.ok(
    changes.some(({ operation }: any) => operation === 'createCustomer' && JSON.stringify(changes).includes(other.id)),
  )
  dataOf(await api.delete(`/v1/customers/${kept.id}`), 200)
  const rows = await db.rows<{ row: string }>(sql`
    select body as row from events where store_id = ${store.id}
    union all
    select concat(changes, personal) from audit_log where store_id = ${store.id}
    union all
    select merged::text from customer_merges where store_id = ${store.id}`)
  for (const { row } of rows) assert.ok(!row.includes('ana.torres@example.com') && !row.includes('1234 5678'), row)
})

test('the rows of every table that names a customer follow, or the declaration says why not', async () => {
  const columns = await db.rows<{ name: string }>(sql`
    select relname as name
    from pg_class
    join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and attname = 'customer_id'
    order by relname`)
  assert.deepEqual(
    columns.map(({ name }) => name),
    tables
      .filter(({ store }) => store?.merge !== undefined)
      .map(({ name }) => name)
      .toSorted(),
  )
  assert.deepEqual(followingTables.toSorted(), [
    'customer_merges',
    'customer_notes',
    'draft_orders',
    'marketing_consents',
    'orders',
  ])
})

test('10,000 orders follow at once, and come back', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const { kept, other } = await pair(shop)
  const { data: order } = await shop.api.post('/v1/orders', { items: [sold(product)], customer_id: other.id })
  const [row] = await db.rows<{ whole: object }>(sql`
    select to_json(orders) as whole from orders where store_id = ${shop.store.id} and id = ${toUuid('ord', order.id)}`)
  const generated = await db.rows<{ name: string }>(sql`
    select attname as name from pg_attribute where attrelid = 'orders'::regclass and attgenerated <> ''`)
  const names = Object.keys(row!.whole).filter((name) => generated.every((one) => one.name !== name))
  for (let from = 1; from < 9999; from += 1111)
    await db.transaction(async (tx) => {
      tx.later(sql`
      insert into orders (${raw(names.join(', '))})
      select ${raw(names.map((name) => `copy.${name}`).join(', '))}
      from generate_series(${from}::int, ${from + 1110}::int) as number
      cross join lateral json_populate_record(null::orders, (${JSON.stringify(row!.whole)}::jsonb
        || jsonb_build_object('id', gen_random_uuid(), 'order_number', 100000 + number))::json) as copy`)
    })
  const { answer, undo } = await mergeOf(shop, kept.id, other.id)
  assert.equal(dataOf(answer, 200).orders_count, 10_000)
  dataOf(await undo(), 200)
  assert.equal((await shop.api.get(`/v1/customers/${other.id}`)).data.orders_count, 10_000)
  assert.equal((await shop.api.get(`/v1/customers/${kept.id}`)).data.orders_count, 0)
})

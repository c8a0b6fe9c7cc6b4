import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../kit/values/ids.ts'
import { blank } from '../../kit/declare/row.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { customer } from './customer.ts'

const world = await openWorld()
const ana = { name: 'Ana Torres', email: 'Ana@Example.com', phone: '+52 55 1234 5678', notes: 'Rings twice' }

async function faults(answer: Promise<{ status: number; error: any }>) {
  const { status, error } = await answer
  assert.equal(status, 422)
  assert.equal(error.code, 'VALIDATION_ERROR')
  return error.details.map(({ field }: { field: string }) => field)
}

test('a customer is created with every field, 201, Location and customer.created', async () => {
  const { api, events, store } = await world.newStore({ name: 'Bazar', timezone: 'America/Mexico_City' })
  const created = await api.post('/v1/customers', ana)
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, ...rest } = created.data
  assert.match(id, /^cus_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.equal(created.headers.get('location'), `/v1/customers/${id}`)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(updated_at, created_at)
  assert.deepEqual(rest, {
    ...blank(customer.fields),
    ...ana,
    has_email: true,
    has_phone: true,
    display_contact: 'Ana@Example.com',
    tags: [],
    addresses: [],
    tax_id: null,
    billing_address: null,
    metadata: {},
    custom_fields: {},
    tax_exempt: false,
    accepts_marketing: false,
    marketing_changed_at: null,
    orders_count: 0,
    total_spent: 0,
    last_order_at: null,
    last_order_id: null,
    last_country_code: null,
    last_province_code: null,
    group_ids: [],
  })
  assert.deepEqual((await api.get(`/v1/customers/${id}`)).data, created.data)
  assert.deepEqual(await events(), [
    {
      event: 'customer.created',
      body: {
        event_id: id,
        occurred_at: created_at,
        customer: { id, name: ana.name, email: ana.email, phone: ana.phone },
        store: { id: store.id, name: 'Bazar', timezone: 'America/Mexico_City' },
      },
    },
  ])
})

test('a name is enough, and display_contact is the e-mail, else the phone, else the name', async () => {
  const { api, events } = await world.newStore()
  const { data } = await api.post('/v1/customers', { name: 'Ana' })
  assert.deepEqual(
    [data.email, data.phone, data.notes, data.has_email, data.has_phone, data.display_contact],
    [null, null, null, false, false, 'Ana'],
  )
  assert.deepEqual((await events())[0]!.body.customer, { id: data.id, name: 'Ana', email: null, phone: null })
  const called = await api.patch(`/v1/customers/${data.id}`, { phone: '555 0100' })
  assert.deepEqual([called.data.has_phone, called.data.display_contact], [true, '555 0100'])
  const mailed = await api.patch(`/v1/customers/${data.id}`, { email: 'ana@example.com' })
  assert.deepEqual([mailed.data.has_email, mailed.data.display_contact], [true, 'ana@example.com'])
})

test('every fault of a customer is named, on create and on change', async () => {
  const { api, events } = await world.newStore()
  const { data } = await api.post('/v1/customers', { name: 'Ana' })
  await events()
  assert.deepEqual(await faults(api.post('/v1/customers', {})), ['name'])
  const bad = { name: ' ', email: 'ana@', phone: 'none', notes: 'x'.repeat(5001) }
  for (const answer of [api.post('/v1/customers', bad), api.patch(`/v1/customers/${data.id}`, bad)]) {
    assert.deepEqual((await faults(answer)).sort(), ['email', 'name', 'notes', 'phone'])
  }
  assert.deepEqual(await faults(api.patch(`/v1/customers/${data.id}`, { name: null })), ['name'])
  assert.deepEqual(await faults(api.post('/v1/customers', { name: 'x'.repeat(256) })), ['name'])
  assert.deepEqual(await faults(api.post('/v1/customers', { name: 'A', email: '' })), ['email'])
  assert.deepEqual(await faults(api.post('/v1/customers', { name: 'A', phone: '5'.repeat(41) })), ['phone'])
  assert.deepEqual(await faults(api.post('/v1/customers', { name: 7 })), ['name'])
  assert.deepEqual(await events(), [])
  assert.equal((await api.post('/v1/customers', { name: 'x'.repeat(255), notes: 'x'.repeat(5000) })).status, 201)
})

test('two customers may have one e-mail', async () => {
  const { api } = await world.newStore()
  assert.equal((await api.post('/v1/customers', ana)).status, 201)
  assert.equal((await api.post('/v1/customers', ana)).status, 201)
  assert.equal((await api.get('/v1/customers')).body.pagination.total, 2)
})

test('a change touches what it names, moves updated_at and emits customer.updated', async () => {
  const { api, events, store } = await world.newStore()
  const { data: before } = await api.post('/v1/customers', ana)
  await events()
  world.clock.advance(60)
  const changed = await api.patch(`/v1/customers/${before.id}`, { email: null, notes: null, name: 'Ana T.' })
  assert.equal(changed.status, 200)
  assert.ok(changed.data.updated_at > before.updated_at)
  assert.deepEqual(changed.data, {
    ...before,
    email: null,
    notes: null,
    name: 'Ana T.',
    has_email: false,
    display_contact: ana.phone,
    updated_at: changed.data.updated_at,
  })
  assert.deepEqual(await events(), [
    {
      event: 'customer.updated',
      body: {
        event_id: before.id,
        occurred_at: changed.data.updated_at,
        customer: { id: before.id, name: 'Ana T.', email: null, phone: ana.phone },
        store: { id: store.id, name: store.name, timezone: 'UTC' },
      },
    },
  ])
})

test('what changes nothing emits nothing; read-only and unknown fields are ignored unless strict', async () => {
  const { api, events } = await world.newStore()
  const { data: before } = await api.post('/v1/customers', ana)
  await events()
  world.clock.advance(60)
  const path = `/v1/customers/${before.id}`
  const same = await api.patch(path, { ...before, orders_count: 9, total_spent: 9, shoe_size: 43 })
  assert.equal(same.status, 200)
  assert.deepEqual(same.data, before)
  assert.deepEqual((await api.patch(path, {})).data, before)
  assert.deepEqual(await events(), [])
  const strict = { headers: { prefer: 'handling=strict' } }
  assert.deepEqual(await faults(api.patch(path, { shoe_size: 43 }, strict)), ['shoe_size'])
})

test('whoever wants news has said so at a moment, which moves when they say otherwise alone', async () => {
  const { api } = await world.newStore()
  const { data: keen } = await api.post('/v1/customers', { ...ana, accepts_marketing: true })
  assert.deepEqual([keen.accepts_marketing, keen.marketing_changed_at], [true, keen.created_at])
  world.clock.advance(60)
  const path = `/v1/customers/${keen.id}`
  const { data: renamed } = await api.patch(path, { name: 'Ana T.', accepts_marketing: true })
  assert.equal(renamed.marketing_changed_at, keen.created_at)
  const { data: sated } = await api.patch(path, { accepts_marketing: false })
  assert.deepEqual([sated.accepts_marketing, sated.marketing_changed_at], [false, sated.updated_at])
  const found = async (query: string) => (await api.get(`/v1/customers?${query}`)).body.pagination.total
  assert.deepEqual([await found('accepts_marketing=true'), await found('accepts_marketing=false')], [0, 1])
})

test('a deleted customer is gone and counted out', async () => {
  const { api, events } = await world.newStore()
  const { data } = await api.post('/v1/customers', ana)
  await events()
  const gone = await api.delete(`/v1/customers/${data.id}`)
  assert.deepEqual([gone.status, gone.body], [200, { data: { deleted: true } }])
  assert.equal((await api.get(`/v1/customers/${data.id}`)).status, 404)
  assert.equal((await api.delete(`/v1/customers/${data.id}`)).status, 404)
  assert.equal((await api.patch(`/v1/customers/${data.id}`, { name: 'A' })).status, 404)
  assert.deepEqual((await api.get('/v1/customers/count')).data, { count: 0 })
  assert.deepEqual(await events(), [])
})

test("another store's customer, an unknown id and what is no id are not found", async () => {
  const { api } = await world.newStore(),
    other = await world.newStore()
  const { data } = await other.api.post('/v1/customers', ana)
  for (const id of [data.id, newId('cus'), newId('prod'), 'x']) {
    const path = `/v1/customers/${id}`
    for (const answer of [await api.get(path), await api.patch(path, { name: 'A' }), await api.delete(path)]) {
      assert.deepEqual([answer.status, answer.error.code], [404, 'NOT_FOUND'])
    }
  }
  assert.deepEqual((await api.get('/v1/customers')).body.data, [])
  assert.equal((await other.api.get(`/v1/customers/${data.id}`)).status, 200)
})

test('each endpoint needs its scope', async () => {
  const { withKey, api } = await world.newStore()
  const { data } = await api.post('/v1/customers', ana)
  const reader = await withKey({ scopes: ['read:customers'] }),
    stranger = await withKey({ scopes: ['write:orders'] })
  const path = `/v1/customers/${data.id}`
  const readable = ['/v1/customers', '/v1/customers/count', path]
  for (const known of readable) assert.equal((await reader.get(known)).status, 200)
  for (const [answer, scope] of [
    [await reader.post('/v1/customers', ana), 'write:customers'],
    [await reader.patch(path, ana), 'write:customers'],
    [await reader.delete(path), 'write:customers'],
    [await stranger.get('/v1/customers'), 'read:customers'],
    [await stranger.get('/v1/customers/count'), 'read:customers'],
    [await stranger.get(path), 'read:customers'],
  ] as const) {
    assert.deepEqual([answer.status, answer.error.code], [403, 'SCOPE_INSUFFICIENT'])
    assert.ok(answer.error.message.includes(scope))
  }
  const writer = await withKey({ scopes: ['write:customers'] })
  assert.equal((await writer.get(path)).status, 200)
})

test('customers are never limited by the plan', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const made = await Promise.all(Array.from({ length: 60 }, () => api.post('/v1/customers', { name: 'Ana' })))
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
  const list = await api.get('/v1/customers?per_page=100')
  assert.deepEqual([list.body.data.length, list.body.pagination.total], [60, 60])
})

test('pages come newest first, 25 at a time, and end', async () => {
  const { api } = await world.newStore()
  for (let index = 1; index <= 26; index++) {
    await api.post('/v1/customers', { name: `C${index}` })
    world.clock.advance(1)
  }
  const first = await api.get('/v1/customers')
  const second = await api.get('/v1/customers?page=2')
  const third = await api.get('/v1/customers?page=3')
  assert.deepEqual(first.body.pagination, { page: 1, per_page: 25, total: 26, total_pages: 2 })
  assert.deepEqual([first.body.data[0].name, first.body.data.length], ['C26', 25])
  assert.deepEqual(
    second.body.data.map(({ name }: any) => name),
    ['C1'],
  )
  assert.deepEqual(third.body, { data: [], pagination: { page: 3, per_page: 25, total: 26, total_pages: 2 } })
  assert.deepEqual((await api.get('/v1/customers?order=asc&per_page=1')).body.data[0].name, 'C1')
  for (const query of ['page=0', 'per_page=0', 'per_page=101', 'page=x', 'sort=email', 'order=up']) {
    assert.deepEqual(await faults(api.get(`/v1/customers?${query}`)), [query.split('=')[0]])
  }
})

test('search finds name, e-mail and phone, without regard to case, accents and how digits are grouped', async () => {
  const store = await world.newStore({ country_code: 'MX' })
  const { api } = store
  await api.post('/v1/customers', { name: 'José Núñez', email: 'Pepe@Example.com', phone: '(55) 1234-5678' })
  await api.post('/v1/customers', { name: 'Al_ice', phone: 'Ext. 12' })
  for (const [typed, names] of Object.entries({
    'jose nunez': ['José Núñez'],
    NÚÑ: ['José Núñez'],
    'pepe@example': ['José Núñez'],
    '+52 55 1234 5678': ['José Núñez'],
    '12345678': ['José Núñez'],
    '(55) 1234-5678': ['José Núñez'],
    '55 1234': ['José Núñez'],
    l_i: ['Al_ice'],
    ext: ['Al_ice'],
    '12': ['Al_ice', 'José Núñez'],
    n_: [],
    '%': [],
    nobody: [],
  })) {
    const search = `search=${encodeURIComponent(typed)}`
    const { body } = await api.get(`/v1/customers?sort=name&order=asc&${search}`)
    assert.deepEqual(
      body.data.map(({ name }: any) => name),
      names,
      typed,
    )
    assert.equal(body.pagination.total, names.length)
    assert.deepEqual((await api.get(`/v1/customers/count?${search}`)).data, { count: names.length })
  }
  assert.deepEqual(await faults(api.get(`/v1/customers?search=${'x'.repeat(201)}`)), ['search'])
})

test('search follows a change of the contact', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/customers', ana)
  await api.patch(`/v1/customers/${data.id}`, { name: 'Berta', phone: null })
  for (const [typed, count] of [
    ['torres', 0],
    ['berta', 1],
    ['5678', 0],
    ['ana@example', 1],
  ] as const) {
    assert.deepEqual((await api.get(`/v1/customers/count?search=${typed}`)).data, { count }, typed)
  }
})

test('a customer without orders passes has_orders=false and a range from 0, and no range above', async () => {
  const { api } = await world.newStore()
  await api.post('/v1/customers', ana)
  for (const [query, count] of Object.entries({
    'has_orders=true': 0,
    'has_orders=false': 1,
    'orders_count[gte]=0': 1,
    'orders_count[gte]=1': 0,
    'orders_count[lte]=0': 1,
    'total_spent[gte]=0': 1,
    'total_spent[gte]=0.01': 0,
    'total_spent[lte]=0': 1,
    'last_order_at[gte]=2020-01-01T00:00:00Z': 0,
    'last_order_at[lte]=2099-01-01T00:00:00Z': 0,
  })) {
    assert.deepEqual((await api.get(`/v1/customers/count?${query}`)).data, { count }, query)
    assert.equal((await api.get(`/v1/customers?${query}`)).body.pagination.total, count, query)
  }
})

test('filters that cannot be read are refused', async () => {
  const { api }: TestStore = await world.newStore()
  for (const query of [
    'has_orders=maybe',
    'orders_count[gte]=-1',
    'orders_count[lte]=many',
    'total_spent[gte]=-0.01',
    'total_spent[lte]=x',
    'last_order_at[gte]=yesterday',
    'last_order_at[lte]=2026-13-01T00:00:00Z',
  ]) {
    assert.deepEqual(await faults(api.get(`/v1/customers?${query}`)), [query.split('=')[0]])
    assert.deepEqual(await faults(api.get(`/v1/customers/count?${query}`)), [query.split('=')[0]])
  }
})

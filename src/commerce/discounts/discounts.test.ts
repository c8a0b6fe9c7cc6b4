import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../kit/values/ids.ts'
import type { Client } from '../../../test/client.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const ten = { code: 'WELCOME10', type: 'percentage', value: 10 }
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString()
const codes = async (api: Client, query = '') =>
  (await api.get(`/v1/discounts${query}`)).body.data.map(({ code }: { code: string }) => code).sort()

async function faults(answer: Promise<{ status: number; error: any }>) {
  const { status, error } = await answer
  assert.equal(status, 422)
  assert.equal(error.code, 'VALIDATION_ERROR')
  return error.details.map(({ field }: { field: string }) => field)
}

/** Two categories with a product each. */
async function catalog(api: Client) {
  const category = async (name: string) => (await api.post('/v1/categories', { name })).data.id
  const product = async (name: string, price: number, category_id: string) =>
    (await api.post('/v1/products', { name, price, category_id })).data.id
  const bags = await category('Bags'),
    hats = await category('Hats')
  return { bags, hats, backpack: await product('Backpack', 100, bags), cap: await product('Cap', 20, hats) }
}

test('a discount is created with its defaults, 201 and Location, and no event', async () => {
  const { api, events } = await world.newStore()
  const created = await api.post('/v1/discounts', ten)
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, ...rest } = created.data
  assert.match(id, /^disc_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.equal(created.headers.get('location'), `/v1/discounts/${id}`)
  assert.equal(updated_at, created_at)
  assert.deepEqual(rest, {
    ...ten,
    min_order_amount: 0,
    max_uses: 0,
    current_uses: 0,
    starts_at: null,
    expires_at: null,
    is_active: true,
    applies_to_all: true,
    applicable_product_ids: [],
    applicable_category_ids: [],
    title: null,
    is_automatic: false,
    min_quantity: 0,
    once_per_customer: false,
    buy_quantity: 1,
    buy_product_ids: [],
    buy_category_ids: [],
    customer_group_ids: [],
    get_quantity: 1,
    max_per_order: 0,
    combines_with: [],
    external_id: null,
    metadata: {},
    is_expired: false,
    is_usable: true,
    unusable_reason: null,
    has_usage_limit: false,
  })
  assert.deepEqual((await api.get(`/v1/discounts/${id}`)).data, created.data)
  assert.deepEqual((await api.get('/v1/discounts')).body, {
    data: [created.data],
    pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 },
  })
  assert.deepEqual(await events(), [])
})

test('every field is kept as it was given', async () => {
  const { api } = await world.newStore()
  const { backpack, hats } = await catalog(api)
  const { data: vip } = await api.post('/v1/customer-groups', { name: 'VIP' })
  const given = {
    code: 'SUMMER-26_A',
    type: 'fixed_amount',
    value: 15.5,
    min_order_amount: 49.99,
    max_uses: 100,
    starts_at: '2026-06-01T00:00:00.000Z',
    expires_at: '2099-09-01T00:00:00.000Z',
    is_active: false,
    applies_to_all: false,
    applicable_product_ids: [backpack],
    applicable_category_ids: [hats],
    title: 'Summer sale',
    is_automatic: true,
    min_quantity: 2,
    once_per_customer: true,
    buy_quantity: 3,
    buy_product_ids: [backpack],
    buy_category_ids: [hats],
    get_quantity: 2,
    max_per_order: 4,
    combines_with: ['product', 'shipping'],
    customer_group_ids: [vip.id],
  }
  const { data } = await api.post('/v1/discounts', given)
  const { id: _, created_at: __, updated_at: ___, ...rest } = data
  assert.deepEqual(rest, {
    ...given,
    current_uses: 0,
    external_id: null,
    metadata: {},
    is_expired: false,
    is_usable: false,
    unusable_reason: 'inactive',
    has_usage_limit: true,
  })
  const back = await api.patch(`/v1/discounts/${data.id}`, data)
  assert.deepEqual(back.data, { ...data, updated_at: back.data.updated_at })
})

test('a code is stored in capitals and is unique in its store without regard to case', async () => {
  const { api } = await world.newStore(),
    other = await world.newStore()
  assert.equal((await api.post('/v1/discounts', { ...ten, code: 'welcome10' })).data.code, 'WELCOME10')
  for (const code of ['WELCOME10', 'Welcome10']) {
    const { status, error } = await api.post('/v1/discounts', { ...ten, code })
    assert.deepEqual([status, error.code, error.details], [409, 'CONFLICT', undefined])
  }
  const { data } = await api.post('/v1/discounts', { ...ten, code: 'B' })
  assert.equal((await api.patch(`/v1/discounts/${data.id}`, { code: 'welcome10' })).status, 409)
  assert.equal((await api.patch(`/v1/discounts/${data.id}`, { code: 'b' })).status, 200)
  assert.equal((await other.api.post('/v1/discounts', ten)).status, 201)
})

test('of 10 creates of one code at once one succeeds and is counted', async () => {
  const { api } = await world.newStore()
  const made = await Promise.all(Array.from({ length: 10 }, () => api.post('/v1/discounts', ten)))
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
  assert.equal((await api.get('/v1/discounts?status=all')).body.pagination.total, 1)
})

test('a code has 1 to 255 letters, digits and signs of ASCII, and spaces between them', async () => {
  const { api } = await world.newStore()
  assert.equal((await api.post('/v1/discounts', { ...ten, code: 'A' })).status, 201)
  assert.equal((await api.post('/v1/discounts', { ...ten, code: 'x'.repeat(255) })).status, 201)
  assert.equal((await api.post('/v1/discounts', { ...ten, code: '10%  off!' })).data.code, '10% OFF!')
  for (const code of ['', 'x'.repeat(256), ' TEN', 'TEN ', 'ÑU', 'A\tB', null, 10]) {
    assert.deepEqual(await faults(api.post('/v1/discounts', { ...ten, code })), ['code'], String(code))
  }
})

test('code, type and value are required, and all faults are named at once', async () => {
  const { api } = await world.newStore()
  assert.deepEqual(await faults(api.post('/v1/discounts', {})), ['code', 'type', 'value'])
  assert.deepEqual(
    (
      await faults(
        api.post('/v1/discounts', {
          ...ten,
          type: 'half',
          min_order_amount: -1,
          max_uses: 1.5,
          starts_at: 'soon',
          expires_at: 7,
          is_active: 'yes',
          applies_to_all: 1,
          applicable_product_ids: 'all',
          applicable_category_ids: null,
        }),
      )
    ).sort(),
    [
      'applicable_category_ids',
      'applicable_product_ids',
      'applies_to_all',
      'expires_at',
      'is_active',
      'max_uses',
      'min_order_amount',
      'starts_at',
      'type',
    ],
  )
})

test('each type has its values', async () => {
  const { api } = await world.newStore()
  const create = (type: string, value: unknown) =>
    api.post('/v1/discounts', { code: `${type}-${value}`.replace('.', '_'), type, value })
  for (const [type, value, kept] of [
    ['percentage', 0.01, 0.01],
    ['percentage', 12.5, 12.5],
    ['percentage', 100, 100],
    ['fixed_amount', 0.01, 0.01],
    ['fixed_amount', 0.005, 0.01],
    ['fixed_amount', 1500.555, 1500.56],
    ['fixed', 101, 101],
    ['free_shipping', 0, 0],
  ] as const) {
    const { status, data } = await create(type, value)
    const known = type === 'fixed' ? 'fixed_amount' : type
    assert.deepEqual([status, data?.value, data?.type], [201, kept, known], `${type} ${value}`)
  }
  for (const [type, value] of [
    ['percentage', 0],
    ['percentage', -1],
    ['percentage', 100.01],
    ['percentage', '10'],
    ['percentage', null],
    ['fixed_amount', 0],
    ['fixed_amount', 0.004],
    ['fixed_amount', -5],
    ['fixed_amount', 1e15],
    ['fixed', 0],
    ['free_shipping', 1],
    ['free_shipping', -1],
  ] as const) {
    assert.deepEqual(await faults(create(type, value)), ['value'], `${type} ${value}`)
  }
})

test('a fixed amount and a minimum are rounded to the currency of the store', async () => {
  const { api } = await world.newStore({ currency: 'JPY' })
  const { data } = await api.post('/v1/discounts', { code: 'A', type: 'fixed', value: 100.5, min_order_amount: 999.5 })
  assert.deepEqual([data.value, data.min_order_amount], [101, 1000])
  assert.deepEqual(await faults(api.post('/v1/discounts', { code: 'B', type: 'fixed', value: 0.4 })), ['value'])
  assert.equal((await api.post('/v1/discounts', { code: 'C', type: 'percentage', value: 12.5 })).data.value, 12.5)
})

test('max_uses 0 and null are unlimited and answered as 0; so is no minimum', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/discounts', { ...ten, max_uses: null, min_order_amount: null })
  assert.deepEqual([data.max_uses, data.min_order_amount, data.has_usage_limit], [0, 0, false])
  const limited = await api.patch(`/v1/discounts/${data.id}`, { max_uses: 1, min_order_amount: 5 })
  assert.deepEqual([limited.data.max_uses, limited.data.has_usage_limit, limited.data.is_usable], [1, true, true])
  const cleared = await api.patch(`/v1/discounts/${data.id}`, { max_uses: null, min_order_amount: null })
  assert.deepEqual([cleared.data.max_uses, cleared.data.min_order_amount, cleared.data.has_usage_limit], [0, 0, false])
  assert.deepEqual(await faults(api.patch(`/v1/discounts/${data.id}`, { max_uses: -1 })), ['max_uses'])
})

test('a discount starts before it expires', async () => {
  const { api } = await world.newStore()
  const day = '2026-06-01T00:00:00Z',
    next = '2026-06-02T00:00:00Z'
  for (const dates of [
    { starts_at: next, expires_at: day },
    { starts_at: day, expires_at: '2026-06-01T02:00:00+02:00' },
  ]) {
    assert.deepEqual(await faults(api.post('/v1/discounts', { ...ten, ...dates })), ['expires_at'])
  }
  const { data } = await api.post('/v1/discounts', { ...ten, starts_at: day, expires_at: next })
  assert.deepEqual(await faults(api.patch(`/v1/discounts/${data.id}`, { starts_at: next })), ['expires_at'])
  assert.deepEqual(await faults(api.patch(`/v1/discounts/${data.id}`, { expires_at: day })), ['expires_at'])
  const open = await api.patch(`/v1/discounts/${data.id}`, { expires_at: null, starts_at: next })
  assert.deepEqual([open.data.starts_at, open.data.expires_at], ['2026-06-02T00:00:00.000Z', null])
})

test('a change is checked with what it leaves as it was', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/discounts', { code: 'A', type: 'fixed_amount', value: 150.25 })
  const path = `/v1/discounts/${data.id}`
  assert.deepEqual(await faults(api.patch(path, { type: 'percentage' })), ['value'])
  assert.deepEqual(await faults(api.patch(path, { type: 'free_shipping' })), ['value'])
  assert.deepEqual(await faults(api.patch(path, { value: 0 })), ['value'])
  assert.deepEqual((await api.get(path)).data, data)
  const percent = await api.patch(path, { type: 'percentage', value: 12.345 })
  assert.deepEqual([percent.data.type, percent.data.value], ['percentage', 12.345])
  assert.deepEqual(await faults(api.patch(path, { value: 101 })), ['value'])
  const fixed = await api.patch(path, { type: 'fixed' })
  assert.deepEqual([fixed.data.type, fixed.data.value], ['fixed_amount', 12.35])
  assert.equal((await api.patch(path, { value: 101 })).data.value, 101)
  assert.equal((await api.patch(path, { type: 'free_shipping', value: 0 })).status, 200)
})

test('a change moves updated_at, emits nothing, and leaves read-only fields alone', async () => {
  const { api, events } = await world.newStore()
  const { data } = await api.post('/v1/discounts', ten)
  world.clock.advance(60)
  const path = `/v1/discounts/${data.id}`
  assert.deepEqual((await api.patch(path, {})).data, data)
  const { data: after } = await api.patch(path, { is_active: false, current_uses: 5, is_usable: true, id: 'x' })
  assert.ok(after.updated_at > data.updated_at)
  assert.deepEqual(after, {
    ...data,
    is_active: false,
    is_usable: false,
    unusable_reason: 'inactive',
    updated_at: after.updated_at,
  })
  for (const name of ['code', 'type', 'value', 'is_active', 'applies_to_all', 'applicable_product_ids']) {
    assert.deepEqual(await faults(api.patch(path, { [name]: null })), [name])
  }
  assert.deepEqual(await events(), [])
})

test('expiry and start follow the clock to the millisecond', async () => {
  const { api } = await world.newStore()
  const { data: soon } = await api.post('/v1/discounts', { ...ten, code: 'SOON', starts_at: inSeconds(3600) })
  const { data: brief } = await api.post('/v1/discounts', { ...ten, code: 'BRIEF', expires_at: inSeconds(3600) })
  const flags = async ({ id }: { id: string }) => {
    const { data } = await api.get(`/v1/discounts/${id}`)
    return [data.is_expired, data.is_usable]
  }
  assert.deepEqual([soon.is_expired, soon.is_usable, brief.is_expired, brief.is_usable], [false, false, false, true])
  world.clock.advance(3601)
  assert.deepEqual(
    [await flags(soon), await flags(brief)],
    [
      [false, true],
      [true, false],
    ],
  )
  const { data: past } = await api.post('/v1/discounts', { ...ten, code: 'PAST', expires_at: inSeconds(-1) })
  assert.deepEqual([past.is_expired, past.is_usable], [true, false])
})

test('active, inactive and expired partition all', async () => {
  const { api } = await world.newStore()
  const make = (code: string, more: object) => api.post('/v1/discounts', { ...ten, code, ...more })
  await make('ON', {})
  await make('SCHEDULED', { starts_at: inSeconds(9999) })
  await make('LATER', { expires_at: inSeconds(3600) })
  await make('OFF', { is_active: false })
  await make('OFF-LATER', { is_active: false, expires_at: inSeconds(3600) })
  await make('PAST', { expires_at: inSeconds(-60) })
  await make('OFF-PAST', { is_active: false, expires_at: inSeconds(-60) })
  assert.deepEqual(await codes(api), ['LATER', 'ON', 'SCHEDULED'])
  assert.deepEqual(await codes(api, '?status=active'), ['LATER', 'ON', 'SCHEDULED'])
  assert.deepEqual(await codes(api, '?status=inactive'), ['OFF', 'OFF-LATER'])
  assert.deepEqual(await codes(api, '?status=expired'), ['OFF-PAST', 'PAST'])
  assert.equal((await codes(api, '?status=all')).length, 7)
  world.clock.advance(3601)
  assert.deepEqual(await codes(api), ['ON', 'SCHEDULED'])
  assert.deepEqual(await codes(api, '?status=inactive'), ['OFF'])
  assert.deepEqual(await codes(api, '?status=expired'), ['LATER', 'OFF-LATER', 'OFF-PAST', 'PAST'])
  for (const [status, total] of [
    ['active', 2],
    ['inactive', 1],
    ['expired', 4],
    ['all', 7],
  ] as const) {
    assert.equal((await api.get(`/v1/discounts?status=${status}&per_page=1`)).body.pagination.total, total)
  }
  assert.deepEqual(await faults(api.get('/v1/discounts?status=scheduled')), ['status'])
})

test('lists are paged, newest first, sorted and searched by code', async () => {
  const { api } = await world.newStore()
  for (const code of ['B_1', 'C1', 'A1']) {
    await api.post('/v1/discounts', { ...ten, code })
    world.clock.advance(1)
  }
  const listed = async (query: string) =>
    (await api.get(`/v1/discounts?${query}`)).body.data.map(({ code }: any) => code)
  assert.deepEqual(await listed(''), ['A1', 'C1', 'B_1'])
  assert.deepEqual(await listed('sort=code&order=asc'), ['A1', 'B_1', 'C1'])
  assert.deepEqual(await listed('sort=updated_at&order=asc&per_page=1&page=2'), ['C1'])
  assert.deepEqual(await listed('search=b_'), ['B_1'])
  assert.deepEqual(await listed('search=1&sort=code'), ['C1', 'B_1', 'A1'])
  const { pagination } = (await api.get('/v1/discounts?page=2&per_page=2')).body
  assert.deepEqual(pagination, { page: 2, per_page: 2, total: 3, total_pages: 2 })
  for (const query of ['page=0', 'per_page=101', 'per_page=0', 'sort=value']) {
    assert.deepEqual(await faults(api.get(`/v1/discounts?${query}`)), [query.split('=')[0]])
  }
})

test('a discount for some products or categories needs discounts_advanced', async () => {
  const { api } = await world.newStore({ plan: 'starter' })
  const { backpack, bags } = await catalog(api)
  const everything = { applies_to_all: true, applicable_product_ids: [], applicable_category_ids: [] }
  const { data } = await api.post('/v1/discounts', { ...ten, ...everything })
  for (const scope of [
    { applies_to_all: false },
    { applicable_product_ids: [backpack] },
    { applicable_category_ids: [bags] },
  ]) {
    const created = await api.post('/v1/discounts', { ...ten, code: 'B', ...scope })
    for (const refused of [created, await api.patch(`/v1/discounts/${data.id}`, scope)]) {
      assert.deepEqual(
        [refused.status, refused.error.code, refused.error.details],
        [403, 'FEATURE_ACCESS_DENIED', { feature: 'discounts_advanced' }],
      )
    }
  }
  // The plan feature is checked before the body is read.
  assert.equal((await api.post('/v1/discounts', { applies_to_all: false })).status, 403)
  const growth = await world.newStore({ plan: 'growth' })
  assert.equal((await growth.api.post('/v1/discounts', { ...ten, applies_to_all: false })).status, 201)
})

test('naming products or categories scopes a discount, once each', async () => {
  const { api } = await world.newStore()
  const { backpack, cap, bags } = await catalog(api)
  const { data } = await api.post('/v1/discounts', { ...ten, applicable_product_ids: [cap, backpack, cap] })
  assert.deepEqual([data.applies_to_all, data.applicable_product_ids], [false, [cap, backpack]])
  const path = `/v1/discounts/${data.id}`
  const emptied = await api.patch(path, { applicable_product_ids: [] })
  assert.deepEqual([emptied.data.applies_to_all, emptied.data.applicable_product_ids], [false, []])
  const all = await api.patch(path, { applies_to_all: true, applicable_category_ids: [bags] })
  assert.deepEqual([all.data.applies_to_all, all.data.applicable_category_ids], [true, [bags]])
  const { data: scoped } = await api.patch(path, { applicable_product_ids: [cap] })
  assert.equal(scoped.applies_to_all, false)
  assert.deepEqual([scoped.applicable_product_ids, scoped.applicable_category_ids], [[cap], [bags]])
})

test("products and categories must be this store's; one that was deleted since may stay", async () => {
  const { api } = await world.newStore(),
    other = await world.newStore()
  const { backpack, cap, bags } = await catalog(api),
    foreign = await catalog(other.api)
  const create = (scope: object) => api.post('/v1/discounts', { ...ten, ...scope })
  for (const [products, categories, refused] of [
    [[backpack, foreign.cap], [], ['applicable_product_ids.1']],
    [[newId('prod')], [bags, foreign.bags], ['applicable_product_ids.0', 'applicable_category_ids.1']],
    [['x', bags], [], ['applicable_product_ids.0', 'applicable_product_ids.1']],
  ]) {
    const scope = { applicable_product_ids: products, applicable_category_ids: categories }
    assert.deepEqual(await faults(create(scope)), refused)
  }
  assert.deepEqual(await codes(api), [])
  const { data } = await create({ applicable_product_ids: [backpack, cap] })
  await api.delete(`/v1/products/${cap}`)
  assert.equal((await api.patch(`/v1/discounts/${data.id}`, data)).status, 200)
  const mixed = { applicable_product_ids: [foreign.cap, cap] }
  assert.deepEqual(await faults(api.patch(`/v1/discounts/${data.id}`, mixed)), ['applicable_product_ids.0'])
  const many = Array.from({ length: 501 }, () => backpack)
  assert.deepEqual(await faults(create({ code: 'B', applicable_product_ids: many })), ['applicable_product_ids'])
  assert.equal((await create({ code: 'B', applicable_product_ids: many.slice(1) })).status, 201)
})

test('the plan limits how many there are, exactly, and deleting makes room', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) => api.post('/v1/discounts', { ...ten, code: `C${index}` })),
  )
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 201, 403, 403, 403, 403, 403])
  const refused = await api.post('/v1/discounts', { ...ten, code: 'MORE' })
  assert.deepEqual([refused.error.code, refused.error.message], ['PLAN_LIMIT_EXCEEDED', 'Discount limit reached (3/3)'])
  // A validation error is reported before a conflict.
  assert.equal((await api.post('/v1/discounts', { ...ten, value: 0 })).status, 422)
  const {
    data: [first],
  } = (await api.get('/v1/discounts')).body
  assert.equal((await api.post('/v1/discounts', { ...ten, code: first.code })).status, 403)
  assert.equal((await api.patch(`/v1/discounts/${first.id}`, { value: 20 })).status, 200)
  const gone = await api.delete(`/v1/discounts/${first.id}`)
  assert.deepEqual([gone.status, gone.body], [200, { data: { deleted: true } }])
  assert.equal((await api.post('/v1/discounts', { ...ten, code: 'MORE' })).status, 201)
  assert.equal((await api.get('/v1/discounts?status=all')).body.pagination.total, 3)
})

test("a deleted, an unknown and another store's discount are not found", async () => {
  const { api } = await world.newStore(),
    other = await world.newStore()
  const { data: foreign } = await other.api.post('/v1/discounts', ten)
  const { data: gone } = await api.post('/v1/discounts', ten)
  await api.delete(`/v1/discounts/${gone.id}`)
  for (const id of [foreign.id, gone.id, newId('disc'), newId('cat'), 'x']) {
    const path = `/v1/discounts/${id}`
    for (const answer of [await api.get(path), await api.patch(path, { value: 5 }), await api.delete(path)]) {
      assert.deepEqual([answer.status, answer.error.code], [404, 'NOT_FOUND'])
    }
  }
  assert.deepEqual(await codes(api, '?status=all'), [])
  assert.equal((await other.api.get(`/v1/discounts/${foreign.id}`)).status, 200)
})

test('each endpoint needs its scope', async () => {
  const { withKey, api } = await world.newStore()
  const { data } = await api.post('/v1/discounts', ten)
  const reader = await withKey({ scopes: ['read:discounts'] }),
    stranger = await withKey({ scopes: ['write:products'] })
  const path = `/v1/discounts/${data.id}`
  assert.equal((await reader.get(path)).status, 200)
  assert.equal((await reader.get('/v1/discounts')).status, 200)
  assert.equal((await reader.post('/v1/discounts/validate', { code: 'A', order_total: 1 })).status, 200)
  for (const [answer, scope] of [
    [await reader.post('/v1/discounts', ten), 'write:discounts'],
    [await reader.patch(path, ten), 'write:discounts'],
    [await reader.delete(path), 'write:discounts'],
    [await stranger.get('/v1/discounts'), 'read:discounts'],
    [await stranger.get(path), 'read:discounts'],
    [await stranger.post('/v1/discounts/validate', { code: 'A', order_total: 1 }), 'read:discounts'],
  ] as const) {
    assert.deepEqual([answer.status, answer.error.code], [403, 'SCOPE_INSUFFICIENT'])
    assert.ok(answer.error.message.includes(scope))
  }
})

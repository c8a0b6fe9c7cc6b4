import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKey } from './apikey.ts'
import { openWorld } from '../../../test/world.ts'
import type { Answer, Client } from '../../../test/client.ts'

const world = await openWorld()

const gift = (unit_price: number) => ({ items: [{ product_name: 'Gift', unit_price, quantity: 1 }] })

function refusal({ status, error }: Answer): unknown[] {
  return [status, error?.code, error?.details?.policy]
}

/** The store's clock says so. */
function setTo(time: string): void {
  world.clock.advance((new Date(time).getTime() - world.clock.now().getTime()) / 1000)
}

test('a key places no order and makes no refund above its amount, whichever way it asks', async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ policy: { max_amount: 100 } })
  const beyond = [403, 'POLICY_EXCEEDED', 'max_amount']
  assert.equal((await api.post('/v1/orders', gift(100))).status, 201)
  const refused = await api.post('/v1/orders', gift(100.01))
  assert.deepEqual(refusal(refused), beyond)
  assert.match(refused.error.message, /limited to 100 per order or refund\..*POST \/v1\/proposals/)
  assert.deepEqual(refused.error.details, { policy: 'max_amount', limit: 100 })
  assert.deepEqual(refusal(await api.post('/v1/orders', gift(101), { headers: { prefer: 'dry-run' } })), beyond)
  assert.equal((await shop.api.get('/v1/orders')).data.length, 1)

  const { data: large } = await shop.api.post('/v1/orders', { ...gift(250), payment_status: 'paid' })
  const path = `/v1/orders/${large.id}`
  assert.deepEqual(refusal(await api.post(`${path}/refunds`, { amount: 101 })), beyond)
  assert.deepEqual(refusal(await api.post(`${path}/refunds`, {})), beyond)
  assert.deepEqual(refusal(await api.patch(path, { payment_status: 'refunded' })), beyond)
  assert.equal((await api.patch(path, { internal_notes: 'Large' })).status, 200, 'it may change a large order')
  assert.equal((await api.post(`${path}/refunds`, { amount: 100 })).status, 201)
  assert.equal((await shop.api.get(path)).data.refunded_amount, 100)
})

const [small, large] = [gift(100).items, gift(100.01).items]

/** Every way to an amount, from one that the key may make. */
const ways: Record<string, (api: Client, orderId: string, draftId: string) => Promise<Answer>> = {
  'an order': (api) => api.post('/v1/orders', { items: large }),
  'an order of two': (api) => api.post('/v1/orders', { items: [{ ...small[0], quantity: 2 }] }),
  'an order with shipping': (api) => api.post('/v1/orders', { items: small, shipping_cost: 1 }),
  'an order with tax': (api) => api.post('/v1/orders', { items: small, tax_amount: 1 }),
  'the price of a line': (api, id) => api.post(`/v1/orders/${id}/edits`, { items: large }),
  'another line': (api, id) => api.post(`/v1/orders/${id}/edits`, { items: [...small, ...small] }),
  'shipping of an edit': (api, id) => api.post(`/v1/orders/${id}/edits`, { shipping_cost: 1 }),
  'tax of an edit': (api, id) => api.post(`/v1/orders/${id}/edits`, { tax_amount: 1 }),
  'a draft': (api) => api.post('/v1/draft-orders', { items: large }),
  'a line of a draft': (api, _, id) => api.patch(`/v1/draft-orders/${id}`, { items: large }),
  'shipping of a draft': (api, _, id) => api.patch(`/v1/draft-orders/${id}`, { shipping_price: 1 }),
}

for (const [way, take] of Object.entries(ways)) {
  test(`a key gets no further than its amount by ${way}`, async () => {
    const shop = await world.newStore()
    await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
    const api = await shop.withKey({ policy: { max_amount: 100 } })
    const { data: order } = await api.post('/v1/orders', { items: small })
    const draft = { items: small, shipping_method: 'standard' }
    const { data: draftOrder, error } = await api.post('/v1/draft-orders', draft)
    assert.equal(error, undefined)
    const answer = await take(api, order.id, draftOrder.id)
    assert.deepEqual(refusal(answer), [403, 'POLICY_EXCEEDED', 'max_amount'], JSON.stringify(answer.body))
    assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).data.total, 100)
    assert.equal((await shop.api.get(`/v1/draft-orders/${draftOrder.id}`)).data.total, 100)
    assert.ok((await take(shop.api, order.id, draftOrder.id)).status < 300, 'without the limit it is possible')
  })
}

test('what is beyond its amount a key may propose, and somebody else approves it', async () => {
  const shop = await world.newStore()
  const agent = await shop.withKey({ policy: { max_amount: 100, max_per_day: 1 } })
  const proposal = { method: 'POST', path: '/v1/orders', body: gift(250) }
  const { status, data } = await agent.post('/v1/proposals', proposal)
  assert.equal(status, 201)
  const approve = `/v1/proposals/${data.id}/approve`
  assert.deepEqual(refusal(await agent.post(approve)), [403, 'POLICY_EXCEEDED', 'max_amount'])
  assert.equal((await shop.api.post(approve)).status, 200)
  assert.equal((await agent.post('/v1/categories', { name: 'Hats' })).status, 201, 'proposing is not counted')
})

test('sixteen at once against a limit of five: five are done, and the others are told why', async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ policy: { max_per_day: 5 } })
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) => api.post('/v1/categories', { name: `Category ${at}` })),
  )
  const made = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status !== 201)
  assert.equal(made.length, 5)
  for (const answer of refused) assert.deepEqual(refusal(answer), [403, 'POLICY_EXCEEDED', 'max_per_day'])
  assert.equal((await shop.api.get('/v1/categories')).data.length, 5)
})

test('what is refused, rehearsed, read or repeated is not counted; a change and a deletion are', async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ policy: { max_per_hour: 3 } })
  const keyed = { headers: { 'idempotency-key': 'one' } }
  const { data } = await api.post('/v1/categories', { name: 'Hats' }, keyed)
  assert.equal((await api.post('/v1/categories', { name: 'Hats' }, keyed)).headers.get('idempotent-replayed'), 'true')
  assert.equal((await api.post('/v1/categories', { name: '' })).status, 422)
  assert.equal((await api.post('/v1/categories', { name: 'Hats' })).status, 409)
  assert.equal((await api.post('/v1/categories', { name: 'Bags' }, { headers: { prefer: 'dry-run' } })).status, 201)
  assert.equal((await api.get('/v1/categories')).status, 200)
  const path = `/v1/categories/${data.id}`
  assert.equal((await api.patch(path, { name: 'Caps' })).status, 200)
  assert.equal((await api.delete(path)).status, 200)
  assert.deepEqual(refusal(await api.post('/v1/categories', { name: 'Bags' })), [
    403,
    'POLICY_EXCEEDED',
    'max_per_hour',
  ])
  assert.equal((await api.get('/v1/categories')).status, 200)
})

test('hours and days are those of the clock where the store is', async () => {
  const shop = await world.newStore({ timezone: 'Asia/Kolkata' })
  const api = await shop.withKey({ policy: { max_per_hour: 1, max_per_day: 2 } })
  const make = async (name: string) => refusal(await api.post('/v1/categories', { name }))[2]
  // 05:30 ahead of UTC: 13:20, 13:40, 14:01 and 00:01 of the next day.
  setTo('2030-03-01T07:50:00Z')
  assert.equal(await make('a'), undefined)
  setTo('2030-03-01T08:10:00Z')
  assert.equal(await make('b'), 'max_per_hour')
  setTo('2030-03-01T08:31:00Z')
  assert.equal(await make('b'), undefined)
  setTo('2030-03-01T18:29:00Z')
  assert.equal(await make('c'), 'max_per_day')
  setTo('2030-03-01T18:31:00Z')
  assert.equal(await make('c'), undefined)
})

test('a key writes within its hours alone, also where they go over midnight', async () => {
  const shop = await world.newStore({ timezone: 'America/Mexico_City' })
  const day = await shop.withKey({ policy: { from_hour: 9, until_hour: 18 } })
  const night = await shop.withKey({ policy: { from_hour: 22, until_hour: 6 } })
  const mayWrite = async (api: typeof day, name: string) => (await api.post('/v1/categories', { name })).status === 201
  // Six hours behind UTC.
  for (const [time, byDay, byNight] of [
    ['2030-04-01T14:59:00Z', false, false],
    ['2030-04-01T15:00:00Z', true, false],
    ['2030-04-01T23:59:00Z', true, false],
    ['2030-04-02T00:00:00Z', false, false],
    ['2030-04-02T04:00:00Z', false, true],
    ['2030-04-02T11:59:00Z', false, true],
    ['2030-04-02T12:00:00Z', false, false],
  ] as const) {
    setTo(time)
    assert.deepEqual([await mayWrite(day, `d ${time}`), await mayWrite(night, `n ${time}`)], [byDay, byNight], time)
    assert.equal((await day.get('/v1/store')).status, 200)
  }
  const { error } = await day.post('/v1/categories', { name: 'Hats' })
  assert.match(error.message, /between 9:00 and 18:00 \(America\/Mexico_City\)/)
})

test('a refusal names the bound that was crossed; the same hour twice is no limit and is refused', async () => {
  const shop = await world.newStore()
  const limits = [
    { from_hour: 9, until_hour: 18 },
    { until_hour: 18 },
    { from_hour: 9 },
    { from_hour: 22, until_hour: 6 },
  ]
  for (const [hour, policy, detail] of [
    ['07', limits[0], { policy: 'from_hour', limit: 9 }],
    ['20', limits[0], { policy: 'until_hour', limit: 18 }],
    ['20', limits[1], { policy: 'until_hour', limit: 18 }],
    ['07', limits[2], { policy: 'from_hour', limit: 9 }],
    ['12', limits[3], { policy: 'until_hour', limit: 6 }],
  ] as const) {
    setTo(`2030-05-01T${hour}:30:00Z`)
    const { error } = await (await shop.withKey({ policy: policy! })).post('/v1/categories', { name: 'Hats' })
    assert.deepEqual(error.details, detail, `${hour} ${JSON.stringify(policy)}`)
  }
  const values = { name: 'k', mode: 'live', scopes: ['read:products'], policy: { from_hour: 9, until_hour: 9 } }
  const context = { ...shop.store, now: new Date() }
  assert.throws(() => apiKey.create.read(values, context), /policy: must not have the same from_hour and until_hour/)
})

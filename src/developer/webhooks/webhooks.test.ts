import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateHosts } from '../../../test/private-hosts.ts'
import { answering } from '../../../test/strangers.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { eventTypes } from './events.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })
const url = 'https://hooks.example/stoa'

test('a webhook is created with a secret of 32 random bytes, shown once', async () => {
  const { api } = await world.newStore()
  const created = await api.post('/v1/webhooks', { url, events: ['order.created', 'product.updated'] })
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `/v1/webhooks/${created.data.id}`)
  const { id, secret, secret_last4, created_at, updated_at, ...rest } = created.data
  assert.match(id, /^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(secret, /^[0-9a-f]{64}$/)
  assert.equal(secret_last4, secret.slice(-4))
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    url,
    events: ['order.created', 'product.updated'],
    description: null,
    external_id: null,
    metadata: {},
    client_id: null,
    is_active: true,
    status: 'active',
    consecutive_failures: 0,
    last_delivery_at: null,
    last_delivery_status: null,
    disabled_at: null,
    disabled_reason: null,
  })
  const { secret: _secret, ...record } = created.data
  assert.deepEqual((await api.get(`/v1/webhooks/${id}`)).data, record)
  assert.deepEqual((await api.get('/v1/webhooks')).body, {
    data: [record],
    pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 },
  })
  assert.deepEqual((await api.delete(`/v1/webhooks/${id}`)).body, { data: { deleted: true } })
  assert.equal((await api.get(`/v1/webhooks/${id}`)).status, 404)
})

test('a secret of 16 to 128 characters may be given, and is sealed in the database', async () => {
  const { api, store } = await world.newStore()
  for (const length of [16, 128]) {
    const secret = 'é'.repeat(length)
    const created = await api.post('/v1/webhooks', { url: `${url}/${length}`, events: ['order.created'], secret })
    assert.equal(created.data.secret, secret)
  }
  for (const length of [15, 129]) {
    const refused = await api.post('/v1/webhooks', {
      url: `${url}/${length}`,
      events: ['order.created'],
      secret: 'x'.repeat(length),
    })
    assert.deepEqual([refused.status, refused.error.details[0].field], [422, 'secret'])
  }
  const rows = await world.app.db.rows<{ id: string; secret: string }>(sql`
    select id, secret from webhooks where store_id = ${store.id} order by id`)
  assert.ok(rows.every(({ secret }) => !secret.includes('é')))
  const [first, second] = rows
  assert.equal(world.app.vault.open(first!.secret, `webhooks ${store.id} ${first!.id}`), 'é'.repeat(16))
  assert.throws(() => world.app.vault.open(first!.secret, `webhooks ${store.id} ${second!.id}`))
})

test('a repeated request shows the same secret, which is kept sealed meanwhile', async () => {
  const { api, store } = await world.newStore()
  const headers = { 'idempotency-key': 'once' }
  const [first, again] = [
    await api.post('/v1/webhooks', { url, events: ['order.created'] }, { headers }),
    await api.post('/v1/webhooks', { url, events: ['order.created'] }, { headers }),
  ]
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.data], [201, 'true', first.data])
  const idempotent = sql`select body from idempotency_keys where store_id = ${store.id}`
  const [kept] = await world.app.db.rows<{ body: string }>(idempotent)
  assert.equal(kept!.body.includes(first.data.secret), false)
  assert.equal(kept!.body.includes('order.created'), false)
})

test('every fault of a subscription is named at once', async () => {
  const { api } = await world.newStore()
  const refused = await api.post('/v1/webhooks', {
    url: 'http://hooks.example',
    events: ['nope', 'order.created', 'order.created'],
    secret: 'short',
    is_active: 'yes',
  })
  assert.equal(refused.status, 422)
  assert.equal(refused.error.code, 'VALIDATION_ERROR')
  const faults = Object.fromEntries(refused.error.details.map(({ field, message }: any) => [field, message]))
  assert.deepEqual(Object.keys(faults).sort(), ['events', 'events.0', 'is_active', 'secret', 'url'])
  assert.match(faults.url, /https/)
  assert.match(faults.events, /duplicates/)
  assert.match(faults['events.0'], /order\.created/)
  const empty = await api.post('/v1/webhooks', {})
  assert.deepEqual(empty.error.details.map(({ field }: any) => field).sort(), ['events', 'url'])
  const none = await api.post('/v1/webhooks', { url, events: [] })
  assert.deepEqual(none.error.details, [{ field: 'events', message: 'must contain at least 1 item' }])
})

test('a url must be https, public, without user and fragment, and at most 2,048 characters', async () => {
  const { api } = await world.newStore()
  const wrong = [
    'http://hooks.example/',
    'ftp://hooks.example/',
    'hooks.example',
    'javascript:alert(1)',
    '//hooks.example',
    'https://',
    'https://user@hooks.example/',
    'https://user:pass@hooks.example/',
    `${url}#part`,
    `${url}/${'x'.repeat(2048)}`,
    ...privateHosts.map((host) => `https://${host}/`),
  ]
  for (const refused of wrong) {
    const answer = await api.post('/v1/webhooks', { url: refused, events: ['order.created'] })
    assert.deepEqual([answer.status, answer.error?.details[0].field], [422, 'url'], refused)
  }
  const longest = `${url}/`.padEnd(2048, 'x')
  assert.equal((await api.post('/v1/webhooks', { url: longest, events: ['order.created'] })).status, 201)
})

test('a name with a private address is refused, and the message names WEBHOOK_ALLOWED_NETWORKS', async () => {
  const inside = await openWorld({}, { network: { resolver: answering(['93.184.216.34', '10.0.0.7']) } })
  const { api } = await inside.newStore()
  const refused = await api.post('/v1/webhooks', { url, events: ['order.created'], secret: 'short' })
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.error.details.map(({ field }: any) => field).sort(), ['secret', 'url'])
  assert.match(refused.error.details.find(({ field }: any) => field === 'url').message, /WEBHOOK_ALLOWED_NETWORKS/)
  const allowed = await openWorld(
    { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' },
    { network: { resolver: answering(['10.0.0.7']) } },
  )
  const other = await allowed.newStore()
  assert.equal((await other.api.post('/v1/webhooks', { url, events: ['order.created'] })).status, 201)
})

test('the same url and event twice is 409, on create and on change, in any spelling and at once', async () => {
  const { api } = await world.newStore()
  const one = await api.post('/v1/webhooks', { url, events: ['order.created', 'order.updated'] })
  const repeated = await api.post('/v1/webhooks', {
    url: 'https://HOOKS.example:443/stoa',
    events: ['order.updated', 'product.created'],
  })
  assert.equal(repeated.status, 409)
  assert.equal(repeated.error.code, 'CONFLICT')
  const other = await api.post('/v1/webhooks', { url, events: ['product.created'] })
  assert.equal(other.status, 201)
  const change = async ({ data }: { data: any }, events: string[]) =>
    (await api.patch(`/v1/webhooks/${data.id}`, { events })).status
  assert.equal(await change(other, ['product.created', 'order.created']), 409)
  assert.equal(await change(one, ['order.updated']), 200)
  assert.equal(await change(other, ['product.created', 'order.created']), 200)
  const race = await Promise.all(
    Array.from({ length: 10 }, () => api.post('/v1/webhooks', { url: `${url}/race`, events: ['order.created'] })),
  )
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, ...Array<number>(9).fill(409)])
})

test('the plan limits webhooks, exactly under concurrency, and a deleted one makes room', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      api.post('/v1/webhooks', { url: `${url}/${index}`, events: ['order.created'] }),
    ),
  )
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 403, 403, 403, 403])
  const refused = made.find(({ status }) => status === 403)!
  assert.deepEqual(refused.error, { code: 'PLAN_LIMIT_EXCEEDED', message: 'Webhook limit reached (2/2)' })
  const kept = made.find(({ status }) => status === 201)!
  await api.delete(`/v1/webhooks/${kept.data.id}`)
  assert.equal((await api.post('/v1/webhooks', { url: `${url}/again`, events: ['order.created'] })).status, 201)
})

test('checkout.abandoned needs the plan feature, on create and on change', async () => {
  const { api } = await world.newStore({ plan: 'starter' })
  const refused = await api.post('/v1/webhooks', { url, events: ['checkout.abandoned'] })
  assert.equal(refused.status, 403)
  assert.equal(refused.error.code, 'FEATURE_ACCESS_DENIED')
  assert.deepEqual(refused.error.details, { feature: 'abandoned_checkouts' })
  const { data } = await api.post('/v1/webhooks', { url, events: ['checkout.completed'] })
  assert.equal((await api.patch(`/v1/webhooks/${data.id}`, { events: ['checkout.abandoned'] })).status, 403)
  const growth = await world.newStore({ plan: 'growth' })
  assert.equal((await growth.api.post('/v1/webhooks', { url, events: [...eventTypes] })).status, 201)
})

test('reading needs read:webhooks, writing write:webhooks', async () => {
  const { withKey } = await world.newStore()
  const reader = await withKey({ scopes: ['read:webhooks'] })
  assert.equal((await reader.get('/v1/webhooks')).status, 200)
  const refused = await reader.post('/v1/webhooks', { url, events: ['order.created'] })
  assert.equal(refused.error.code, 'SCOPE_INSUFFICIENT')
  assert.match(refused.error.message, /write:webhooks/)
  const stranger = await withKey({ scopes: ['read:products'] })
  assert.match((await stranger.get('/v1/webhooks')).error.message, /read:webhooks/)
})

test('PATCH changes url, events, description and is_active; the secret does not come back', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/webhooks', { url, events: ['order.created'] })
  const changed = await api.patch(`/v1/webhooks/${data.id}`, {
    url: `${url}/2`,
    events: ['customer.created'],
    description: 'CRM',
    secret: 'a new secret of mine',
  })
  assert.equal(changed.status, 200)
  assert.equal('secret' in changed.data, false)
  const { url: to, events, description, secret_last4 } = changed.data
  assert.deepEqual(
    { to, events, description, secret_last4 },
    { to: `${url}/2`, events: ['customer.created'], description: 'CRM', secret_last4: 'mine' },
  )
  world.clock.advance(5)
  const off = await api.patch(`/v1/webhooks/${data.id}`, { is_active: false })
  assert.deepEqual([off.data.is_active, off.data.status, off.data.disabled_reason], [false, 'disabled', 'manual'])
  assert.equal(off.data.disabled_at, off.data.updated_at)
  const on = await api.patch(`/v1/webhooks/${data.id}`, { is_active: true, description: null })
  const { status, disabled_at, disabled_reason } = on.data
  assert.deepEqual([status, disabled_at, disabled_reason, on.data.description], ['active', null, null, null])
  assert.deepEqual((await api.patch(`/v1/webhooks/${data.id}`, {})).data, on.data)
  const refused = await api.patch(`/v1/webhooks/${data.id}`, { url: 'https://10.0.0.1', events: ['x'], secret: null })
  assert.deepEqual(refused.error.details.map(({ field }: any) => field).sort(), ['events.0', 'secret', 'url'])
})

test('rotating gives a new secret, of the caller or of ours', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/webhooks', { url, events: ['order.created'] })
  const rotated = await api.post(`/v1/webhooks/${data.id}/rotate-secret`)
  assert.equal(rotated.status, 200)
  assert.match(rotated.data.secret, /^[0-9a-f]{64}$/)
  assert.notEqual(rotated.data.secret, data.secret)
  const given = await api.post(`/v1/webhooks/${data.id}/rotate-secret`, { secret: 'a secret of the caller' })
  assert.equal(given.data.secret_last4, 'ller')
  assert.equal((await api.post(`/v1/webhooks/${data.id}/rotate-secret`, { secret: 'short' })).status, 422)
})

test("another store's webhook answers like an unknown one", async () => {
  const [mine, theirs] = [await world.newStore(), await world.newStore()]
  const { data } = await theirs.api.post('/v1/webhooks', { url, events: ['order.created'] })
  const delivery = (await theirs.api.post(`/v1/webhooks/${data.id}/test`)).data
  const own = (await mine.api.post('/v1/webhooks', { url, events: ['order.created'] })).data
  const unknown = 'wh_01h455vb4pex5vsknk084sn02q'
  const calls: [string, string, object?][] = [
    ['get', ''],
    ['patch', '', { description: 'x' }],
    ['delete', ''],
    ['post', '/test'],
    ['post', '/rotate-secret'],
    ['post', '/replay', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
    ['get', '/deliveries'],
    ['get', `/deliveries/${delivery.id}`],
    ['post', `/deliveries/${delivery.id}/redeliver`],
  ]
  for (const [method, path, body] of calls) {
    const call = (id: string) => (mine.api as any)[method](`/v1/webhooks/${id}${path}`, body)
    const [foreign, none] = [await call(data.id), await call(unknown)]
    assert.equal(foreign.status, 404, path)
    assert.deepEqual(foreign.body, none.body)
  }
  assert.equal((await mine.api.get(`/v1/webhooks/${own.id}/deliveries/${delivery.id}`)).status, 404)
  assert.equal((await mine.api.post(`/v1/webhooks/${own.id}/deliveries/${delivery.id}/redeliver`)).status, 404)
})

test('a PATCH that changes nothing moves neither updated_at nor the ETag', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/webhooks', { url: 'https://hooks.example/same', events: ['order.created'] })
  const before = await api.get(`/v1/webhooks/${data.id}`)
  world.clock.advance(10)
  const { url, events, description } = data
  const same = await api.patch(`/v1/webhooks/${data.id}`, { url, events, description })
  assert.deepEqual(same.data, before.data)
  assert.equal(same.headers.get('etag'), before.headers.get('etag'))
  const other = await api.patch(`/v1/webhooks/${data.id}`, { description: 'x' })
  assert.notEqual(other.data.updated_at, before.data.updated_at)
})

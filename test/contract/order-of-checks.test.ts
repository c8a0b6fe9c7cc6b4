// 404 unknown route → 401 → 429 → 403 scope → 403 feature → 422 → 403 plan limit → 404 and 409.
// Each request here offends against two neighbours; the earlier one answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { client, type Answer, type Client } from '../client.ts'
import { answering } from '../strangers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

const stranger = client(world.url, {})
const url = 'https://hooks.example/stoa',
  events = ['order.created']
const unknown = '00000000000000000000000000'
const json = { 'content-type': 'application/json' }

/** A key of a store on the free plan, of which every limit is used up. */
let full: Client
/** Keys of one store without features: for orders only, for everything, and one whose minute is used up. */
let narrow: Client, free: Client, used: Client
/** A key whose minute is used up and that has expired since. */
let expired: Client
/** A key of a suspended store, for everything and for orders only. */
let suspended: Client, narrowSuspended: Client

async function useUp(api: Client): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, () => api.get('/v1/products/none')))
}

const stopped = await world.newStore()
suspended = stopped.api
narrowSuspended = await stopped.withKey({ scopes: ['read:products', 'write:orders'] })
await world.app.db.rows(sql`update stores set status = 'suspended' where id = ${stopped.store.id}`)

const limited = await world.newStore({ plan: 'free' })
full = limited.api
await Promise.all([
  ...Array.from({ length: 50 }, (_, index) =>
    full.post('/v1/products', { name: 'Mug', price: 1, slug: `mug-${index}` }),
  ),
  ...Array.from({ length: 10 }, (_, index) => full.post('/v1/categories', { name: `Hats ${index}` })),
  ...['A', 'B', 'C'].map((code) => full.post('/v1/discounts', { code, type: 'percentage', value: 5 })),
  ...[url, `${url}/2`].map((one) => full.post('/v1/webhooks', { url: one, events })),
])

// A plan without features whose number of keys is not limited.
const shop = await world.newStore()
await world.app.db.rows(sql`
  insert into plans (id, name, limits, features) values ('bare', 'Bare', '{}', '{}') on conflict do nothing`)
await world.app.db.rows(sql`update stores set plan_id = 'bare' where id = ${shop.store.id}`)
free = shop.api
narrow = await shop.withKey({ scopes: ['write:orders'] })
used = await shop.withKey({ mode: 'test', scopes: ['write:orders'] })
expired = await shop.withKey({ mode: 'test', expires_at: new Date(world.clock.now().getTime() + 20_000) })
await useUp(expired)
world.clock.advance(20)

const cases: [string, () => Promise<Answer>, number, string][] = [
  ['an unknown route, and no key', () => stranger.get('/v1/nothing'), 404, 'NOT_FOUND'],
  [
    'an unknown method, and a bad key',
    () => client(world.url, { 'x-api-key': 'none' }).send('PUT', '/v1/products'),
    404,
    'NOT_FOUND',
  ],
  ['an unknown route, and a minute used up', () => useUp(used).then(() => used.get('/v1/nothing')), 404, 'NOT_FOUND'],
  ['an unknown route, and a body that is no JSON', () => send(free, '/v1/nothing', '{'), 404, 'NOT_FOUND'],
  ['an expired key, and its minute used up', () => expired.get('/v1/store'), 401, 'AUTHENTICATION_ERROR'],
  [
    'no key, and a missing scope, feature and name',
    () => stranger.post('/v1/products', { track_inventory: true }),
    401,
    'AUTHENTICATION_ERROR',
  ],
  ['no key, and a body that is no JSON', () => send(stranger, '/v1/products', '{'), 401, 'AUTHENTICATION_ERROR'],
  [
    'no key, and a body that is too large',
    () => send(stranger, '/v1/products', ' '.repeat(2 ** 20 + 1)),
    401,
    'AUTHENTICATION_ERROR',
  ],
  [
    'a minute used up, and a missing scope',
    () => useUp(used).then(() => used.get('/v1/products')),
    429,
    'RATE_LIMITED',
  ],
  [
    'a minute used up, and an invalid body',
    () => useUp(used).then(() => used.post('/v1/orders', {})),
    429,
    'RATE_LIMITED',
  ],
  [
    'a missing scope, and a missing feature of the body',
    () => narrow.post('/v1/products', { name: 'Mug', price: 1, track_inventory: true }),
    403,
    'SCOPE_INSUFFICIENT',
  ],
  [
    'a missing scope, and a missing feature of the route',
    () => narrow.get('/v1/checkout-drafts'),
    403,
    'SCOPE_INSUFFICIENT',
  ],
  ['a missing scope, and an invalid body', () => narrow.post('/v1/customers', {}), 403, 'SCOPE_INSUFFICIENT'],
  ['a missing scope, and an invalid query', () => narrow.get('/v1/customers?page=0'), 403, 'SCOPE_INSUFFICIENT'],
  ['a missing scope, and a body that is no JSON', () => send(narrow, '/v1/customers', '{'), 403, 'SCOPE_INSUFFICIENT'],
  [
    'a missing scope, and an id that is unknown',
    () => narrow.get(`/v1/customers/cus_${unknown}`),
    403,
    'SCOPE_INSUFFICIENT',
  ],
  [
    'a missing scope, and a suspended store',
    () => narrowSuspended.post('/v1/customers', { name: 'Ana' }),
    403,
    'SCOPE_INSUFFICIENT',
  ],
  [
    'a missing feature of the body, and an invalid body',
    () => free.post('/v1/products', { track_inventory: true }),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  [
    'a missing feature of the body, and an id that is unknown',
    () => free.patch(`/v1/products/prod_${unknown}`, { track_inventory: true }),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  [
    'a missing feature of a discount, and an invalid discount',
    () => free.post('/v1/discounts', { applies_to_all: false }),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  [
    'a missing feature of an event, and an invalid webhook',
    () => free.post('/v1/webhooks', { events: ['checkout.abandoned'] }),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  [
    'a missing feature of the route, and an invalid query',
    () => free.get('/v1/checkout-drafts?status=none'),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  [
    'a missing feature of the route, and a body that is no JSON',
    () => send(free, '/v1/store/order-bumps', '{'),
    403,
    'FEATURE_ACCESS_DENIED',
  ],
  ['a suspended store, and an invalid body', () => suspended.post('/v1/customers', {}), 403, 'FEATURE_ACCESS_DENIED'],
  [
    "an invalid product, and the plan's limit",
    () => full.post('/v1/products', { name: 'Mug' }),
    422,
    'VALIDATION_ERROR',
  ],
  ["an invalid category, and the plan's limit", () => full.post('/v1/categories', {}), 422, 'VALIDATION_ERROR'],
  [
    "an invalid discount, and the plan's limit",
    () => full.post('/v1/discounts', { code: 'D', type: 'percentage', value: 101 }),
    422,
    'VALIDATION_ERROR',
  ],
  [
    "an invalid webhook, and the plan's limit",
    () => full.post('/v1/webhooks', { url: 'http://hooks.example', events }),
    422,
    'VALIDATION_ERROR',
  ],
  [
    'an invalid body, and an id that is unknown',
    () => full.patch(`/v1/customers/cus_${unknown}`, { name: '' }),
    422,
    'VALIDATION_ERROR',
  ],
  [
    'an invalid body, and what is no id at all',
    () => full.patch('/v1/customers/none', { name: '' }),
    422,
    'VALIDATION_ERROR',
  ],
  [
    'an invalid query, and an id that is unknown',
    () => full.get(`/v1/orders/ord_${unknown}/items?page=0`),
    422,
    'VALIDATION_ERROR',
  ],
  [
    "the plan's limit, and a slug that is taken",
    () => full.post('/v1/products', { name: 'Mug', price: 1, slug: 'mug-1' }),
    403,
    'PLAN_LIMIT_EXCEEDED',
  ],
  [
    "the plan's limit, and a category's name that is taken",
    () => full.post('/v1/categories', { name: 'HATS 1' }),
    403,
    'PLAN_LIMIT_EXCEEDED',
  ],
  [
    "the plan's limit, and a code that is taken",
    () => full.post('/v1/discounts', { code: 'a', type: 'percentage', value: 5 }),
    403,
    'PLAN_LIMIT_EXCEEDED',
  ],
  [
    "the plan's limit, and a url that is taken",
    () => full.post('/v1/webhooks', { url, events }),
    403,
    'PLAN_LIMIT_EXCEEDED',
  ],
  [
    'an id that is unknown, and a name that is taken',
    () => full.patch(`/v1/categories/cat_${unknown}`, { name: 'Hats 1' }),
    404,
    'NOT_FOUND',
  ],
]

for (const [what, request, status, code] of cases) {
  test(`${what}: ${status} ${code}`, async () => {
    const answer = await request()
    assert.deepEqual([answer.status, answer.error.code], [status, code], JSON.stringify(answer.error))
  })
}

function send(api: Client, path: string, body: string): Promise<Answer> {
  return api.send('POST', path, { body, headers: json })
}

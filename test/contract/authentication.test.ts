// Section 5 of the interface: every way not to be let in, with the exact words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deactivateKey } from '../../src/identity/apikeys/operations.ts'
import { hashSecret } from '../../src/kit/values/secrets.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { routes } from '../../src/developer/routes.ts'
import { client, type Answer } from '../client.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
const { app, url, clock } = world

const withHeaders = (headers: Record<string, string>) => client(url, headers).get('/v1/store')

function assertRefused({ status, body, headers }: Answer, message: string, what: string): void {
  assert.deepEqual([status, body], [401, { error: { code: 'AUTHENTICATION_ERROR', message } }], what)
  assert.match(headers.get('content-type')!, /^application\/json\b/)
}

const letters = 'a'.repeat(40)
const both = 'Send either X-API-Key or Authorization, not both'
const missing = 'Missing X-API-Key header'
const malformed = 'Invalid API key format'
const unknown = 'Invalid or inactive API key'

for (const [what, headers, message] of [
  ['no credential', {}, missing],
  ['an empty key', { 'x-api-key': '' }, missing],
  ['a key of another form', { 'x-api-key': letters }, malformed],
  ['a key with another prefix', { 'x-api-key': `sk_live_${letters}` }, malformed],
  ['a key with its prefix in capitals', { 'x-api-key': `WK_LIVE_${letters}` }, malformed],
  ['a prefix that stands further on', { 'x-api-key': `xwk_live_${letters}` }, malformed],
  ['an unknown live key', { 'x-api-key': `wk_live_${letters}` }, unknown],
  ['an unknown test key', { 'x-api-key': `wk_test_${letters}` }, unknown],
  ['a prefix alone', { 'x-api-key': 'wk_live_' }, unknown],
  ['a key that PostgreSQL could misread', { 'x-api-key': `wk_live_' or true --` }, unknown],
] as [string, Record<string, string>, string][]) {
  test(`${what} is refused with 401: ${message}`, async () => {
    assertRefused(await withHeaders(headers), message, what)
  })
}

test('no route of the table answers without a key', async () => {
  const stranger = client(url, {})
  for (const { method, path } of routes) {
    const answer = await stranger.send(method, `/v1${path.replaceAll(/\{\w+\}/g, 'some')}`)
    assertRefused(answer, missing, `${method} ${path}`)
  }
})

test('a key is taken from its header only', async () => {
  const { api } = await world.newStore()
  assertRefused(await client(url, {}).get(`/v1/store?api_key=${api.key}&X-API-Key=${api.key}`), missing, 'query')
  assertRefused(await client(url, { cookie: `x-api-key=${api.key}` }).get('/v1/store'), missing, 'cookie')
  assert.equal((await withHeaders({ Authorization: `Bearer ${api.key}` })).status, 401)
})

test('a key cut short or with one letter more is unknown', async () => {
  const { api } = await world.newStore()
  assert.equal((await withHeaders({ 'x-api-key': api.key })).status, 200)
  for (const key of [api.key.slice(0, -1), `${api.key}a`, api.key.toUpperCase().replace('WK_LIVE_', 'wk_live_')]) {
    assertRefused(await withHeaders({ 'x-api-key': key }), unknown, key)
  }
})

test('a key and a token at once are refused, whatever they are', async () => {
  const { api } = await world.newStore()
  for (const authorization of ['Bearer token', `Bearer ${api.key}`, 'Basic YTpi']) {
    assertRefused(await withHeaders({ 'x-api-key': api.key, authorization }), both, authorization)
  }
  assertRefused(await withHeaders({ 'x-api-key': 'none', authorization: 'Bearer token' }), both, 'both wrong')
})

test('a key that is deactivated stops working within 5 seconds, also while it is in use', async () => {
  const { api, withKey } = await world.newStore()
  const other = await withKey({})
  for (const one of [api, other]) assert.equal((await one.get('/v1/store')).status, 200)
  await app.db.transaction(async (tx) => deactivateKey(tx, await idOf(api.key)))
  clock.advance(5)
  assertRefused(await api.get('/v1/store'), unknown, 'deactivated')
  assert.equal((await other.get('/v1/store')).status, 200)
})

test('a key that was never used before it is deactivated does not work once', async () => {
  const { api } = await world.newStore()
  await app.db.transaction(async (tx) => deactivateKey(tx, await idOf(api.key)))
  assertRefused(await api.get('/v1/store'), unknown, 'deactivated')
})

test('a key works up to its expiry, and not from then on', async () => {
  const { withKey } = await world.newStore()
  const key = await withKey({ expires_at: new Date(clock.now().getTime() + 3_600_000) })
  clock.advance(3_540)
  assert.equal((await key.get('/v1/store')).status, 200)
  clock.advance(60)
  assertRefused(await key.get('/v1/store'), 'API key has expired', 'known before')
  const dead = await withKey({ expires_at: new Date(clock.now().getTime() - 1) })
  assertRefused(await dead.get('/v1/store'), 'API key has expired', 'never known')
})

test('the keys of a closed store are refused, those of a paused one are not', async () => {
  const { api, store } = await world.newStore()
  for (const [status, expected] of [
    ['active', 200],
    ['paused', 200],
    ['suspended', 200],
    ['closed', 401],
  ] as const) {
    await app.db.rows(sql`update stores set status = ${status} where id = ${store.id}`)
    clock.advance(5)
    const answer = await api.get('/v1/store')
    assert.equal(answer.status, expected, status)
    if (expected === 401) assertRefused(answer, unknown, status)
    else assert.equal(answer.data.status, status)
  }
})

test('live and test keys open the same store', async () => {
  const { api, store, withKey } = await world.newStore()
  const trial = await withKey({ mode: 'test' })
  assert.match(api.key, /^wk_live_[0-9A-Za-z]{32,}$/)
  assert.match(trial.key, /^wk_test_[0-9A-Za-z]{32,}$/)
  const { data } = await trial.post('/v1/categories', { name: 'Hats' })
  assert.equal((await api.get(`/v1/categories/${data.id}`)).data.name, 'Hats')
  assert.equal((await trial.get('/v1/store')).data.id, store.id)
})

async function idOf(key: string): Promise<string> {
  return (await app.db.one<{ id: string }>(sql`select id from api_keys where hash = ${hashSecret(key)}`))!.id
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../../test/client.ts'
import { basic, newApp, newTokens, openOauthWorld, someAddress } from '../../../test/oauth.ts'
import { wholePolicy } from '../../tenancy/dispatch/policy.ts'
import { limitApp } from './apps.ts'
import { bearerCheck } from './bearer.ts'
import { buildIssuer } from './issuer.ts'
import { setStatus } from '../../tenancy/stores/operations.ts'

const world = await openOauthWorld()
const { db } = world.app
const origin = world.issuer
const metadata = `${origin}/.well-known/oauth-protected-resource/v1`
const merchant = await world.newMerchant()
const app = await newApp(world, { scope: 'read:products write:products read:orders' })

const api = (token: string, more: Record<string, string> = {}) =>
  client(world.url, { authorization: `Bearer ${token}`, 'x-forwarded-for': someAddress(), ...more })

test('a token opens the store that it is bound to, as far as its scopes go', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'write:products' })
  const { status, data } = await api(access_token).post('/v1/products', { name: 'Tea', price: 4 })
  assert.equal(status, 201)
  assert.equal((await api(access_token).get(`/v1/products/${data.id}`)).status, 200)
  assert.equal((await merchant.store.api.get(`/v1/products/${data.id}`)).data.name, 'Tea')
  const stranger = await world.newMerchant()
  const { access_token: theirs } = await newTokens(world, stranger, app, { scope: 'read:products' })
  assert.equal((await api(theirs).get(`/v1/products/${data.id}`)).status, 404)
})

test('a missing scope is 403 SCOPE_INSUFFICIENT, and WWW-Authenticate says so and where to ask', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'read:orders' })
  const { status, headers, error } = await api(access_token).get('/v1/products')
  assert.deepEqual([status, error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.equal(error.message, 'This access token lacks the scope read:products')
  assert.equal(
    headers.get('www-authenticate'),
    `Bearer error="insufficient_scope", scope="read:products", resource_metadata="${metadata}"`,
  )
})

test('an unknown token is 401 in the envelope, with error="invalid_token"', async () => {
  for (const token of ['unknown', 'x'.repeat(5000)]) {
    const { status, headers, error } = await api(token).get('/v1/products')
    assert.deepEqual([status, error.code], [401, 'AUTHENTICATION_ERROR'])
    assert.equal(
      headers.get('www-authenticate'),
      `Bearer error="invalid_token", scope="read:products", resource_metadata="${metadata}"`,
    )
  }
})

test('an API key that is sent as a token is told where it belongs', async () => {
  const { status, error } = await api(merchant.store.api.key).get('/v1/products')
  assert.deepEqual([status, error.message], [401, 'This is an API key. Send it in the X-API-Key header'])
})

test('without any credential the answer says where a client learns how to get one', async () => {
  const { status, headers } = await client(world.url, {}).get('/v1/products')
  assert.equal(status, 401)
  assert.equal(headers.get('www-authenticate'), `Bearer scope="read:products", resource_metadata="${metadata}"`)
})

test('a key and a token at once are 401', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'read:products' })
  const { status } = await api(access_token, { 'x-api-key': merchant.store.api.key }).get('/v1/products')
  assert.equal(status, 401)
})

test('a revoked token is refused by the very next request, on every node', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'read:products' })
  assert.equal((await api(access_token).get('/v1/products')).status, 200)
  await world.post('/oauth/revoke', { token: access_token }, basic(app))
  assert.equal((await api(access_token).get('/v1/products')).status, 401)
})

test('1,000 requests at once are all answered, and a token that is then revoked is refused at once', async () => {
  const own = await newApp(world, { scope: 'read:products' })
  const { access_token } = await newTokens(world, merchant, own, { scope: 'read:products' })
  let asked = 0
  const watched: typeof db = { ...db, rows: (query) => (asked++, db.rows(query)) }
  const check = bearerCheck(watched, buildIssuer({ authUrl: world.issuer, baseUrl: origin }))
  const answers = await Promise.all(Array.from({ length: 1000 }, () => check(access_token)))
  for (const { store } of answers) assert.equal(store.id, merchant.store.store.id)
  assert.ok(asked <= 16, `${asked} statements`)

  const { data } = await merchant.store.api.post('/v1/products', { name: 'Tea', price: 4 })
  const requests = Array.from({ length: 1000 }, () => api(access_token).get(`/v1/products/${data.id}`))
  assert.deepEqual(new Set((await Promise.all(requests)).map(({ status }) => status)), new Set([200]))
  await world.post('/oauth/revoke', { token: access_token }, basic(own))
  assert.equal((await api(access_token).get(`/v1/products/${data.id}`)).status, 401)
  await assert.rejects(check(access_token), { status: 401 })
})

test('an expired token is refused', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'read:products' })
  world.clock.advance(3601)
  assert.equal((await api(access_token).get('/v1/products')).status, 401)
})

test('a refresh token opens nothing', async () => {
  const { refresh_token } = await newTokens(world, merchant, app, { scope: 'read:products' })
  assert.equal((await api(refresh_token).get('/v1/products')).status, 401)
})

test('a token for another audience is refused: it was given to somebody else', async () => {
  const neighbours = [`${origin}/mcp-of-somebody-else`, `${origin}/v10`]
  for (const resource of ['https://api.example', `${origin}@evil.example/v1`, 'urn:example', ...neighbours]) {
    world.clock.advance(61)
    const { access_token } = await newTokens(world, merchant, app, { scope: 'read:products', resource })
    assert.equal((await api(access_token).get('/v1/products')).status, 401, resource)
  }
  for (const resource of [`${origin}/v1`, origin, `${origin}/`]) {
    const { access_token } = await newTokens(world, merchant, app, { scope: 'read:products', resource })
    assert.equal((await api(access_token).get('/v1/products')).status, 200, resource)
    world.clock.advance(61)
  }
})

test('a client has 1,000 requests a minute for each store, with however many tokens', async () => {
  const busy = await newApp(world, { scope: 'read:products' })
  const other = await world.newMerchant()
  const [one, two] = [
    await newTokens(world, merchant, busy, { scope: 'read:products' }),
    await newTokens(world, merchant, busy, { scope: 'read:products' }),
  ]
  const first = await api(one.access_token).get('/v1/products')
  assert.equal(first.headers.get('x-ratelimit-limit'), '1000')
  assert.equal(first.headers.get('x-ratelimit-remaining'), '999')
  assert.equal((await api(two.access_token).get('/v1/products')).headers.get('x-ratelimit-remaining'), '998')
  const elsewhere = await newTokens(world, other, busy, { scope: 'read:products' })
  assert.equal((await api(elsewhere.access_token).get('/v1/products')).headers.get('x-ratelimit-remaining'), '999')
})

test('a suspended store can be read, a closed one not even that', async () => {
  const owner = await world.newMerchant()
  const { access_token } = await newTokens(world, owner, app, { scope: 'write:products' })
  await db.transaction((tx) => setStatus(tx, owner.store.store.id, 'suspended'))
  assert.equal((await api(access_token).get('/v1/products')).status, 200)
  assert.equal((await api(access_token).post('/v1/products', { name: 'Tea', price: 4 })).status, 403)
  await db.transaction((tx) => setStatus(tx, owner.store.store.id, 'closed'))
  assert.equal((await api(access_token).get('/v1/products')).status, 401)
})

test('a token writes as far as the limits of its app in the store go; another store has its own', async () => {
  const limited = await newApp(world, { scope: 'write:products' })
  const scope = 'write:products'
  const { access_token } = await newTokens(world, merchant, limited, { scope })
  const other = await world.newMerchant()
  const { access_token: theirs } = await newTokens(world, other, limited, { scope })
  const policy = wholePolicy({ max_per_day: 1 })
  await db.transaction((tx) => limitApp(tx, merchant.store.store.id, limited.client_id, policy))
  const make = async (token: string, name: string) => {
    const { status, error } = await api(token).post('/v1/categories', { name })
    return status === 201 ? 'made' : error.code
  }
  assert.deepEqual([await make(access_token, 'Hats'), await make(access_token, 'Bags')], ['made', 'POLICY_EXCEEDED'])
  assert.deepEqual([await make(theirs, 'Hats'), await make(theirs, 'Bags')], ['made', 'made'])
  await db.transaction((tx) => limitApp(tx, merchant.store.store.id, limited.client_id, null))
  assert.equal(await make(access_token, 'Bags'), 'made', 'at once')
})

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { basic, newApp, newTokens, openOauthWorld } from '../../../test/oauth.ts'
import { setStatus } from '../../tenancy/stores/operations.ts'

const world = await openOauthWorld()
const { post, issuer } = world
const { db } = world.app
// Every test finds the windows of the limits open.
beforeEach(() => world.clock.advance(61))
const merchant = await world.newMerchant()
const app = await newApp(world)
const resourceServer = await newApp(world, { client_name: 'API' })

const introspect = (token: string, more: Record<string, string> = {}) =>
  post('/oauth/introspect', { token, ...more }, basic(resourceServer))
const inactive = { active: false }

test('an active token is answered with exactly what the contract names', async () => {
  const { access_token } = await newTokens(world, merchant, app, { scope: 'read:orders read:products' })
  const { status, headers, body } = await introspect(access_token)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.match(headers.get('content-type')!, /^application\/json/)
  const { exp, iat, ...rest } = body
  assert.deepEqual(rest, {
    active: true,
    scope: 'read:orders read:products',
    client_id: app.client_id,
    sub: merchant.id,
    token_type: 'Bearer',
    iss: issuer,
    service_store_id: merchant.store.store.id,
  })
  assert.equal(exp - iat, 3600)
  assert.match(rest.service_store_id, /^[A-Z]{2}-[0-9A-Z]{8}$/)
})

test('aud is the resource of the authorization, to the letter', async () => {
  for (const resource of [
    'https://api.example/mcp',
    'https://api.example',
    'https://API.example/x?y=1',
    'urn:example:api',
  ]) {
    const { access_token } = await newTokens(world, merchant, app, { resource })
    assert.equal((await introspect(access_token)).body.aud, resource)
  }
})

test('the caller may register to authenticate in the body, and ask about its own tokens', async () => {
  const own = await newApp(world, { token_endpoint_auth_method: 'client_secret_post' })
  const { access_token } = await newTokens(world, merchant, app)
  const { client_id, client_secret = '' } = own
  const { body } = await post('/oauth/introspect', { token: access_token, client_id, client_secret })
  assert.equal(body.active, true)
  assert.equal((await post('/oauth/introspect', { token: access_token }, basic(app))).body.active, true)
})

test('an unknown token, whatever it looks like, is answered with active false and nothing else', async () => {
  const jwt = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  for (const token of ['unknown', jwt, 'eyJhbGciOiJub25lIn0..', '\u0000', 'x'.repeat(10_000), 'wk_live_x', '{}', '€']) {
    const { status, text } = await introspect(token)
    assert.deepEqual([status, text], [200, '{"active":false}'], token.slice(0, 40))
  }
})

test("a refresh token and a code are none of a resource server's business", async () => {
  const { refresh_token } = await newTokens(world, merchant, app)
  assert.deepEqual((await introspect(refresh_token)).body, inactive)
  assert.deepEqual((await introspect(refresh_token, { token_type_hint: 'refresh_token' })).body, inactive)
  assert.deepEqual((await post('/oauth/introspect', { token: refresh_token }, basic(app))).body, inactive)
})

test('a wrong hint does not hide a token', async () => {
  const { access_token } = await newTokens(world, merchant, app)
  for (const token_type_hint of ['refresh_token', 'access_token', 'pigeon']) {
    assert.equal((await introspect(access_token, { token_type_hint })).body.active, true)
  }
})

test('an expired token is inactive from the second on', async () => {
  const own = await openOauthWorld()
  const owner = await own.newMerchant()
  const printer = await newApp(own)
  const { access_token } = await newTokens(own, owner, printer)
  const ask = async () => (await own.post('/oauth/introspect', { token: access_token }, basic(printer))).body
  own.clock.advance(3590)
  assert.equal((await ask()).active, true)
  own.clock.advance(11)
  assert.deepEqual(await ask(), inactive)
})

test('a revoked token is inactive at once, whichever of the pair was revoked', async () => {
  for (const which of ['access_token', 'refresh_token'] as const) {
    const tokens = await newTokens(world, merchant, app)
    assert.equal((await introspect(tokens.access_token)).body.active, true)
    const { status, text } = await post('/oauth/revoke', { token: tokens[which] }, basic(app))
    assert.deepEqual([status, text], [200, ''])
    assert.deepEqual((await introspect(tokens.access_token)).body, inactive)
    assert.equal(
      (await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, basic(app)))
        .body.error,
      'invalid_grant',
    )
  }
})

test("revoking what is unknown, used, malformed or another client's is 200 and changes nothing", async () => {
  const tokens = await newTokens(world, merchant, app)
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'
  for (const token of ['unknown', jwt, '\u0000']) {
    const { status, text } = await post('/oauth/revoke', { token }, basic(app))
    assert.deepEqual([status, text], [200, ''])
  }
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    assert.equal((await post('/oauth/revoke', { token }, basic(resourceServer))).status, 200)
  }
  assert.equal((await introspect(tokens.access_token)).body.active, true)
})

test('a token without a token is 400 invalid_request', async () => {
  for (const path of ['/oauth/introspect', '/oauth/revoke']) {
    const { status, body } = await post(path, {}, basic(resourceServer))
    assert.deepEqual([status, body.error], [400, 'invalid_request'])
  }
})

test('a public client may not introspect: 401 invalid_client with WWW-Authenticate', async () => {
  const spa = await newApp(world, { token_endpoint_auth_method: 'none' })
  const { access_token } = await newTokens(world, merchant, app)
  const { status, headers, body } = await post('/oauth/introspect', { token: access_token, client_id: spa.client_id })
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
  assert.match(headers.get('www-authenticate')!, /^Basic /)
})

test('a confidential client sends its secret by Basic or in the body, whichever it registered', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post', undefined]) {
    const client = await newApp(world, { token_endpoint_auth_method: method })
    const { client_id, client_secret = '' } = client
    for (const path of ['/oauth/introspect', '/oauth/revoke', '/oauth/token']) {
      // A token request gets as far as its grant.
      const accepted = path === '/oauth/token' ? 'invalid_grant' : undefined
      const form = { token: 'x', grant_type: 'refresh_token', refresh_token: 'x' }
      for (const { body } of [
        await post(path, form, basic(client)),
        await post(path, { ...form, client_id, client_secret }),
      ])
        assert.equal(body?.error, accepted, `${method} ${path}`)
      for (const { status, body } of [
        await post(path, form, basic({ ...client, client_secret: 'wrong' })),
        await post(path, { ...form, client_id, client_secret: 'wrong' }),
      ])
        assert.deepEqual([status, body.error], [401, 'invalid_client'], `${method} ${path}`)
    }
  }
})

test('a caller that tries two ways at once fails authentication', async () => {
  const { status, body } = await post('/oauth/introspect', { token: 'x', client_secret: 'x' }, basic(resourceServer))
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
})

test('a token of a client that has expired is inactive, not a 500', async () => {
  const short = await openOauthWorld({ environment: { OAUTH_CLIENT_TTL_S: '3000' } })
  const owner = await short.newMerchant()
  const printer = await newApp(short)
  const { access_token, expires_in } = await newTokens(short, owner, printer)
  assert.ok(expires_in <= 3000)
  short.clock.advance(1500)
  const caller = await newApp(short)
  const ask = () => short.post('/oauth/introspect', { token: access_token }, basic(caller))
  assert.equal((await ask()).body.active, true)
  short.clock.advance(1501)
  const { status, body } = await ask()
  assert.deepEqual([status, body], [200, inactive])
})

test('a token of a store that was closed is inactive', async () => {
  const owner = await world.newMerchant()
  const { access_token } = await newTokens(world, owner, app)
  assert.equal((await introspect(access_token)).body.active, true)
  await db.transaction((tx) => setStatus(tx, owner.store.store.id, 'closed'))
  assert.deepEqual((await introspect(access_token)).body, inactive)
})

test('the last use of a grant is noted', async () => {
  const owner = await world.newMerchant()
  const { access_token } = await newTokens(world, owner, app)
  await introspect(access_token)
  const { sql } = await import('../../kit/database/sql.ts')
  let used: { last_used_at: Date | null } | undefined
  for (let tries = 0; tries < 50 && !used?.last_used_at; tries++) {
    used = await db.one(sql`select last_used_at from oauth_grants where store_id = ${owner.store.store.id}`)
    await new Promise((wake) => setTimeout(wake, 20))
  }
  assert.ok(used?.last_used_at)
})

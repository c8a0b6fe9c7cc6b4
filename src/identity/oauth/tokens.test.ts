import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  allow,
  authorizeUrl,
  basic,
  newApp,
  newCode,
  newTokens,
  openOauthWorld,
  pkce,
  type App,
} from '../../../test/oauth.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openOauthWorld()
const { post, issuer } = world
// Every test finds the windows of the limits open.
beforeEach(() => world.clock.advance(61))
const merchant = await world.newMerchant()
const app = await newApp(world)

const isActive = async (token: string, by: App = app) =>
  (await post('/oauth/introspect', { token }, basic(by))).body.active
const refresh = (refresh_token: string, by: App = app, more = {}) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...more }, basic(by))

test('of 8 exchanges of one code at once, exactly one gets tokens', async () => {
  for (let round = 0; round < 3; round++) {
    const code = await newCode(world, merchant, app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/oauth/token', code, basic(app))))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400])
    assert.ok(answers.every(({ status, body }) => status === 200 || body.error === 'invalid_grant'))
  }
})

test('8 refreshes with one token at once, over two nodes, get one and the same successor', async () => {
  const other = await openOauthWorld()
  other.clock.advance((world.clock.now().getTime() - other.clock.now().getTime()) / 1000)
  for (let round = 0; round < 3; round++) {
    const printer = await newApp(world)
    const { refresh_token } = await newTokens(world, merchant, printer)
    const body = { grant_type: 'refresh_token', refresh_token }
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => [world, other][index % 2]!.post('/oauth/token', body, basic(printer))),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    for (const name of ['access_token', 'refresh_token']) {
      assert.equal(new Set(answers.map((answer) => answer.body[name])).size, 1, name)
    }
    assert.equal(await isActive(answers[0]!.body.access_token, printer), true)
    assert.equal((await refresh(answers[0]!.body.refresh_token, printer)).status, 200)
  }
})

test('a refresh token that its client repeats within 30 seconds gets the same successor', async () => {
  const first = await newTokens(world, merchant, app)
  const { body: second } = await refresh(first.refresh_token)
  world.clock.advance(25)
  const { status, headers, body: again } = await refresh(first.refresh_token)
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
  assert.deepEqual({ ...again, expires_in: 0 }, { ...second, expires_in: 0 })
  assert.ok(again.expires_in <= second.expires_in - 25)
  const { body: third } = await refresh(second.refresh_token)
  assert.equal(await isActive(third.access_token), true)
  // The window that still has the first one follows the other through its next refresh.
  assert.equal((await refresh(again.refresh_token)).body.refresh_token, third.refresh_token)
})

test('a repeated refresh token is worth nothing to another client or without the secret', async () => {
  const first = await newTokens(world, merchant, app)
  const { body: second } = await refresh(first.refresh_token)
  const stranger = await newApp(world)
  assert.equal((await refresh(first.refresh_token, stranger)).body.error, 'invalid_grant')
  const wrong = await refresh(first.refresh_token, { ...app, client_secret: 'wrong' })
  assert.equal(wrong.body.error, 'invalid_client')
  assert.equal(await isActive(second.access_token), true)
})

test('after a revocation a repeated refresh token brings nothing back', async () => {
  const first = await newTokens(world, merchant, app)
  const { body: second } = await refresh(first.refresh_token)
  await post('/oauth/revoke', { token: second.refresh_token }, basic(app))
  assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant')
})

test('of 8 exchanges of one code over two nodes, no more than one gets tokens', async () => {
  const other = await openOauthWorld()
  for (let round = 0; round < 3; round++) {
    const printer = await newApp(world)
    const code = await newCode(world, merchant, printer)
    const nodes = [world, other]
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => nodes[index % 2]!.post('/oauth/token', code, basic(printer))),
    )
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1)
    assert.ok(answers.every(({ status, body }) => status === 200 || body.error === 'invalid_grant'))
    const tokens = await world.app.db.rows(sql`
      select oauth_tokens.id
      from oauth_tokens
      join oauth_grants on oauth_grants.store_id = oauth_tokens.store_id and oauth_grants.id = oauth_tokens.grant_id
      where oauth_grants.client_id = ${printer.client_id}
        and oauth_tokens.kind = 'AccessToken'`)
    assert.ok(tokens.length <= 1)
  }
})

test('the statement that uses a code up lets one through, whatever the requests know of each other', async () => {
  // As on two nodes: without the turns that requests of one process take.
  const { db } = world.app
  const { code } = await newCode(world, merchant, app)
  const { adapters } = await import('./adapter.ts')
  const codes = adapters(db)('AuthorizationCode')
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => codes.consume(code)))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a code is exchanged for a Bearer token of an hour', async () => {
  const { status, headers, body } = await post('/oauth/token', await newCode(world, merchant, app), basic(app))
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { access_token, refresh_token, ...rest } = body
  assert.deepEqual(rest, { expires_in: 3600, scope: 'read:orders', token_type: 'Bearer' })
  assert.ok(access_token.length >= 43 && refresh_token.length >= 43)
})

test('a client that did not register refresh_token gets none', async () => {
  const once = await newApp(world, { grant_types: ['authorization_code'] })
  const tokens = await newTokens(world, merchant, once)
  assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
  const { status, body } = await refresh('anything', once)
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
})

test('a code works for 60 seconds', async () => {
  const code = await newCode(world, merchant, app)
  world.clock.advance(61)
  const { status, body } = await post('/oauth/token', code, basic(app))
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
})

test('a code that comes a second time is refused, and what it gave is revoked', async () => {
  const code = await newCode(world, merchant, app)
  const { body: tokens } = await post('/oauth/token', code, basic(app))
  assert.equal(await isActive(tokens.access_token), true)
  const { status, body } = await post('/oauth/token', code, basic(app))
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  assert.equal(await isActive(tokens.access_token), false)
  assert.equal((await refresh(tokens.refresh_token)).body.error, 'invalid_grant')
})

test('a code is worth nothing without its verifier, its redirect_uri, or to another client', async () => {
  const other = await newApp(world)
  const attempts: [Record<string, string | undefined>, App, string][] = [
    [{ code_verifier: pkce().verifier }, app, 'invalid_grant'],
    [{ code_verifier: undefined }, app, 'invalid_grant'],
    [{ redirect_uri: 'https://printer.example/other' }, app, 'invalid_grant'],
    [{ redirect_uri: undefined }, app, 'invalid_request'],
    [{ code: undefined }, app, 'invalid_request'],
    [{ code: 'unknown' }, app, 'invalid_grant'],
    [{ grant_type: undefined }, app, 'invalid_request'],
    [{ grant_type: 'password' }, app, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, app, 'unsupported_grant_type'],
    [{}, other, 'invalid_grant'],
  ]
  for (const [change, by, error] of attempts) {
    const code = { ...(await newCode(world, merchant, app)), ...change }
    const given = Object.fromEntries(
      Object.entries(code).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const { status, body } = await post('/oauth/token', given, basic(by))
    assert.deepEqual(
      [status, body.error, typeof body.error_description],
      [400, error, 'string'],
      JSON.stringify(change),
    )
  }
})

test('a refresh token rotates: the new pair works, and the old one coming back later ends both', async () => {
  const first = await newTokens(world, merchant, app)
  const { body: second } = await refresh(first.refresh_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(second.scope, 'read:orders')
  assert.equal(await isActive(second.access_token), true)
  world.clock.advance(31)
  assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant')
  assert.equal(await isActive(second.access_token), false)
  assert.equal((await refresh(second.refresh_token)).body.error, 'invalid_grant')
})

test(
  '30 days without a refresh end it; each refresh begins them anew, ' + 'also beyond the 30 days of the first',
  async () => {
    const lasting = await openOauthWorld()
    const owner = await lasting.newMerchant()
    const printer = await newApp(lasting)
    let { refresh_token } = await newTokens(lasting, owner, printer)
    const again = () => lasting.post('/oauth/token', { grant_type: 'refresh_token', refresh_token }, basic(printer))
    for (const days of [29, 29]) {
      lasting.clock.advance(days * 24 * 3600)
      const { status, body } = await again()
      assert.equal(status, 200, JSON.stringify(body))
      refresh_token = body.refresh_token
    }
    lasting.clock.advance(30 * 24 * 3600 + 1)
    assert.deepEqual([(await again()).status, (await again()).body.error], [400, 'invalid_grant'])
  },
)

test('a refresh may ask for less, not for more', async () => {
  const both = await newTokens(world, merchant, app, { scope: 'read:orders read:products' })
  const { body: less } = await refresh(both.refresh_token, app, { scope: 'read:products' })
  assert.equal(less.scope, 'read:products')
  const narrow = await newTokens(world, merchant, app, { scope: 'read:orders' })
  const { status, body } = await refresh(narrow.refresh_token, app, { scope: 'read:orders read:products' })
  assert.deepEqual([status, body.error], [400, 'invalid_scope'])
})

test('a refresh may name offline_access, which is no scope of a token', async () => {
  const first = await newTokens(world, merchant, app, { scope: 'read:orders offline_access' })
  assert.equal(first.scope, 'read:orders')
  const { status, body } = await refresh(first.refresh_token, app, { scope: 'read:orders offline_access' })
  assert.deepEqual([status, body.scope], [200, 'read:orders'])
})

test('a token for the MCP server opens it however the resource was written', async () => {
  const { host, origin } = new URL(issuer)
  for (const resource of [`${origin}/mcp`, `${origin}/mcp/`, `HTTP://${host.toUpperCase()}/mcp`]) {
    world.clock.advance(61)
    const { access_token } = await newTokens(world, merchant, app, { resource })
    const response = await fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    assert.equal(response.status, 200, resource)
  }
})

test('a refresh token is worth nothing to another client', async () => {
  const { refresh_token } = await newTokens(world, merchant, app)
  const { status, body } = await refresh(refresh_token, await newApp(world))
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
})

test('the resource of the request becomes the audience, also after a refresh; another one is refused', async () => {
  const resource = 'https://api.printer.example/mcp'
  const tokens = await newTokens(world, merchant, app, { resource })
  const audience = async (token: string) => (await post('/oauth/introspect', { token }, basic(app))).body.aud
  assert.equal(await audience(tokens.access_token), resource)
  const { body: next } = await refresh(tokens.refresh_token)
  assert.equal(await audience(next.access_token), resource)
  const { body: named } = await refresh(next.refresh_token, app, { resource })
  assert.equal(await audience(named.access_token), resource)
  const { status, body } = await refresh(named.refresh_token, app, { resource: 'https://other.example' })
  assert.deepEqual([status, body.error], [400, 'invalid_target'])
})

test('a refused refresh changes nothing: the token is refreshed afterwards, the access token lives', async () => {
  const resource = 'https://api.printer.example/mcp'
  const { access_token, refresh_token } = await newTokens(world, merchant, app, { resource })
  const wrong = [{ resource: 'https://other.example' }, { scope: 'write:everything' }, { resource: 'no address' }]
  for (const more of wrong) {
    assert.equal((await refresh(refresh_token, app, more)).status, 400)
  }
  assert.equal(await isActive(access_token), true)
  const { status, body } = await refresh(refresh_token)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(await isActive(body.access_token), true)
})

test('a refused exchange changes nothing: the same code is exchanged afterwards', async () => {
  const code = await newCode(world, merchant, app, { resource: 'https://api.printer.example/mcp' })
  for (const wrong of [
    { resource: 'https://other.example' },
    { redirect_uri: 'https://other.example/callback' },
    { code_verifier: 'x'.repeat(43) },
  ]) {
    const { status, body } = await post('/oauth/token', { ...code, ...wrong }, basic(app))
    assert.equal(status, 400, JSON.stringify(body))
  }
  const { status, body } = await post('/oauth/token', code, basic(app))
  assert.equal(status, 200, JSON.stringify(body))
})

test('a public client exchanges by PKCE alone, by its client_id in the body', async () => {
  const spa = await newApp(world, { token_endpoint_auth_method: 'none' })
  const code = await newCode(world, merchant, spa)
  const { status, body } = await post('/oauth/token', { ...code, client_id: spa.client_id })
  assert.equal(status, 200, JSON.stringify(body))
  const again = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: body.refresh_token,
    client_id: spa.client_id,
  })
  assert.equal(again.status, 200)
})

test('a client may give its secret in the body or by HTTP Basic', async () => {
  const inBody = await post('/oauth/token', {
    ...(await newCode(world, merchant, app)),
    client_id: app.client_id,
    client_secret: app.client_secret!,
  })
  assert.equal(inBody.status, 200)
})

const wrongClients: [string, Record<string, string>, Record<string, string>][] = [
  ['none', {}, {}],
  ['an unknown one', { client_id: 'client_unknown', client_secret: 'x' }, {}],
  ['no secret', { client_id: app.client_id }, {}],
  ['a wrong secret', { client_id: app.client_id, client_secret: 'wrong' }, {}],
  ['the hash of the secret', { client_id: app.client_id, client_secret: 'sha256:00' }, {}],
  ['a wrong secret by Basic', {}, basic({ ...app, client_secret: 'wrong' })],
  ['Basic that is no base64', {}, { authorization: 'Basic ???' }],
  ['Basic without a colon', {}, { authorization: `Basic ${Buffer.from('x').toString('base64')}` }],
  ['Basic with a secret that is empty', {}, basic({ ...app, client_secret: '' })],
  ['another scheme', {}, { authorization: 'Bearer x' }],
  ['an id with NUL', { client_id: 'client\u0000', client_secret: 'x' }, {}],
]

for (const [what, fields, headers] of wrongClients) {
  test(`client authentication with ${what} is invalid_client with 401 and WWW-Authenticate`, async () => {
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      const answer = await post(
        path,
        { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', ...fields },
        headers,
      )
      assert.deepEqual([path, answer.status, answer.body.error], [path, 401, 'invalid_client'])
      assert.match(answer.headers.get('www-authenticate')!, /^Basic realm=/)
      assert.match(answer.headers.get('content-type')!, /^application\/json/)
    }
  })
}

test('two ways of authentication at once are invalid_request', async () => {
  const { status, body } = await post(
    '/oauth/token',
    { grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'x' },
    basic(app),
  )
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
})

test('an expired client gets invalid_client with 401, before and after it is purged', async () => {
  const short = await openOauthWorld({ environment: { OAUTH_CLIENT_TTL_S: '100' } })
  const owner = await short.newMerchant()
  const printer = await newApp(short)
  const tokens = await newTokens(short, owner, printer)
  assert.ok(tokens.expires_in <= 100)
  short.clock.advance(101)
  const again = () =>
    short.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, basic(printer))
  assert.deepEqual([(await again()).status, (await again()).body.error], [401, 'invalid_client'])
  await short.app.db.transaction((tx) => tx.rows(sql`delete from oauth_clients where id = ${printer.client_id}`))
  assert.deepEqual([(await again()).status, (await again()).body.error], [401, 'invalid_client'])
})

test('an answer is JSON, whatever the request claims to accept', async () => {
  const { headers, body } = await post(
    '/oauth/token',
    { grant_type: 'password' },
    { ...basic(app), accept: 'text/html' },
  )
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.equal(body.error, 'unsupported_grant_type')
})

test('a body that is no form is invalid_request', async () => {
  const { status, body } = await post(
    '/oauth/token',
    { grant_type: 'refresh_token' },
    { ...basic(app), 'content-type': 'application/json' },
  )
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
})

test('a member who leaves takes along what apps were granted in the store', async () => {
  const leaving = await world.newMerchant()
  const tokens = await newTokens(world, leaving, app)
  assert.equal(await isActive(tokens.access_token), true)
  await world.app.db.transaction((tx) => tx.rows(sql`delete from members where user_id = ${leaving.userId}`))
  assert.equal(await isActive(tokens.access_token), false)
  assert.equal((await refresh(tokens.refresh_token)).body.error, 'invalid_grant')
})

test('each authorization is a grant of its own: revoking one leaves the other', async () => {
  const [one, two] = [await newTokens(world, merchant, app), await newTokens(world, merchant, app)]
  assert.equal((await post('/oauth/revoke', { token: one.refresh_token }, basic(app))).status, 200)
  assert.equal(await isActive(one.access_token), false)
  assert.equal(await isActive(two.access_token), true)
})

test('a code that was not exchanged dies with its grant, also between two statements', async () => {
  const code = await newCode(world, merchant, app)
  await world.app.db.transaction((tx) =>
    tx.rows(sql`delete from oauth_grants where store_id = ${merchant.store.store.id} and client_id = ${app.client_id}`),
  )
  assert.equal((await post('/oauth/token', code, basic(app))).body.error, 'invalid_grant')
  await assert.rejects(
    async () => {
      const { adapters } = await import('./adapter.ts')
      await adapters(world.app.db)('AccessToken').upsert('value', { grantId: `${merchant.store.store.id}.gone` }, 60)
    },
    { message: 'invalid_grant' },
  )
})

test('a code comes only with the consent of this very request', async () => {
  const first = await allow(merchant, app, authorizeUrl(issuer, app))
  const page = await merchant.browser.go(authorizeUrl(issuer, app), (to) => to.startsWith(app.redirect_uri))
  assert.ok(first.get('code'))
  assert.match(page.text, /Connect Order printer/)
})

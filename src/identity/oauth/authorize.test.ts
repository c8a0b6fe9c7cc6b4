import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allow, authorizeUrl, newApp, openOauthWorld, toConsent } from '../../../test/oauth.ts'

const world = await openOauthWorld()
const { issuer } = world
const merchant = await world.newMerchant()
const app = await newApp(world)

const visit = (more: Record<string, string | undefined>, extra = '') =>
  merchant.browser.visit(authorizeUrl(issuer, app, more) + extra)

test('the answer carries a code, the state and the issuer (RFC 9207)', async () => {
  const answer = await allow(merchant, app, authorizeUrl(issuer, app, { state: 'a state & more' }))
  assert.deepEqual([...answer.keys()].sort(), ['code', 'iss', 'state'])
  assert.equal(answer.get('state'), 'a state & more')
  assert.equal(answer.get('iss'), issuer)
  assert.ok(answer.get('code')!.length >= 43)
})

test('a state is optional, and one with any character comes back as it was', async () => {
  assert.equal((await allow(merchant, app, authorizeUrl(issuer, app, { state: undefined }))).get('state'), null)
  const state = '\u0000"<script>\u202e€'
  assert.equal((await allow(merchant, app, authorizeUrl(issuer, app, { state }))).get('state'), state)
})

// Before the redirect_uri is known to be the client's, nothing may be sent there.
const onPage: [string, Record<string, string | undefined>, string][] = [
  ['an unknown client', { client_id: 'client_unknown' }, 'invalid_client'],
  ['a client id with NUL', { client_id: 'client\u0000' }, 'invalid_client'],
  ['a client id of 5,000 characters', { client_id: 'x'.repeat(5000) }, 'invalid_client'],
  ['no client', { client_id: undefined }, 'invalid_request'],
  ['another redirect_uri', { redirect_uri: 'https://evil.example/callback' }, 'invalid_redirect_uri'],
  ['a redirect_uri with more behind it', { redirect_uri: `${app.redirect_uri}/more` }, 'invalid_redirect_uri'],
  ['a redirect_uri with a query', { redirect_uri: `${app.redirect_uri}?more=1` }, 'invalid_redirect_uri'],
  [
    'a redirect_uri on a host that ends alike',
    { redirect_uri: 'https://evil-printer.example/callback' },
    'invalid_redirect_uri',
  ],
  [
    'a redirect_uri with a user part',
    { redirect_uri: 'https://printer.example@evil.example/callback' },
    'invalid_redirect_uri',
  ],
  ['a redirect_uri in other case', { redirect_uri: 'https://printer.example/Callback' }, 'invalid_redirect_uri'],
  ['a redirect_uri of a script', { redirect_uri: 'javascript:alert(1)' }, 'invalid_redirect_uri'],
  ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
]

for (const [what, more, error] of onPage) {
  test(`${what} is answered with a page and no redirect`, async () => {
    const page = await visit(more)
    assert.equal(page.status, 400)
    assert.equal(page.location, null)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
    assert.match(page.headers.get('content-security-policy')!, /frame-ancestors 'none'/)
    assert.match(page.text, new RegExp(`<code>${error}</code>`))
  })
}

test('what a client sends in is escaped on the page', async () => {
  const page = await visit({ client_id: '<script>alert(1)</script>', scope: '"><img src=x>' })
  assert.doesNotMatch(page.text, /<script|<img/)
})

const atClient: [string, Record<string, string | undefined>, string][] = [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['PKCE by plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a code_challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a code_challenge that is too short', { code_challenge: 'short' }, 'invalid_request'],
  ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['response_mode form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['an unknown response_mode', { response_mode: 'pigeon' }, 'unsupported_response_mode'],
  ['an unknown scope', { scope: 'read:orders admin' }, 'invalid_scope'],
  ['the scope openid', { scope: 'openid read:orders' }, 'invalid_scope'],
  ['a scope that the client did not register', { scope: 'write:orders' }, 'invalid_scope'],
  ['a scope with control characters', { scope: 'read:orders\u0001' }, 'invalid_scope'],
  ['a resource that is no address', { resource: 'printer' }, 'invalid_target'],
  ['a resource with a fragment', { resource: 'https://api.example/#x' }, 'invalid_target'],
  ['prompt none', { prompt: 'none' }, 'login_required'],
  ['prompt none with another', { prompt: 'none login' }, 'invalid_request'],
  ['a resource below the REST API', { resource: `${issuer}/v1/products` }, 'invalid_target'],
  ['the REST API with a query', { resource: `${issuer}/v1?store=1` }, 'invalid_target'],
  ['the MCP server with a query', { resource: `${issuer}/mcp?x=1` }, 'invalid_target'],
  ['a resource below the MCP server', { resource: `${issuer}/mcp/tools` }, 'invalid_target'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request_uri', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
]

for (const [what, more, error] of atClient) {
  test(`${what} is told to the client: ${error}`, async () => {
    const { status, location } = await visit(more)
    assert.equal(status, 303)
    const told = new URL(location!)
    assert.equal(told.origin + told.pathname, app.redirect_uri)
    // A fragment is where the library answers a wrong response_type that asks for tokens.
    const answer = new URLSearchParams(told.search || told.hash.slice(1))
    assert.equal(answer.get('error'), error)
    assert.equal(answer.get('state'), 'xyz')
    assert.equal(answer.get('iss'), issuer)
    assert.equal(answer.get('code'), null)
  })
}

// RFC 6749 §3.1; those of OpenID Connect Core §3.1.2.1 and of other extensions.
for (const [name, value] of Object.entries({
  nonce: 'n-0S6',
  max_age: '0',
  acr_values: 'urn:mace:incommon:iap:silver',
  id_token_hint: 'eyJhbGciOiJub25lIn0.e30.',
  login_hint: 'ana@example.com',
  claims: '{"id_token":{}}',
  claims_locales: 'de',
  ui_locales: 'de',
  display: 'popup',
  registration: '{"client_name":"x"}',
  prompt: 'select_account',
  dpop_jkt: 'x',
  authorization_details: '[]',
  audience: 'https://api.example',
  access_type: 'offline',
  code_challenge_mode: 'S256',
  constructor: 'x',
})) {
  test(`the parameter ${name} is ignored`, async () => {
    const { status, location } = await visit({ [name]: value })
    assert.equal(status, 303)
    assert.match(location!, /\/oauth\/(interaction|login)/)
  })
}

test('offline_access is accepted beside other scopes, and alone asks for what the client registered', async () => {
  for (const scope of ['read:orders offline_access', 'offline_access']) {
    const { location } = await visit({ scope })
    assert.match(location!, /\/oauth\/(interaction|login)/)
  }
})

test('two resources are refused', async () => {
  const { location } = await visit({ resource: 'https://a.example' }, '&resource=https%3A%2F%2Fb.example')
  assert.equal(new URL(location!).searchParams.get('error'), 'invalid_target')
})

test('a parameter that comes twice is refused, on a page when it is the redirect_uri', async () => {
  const twice = await visit({}, `&redirect_uri=${encodeURIComponent('https://evil.example')}`)
  assert.deepEqual([twice.status, twice.location], [400, null])
  const state = await visit({}, '&state=other')
  assert.equal(state.location === null ? 'page' : new URL(state.location).searchParams.get('error'), 'invalid_request')
})

test('a registered loopback address is met on any port, and on no other host', async () => {
  const local = await newApp(world, { redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:9000/cb'] })
  for (const redirect_uri of [
    'http://127.0.0.1:53682/callback',
    'http://127.0.0.1/callback',
    'http://localhost:1/cb',
  ]) {
    const page = await merchant.browser.visit(authorizeUrl(issuer, local, { redirect_uri }))
    assert.match(page.location ?? '', /\/oauth\/interaction\//, redirect_uri)
  }
  for (const redirect_uri of [
    'http://127.0.0.1:53682/other',
    'http://localhost/callback',
    'http://127.0.0.2:1/callback',
    'https://127.0.0.1:1/callback',
  ]) {
    assert.equal(
      (await merchant.browser.visit(authorizeUrl(issuer, local, { redirect_uri }))).status,
      400,
      redirect_uri,
    )
  }
})

test('without a scope the client asks for what it registered; one that registered none must say', async () => {
  const consent = await toConsent(merchant, authorizeUrl(issuer, app, { scope: undefined }))
  assert.match(consent.text, /View orders/)
  assert.match(consent.text, /View products/)
  const bare = await newApp(world, { scope: undefined })
  const { location } = await merchant.browser.visit(authorizeUrl(issuer, bare, { scope: undefined }))
  assert.equal(new URL(location!).searchParams.get('error'), 'invalid_scope')
  const asked = await merchant.browser.visit(authorizeUrl(issuer, bare, { scope: 'write:orders' }))
  assert.match(asked.location!, /\/oauth\/interaction\//)
})

test('a client that has expired is unknown here too', async () => {
  const short = await openOauthWorld({ environment: { OAUTH_CLIENT_TTL_S: '60' } })
  const gone = await newApp(short)
  short.clock.advance(61)
  const page = await merchant.browser.visit(authorizeUrl(short.issuer, gone))
  assert.equal(page.status, 400)
  assert.match(page.text, /invalid_client/)
})

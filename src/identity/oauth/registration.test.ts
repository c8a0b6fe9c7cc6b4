import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld, someAddress } from '../../../test/oauth.ts'
import { sql } from '../../kit/database/sql.ts'
import { fc } from '../../../test/random.ts'

const world = await openOauthWorld()
const { register } = world
const days90 = 90 * 24 * 3600

test(
  'a registration is answered with 201, what was registered, an id and a secret for 90 days, ' + 'and nothing else',
  async () => {
    const metadata = {
      client_name: 'Order printer',
      redirect_uris: ['https://printer.example/callback', 'https://printer.example/other'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'read:orders write:products',
      token_endpoint_auth_method: 'client_secret_post',
      software_id: 'printer',
      software_version: '1.4.2 beta',
      logo_uri: 'https://printer.example/logo.png',
      client_uri: 'https://printer.example',
      policy_uri: 'https://printer.example/policy',
      tos_uri: 'http://printer.example/tos',
    }
    const before = Math.floor(Date.now() / 1000)
    const { status, headers, body } = await register(metadata)
    assert.equal(status, 201)
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { client_id, client_secret, client_id_issued_at, client_secret_expires_at, ...echoed } = body
    assert.deepEqual(echoed, metadata)
    assert.match(client_id, /^client_\w{24}$/)
    assert.match(client_secret, /^stoa_secret_\w{40}$/)
    assert.ok(client_id_issued_at >= before && client_id_issued_at <= before + 10)
    assert.equal(client_secret_expires_at, client_id_issued_at + days90)
  },
)

test('what is left out has the defaults of the RFC', async () => {
  const { status, body } = await register({ scope: undefined })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body).sort(), [
    'client_id',
    'client_id_issued_at',
    'client_name',
    'client_secret',
    'client_secret_expires_at',
    'grant_types',
    'redirect_uris',
    'response_types',
    'token_endpoint_auth_method',
  ])
  assert.deepEqual(body.grant_types, ['authorization_code'])
  assert.deepEqual(body.response_types, ['code'])
  assert.equal(body.token_endpoint_auth_method, 'client_secret_basic')
})

test('a public client gets no secret', async () => {
  const { status, body } = await register({ token_endpoint_auth_method: 'none', client_secret: 'mine' })
  assert.equal(status, 201)
  assert.equal(body.client_secret, undefined)
  assert.equal(body.client_secret_expires_at, body.client_id_issued_at + days90)
})

test('every installation gets its own id, also with one software_id', async () => {
  const [one, two] = await Promise.all([register({ software_id: 'same' }), register({ software_id: 'same' })])
  assert.notEqual(one.body.client_id, two.body.client_id)
  assert.notEqual(one.body.client_secret, two.body.client_secret)
})

test('fields that are not of the contract, and null or empty ones, are left out', async () => {
  const { status, body } = await register({
    client_id: 'mine',
    client_secret: 'mine',
    client_id_issued_at: 1,
    client_secret_expires_at: 0,
    application_type: 'native',
    jwks_uri: 'https://printer.example/jwks',
    sector_identifier_uri: 'https://printer.example/sector',
    contacts: ['a@b.c'],
    subject_type: 'pairwise',
    foo: 'bar',
    logo_uri: null,
    tos_uri: '',
  })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(
    Object.keys(body).filter((name) => /mine|jwks|sector|contacts|subject|foo|logo|tos|application/.test(name)),
    [],
  )
  assert.match(body.client_id, /^client_/)
  assert.notEqual(body.client_secret, 'mine')
  assert.equal(body.client_secret_expires_at, body.client_id_issued_at + days90)
})

test('the redirects of a loopback app may be plain http', async () => {
  const uris = ['http://localhost/cb', 'http://127.0.0.1:3000/cb', 'http://[::1]:3000/cb', 'https://printer.example/cb']
  const { status, body } = await register({ redirect_uris: uris })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body.redirect_uris, uris)
  assert.equal(
    (await register({ redirect_uris: ['https://localhost:3000/cb', 'http://localhost:3000/cb'] })).status,
    201,
  )
})

const refusedRedirects: unknown[] = [
  undefined,
  null,
  [],
  'https://printer.example/cb',
  [1],
  [''],
  ['printer'],
  ['//printer.example'],
  ['http://printer.example/cb'],
  ['http://localhost.evil.example/cb'],
  ['http://127.0.0.2/cb'],
  ['javascript:alert(1)'],
  ['JavaScript:alert(1)//'],
  ['data:text/html,x'],
  ['file:///etc/passwd'],
  ['com.example.app:/cb'],
  ['myapp://cb'],
  ['urn:ietf:wg:oauth:2.0:oob'],
  ['cursor://anysphere.cursor-mcp/oauth/callback'],
  ['https://printer.example/cb', 'com.example.app:/callback'],
  ['https://printer.example/cb#fragment'],
  ['https://printer.example/cb#'],
  ['https://user:secret@printer.example/cb'],
  ['https://printer.example/a b'],
  ['https://printer.example/\u0000'],
  ['https://*.example/cb'],
  ['https://printer.example/cb\n'],
  ['https://prínter.example/cb'],
  [`https://printer.example/${'x'.repeat(2048)}`],
  ['https://printer.example/cb', 'http://evil.example'],
  Array.from({ length: 21 }, (_, index) => `https://printer.example/${index}`),
]

for (const redirect_uris of refusedRedirects) {
  const shown = JSON.stringify(redirect_uris)?.slice(0, 70)
  test(`redirect_uris ${shown} are refused with invalid_redirect_uri`, async () => {
    const { status, body } = await register({ redirect_uris })
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_redirect_uri')
    assert.equal(typeof body.error_description, 'string')
  })
}

test('offline_access is accepted and left out: refresh_token is a grant type', async () => {
  const scopes = async (scope: string) => (await register({ scope })).body.scope
  assert.deepEqual(
    [await scopes('read:orders offline_access'), await scopes('offline_access')],
    ['read:orders', undefined],
  )
})

const refusedMetadata: object[] = [
  { client_name: undefined },
  { client_name: '' },
  { client_name: ' ' },
  { client_name: 5 },
  { client_name: '\u0000\u202e' },
  { client_name: 'x'.repeat(201) },
  { scope: 'read:everything' },
  { scope: 'openid' },
  { scope: 'read:orders admin' },
  { scope: 5 },
  { scope: ['read:orders'] },
  { grant_types: ['implicit'] },
  { grant_types: ['client_credentials'] },
  { grant_types: ['password'] },
  { grant_types: 'authorization_code' },
  { grant_types: [5] },
  { response_types: ['token'] },
  { response_types: ['id_token'] },
  { response_types: ['code token'] },
  { response_types: 'code' },
  { token_endpoint_auth_method: 'private_key_jwt' },
  { token_endpoint_auth_method: 'client_secret_jwt' },
  { token_endpoint_auth_method: 5 },
  { logo_uri: 'javascript:alert(1)' },
  { logo_uri: 'logo.png' },
  { client_uri: 5 },
  { policy_uri: 'data:x' },
  { tos_uri: `https://x.example/${'x'.repeat(2048)}` },
  { software_id: 5 },
  { software_id: 'x'.repeat(256) },
  { software_version: '\u0000' },
  { software_id: '\ud800' },
]

for (const metadata of refusedMetadata) {
  test(`${JSON.stringify(metadata).slice(0, 70)} is refused with invalid_client_metadata`, async () => {
    const { status, body } = await register(metadata)
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_client_metadata')
  })
}

test('exactly 20 redirect addresses, and a name of exactly 200 characters, are accepted', async () => {
  const redirect_uris = Array.from({ length: 20 }, (_, index) => `https://printer.example/${index}`)
  const { status } = await register({ redirect_uris, client_name: 'x'.repeat(200) })
  assert.equal(status, 201)
})

test('what is invisible is stripped from a name, and what looks the same is one', async () => {
  const { body } = await register({ client_name: 'Goo\u200bgle\n  Ｄrive ' })
  assert.equal(body.client_name, 'Google Drive')
})

test('a name that turns text around, steers a terminal or mixes scripts in a word is refused', async () => {
  for (const client_name of [
    'Goo\u202egle',
    'Go\u2066ogle',
    'Google\u0000',
    '\u001b[31mGoogle',
    'Ｓtоа',
    'Gοogle',
    'Αрр',
  ]) {
    const { status, body } = await register({ client_name })
    assert.deepEqual([status, body.error], [400, 'invalid_client_metadata'], client_name)
  }
  for (const client_name of ['Stoa для магазинов', 'Ελληνικό app', 'Café Ñandú 2', '注文 printer', 'Aプリ']) {
    assert.equal((await register({ client_name })).status, 201, client_name)
  }
})

test('a name of blanks alone is none, and marks do not pile up on a letter', async () => {
  for (const blank of ['\u3164', '\u115f\u1160', '\u2800 \u2800', '\uffa0', '\u034f', ' \u00a0']) {
    assert.equal((await register({ client_name: blank })).body.error, 'invalid_client_metadata')
  }
  const { body } = await register({ client_name: `A${'\u0316'.repeat(150)}b` })
  assert.equal(body.client_name, `A${'\u0316'.repeat(4)}b`)
  const thai = 'Tiếng Việt ไทยน้ำ'
  assert.equal((await register({ client_name: thai })).body.client_name, thai.normalize('NFKC'))
})

test('no JSON object makes a 5xx', async () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${world.issuer}/oauth/register`, {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'x-forwarded-for': someAddress() },
    })
  for (const body of [
    '',
    '[]',
    'null',
    '5',
    '"x"',
    '{',
    '{"__proto__":{"redirect_uris":["https://x.example"]}}',
    '\ufeff{}',
  ]) {
    const answer = await post(body)
    assert.equal(answer.status, 400, body)
    assert.equal(typeof ((await answer.json()) as any).error, 'string')
  }
  assert.equal((await post('client_name=x', 'application/x-www-form-urlencoded')).status, 400)
  const names = [
    'client_name',
    'redirect_uris',
    'grant_types',
    'response_types',
    'scope',
    'token_endpoint_auth_method',
    'logo_uri',
    'jwks',
    'application_type',
    'response_modes',
  ]
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), fc.anything()), async (metadata) => {
      const answer = await post(
        JSON.stringify({ client_name: 'x', redirect_uris: ['https://printer.example/cb'], ...metadata }) ?? '{}',
      )
      assert.ok([201, 400].includes(answer.status), `${answer.status} ${await answer.text()}`)
    }),
    { numRuns: 150 },
  )
})

test('a body over 16 KB is refused with 413', async () => {
  const { status, body } = await register({ foo: 'x'.repeat(17_000) })
  assert.deepEqual([status, body.error], [413, 'invalid_request'])
})

test('the database keeps of a secret its hash only', async () => {
  const { body } = await register()
  const row = await world.app.db.one<{ row: string }>(
    sql`select row_to_json(oauth_clients)::text as row from oauth_clients where id = ${body.client_id}`,
  )
  assert.ok(!row!.row.includes(body.client_secret))
})

test('no registration can be read, changed or deleted by its id', async () => {
  const { body } = await register()
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status } = await fetch(`${world.issuer}/oauth/register/${body.client_id}`, { method })
    assert.equal(status, 404)
  }
})

test('a page of any origin may register: CORS without credentials', async () => {
  const preflight = await fetch(`${world.issuer}/oauth/register`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://inspector.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'content-type')
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  const { status, headers } = await register({}, { origin: 'https://inspector.example' })
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [201, '*'])
})

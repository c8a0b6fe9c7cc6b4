import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { authorizeUrl, allow, basic, newApp, openOauthWorld, pkce, toConsent } from '../../../test/oauth.ts'
import { receiver, testAuthority, type Answer } from '../../../test/receiver.ts'
import { sql } from '../../kit/database/sql.ts'

const host = await receiver()
after(host.close)
const world = await openOauthWorld({
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca },
})
const { issuer } = world
const merchant = await world.newMerchant()

const documents = new Map<string, Answer>()
host.answer = ({ path }) => documents.get(path) ?? { status: 404 }
let count = 0

/** Puts a document on the host; answers the client that it makes. */
function publish(change: object | ((id: string) => Answer) = {}) {
  const path = `/clients/${++count}.json`
  const client_id = host.url + path
  const redirect_uri = 'http://127.0.0.1/callback'
  const body = {
    client_id,
    client_name: 'Agent',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...change,
  }
  documents.set(
    path,
    typeof change === 'function'
      ? change(client_id)
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  )
  return { client_id, redirect_uri, path }
}

const refused = async (app: { client_id: string; redirect_uri: string }, pattern: RegExp) => {
  const page = await merchant.browser.visit(authorizeUrl(issuer, app))
  assert.equal(page.location, null)
  assert.equal(page.status, 400)
  assert.match(page.text, pattern)
}

test('the metadata says that documents are understood', async () => {
  const metadata = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as any
  assert.equal(metadata.client_id_metadata_document_supported, true)
})

test('a client that is known by the URL of its document goes all the way', async () => {
  const app = publish()
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(issuer, app, { code_challenge: challenge, redirect_uri: 'http://127.0.0.1:4321/callback' })
  const consent = await toConsent(merchant, url)
  assert.match(consent.text, /Connect Agent\?/)
  const answer = await allow(merchant, { ...app, redirect_uri: 'http://127.0.0.1:4321' }, url)
  const { status, body } = await world.post('/oauth/token', {
    grant_type: 'authorization_code',
    code: answer.get('code')!,
    redirect_uri: 'http://127.0.0.1:4321/callback',
    code_verifier: verifier,
    client_id: app.client_id,
  })
  assert.equal(status, 200, JSON.stringify(body))
  const { body: token } = await world.post(
    '/oauth/introspect',
    { token: body.access_token },
    basic(await newApp(world)),
  )
  assert.deepEqual([token.active, token.client_id], [true, app.client_id])
  const again = await world.post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: body.refresh_token,
    client_id: app.client_id,
  })
  assert.equal(again.status, 200)
  const [row] = await world.app.db.rows<{ origin: string }>(
    sql`select origin from oauth_clients where id = ${app.client_id}`,
  )
  assert.equal(row!.origin, 'document')
})

test('its tokens are answered for without asking its host again', async () => {
  const app = publish()
  const { verifier, challenge } = pkce()
  const answer = await allow(merchant, app, authorizeUrl(issuer, app, { code_challenge: challenge }))
  documents.delete(app.path)
  const before = host.received.length
  const { body } = await world.post('/oauth/token', {
    grant_type: 'authorization_code',
    code: answer.get('code')!,
    redirect_uri: app.redirect_uri,
    code_verifier: verifier,
    client_id: app.client_id,
  })
  const { body: token } = await world.post(
    '/oauth/introspect',
    { token: body.access_token },
    basic(await newApp(world)),
  )
  assert.equal(token.active, true)
  assert.equal(host.received.length, before)
})

const wrong: [string, object | ((id: string) => Answer), RegExp][] = [
  ['names another client', { client_id: 'https://other.example/client.json' }, /invalid_client_metadata/],
  ['has a secret', { client_secret: 'x' }, /invalid_client_metadata/],
  ['wants a secret', { token_endpoint_auth_method: 'client_secret_post' }, /invalid_client_metadata/],
  ['redirects to plain http', { redirect_uris: ['http://evil.example/cb'] }, /invalid_redirect_uri/],
  ['redirects to a script', { redirect_uris: ['javascript:alert(1)'] }, /invalid_redirect_uri/],
  ['has no name', { client_name: '' }, /invalid_client_metadata/],
  ['redirects to a private-use scheme', { redirect_uris: ['cursor://agent/cb'] }, /invalid_redirect_uri/],
  ['is no JSON', () => ({ body: '<html>' }), /invalid_client/],
  ['is a list', () => ({ body: '[]' }), /invalid_client/],
  ['is too large', () => ({ body: JSON.stringify({ x: 'x'.repeat(6000) }) }), /invalid_client/],
  ['redirects elsewhere', () => ({ status: 302, headers: { location: 'https://other.example' } }), /invalid_client/],
  ['is missing', () => ({ status: 404 }), /invalid_client/],
]

for (const [what, change, error] of wrong) {
  test(`a document that ${what} makes no client`, () => refused(publish(change), error))
}

test('private-use redirects and unknown scopes of a document are left out', async () => {
  const redirect_uris = ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://127.0.0.1:8787/callback']
  const app = publish({ redirect_uris, scope: 'read:orders offline_access openid everything' })
  const own = { ...app, redirect_uri: redirect_uris[1]! }
  assert.match((await toConsent(merchant, authorizeUrl(issuer, own))).text, /Connect Agent\?/)
  await refused({ ...app, redirect_uri: redirect_uris[0]! }, /redirect_uri/)
})

test('no request leaves for a private address, another scheme or a URL with a user part', async () => {
  const guarded = await openOauthWorld({ network: { ca: testAuthority.ca } })
  const before = host.received.length
  const inside = publish()
  for (const client_id of [
    inside.client_id,
    inside.client_id.replace('https:', 'http:'),
    'https://169.254.169.254/latest',
    'https://user@localhost/x',
    'https://[::1]/x',
  ]) {
    const page = await merchant.browser.visit(
      authorizeUrl(guarded.issuer, { client_id, redirect_uri: inside.redirect_uri }),
    )
    assert.equal(page.status, 400, client_id)
  }
  assert.equal(host.received.length, before)
})

test('where the operator switches it off, a URL is no client', async () => {
  const off = await openOauthWorld({
    environment: { OAUTH_CLIENT_DOCUMENTS: 'off', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    network: { ca: testAuthority.ca },
  })
  const before = host.received.length
  const page = await merchant.browser.visit(authorizeUrl(off.issuer, publish()))
  assert.equal(page.status, 400)
  assert.equal(host.received.length, before)
  const metadata = (await (await fetch(`${off.issuer}/.well-known/oauth-authorization-server`)).json()) as any
  assert.equal(metadata.client_id_metadata_document_supported, undefined)
})

// Without a database.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openApp } from '../../program/app.ts'
import { readConfig } from '../../program/config.ts'
import { basic } from '../../../test/oauth.ts'

const config = readConfig({ LOG_LEVEL: 'silent', BASE_URL: 'http://127.0.0.1:4000' })
const app = await openApp({ config, databaseUrl: 'postgresql://stoa@127.0.0.1:1/stoa', secretKey: 'x'.repeat(40) })
after(() => app.close())

const authorization = basic({ client_id: 'client_x', client_secret: 'x', redirect_uri: '' })
const form = { 'content-type': 'application/x-www-form-urlencoded', ...authorization }

test('the endpoints that programs call answer 503 with Retry-After and an OAuth error', async () => {
  const metadata = { client_name: 'x', redirect_uris: ['https://x.example'] }
  const answers = await Promise.all([
    app.server.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: metadata,
    }),
    app.server.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: form,
      payload: 'grant_type=refresh_token&refresh_token=x',
    }),
    app.server.inject({ method: 'POST', url: '/oauth/introspect', headers: form, payload: 'token=x' }),
    app.server.inject({ method: 'POST', url: '/oauth/revoke', headers: form, payload: 'token=x' }),
  ])
  for (const { statusCode, headers, payload } of answers) {
    assert.equal(statusCode, 503, payload)
    assert.equal(headers['retry-after'], '1')
    assert.equal(JSON.parse(payload).error, 'temporarily_unavailable')
  }
})

test('pages say so, without a detail', async () => {
  const pages = await Promise.all([
    app.server.inject({ method: 'GET', url: '/oauth/authorize?client_id=x&response_type=code' }),
    app.server.inject({ method: 'GET', url: '/oauth/portal', headers: { cookie: 'stoa_session=x' } }),
    app.server.inject({
      method: 'POST',
      url: '/oauth/login',
      headers: form,
      payload: 'email=a@example.com&password=x',
    }),
  ])
  for (const { statusCode, headers, payload } of pages) {
    assert.equal(statusCode, 503, payload)
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.doesNotMatch(payload, /ECONNREFUSED|postgres/i)
  }
})

test('the REST API refuses a token with its own envelope', async () => {
  const { statusCode, payload } = await app.server.inject({
    method: 'GET',
    url: '/v1/store',
    headers: { authorization: 'Bearer x' },
  })
  assert.deepEqual([statusCode, JSON.parse(payload).error.code], [503, 'UNAVAILABLE'])
})

test('the metadata is there all the same', async () => {
  const { statusCode } = await app.server.inject({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
  assert.equal(statusCode, 200)
})

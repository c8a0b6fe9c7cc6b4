// Without a configured URL, localhost and 127.0.0.1 are one service: the host that was asked names its own addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OAuthProtectedResourceMetadataSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { selectResourceURL } from '@modelcontextprotocol/sdk/client/auth.js'
import { openBrowser } from '../../test/browser.ts'
import { atIssuer, basic, newApp, newTokens, openOauthWorld } from '../../test/oauth.ts'

const world = await openOauthWorld({ host: 'localhost', environment: { BASE_URL: '', AUTH_URL: '' } })
const { port } = new URL(world.issuer)
const merchant = await world.newMerchant()

/** A request to the app, whichever Host it names. */
async function get(path: string, host: string, headers: Record<string, string> = {}) {
  const {
    statusCode,
    headers: answered,
    body,
  } = await world.app.server.inject({ url: path, headers: { host, ...headers } })
  return { status: statusCode, headers: answered, body: body.startsWith('{') ? JSON.parse(body) : body }
}

for (const name of ['localhost', '127.0.0.1', '[::1]']) {
  const origin = `http://${name}:${port}`
  const host = `${name}:${port}`

  test(`at ${name} metadata, issuer and challenges name ${name}`, async () => {
    for (const path of ['mcp', 'v1']) {
      const { status, headers } = await get(path === 'mcp' ? '/mcp' : '/v1/products', host)
      assert.equal(status, 401)
      const metadata = `${origin}/.well-known/oauth-protected-resource/${path}`
      assert.match(String(headers['www-authenticate']), new RegExp(`resource_metadata="${RegExp.escape(metadata)}"`))
      const { body } = await get(new URL(metadata).pathname, host)
      assert.deepEqual([body.resource, body.authorization_servers], [`${origin}/${path}`, [origin]])
      const found = OAuthProtectedResourceMetadataSchema.parse(body)
      await selectResourceURL(`${origin}/${path}`, {} as never, found)
    }
    for (const document of ['oauth-authorization-server', 'openid-configuration']) {
      const { body } = await get(`/.well-known/${document}`, host)
      assert.deepEqual([body.issuer, body.token_endpoint], [origin, `${origin}/oauth/token`])
    }
  })
}

test('an app gets in at 127.0.0.1 from registration to /mcp, and its token opens localhost, too', async () => {
  const origin = `http://127.0.0.1:${port}`
  const here = atIssuer(world, origin)
  const guest = { ...merchant, browser: openBrowser({}) }
  const app = await newApp(here, { scope: 'read:products' })
  const tokens = await newTokens(here, guest, app, { scope: 'read:products', resource: `${origin}/mcp` })
  const { body } = await here.post('/oauth/introspect', { token: tokens.access_token }, basic(app))
  assert.deepEqual([body.iss, body.aud], [origin, `${origin}/mcp`])
  for (const name of ['localhost', '127.0.0.1']) {
    const { statusCode } = await world.app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host: `${name}:${port}`,
        authorization: `Bearer ${tokens.access_token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    assert.equal(statusCode, 200, name)
  }
})

test('another Host is not believed', async () => {
  for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, 'localhost:1']) {
    const { body } = await get('/.well-known/oauth-authorization-server', host)
    assert.equal(body.issuer, `http://localhost:${port}`, host)
  }
})

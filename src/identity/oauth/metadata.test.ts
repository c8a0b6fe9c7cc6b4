import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { openOauthWorld } from '../../../test/oauth.ts'
import { scopes } from '../apikeys/scopes.ts'

const root = await openOauthWorld()
const under = await openOauthWorld({ path: '/auth/v2' })

const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

for (const { issuer, places } of [
  { issuer: root.issuer, places: [`${root.issuer}/.well-known/oauth-authorization-server`] },
  {
    issuer: under.issuer,
    places: [
      `${new URL(under.issuer).origin}/.well-known/oauth-authorization-server/auth/v2`,
      `${under.issuer}/.well-known/oauth-authorization-server`,
      `${new URL(under.issuer).origin}/.well-known/openid-configuration/auth/v2`,
      `${under.issuer}/.well-known/openid-configuration`,
    ],
  },
]) {
  test(`the metadata of ${new URL(issuer).pathname} says where everything is (RFC 8414)`, async () => {
    for (const place of places) {
      const { status, body } = await read(place)
      assert.equal(status, 200, place)
      assert.deepEqual(body, {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        registration_endpoint: `${issuer}/oauth/register`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        introspection_endpoint: `${issuer}/oauth/introspect`,
        scopes_supported: [...scopes, 'offline_access'],
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'fragment'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      })
    }
  })
}

test('the addresses follow from AUTH_URL, whatever Host and X-Forwarded-Host say', async () => {
  const body = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(root.issuer)
    request(
      {
        hostname,
        port,
        path: '/.well-known/oauth-authorization-server',
        headers: {
          host: 'evil.example',
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'https',
          'x-forwarded-for': '1.2.3.4',
        },
      },
      (response) =>
        response
          .setEncoding('utf8')
          .toArray()
          .then((parts) => resolve(parts.join('')), reject),
    ).end()
  })
  assert.doesNotMatch(body, /evil\.|https:/)
  assert.equal(JSON.parse(body).token_endpoint, `${root.issuer}/oauth/token`)
})

test('the REST API says as a protected resource who issues its tokens (RFC 9728)', async () => {
  const { origin } = new URL(under.issuer)
  // §3.3: the resource is what the address names; strict clients refuse another.
  for (const path of ['/v1', '']) {
    const { status, headers, body } = await read(`${origin}/.well-known/oauth-protected-resource${path}`)
    assert.equal(status, 200)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.equal(body.resource, origin + path)
    assert.deepEqual(body.authorization_servers, [under.issuer])
    assert.deepEqual(body.scopes_supported, scopes)
    assert.deepEqual(body.bearer_methods_supported, ['header'])
  }
})

test('a page of any origin may read the metadata', async () => {
  const { headers } = await read(`${root.issuer}/.well-known/oauth-authorization-server`, {
    origin: 'https://inspector.example',
  })
  assert.ok(['*', 'https://inspector.example'].includes(headers.get('access-control-allow-origin')!))
})

test('what belongs to OpenID Connect alone is not served', async () => {
  for (const path of ['/oauth/jwks', '/oauth/end', '/oauth/userinfo', '/oauth/request']) {
    assert.equal((await fetch(root.issuer + path)).status, 404, path)
  }
})

test('without its path nothing is served there', async () => {
  const { origin } = new URL(under.issuer)
  assert.equal((await fetch(`${origin}/oauth/authorize`)).status, 404)
})

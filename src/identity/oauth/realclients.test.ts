// The flow as programs do it that know nothing of this server: three OAuth clients as they come from npm.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { client } from '../../../test/client.ts'
import { allow, openOauthWorld, toConsent, type Merchant, type OauthWorld } from '../../../test/oauth.ts'

const root = await openOauthWorld()
const under = await openOauthWorld({ path: '/auth' })
const insecure = { [oauth.allowInsecureRequests]: true }
const redirect_uri = 'https://printer.example/callback'

/** The merchant's way through login and consent; where the browser is sent in the end. */
async function redirected(merchant: Merchant, url: URL, to = redirect_uri): Promise<URL> {
  const consent = await toConsent(merchant, url.href)
  const end = await merchant.browser.submit(consent, { decision: 'allow' }, (location) => location.startsWith(to))
  return new URL(end.location!)
}

const useStore = async (world: OauthWorld, token: string) =>
  (await client(world.url, { authorization: `Bearer ${token}` }).get('/v1/store')).data.id

for (const [where, world] of [
  ['the root', root],
  ['a path', under],
] as const) {
  test(`oauth4webapi: discovery, registration, code, refresh, introspection and revocation at ${where}`, async () => {
    const merchant = await world.newMerchant()
    const issuer = new URL(world.issuer)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    )
    assert.deepEqual(
      await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure)),
      server,
    )
    const registration = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        {
          client_name: 'Order printer',
          redirect_uris: [redirect_uri],
          grant_types: ['authorization_code', 'refresh_token'],
          scope: 'read:store read:orders',
        },
        insecure,
      ),
    )
    const app = { ...registration } as oauth.Client
    const secret = oauth.ClientSecretBasic(registration.client_secret as string)

    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const url = new URL(server.authorization_endpoint!)
    url.search = String(
      new URLSearchParams({
        client_id: app.client_id,
        redirect_uri,
        response_type: 'code',
        scope: 'read:store',
        state,
        resource: `${new URL(world.url).origin}/v1`,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    )
    const answer = oauth.validateAuthResponse(server, app, await redirected(merchant, url), state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      app,
      await oauth.authorizationCodeGrantRequest(server, app, secret, answer, redirect_uri, verifier, insecure),
    )
    assert.equal(tokens.token_type, 'bearer')
    assert.equal(await useStore(world, tokens.access_token), merchant.store.store.id)

    const next = await oauth.processRefreshTokenResponse(
      server,
      app,
      await oauth.refreshTokenGrantRequest(server, app, secret, tokens.refresh_token!, insecure),
    )
    const introspected = async (token: string) =>
      oauth.processIntrospectionResponse(
        server,
        app,
        await oauth.introspectionRequest(server, app, secret, token, insecure),
      )
    const seen = await introspected(next.access_token)
    assert.deepEqual([seen.active, seen.scope, seen.service_store_id], [true, 'read:store', merchant.store.store.id])
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, app, secret, next.refresh_token!, insecure),
    )
    assert.deepEqual(await introspected(next.access_token), { active: false })
  })

  for (const algorithm of ['oidc', 'oauth2'] as const) {
    test(`openid-client: discovery (${algorithm}), registration, code, refresh, revocation at ${where}`, async () => {
      const merchant = await world.newMerchant()
      const options = { algorithm, execute: [openid.allowInsecureRequests] }
      const configuration = await openid.dynamicClientRegistration(
        new URL(world.issuer),
        {
          client_name: 'Order printer',
          redirect_uris: [redirect_uri],
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          scope: 'read:store offline_access',
        },
        openid.None(),
        options,
      )
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const expectedState = openid.randomState()
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri,
        scope: 'read:store offline_access',
        nonce: openid.randomNonce(),
        state: expectedState,
        code_challenge_method: 'S256',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      })
      const tokens = await openid.authorizationCodeGrant(configuration, await redirected(merchant, url), {
        pkceCodeVerifier,
        expectedState,
      })
      assert.equal(await useStore(world, tokens.access_token), merchant.store.store.id)
      const next = await openid.refreshTokenGrant(configuration, tokens.refresh_token!)
      await openid.tokenRevocation(configuration, next.refresh_token!)
      assert.equal(await useStore(world, next.access_token).catch(() => 'refused'), 'refused')
    })
  }

  test(`openid-client as it comes, without a registered method, introspects and revokes at ${where}`, async () => {
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] }
    const metadata = { client_name: 'Resource server', redirect_uris: [redirect_uri], scope: 'read:store' }
    const configuration = await openid.dynamicClientRegistration(new URL(world.issuer), metadata, undefined, options)
    assert.deepEqual({ ...(await openid.tokenIntrospection(configuration, 'x')) }, { active: false })
    await openid.tokenRevocation(configuration, 'x')
  })

  test(`the OAuth client of the MCP SDK, from a 401 to a token and its refresh, at ${where}`, async () => {
    const merchant = await world.newMerchant()
    const serverUrl = `${new URL(world.issuer).origin}/v1`
    const redirectUrl = 'http://127.0.0.1:53682/callback'
    const kept: { information?: any; tokens?: any; verifier?: string; url?: URL } = {}
    const app: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: {
        client_name: 'Agent',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      clientInformation: () => kept.information,
      saveClientInformation: (information) => {
        kept.information = information
      },
      tokens: () => kept.tokens,
      saveTokens: (tokens) => {
        kept.tokens = tokens
      },
      redirectToAuthorization: (url) => {
        kept.url = url
      },
      saveCodeVerifier: (verifier) => {
        kept.verifier = verifier
      },
      codeVerifier: () => kept.verifier!,
      state: () => 'a state',
    }
    const refusal = await fetch(`${serverUrl}/store`)
    const resourceMetadataUrl = new URL(
      /resource_metadata="([^"]+)"/.exec(refusal.headers.get('www-authenticate')!)![1]!,
    )
    assert.equal(await auth(app, { serverUrl, resourceMetadataUrl, scope: 'read:store' }), 'REDIRECT')
    const answer = await redirected(merchant, kept.url!, redirectUrl)
    assert.equal(
      await auth(app, { serverUrl, resourceMetadataUrl, authorizationCode: answer.searchParams.get('code')! }),
      'AUTHORIZED',
    )
    assert.equal(await useStore(world, kept.tokens.access_token), merchant.store.store.id)
    const before = kept.tokens.refresh_token
    assert.equal(await auth(app, { serverUrl, resourceMetadataUrl }), 'AUTHORIZED')
    assert.notEqual(kept.tokens.refresh_token, before)
    assert.equal(await useStore(world, kept.tokens.access_token), merchant.store.store.id)
  })
}

test('the MCP SDK registers again when its client has expired', async () => {
  const world = await openOauthWorld({ environment: { OAUTH_CLIENT_TTL_S: '1000' } })
  const merchant = await world.newMerchant()
  const serverUrl = `${world.issuer}/v1`
  const redirectUrl = 'http://localhost:1234/cb'
  let information: any
  let tokens: any
  let verifier = ''
  let url: URL | undefined
  let registrations = 0
  const app: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given
      registrations++
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given
    },
    redirectToAuthorization: (given) => {
      url = given
    },
    saveCodeVerifier: (given) => {
      verifier = given
    },
    codeVerifier: () => verifier,
    invalidateCredentials: () => {
      information = tokens = undefined
    },
  }
  await auth(app, { serverUrl, scope: 'read:store' })
  const answer = await allow(merchant, { client_id: '', redirect_uri: redirectUrl }, url!.href)
  await auth(app, { serverUrl, authorizationCode: answer.get('code')! })
  world.clock.advance(1001)
  assert.equal(await auth(app, { serverUrl, scope: 'read:store' }), 'REDIRECT')
  assert.equal(registrations, 2)
})

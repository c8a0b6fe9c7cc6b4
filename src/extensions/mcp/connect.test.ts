// How an assistant connects by itself: the client of the MCP SDK against the authorization server.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import { openOauthWorld, someAddress, toConsent, type Merchant } from '../../../test/oauth.ts'
import { receiver, testAuthority } from '../../../test/receiver.ts'

const host = await receiver()
after(host.close)
const world = await openOauthWorld({
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca },
})

const redirectUrl = 'http://127.0.0.1:53682/callback'
const clientMetadata = {
  client_name: 'Assistant',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
const clientMetadataUrl = `${host.url}/assistant.json`
const body = JSON.stringify({ client_id: clientMetadataUrl, ...clientMetadata })
host.answer = () => ({ headers: { 'content-type': 'application/json' }, body })

type Provider = OAuthClientProvider & { answer(): Promise<URLSearchParams>; asked: string[] }

/** The state that a client keeps, and a merchant who consents where it sends them. */
function oauthClient(person: Merchant, more: Partial<OAuthClientProvider> = {}): Provider {
  const kept: { information?: any; tokens?: any; verifier?: string; url?: URL; discovered?: any } = {}
  const asked: string[] = []
  return {
    redirectUrl,
    clientMetadata,
    ...more,
    asked,
    clientInformation: () => kept.information,
    saveClientInformation: (information) => void (kept.information = information),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization(to) {
      kept.url = to
      asked.push(to.searchParams.get('scope')!)
    },
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    saveDiscoveryState: (state) => void (kept.discovered = state),
    discoveryState: () => kept.discovered,
    async answer() {
      const { searchParams } = kept.url!
      assert.equal(searchParams.get('resource'), `${world.issuer}/mcp`)
      const consent = await toConsent(person, kept.url!.href)
      const end = await person.browser.submit(consent, { decision: 'allow' }, (to) => to.startsWith(redirectUrl))
      return new URL(end.location!).searchParams
    },
  }
}

function open(provider: Provider) {
  const agent = new Client({ name: 'assistant', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const transport = new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), {
    authProvider: provider,
    requestInit: { headers: { 'x-forwarded-for': someAddress() } },
  })
  return { agent, transport, connected: agent.connect(transport) }
}

/** From nothing to a connected agent: 401, metadata, registration, consent, token. */
async function connect(provider: Provider) {
  const first = open(provider)
  await assert.rejects(first.connected, UnauthorizedError)
  await first.transport.finishAuth(await provider.answer())
  const { connected, ...own } = open(provider)
  await connected
  return own
}

test('a client that registers itself can read at once, and proposes what it would change', async () => {
  const person = await world.newMerchant()
  const { api } = person.store
  const { data: product } = await api.post('/v1/products', { name: 'Tea', price: 4 })
  const provider = oauthClient(person)
  const { agent } = await connect(provider)
  const found: any = await agent.callTool({ name: 'find_products', arguments: {} })
  assert.equal(found.structuredContent.data[0].id, product.id)
  const update = { name: 'update_product', arguments: { product_id: product.id, price: 5 } }
  const { proposal } = ((await agent.callTool(update)) as any).structuredContent
  assert.equal((await api.get(`/v1/products/${product.id}`)).data.price, 4)
  assert.equal((await api.post(`/v1/proposals/${proposal.id}/approve`)).status, 200)
  assert.equal((await api.get(`/v1/products/${product.id}`)).data.price, 5)
  const [entry] = (await api.get('/v1/audit?operation=updateProduct')).data
  assert.match(entry.proposed_by, /^client:/, 'the entry names the app that proposed it')
  assert.ok(!provider.asked[0]!.includes('write:'))
})

test('a client that is known by its document asks for more scopes when a tool needs them', async () => {
  const person = await world.newMerchant()
  const provider = oauthClient(person, { clientMetadataUrl })
  const { agent, transport } = await connect(provider)
  const rename = {
    name: 'propose_change',
    arguments: { method: 'PATCH', path: '/v1/store', body: { name: 'Tea house' } },
  }
  await assert.rejects(agent.callTool(rename), UnauthorizedError)
  const asked = provider.asked.at(-1)!.split(' ')
  assert.ok(asked.includes('propose:store'), provider.asked.at(-1))
  assert.ok(asked.includes('propose:products'), 'the scopes it had are requested again')
  await transport.finishAuth(await provider.answer())
  const { data } = ((await agent.callTool(rename)) as any).structuredContent
  assert.deepEqual([data.operation, data.status], ['updateStore', 'open'])
  assert.equal((await person.store.api.get('/v1/store')).data.name, 'Corner shop')
})

test('an expired token is renewed without the merchant', async () => {
  const person = await world.newMerchant()
  const { data: product } = await person.store.api.post('/v1/products', { name: 'Tea', price: 4 })
  const provider = oauthClient(person, { clientMetadataUrl })
  const { agent } = await connect(provider)
  world.clock.advance(3601)
  const got: any = await agent.callTool({ name: 'get_product', arguments: { product_id: product.id } })
  assert.equal(got.structuredContent.data.price, 4)
})

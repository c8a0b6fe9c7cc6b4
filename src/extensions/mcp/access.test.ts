import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openAgent } from '../../../test/agents.ts'
import { client } from '../../../test/client.ts'
import { newApp, newTokens, openOauthWorld, someAddress } from '../../../test/oauth.ts'

const world = await openOauthWorld()
const { url, issuer } = world
const resource = `${issuer}/mcp`
const metadata = `${issuer}/.well-known/oauth-protected-resource/mcp`
const merchant = await world.newMerchant()
const app = await newApp(world, { scope: 'read:products write:products read:orders read:audit' })

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function post(body: string | object, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...json, 'x-forwarded-for': someAddress(), ...headers },
    body: text,
  })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const callOf = (name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
})
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function tokenFor(more: Record<string, string> = {}): Promise<string> {
  world.clock.advance(61)
  return (await newTokens(world, merchant, app, { scope: 'write:products', resource, ...more })).access_token
}

test('the package of the protocol is loaded on first use: no module imports it at start', () => {
  const packages = importedBy('program/main.ts')
  assert.ok(packages.has('fastify') && !packages.has('@modelcontextprotocol/server'))
  assert.ok(importedBy('extensions/mcp/server.ts').has('@modelcontextprotocol/server'))
})

const importLine = /^(?:import(?! type)|\} from|export .* from)\b.*?'([^']+)'$/gm

/** The packages that a module imports statically, itself or through others. */
function importedBy(file: string): Set<string> {
  const src = new URL('../../', import.meta.url)
  const [packages, seen] = [new Set<string>(), new Set<string>()]
  const visit = (module: URL) => {
    if (seen.has(module.href)) return
    seen.add(module.href)
    for (const [, name = ''] of readFileSync(module, 'utf8').matchAll(importLine)) {
      if (name.startsWith('.')) visit(new URL(name, module))
      else packages.add(name)
    }
  }
  visit(new URL(file, src))
  return packages
}

test('without a token, 401 says where to get one, and which scopes to ask for at first', async () => {
  for (const method of ['POST', 'GET'] as const) {
    const response = method === 'POST' ? await post(listing) : await fetch(`${url}/mcp`)
    assert.equal(response.status, 401)
    const scopes = 'read:webhooks read:checkout_drafts read:requests propose:products propose:inventory propose:orders'
    assert.equal(
      response.headers.get('www-authenticate'),
      `Bearer scope="${scopes} propose:customers propose:discounts", resource_metadata="${metadata}"`,
    )
    const { jsonrpc, error } = (await response.json()) as any
    assert.deepEqual([jsonrpc, error.data.code], ['2.0', 'AUTHENTICATION_ERROR'])
  }
})

test('the metadata of /mcp names it, and its authorization server', async () => {
  const document = (await (await fetch(metadata)).json()) as any
  assert.deepEqual([document.resource, document.authorization_servers], [resource, [issuer]])
  assert.ok(document.scopes_supported.includes('propose:orders'))
})

test('only a token for /mcp is accepted, with or without a slash at its end', async () => {
  for (const same of [resource, `${resource}/`])
    assert.equal((await post(listing, bearer(await tokenFor({ resource: same })))).status, 200, same)
  const { access_token: unbound } = await newTokens(world, merchant, app, { scope: 'read:products' })
  const others = [`${issuer}/v1`, issuer, `${issuer}/`, `${issuer}/mcp2`, 'https://other.example/mcp']
  const tokens = [unbound]
  for (const each of others) tokens.push(await tokenFor({ resource: each }))
  for (const [index, token] of tokens.entries()) {
    const response = await post(listing, bearer(token))
    assert.equal(response.status, 401, ['none', ...others][index])
    const challenge = response.headers.get('www-authenticate')!
    assert.match(challenge, /^Bearer error="invalid_token", scope="[^"]+propose:orders[^"]*", resource_metadata=/)
    assert.ok(challenge.includes(`"${metadata}"`))
  }
})

test('a token for /mcp opens nothing at /v1', async () => {
  const token = await tokenFor()
  const { status, error } = await client(url, bearer(token)).get('/v1/products')
  assert.deepEqual([status, error.message], [401, 'The access token is for another audience'])
  assert.equal((await post(callOf('find_products'), bearer(token))).status, 200)
})

test('a token without the scope of a tool is 403 insufficient_scope, which names the scope', async () => {
  const token = await tokenFor({ scope: 'read:products' })
  for (const [tool, args, scope] of [
    ['find_orders', {}, 'read:orders'],
    ['update_product', { product_id: 'prod_0', price: 1 }, 'write:products'],
    ['propose_change', { method: 'POST', path: '/v1/categories', body: { name: 'x' } }, 'propose:products'],
  ] as const) {
    const response = await post(callOf(tool, args), bearer(token))
    assert.equal(response.status, 403, tool)
    assert.equal(
      response.headers.get('www-authenticate'),
      `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`,
    )
    assert.equal(((await response.json()) as any).error.data.code, 'SCOPE_INSUFFICIENT')
  }
})

test('the audit log names the app, and a revoked token ends at once', async () => {
  const token = await tokenFor()
  const made = await post(
    callOf('propose_change', { method: 'POST', path: '/v1/categories', body: { name: 'Hats' } }),
    bearer(token),
  )
  assert.equal(made.status, 200, await made.text())
  const agent = await openAgent(url, token)
  const { data: product } = await merchant.store.api.post('/v1/products', { name: 'Tea', price: 4 })
  assert.equal((await agent.call('update_product', { product_id: product.id, price: 5 })).result.data.price, 5)
  const { data } = await merchant.store.api.get('/v1/audit?operation=updateProduct')
  assert.deepEqual(data[0].actor, { kind: 'client', id: app.client_id, user: merchant.id })
  await world.post('/oauth/revoke', { token, client_id: app.client_id, client_secret: app.client_secret! })
  assert.equal((await post(listing, bearer(token))).status, 401)
})

test('an API key is accepted as a Bearer token or in X-API-Key, but not a wrong or inactive one', async () => {
  const { key } = merchant.store.api
  assert.equal((await post(listing, bearer(key))).status, 200)
  assert.equal((await post(listing, { 'x-api-key': key })).status, 200)
  assert.equal((await post(listing, bearer(`wk_live_${'x'.repeat(40)}`))).status, 401)
  assert.equal((await post(listing, { ...bearer(key), 'x-api-key': key })).status, 401)
})

test('a foreign Host or Origin, as DNS rebinding sends it, is refused', async () => {
  const own = bearer(merchant.store.api.key)
  const status = async (headers: Record<string, string>) => (await post(listing, { ...own, ...headers })).status
  assert.equal(await status({ 'x-forwarded-host': 'evil.example' }), 403)
  assert.equal(await status({ origin: 'https://evil.example' }), 403)
  assert.equal(await status({ origin: 'null' }), 403)
  assert.equal(await status({ origin: issuer }), 200)
  assert.equal(await status({ origin: 'http://localhost:6274' }), 200)
})

test('10 MB of arguments are refused with a clear error, and leave nothing', async () => {
  const own = bearer(merchant.store.api.key)
  const huge = callOf('manage_discount', {
    code: 'BIG',
    type: 'percentage',
    value: 5,
    title: 'x'.repeat(10 * 1024 * 1024),
  })
  const response = await post(huge, own)
  assert.equal(response.status, 413)
  const { error } = (await response.json()) as any
  assert.deepEqual(
    [error.data.code, error.message],
    ['PAYLOAD_TOO_LARGE', 'The request body is larger than 1048576 bytes'],
  )
  assert.deepEqual((await merchant.store.api.get('/v1/discounts?status=all')).data, [])
})

test('what is no request of the protocol gets its error, and the next request is answered', async () => {
  const own = bearer(merchant.store.api.key)
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const bodies = [
    '',
    '{',
    'null',
    '7',
    '[]',
    '{}',
    deep,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`,
  ]
  for (const body of bodies) {
    const { status } = await post(body, own)
    assert.ok(status >= 400 && status < 500, `${body.slice(0, 40)} ${status}`)
  }
  const inner = `{"title":${deep}}`
  const params = `{"name":"manage_discount","arguments":${inner}}`
  const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  const { status } = await post(nested, own)
  assert.ok(status < 500, String(status))
  assert.equal((await post(listing, { ...own, 'content-type': 'text/plain' })).status, 415)
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${url}/mcp`, { method, headers: own })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'])
  }
  assert.equal((await post(listing, own)).status, 200)
})

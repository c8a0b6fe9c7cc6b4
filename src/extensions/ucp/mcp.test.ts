// The MCP transport: JSON-RPC as its clients of all releases speak it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUcpWorld } from '../../../test/ucp.ts'
import { setUp, productOf } from '../../../test/checkouts.ts'
import { operations } from './operations.ts'

const world = await openUcpWorld()
const shop = await setUp(await world.newStore())
const domain = await world.domainOf(shop)
const send = (body: unknown) => world.http(domain, 'POST', '/ucp/mcp', { body })
const call = (method: string, params?: object) => send({ jsonrpc: '2.0', id: 7, method, ...(params ? { params } : {}) })

test('initialize answers with an MCP version that both sides support', async () => {
  const { status, body } = await call('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
  assert.equal(status, 200)
  assert.deepEqual([body.jsonrpc, body.id, body.result.protocolVersion], ['2.0', 7, '2025-06-18'])
  assert.deepEqual(body.result.capabilities, { tools: {} })
  const other = await call('initialize', { protocolVersion: '1999-01-01' })
  assert.equal(other.body.result.protocolVersion, '2025-11-25')
  const heard = await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  assert.deepEqual([heard.status, heard.body], [202, undefined])
})

test('a client without a session discovers the server, and lists its tools', async () => {
  const { body } = await call('server/discover')
  assert.ok(body.result.supportedVersions.includes('2026-07-28'))
  const { result } = (await call('tools/list')).body
  assert.deepEqual(
    result.tools.map(({ name }: any) => name),
    operations.map(({ name }) => name),
  )
  assert.deepEqual([result.resultType, result.cacheScope, result.ttlMs], ['complete', 'public', 300_000])
  for (const { inputSchema, annotations } of result.tools) {
    assert.equal(inputSchema.type, 'object')
    assert.ok(inputSchema.required.includes('meta'))
    assert.equal(typeof annotations.readOnlyHint, 'boolean')
  }
  assert.deepEqual((await call('ping')).body.result, { resultType: 'complete' })
})

const wrong: [name: string, body: unknown, status: number, code: number][] = [
  ['no JSON', '{', 400, -32700],
  ['no object', '[]', 400, -32600],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 400, -32600],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
  ['an odd ID', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
  ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32601],
  [
    'an unknown tool',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'drop_tables', arguments: {} } },
    400,
    -32602,
  ],
  ['no arguments', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_cart' } }, 400, -32602],
  [
    'no ID of the cart',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_cart', arguments: {} } },
    400,
    -32602,
  ],
  [
    'no body',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_cart', arguments: {} } },
    400,
    -32602,
  ],
]

for (const [name, body, status, code] of wrong) {
  test(`a request with ${name} is answered with the error of JSON-RPC`, async () => {
    const answer = await send(body)
    assert.deepEqual([answer.status, answer.body.error.code, answer.body.jsonrpc], [status, code, '2.0'])
  })
}

test('there is no stream to get', async () => {
  const { status, headers, body } = await world.http(domain, 'GET', '/ucp/mcp')
  assert.deepEqual([status, headers.get('allow'), body.error.code], [405, 'POST', -32600])
})

test('10 MB of arguments are refused by their size, by either transport, and nothing is written', async () => {
  const agent = world.agent(domain, { transport: 'mcp' })
  const line_items = [{ item: { id: 'x'.repeat(10_000_000) }, quantity: 1 }]
  const mcp = await agent.call('create_cart', { body: { line_items } })
  assert.deepEqual([mcp.status, mcp.body.code, mcp.body.rpc], [413, 'request_too_large', -32602])
  const rest = await world.agent(domain).call('create_cart', { body: { line_items } })
  assert.deepEqual([rest.status, rest.body.code], [413, 'request_too_large'])
})

test('what cancels or completes must have an idempotency key, which is a UUID', async () => {
  const { id } = await productOf(shop)
  for (const transport of ['rest', 'mcp'] as const) {
    const agent = world.agent(domain, { transport })
    for (const name of ['cancel_cart', 'complete_checkout', 'cancel_checkout']) {
      const none = await agent.call(name, { id: 'x', body: {}, key: null })
      assert.deepEqual([none.status, none.body.code], [400, 'idempotency_key_required'], name)
      const odd = await agent.call(name, { id: 'x', body: {}, key: 'one' })
      assert.deepEqual([odd.status, odd.body.code], [400, 'invalid_request'], name)
    }
    const { status } = await agent.call('create_cart', {
      body: { line_items: [{ item: { id }, quantity: 1 }] },
      key: null,
    })
    assert.equal(status, transport === 'rest' ? 201 : 200)
  }
})

test('one address may not ask without end', async () => {
  const agent = world.agent(domain, { address: '10.9.9.9', transport: 'mcp' })
  const headers = { 'x-forwarded-for': '10.9.9.9' }
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const pings = Array.from({ length: 1000 }, () => world.http(domain, 'POST', '/ucp/mcp', { body, headers }))
  assert.ok((await Promise.all(pings)).every(({ status }) => status === 200))
  const last = await agent.call('search_catalog', { body: { query: 'x' } })
  assert.deepEqual([last.status, last.body.code, last.body.rpc], [429, 'rate_limited', -32000])
  assert.ok(last.body.retry_after > 0)
})

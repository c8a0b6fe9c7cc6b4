// Requests at the edge of what is read, and how their faults are worded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openWorld } from '../../test/world.ts'

const world = await openWorld({ BASE_URL: 'http://127.0.0.1:4000' })

test('a body in a content coding is refused with 415 before it is read', async () => {
  const { api } = await world.newStore()
  const body = gzipSync('{"name":"Hats"}')
  for (const coding of ['gzip', 'br', 'GZIP']) {
    const headers = { 'content-encoding': coding, 'content-type': 'application/json' }
    const { status, error, headers: sent } = await api.send('POST', '/v1/categories', { body, headers })
    assert.deepEqual([status, error.code, sent.get('accept-encoding')], [415, 'BAD_REQUEST', 'identity'])
  }
  const headers = { 'content-encoding': 'identity', 'content-type': 'application/json' }
  assert.equal((await api.send('POST', '/v1/categories', { body: '{"name":"Hats"}', headers })).status, 201)
})

test('an hour is 23 at most', async () => {
  const { api } = await world.newStore()
  const create = (expires_at: string) =>
    api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10, expires_at })
  for (const time of ['2030-01-31T24:00:00Z', '2030-01-31T24:00:00+02:00', '2030-01-31t24:00:00Z']) {
    const { status, error } = await create(time)
    assert.deepEqual([status, error?.details?.[0]?.field], [422, 'expires_at'], time)
  }
  assert.equal((await create('2030-01-31T23:59:59Z')).status, 201)
})

test('a name of invisible characters alone is blank', async () => {
  const { api } = await world.newStore()
  for (const name of ['\u200b', '\u200b \u2060', '\u00ad']) {
    for (const [path, more] of [
      ['/v1/products', { price: 1 }],
      ['/v1/categories', {}],
      ['/v1/customers', {}],
    ] as const) {
      assert.equal((await api.post(path, { name, ...more })).status, 422, path)
    }
  }
})

const protocol = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function rpc(method: string, params: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return fetch(`${world.url}/mcp`, { method: 'POST', headers: { ...protocol, ...headers }, body })
}

test('faults of a tool have the names of its arguments in the message too', async () => {
  const { api } = await world.newStore()
  const answer = await rpc(
    'tools/call',
    { name: 'find_products', arguments: { price_gte: 'dear' } },
    { authorization: `Bearer ${api.key}` },
  )
  const text = await answer.text()
  assert.match(text, /price_gte/)
  assert.doesNotMatch(text, /price\[gte\]/)
})

test('whoever calls /mcp without a credential is told what it takes', async () => {
  const answer = await rpc('tools/list', {})
  assert.equal(answer.status, 401)
  assert.match(((await answer.json()) as any).error.message, /^Missing Authorization header: send an access token/)
})

test('a page of this machine can call /mcp, and one of another site cannot', async () => {
  const { api } = await world.newStore()
  const ask = (origin: string) => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    return fetch(`${world.url}/mcp`, { method: 'OPTIONS', headers })
  }
  const own = await ask('http://localhost:6274')
  assert.equal(own.status, 204)
  assert.equal(own.headers.get('access-control-allow-origin'), '*')
  assert.match(own.headers.get('access-control-allow-headers')!, /\bauthorization\b.*\bmcp-protocol-version\b/)
  assert.equal((await ask('https://evil.example')).status, 403)
  const headers = { origin: 'http://localhost:6274', authorization: `Bearer ${api.key}` }
  const answer = await rpc('tools/list', {}, headers)
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, '*'])
})

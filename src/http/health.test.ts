import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../test/world.ts'

const token = 'a-token-of-the-scraper'
const [open, closed] = await Promise.all([openWorld(), openWorld({ METRICS_TOKEN: token })])

async function status(world: typeof open, remoteAddress: string, headers: Record<string, string> = {}) {
  return (await world.app.server.inject({ url: '/metrics', remoteAddress, headers })).statusCode
}

test('/healthz tells builds of a version apart', async () => {
  const { status, version, build } = (await open.app.server.inject({ url: '/healthz' })).json()
  assert.equal(status, 'ok')
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.match(build, /^[0-9a-f]{12}$/)
})

test('without a token /metrics answers private addresses, and strangers find nothing', async () => {
  for (const address of ['127.0.0.1', '::1', '10.2.3.4', '::ffff:192.168.1.9', 'fd00::1']) {
    assert.equal(await status(open, address), 200, address)
  }
  for (const address of ['93.184.216.34', '2606:4700::1', '100.64.0.1']) {
    assert.equal(await status(open, address), 404, address)
  }
  assert.equal(await status(open, '127.0.0.1', { 'x-forwarded-for': '93.184.216.34' }), 404, 'behind a proxy')
})

test('with METRICS_TOKEN /metrics answers whoever shows it, from anywhere, and nobody else', async () => {
  assert.equal(await status(closed, '93.184.216.34', { authorization: `Bearer ${token}` }), 200)
  for (const authorization of ['', 'Bearer ', `Bearer ${token}x`, `Basic ${token}`]) {
    assert.equal(await status(closed, '127.0.0.1', { authorization }), 401, authorization)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../test/world.ts'

const { app, clock } = await openWorld()

const ask = (url: string, remoteAddress: string, headers = {}) => app.server.inject({ url, remoteAddress, headers })

for (const [url, limit] of [
  ['/openapi.json', 120],
  ['/reference', 120],
  ['/reference/scalar.js', 120],
  ['/readyz', 600],
] as const) {
  test(`${url} is answered ${limit} times a minute to an address, whoever else asks`, async () => {
    const answers = await Promise.all(
      Array.from({ length: limit + 20 }, () => ask(url, '10.1.1.1', { 'if-none-match': '"x"' })),
    )
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    assert.equal(refused.length, 20)
    assert.ok(Number(refused[0]!.headers['retry-after']) <= 60)
    assert.equal((await ask(url, '10.1.1.2')).statusCode, 200)
    clock.advance(60)
    assert.equal((await ask(url, '10.1.1.1')).statusCode, 200)
  })
}

test('/healthz is answered however often a balancer asks', async () => {
  const answers = await Promise.all(Array.from({ length: 2000 }, () => ask('/healthz', '10.1.1.1')))
  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
})

test('who has the document of the API is not sent it again', async () => {
  const { headers, statusCode } = await ask('/openapi.json', '10.1.1.3', { 'accept-encoding': 'gzip' })
  assert.deepEqual([statusCode, headers['content-encoding']], [200, 'gzip'])
  const again = await ask('/openapi.json', '10.1.1.3', { 'if-none-match': headers.etag as string })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

// Section 8 of the interface: the quota of a key, and the headers that tell of it on every response.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, type Answer } from '../client.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
const { url, clock } = world

// Costs no query, and counts like everything else.
const knock = (api: { get(path: string): Promise<Answer> }) => api.get('/v1/products/none')

async function times<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  while (answers.length < count) {
    answers.push(...(await Promise.all(Array.from({ length: Math.min(100, count - answers.length) }, run))))
  }
  return answers
}

function limitOf({ headers }: Answer) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  for (const value of [limit, remaining, reset]) assert.match(String(value), /^\d+$/)
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) }
}

function assertLimited(answer: Answer, limit: number): number {
  const { status, error, headers } = answer
  assert.equal(status, 429)
  const wait = Number(headers.get('retry-after'))
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After: ${wait}`)
  assert.deepEqual(error, { code: 'RATE_LIMITED', message: `Rate limit exceeded. Try again in ${wait} seconds` })
  const shown = limitOf(answer)
  assert.deepEqual([shown.limit, shown.remaining], [limit, 0])
  return wait
}

const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)

for (const [mode, limit] of [
  ['live', 1000],
  ['test', 100],
] as const) {
  test(`a ${mode} key has ${limit} requests a minute, exactly, however many come at once`, async () => {
    const { api } = await world.newStore({ mode })
    const answers = await times(limit + 20, () => knock(api))
    const allowed = answers.filter(({ status }) => status === 404)
    assert.equal(allowed.length, limit)
    assert.deepEqual(
      allowed.map((answer) => limitOf(answer).remaining).sort((a, b) => b - a),
      Array.from({ length: limit }, (_, index) => limit - 1 - index),
    )
    for (const answer of answers) if (answer.status !== 404) assertLimited(answer, limit)
    assert.equal(new Set(answers.map((answer) => limitOf(answer).reset)).size, 1)
  })
}

test('the window ends when it said, and a new one begins with the next request', async () => {
  const { api } = await world.newStore({ mode: 'test' })
  const first = limitOf(await knock(api))
  assert.ok(first.reset > nowSeconds() && first.reset <= nowSeconds() + 61, `${first.reset}`)
  await times(99, () => knock(api))
  assertLimited(await knock(api), 100)
  clock.advance(30)
  const wait = assertLimited(await knock(api), 100)
  assert.ok(wait <= 31, `${wait}`)
  clock.advance(wait)
  const answer = await api.get('/v1/store')
  assert.equal(answer.status, 200)
  const next = limitOf(answer)
  assert.equal(next.remaining, 99)
  assert.ok(next.reset > first.reset)
})

test('each key counts by itself, also two of one store', async () => {
  const { api, withKey } = await world.newStore({ mode: 'test' })
  const other = await withKey({ mode: 'test' })
  await times(101, () => knock(api))
  assertLimited(await knock(api), 100)
  assert.equal(limitOf(await knock(other)).remaining, 99)
})

test('every response carries the three headers and a request id: refusals, too', async () => {
  const { api, withKey } = await world.newStore({ plan: 'starter' })
  const narrow = await withKey({ scopes: ['read:orders'] })
  const used = await withKey({ mode: 'test' })
  await times(100, () => knock(used))
  await api.post('/v1/categories', { name: 'Hats' })
  const huge = { name: 'x'.repeat(1024 * 1024) }
  const answers: [number, Promise<Answer>][] = [
    [200, api.get('/v1/store')],
    [201, api.post('/v1/categories', { name: 'Bags' })],
    [401, client(url, {}).get('/v1/store')],
    [401, client(url, { 'x-api-key': 'nonsense' }).get('/v1/store')],
    [403, narrow.get('/v1/products')],
    [403, api.post('/v1/products', { name: 'Mug', price: 1, wholesale_price: 1 })],
    [404, api.get('/v1/products/none')],
    [404, api.get('/v1/nothing')],
    [404, api.send('PUT', '/v1/products')],
    [404, api.get('/v1/products/%zz')],
    [404, api.get(`/v1/products/${'x'.repeat(501)}`)],
    [404, client(url, {}).get('/v1/nothing')],
    [409, api.post('/v1/categories', { name: 'hats' })],
    [413, api.post('/v1/categories', huge)],
    [422, api.post('/v1/categories', {})],
    [422, api.send('POST', '/v1/categories', { body: '{', headers: { 'content-type': 'application/json' } })],
    [422, api.get('/v1/products?per_page=101')],
    [429, knock(used)],
  ]
  for (const [status, pending] of answers) {
    const answer = await pending
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    const { limit, remaining } = limitOf(answer)
    assert.ok(remaining < limit)
    assert.match(answer.headers.get('x-request-id') ?? '', /^[\w.:-]{1,128}$/)
  }
})

test("a caller's own X-Request-Id comes back when it is harmless", async () => {
  const { api } = await world.newStore()
  const echo = async (id: string) => {
    const { headers } = await api.get('/v1/store', { headers: { 'x-request-id': id } })
    return headers.get('x-request-id')
  }
  assert.equal(await echo('trace-1.a:b'), 'trace-1.a:b')
  assert.notEqual(await echo('a b'), 'a b')
  assert.notEqual(await echo('x'.repeat(129)), 'x'.repeat(129))
})

test('who tries keys is limited by address, and takes nothing from a key of the same address in use', async () => {
  clock.advance(60)
  const { api } = await world.newStore()
  // One that never worked here costs no look-up beyond the limit: it might be one more guess.
  assert.equal((await api.get('/v1/store')).status, 200)
  let tried = 0
  const answers = await times(1010, () => client(url, { 'x-api-key': `nonsense_${tried++}` }).get('/v1/store'))
  assert.equal(answers.filter(({ status }) => status === 401).length, 1000)
  for (const answer of answers) if (answer.status !== 401) assertLimited(answer, 1000)
  assert.equal((await api.get('/v1/store')).status, 200)
  clock.advance(60)
  assert.equal((await client(url, {}).get('/v1/store')).status, 401)
})

// A node between which and the database something stands: it is slow, or cuts it off. It says so, with nothing from
// memory in place of an answer, and goes on by itself. Its Valkey is away the whole time.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, test } from 'node:test'
import { openDatabase } from '../src/kit/database/open.ts'
import { sql } from '../src/kit/database/sql.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { newDatabase } from './database.ts'
import { openDetour } from './detour.ts'
import { newDataDir, startServer } from './server.ts'
import { stoaOn } from './stoa.ts'

const url = await newDatabase({ after })
const detour = await openDetour(url)
after(() => detour.close())
const dataDirs = [await newDataDir({ after }), await newDataDir({ after })] as const
const env = { SECRET_KEY: 'a key of the tests, 32 characters', CACHE_MAX_MB: '16' }
const far = await startServer(dataDirs[0], { ...env, DATABASE_URL: detour.url, REDIS_URL: 'redis://127.0.0.1:1' })
const near = await startServer(dataDirs[1], { ...env, DATABASE_URL: url })
const stoa = stoaOn({ DATA_DIR: dataDirs[0], DATABASE_URL: url })
const { id: store, slug } = (await stoa.json('store', 'create', '--name', 'Corner')).store
const { key } = await stoa.json('key', 'create', '--store', store, '--mode', 'live', '--scopes', 'all')
const db = openDatabase({ url, clock: systemClock, connections: 1 })
after(() => db.close())

type Answer = { status: number; headers: Headers; text: string; body: any }

async function ask(server: { url: string }, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' }
  const answer = await fetch(server.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

const { id } = (await ask(near, 'POST', '/v1/products', { name: 'Travel mug', price: 10 })).body.data
const reads = [
  '/v1/products',
  `/v1/products/${id}`,
  `/storefront/${slug}/products`,
  `/s/${slug}`,
  `/s/${slug}/products/travel-mug`,
]

test('limits are counted without Valkey, and the log says that it is away', async () => {
  const counts = [await ask(far, 'GET', '/v1/store'), await ask(far, 'GET', '/v1/store')]
  const [first, second] = counts.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  assert.equal(second, first! - 1)
  assert.ok(far.lines().some(({ msg }) => msg.startsWith('Valkey is unreachable')))
})

test('cut off from the database a node answers nothing from memory, and says when to come again', async () => {
  for (const path of [...reads, ...reads, ...reads]) assert.equal((await ask(far, 'GET', path)).status, 200, path)
  const before = await jobsDone()
  detour.cut()
  assert.equal((await ask(near, 'PATCH', `/v1/products/${id}`, { price: 11, name: 'Cup' })).status, 200)
  for (const path of reads) {
    const { status, headers, body, text } = await ask(far, 'GET', path)
    assert.equal(status, 503, path)
    assert.ok(headers.get('retry-after'), path)
    assert.doesNotMatch(text, /Travel mug/, path)
    if (path.startsWith('/v1') || path.startsWith('/storefront')) assert.equal(body.error.code, 'UNAVAILABLE', path)
  }
  const written = await ask(far, 'POST', '/v1/products', { name: 'Lost', price: 1 })
  assert.deepEqual([written.status, written.body.error.code], [503, 'UNAVAILABLE'])
  assert.equal((await ask(far, 'GET', '/readyz')).status, 503)
  assert.equal((await ask(far, 'GET', '/healthz')).status, 200)

  detour.isCut = false
  while ((await ask(far, 'GET', '/readyz')).status !== 200) await sleep(50)
  for (const path of reads.slice(0, 4)) assert.match((await ask(far, 'GET', path)).text, /Cup/, path)
  const rows = await db.rows(sql`select from products where store_id = ${store} and name = 'Lost'`)
  assert.equal(rows.length, 0)
  while ((await jobsDone()) <= before) await sleep(100)
})

test('with a slow database every request is answered, and what was acknowledged is there', async () => {
  detour.delayMs = 150
  const names = Array.from({ length: 150 }, (_, n) => `Slow ${n}`)
  const polled = ask(far, 'GET', '/v1/events?after=0&wait=5')
  const answers = await Promise.all(names.map((name) => ask(far, 'POST', '/v1/products', { name, price: 1 })))
  assert.equal((await ask(far, 'GET', '/healthz')).status, 200)
  assert.equal((await polled).status, 200)
  detour.delayMs = 0
  for (const { status, headers, body } of answers) {
    if (status === 201) continue
    assert.deepEqual([status, body.error.code], [503, 'UNAVAILABLE'])
    assert.ok(headers.get('retry-after'))
  }
  const rows = await db.rows<{ name: string }>(sql`
    select name from products where store_id = ${store} and name like 'Slow %'`)
  const found = new Set(rows.map(({ name }) => name))
  const missing = names.filter((name, n) => answers[n]!.status === 201 && !found.has(name))
  assert.deepEqual(missing, [])
  assert.equal((await ask(far, 'GET', '/v1/products')).status, 200)
})

async function jobsDone(): Promise<number> {
  const { text } = await ask(far, 'GET', '/metrics')
  return Number(/job_runs_total\{job="seal the audit log",outcome="done"\} (\d+)/.exec(text)?.[1] ?? 0)
}

// Two builds at once, as during an upgrade of several nodes: the newer one migrates the database while the older one
// serves, and then both do. The newer build is a copy of the repository with another migration, field and event.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { openDatabase } from '../src/kit/database/open.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { client, type Client } from './client.ts'
import { copyRepository, edit } from './copy.ts'
import { newDatabase } from './database.ts'
import { receiver } from './receiver.ts'
import { newDataDir, run, startServer, workersOf, type Server } from './server.ts'
import { stoaOn } from './stoa.ts'
import { assertOrdersOnce, assertSumsOf } from './sums.ts'
import { startWriters, type Written } from './writers.ts'

const migration = '9001_warranty_note'
const newer = /database has migration 9001_warranty_note of a newer version of Stoa/

test('an older and a newer build serve one database', async (t) => {
  const [copy, url, hooks, olderDir, newerDir] = await Promise.all([
    copyRepository(),
    newDatabase(t),
    receiver(),
    newDataDir(t),
    newDataDir(t),
  ])
  t.after(() => hooks.close())
  await changeBuild(copy)
  const [main, cli] = ['main', 'cli'].map((name) => path.join(copy, `src/program/${name}.ts`)) as [string, string]
  const ca = path.join(olderDir, 'ca.pem')
  await writeFile(ca, hooks.ca)
  const env = {
    DATABASE_URL: url,
    BASE_URL: 'http://127.0.0.1:4000',
    SECRET_KEY: 'a key of the tests, 32 characters',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    NODE_EXTRA_CA_CERTS: ca,
  }
  const [ofOlder, ofNewer] = [stoaOn({ ...env, DATA_DIR: olderDir }), stoaOn({ ...env, DATA_DIR: newerDir }, cli)]
  const startNewer = () => startServer(newerDir, env, [], main)
  const older = await startServer(olderDir, { ...env, WORKERS: '2' })
  const store = (await ofOlder.json('store', 'create', '--name', 'Shared')).store.id as string
  const createKey = async () =>
    (await ofOlder.json('key', 'create', '--store', store, '--mode', 'live', '--scopes', 'all')).key as string
  const keys = [await createKey(), await createKey()]
  const apiAt = (server: Server) => client(server.url, { 'x-api-key': keys[0]! })
  const db = openDatabase({ url, clock: systemClock, connections: 2 })
  t.after(() => db.close())
  const end = new AbortController()
  t.after(() => end.abort())
  const writeTo = (server: Server, name: string) =>
    startWriters({ url: server.url, keys, connections: 3, name, signal: end.signal })
  const written: Written[] = []

  await t.test('the newer build does not start before the database is migrated, and says how', async () => {
    const { code, stderr } = await run(main, [], { env: { ...env, PORT: '0', DATA_DIR: newerDir } }).ended
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`lacks ${migration}\\. Run: npm run -s stoa -- migrate`))
  })

  await t.test('it migrates while the older one serves and writes, which says so and goes on', async () => {
    const writers = await writeTo(older, 'before')
    await writers.acknowledged(30)
    assert.deepEqual((await ofNewer.json('migrate')).applied, [migration])
    await writers.acknowledged(30)
    written.push(...(await writers.stop()))
    while (!older.lines().some(({ level, msg }) => level === 40 && newer.test(msg))) await sleep(50)
    assert.equal((await fetch(`${older.url}/readyz`)).status, 200)
  })

  const newerServer = await startNewer()

  await t.test('both read and write, and neither answers from before a write of the other', async () => {
    const writers = await Promise.all([writeTo(older, 'on older'), writeTo(newerServer, 'on newer')])
    await assertShared(apiAt(older), apiAt(newerServer))
    await Promise.all(writers.map((writer) => writer.acknowledged(40)))
    for (const writer of writers) written.push(...(await writer.stop()))
  })

  await t.test('an event that only the newer one knows is delivered by the older one, and is in its log', async () => {
    const api = apiAt(newerServer)
    const { data: webhook } = await api.post('/v1/webhooks', { url: hooks.url, events: ['product.noted'] })
    const { data: product } = await api.post('/v1/products', { name: 'Hat', price: 10 })
    hooks.answer = () => 'hang'
    await api.patch(`/v1/products/${product.id}`, { price: 11 })
    await hooks.waitFor(1)
    hooks.answer = () => ({ body: 'ok' })
    await newerServer.end('SIGKILL')
    await hooks.waitFor(2, 60_000)
    assert.deepEqual(
      hooks.received.map(({ headers }) => headers['x-webhook-event']),
      ['product.noted', 'product.noted'],
    )
    assert.ok((await listEventTypes(apiAt(older))).has('product.noted'))
    assert.equal((await apiAt(older).get(`/v1/webhooks/${webhook.id}/deliveries`)).status, 200)
  })

  await t.test('the older build says in each place that a newer one was there, and does not start again', async () => {
    const health: any = await (await fetch(`${older.url}/healthz`)).json()
    assert.equal(health.status, 'ok')
    assert.match(health.warning, newer)
    const { findings } = JSON.parse((await ofOlder('doctor', '--json').ended).stdout)
    assert.match(findings.find(({ name, ok }: any) => name === 'migrations' && !ok).detail, newer)
    assert.match((await ofOlder.refused('migrate')).error.message, newer)
    const start = await run('src/program/main.ts', [], { env: { ...env, PORT: '0', DATA_DIR: olderDir } }).ended
    assert.equal(start.code, 1)
    assert.match(start.stderr, newer)
    // One of its processes is replaced all the same.
    const [worker] = await workersOf(older.child.pid!)
    process.kill(worker!, 'SIGKILL')
    while ((await workersOf(older.child.pid!)).length < 2) await sleep(50)
    assert.equal((await apiAt(older).get('/v1/store')).status, 200)
  })

  await t.test('nothing is lost or doubled, and no job has failed', async () => {
    const again = await startNewer()
    await assertOrdersOnce(db, store, written)
    await assertSumsOf(db, store)
    for (const server of [older, again]) {
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.doesNotMatch(metrics, /job_runs_total\{[^}]*outcome="failed"\} [1-9]/)
      assert.deepEqual(
        server.lines().filter(({ level, msg }) => level >= 50 && !/worker exited/.test(msg)),
        [],
      )
    }
    const { findings } = JSON.parse((await ofNewer('doctor', '--json').ended).stdout)
    const wrong = findings.filter(({ ok }: any) => !ok)
    assert.deepEqual(wrong, [])
    assert.equal((await ofNewer.json('audit', 'verify')).ok, true)
  })
})

/** Another field of products, and another event of their changes. The version stays, so that only the build differs. */
async function changeBuild(copy: string): Promise<void> {
  const file = (name: string) => path.join(copy, name)
  await writeFile(file(`migrations/${migration}.sql`), 'alter table products add column warranty_note text;\n')
  await edit(file('src/commerce/catalog/product.ts'), [
    "   warranty_months:        integer({ min: 0, max: 1200 }).nullable().describe('Warranty in months'),",
    "+  warranty_note:          text({ max: 200 }).nullable().describe('Terms of the warranty'),",
  ])
  await edit(file('src/commerce/catalog/payload.ts'), [
    "     'product.created': { when: 'A product is created.', sample },",
    "+    'product.noted': { when: 'A product is changed.', sample },",
  ])
  await edit(file('src/commerce/catalog/operations.ts'), [
    "   emit(tx, store, 'product.updated', publicId('prod', id), summary)",
    "+  emit(tx, store, 'product.noted' as never, publicId('prod', id), summary as never)",
  ])
  assert.match(await readFile(file('src/commerce/catalog/operations.ts'), 'utf8'), /product\.noted/)
}

/** Records, answers in memory, entity tags, keys of repetition and undo of one build hold in the other. */
async function assertShared(older: Client, newer: Client): Promise<void> {
  const body = { name: 'Mug', price: 5 }
  const repeated = { headers: { 'idempotency-key': 'the same key in both' } }
  const created = await older.post('/v1/products', body, repeated)
  assert.equal(created.status, 201)
  assert.equal((await newer.post('/v1/products', body, repeated)).data.id, created.data.id)

  const address = `/v1/products/${created.data.id}`
  const readPrices = async () =>
    (await Promise.all([older.get(address), newer.get(address)])).map(({ data }) => data.price)
  for (const [price, api] of [
    [6, newer],
    [7, older],
    [8, newer],
  ] as const) {
    for (let time = 0; time < 3; time++) await readPrices()
    assert.equal((await api.patch(address, { price })).status, 200)
    assert.deepEqual(await readPrices(), [price, price])
  }
  const tag = (await older.get(address)).headers.get('etag')!
  const revalidated = await newer.get(address, { headers: { 'if-none-match': tag } })
  assert.deepEqual([revalidated.status, revalidated.data?.warranty_note], [200, null], 'an answer of another build')

  const noted = await newer.patch(address, { warranty_note: 'Two years' })
  assert.equal(noted.data.warranty_note, 'Two years')
  const changed = await newer.patch(address, { price: 9 })
  assert.equal((await older.patch(address, { name: 'Cup' })).data.price, 9)
  assert.equal((await older.get(`/v1/audit?id=${created.data.id}`)).status, 200)
  const undone = await older.post(`/v1/changes/${changed.headers.get('x-request-id')}/revert`)
  assert.equal(undone.status, 200, JSON.stringify(undone.error))
  const { data } = await newer.get(address)
  assert.deepEqual([data.price, data.name, data.warranty_note], [8, 'Cup', 'Two years'])
}

/** The types in the whole log. */
async function listEventTypes(api: Client): Promise<Set<string>> {
  const types = new Set<string>()
  for (let after = 0; ;) {
    const { status, body } = await api.get(`/v1/events?limit=500&after=${after}`)
    assert.equal(status, 200)
    if (body.data.length === 0) return types
    for (const { event } of body.data) types.add(event)
    after = body.log.next_after
  }
}

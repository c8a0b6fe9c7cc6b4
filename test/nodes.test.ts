// Three servers over one database and one Valkey, as on three machines: they share limits, jobs, deliveries and emails,
// and each is killed in turn under load.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { sql } from '../src/kit/database/sql.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { newDatabase } from './database.ts'
import { ready } from './killed.ts'
import { receiver } from './receiver.ts'
import { newDataDir, startServer, type Server } from './server.ts'
import { stoaOn } from './stoa.ts'
import { assertOrdersOnce, assertSumsOf } from './sums.ts'
import { startValkey } from './valkey.ts'
import { startWriters, type Written } from './writers.ts'

const nodes = 3
// NODE_KILLS=40 is the run that docs/testing.md reports.
const kills = Number(process.env.NODE_KILLS ?? nodes)
const writesPerKill = 60
const mailsPerKill = 10

/** Every node answers from memory, and none with the price from before a change on another. */
async function assertFresh(
  servers: readonly Server[],
  index: number,
  address: string,
  { headers, price }: { headers: Record<string, string>; price: number },
): Promise<void> {
  const readPrices = () =>
    Promise.all(
      servers.map(async ({ url }) => {
        const answer = await fetch(url + address, { headers })
        return ((await answer.json()) as { data: { price: number } }).data.price
      }),
    )
  for (let time = 0; time < 3; time++) await readPrices()
  const body = JSON.stringify({ price })
  const changed = await fetch(servers[index]!.url + address, { method: 'PATCH', headers, body })
  assert.deepEqual([changed.status, await readPrices()], [200, servers.map(() => price)])
}

test('three nodes share their work, and each can be killed under load', async (t) => {
  const [url, valkey, hooks, dataDirs] = await Promise.all([
    newDatabase(t),
    startValkey(),
    receiver(),
    Promise.all(Array.from({ length: nodes }, () => newDataDir(t))),
  ])
  t.after(() => hooks.close())
  const ca = path.join(dataDirs[0]!, 'ca.pem')
  await writeFile(ca, hooks.ca)
  const env = {
    DATABASE_URL: url,
    REDIS_URL: valkey.url,
    SECRET_KEY: 'a key of the tests, 32 characters',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    NODE_EXTRA_CA_CERTS: ca,
  }
  const servers = await Promise.all(dataDirs.map((dataDir) => startServer(dataDir, env)))
  const stoa = stoaOn({ DATA_DIR: dataDirs[0]!, DATABASE_URL: url })
  const store = (await stoa.json('store', 'create', '--name', 'Shared')).store.id as string
  const newKey = async () =>
    (await stoa.json('key', 'create', '--store', store, '--mode', 'live', '--scopes', 'all')).key as string
  // A key has 1,000 requests a minute.
  const keys = await Promise.all(Array.from({ length: Math.max(10, kills) }, newKey))
  const db = openDatabase({ url, clock: systemClock, connections: 2 })
  t.after(() => db.close())

  await t.test('a limit counts the requests of all nodes', async () => {
    const headers = { 'x-api-key': await newKey() }
    const statuses: Record<number, number> = {}
    let left = 1500
    const ask = async (server: Server) => {
      while (left-- > 0) {
        const { status } = await fetch(`${server.url}/v1/store`, { headers })
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
    await Promise.all(servers.flatMap((server) => [ask(server), ask(server)]))
    const allowed = statuses[200]!
    t.diagnostic(`${allowed} of 1,500 requests were allowed; the limit is 1,000 a minute`)
    assert.equal(allowed + statuses[429]!, 1500)
    // A minute may end in between.
    assert.ok(Math.abs(allowed - 1000) <= 10 || allowed === 1500, `${allowed} were allowed`)
  })

  await t.test('a long poll on one node wakes for a write on another', async () => {
    const headers = { 'x-api-key': keys[0]!, 'content-type': 'application/json' }
    const waiting = fetch(`${servers[0]!.url}/v1/events?after=0&wait=20`, { headers }).then((answer) => answer.json())
    await sleep(300)
    const body = JSON.stringify({ name: 'Hat', price: 10 })
    assert.equal((await fetch(`${servers[1]!.url}/v1/products`, { method: 'POST', headers, body })).status, 201)
    const { data } = (await waiting) as { data: { event: string }[] }
    assert.deepEqual(
      data.map(({ event }) => event),
      ['product.created'],
    )
  })

  await t.test('each node is killed in turn: no acknowledged write, delivery or email is lost', async () => {
    const headers = { 'x-api-key': keys[0]!, 'content-type': 'application/json' }
    const body = JSON.stringify({ url: hooks.url, events: ['order.created'] })
    assert.equal((await fetch(`${servers[0]!.url}/v1/webhooks`, { method: 'POST', headers, body })).status, 201)
    const product = { name: 'Hat', price: 10 }
    const made = await fetch(`${servers[0]!.url}/v1/products`, {
      method: 'POST',
      headers,
      body: JSON.stringify(product),
    })
    const { data: hat } = (await made.json()) as { data: { id: string } }
    // The writers use up most of what their keys may ask.
    const ownKeys = await Promise.all(Array.from({ length: Math.ceil(kills / 20) }, newKey))
    const headersOf = (kill: number) => ({ ...headers, 'x-api-key': ownKeys[Math.floor(kill / 20)]! })
    const orderWithEmail = async (server: Server, kill: number, n: number) => {
      const order = {
        customer_email: `ana-${kill}-${n}@example.com`,
        notify_customer: true,
        items: [{ product_id: hat.id, quantity: 1 }],
      }
      const answer = await fetch(`${server.url}/v1/orders`, {
        method: 'POST',
        headers: headersOf(kill),
        body: JSON.stringify(order),
      })
      assert.equal(answer.status, 201)
    }
    const written: Written[] = []
    const end = new AbortController()
    t.after(() => end.abort())
    for (let kill = 0; kill < kills; kill++) {
      const index = kill % nodes
      const writers = await Promise.all(
        servers.map((server, at) =>
          startWriters({ url: server.url, keys, connections: 3, name: `stocked ${kill} on ${at}`, signal: end.signal }),
        ),
      )
      await Promise.all(writers.map((writer) => writer.acknowledged(writesPerKill / 2)))
      await Promise.all(Array.from({ length: mailsPerKill }, (_, n) => orderWithEmail(servers[index]!, kill, n)))
      const port = new URL(servers[index]!.url).port
      await servers[index]!.end('SIGKILL')
      await Promise.all(writers.filter((_, at) => at !== index).map((writer) => writer.acknowledged(writesPerKill / 2)))
      servers[index] = await startServer(dataDirs[index]!, { ...env, PORT: port })
      await ready(servers[index])
      await writers[index]!.acknowledged(10)
      await assertFresh(servers, index, `/v1/products/${hat.id}`, { headers: headersOf(kill), price: kill + 11 })
      for (const writer of writers) written.push(...(await writer.stop()))
    }
    const numberOfOrders = await assertOrdersOnce(db, store, written)
    const delivered = () =>
      new Set(hooks.received.map(({ body: bytes }) => JSON.parse(bytes.toString()).event_id as string))
    const pending = async () =>
      (await db.rows(sql`select from mails where store_id = ${store} and status = 'queued'`)).length
    // A node claims an email for 90 seconds; the test does not wait until the claims of those that were killed end.
    await db.transaction((tx) =>
      tx.rows(sql`update mails set next_attempt_at = ${tx.now} where store_id = ${store} and status = 'queued'`),
    )
    for (const until = Date.now() + 60_000; Date.now() < until; await sleep(200)) {
      if (delivered().size >= numberOfOrders && (await pending()) === 0) break
    }
    assert.equal(delivered().size, numberOfOrders, 'each order was delivered')
    assert.equal(await pending(), 0)
    const [mails] = await db.rows<{ sent: number; kept: number }>(sql`
      select (select count(*)::int from mails where store_id = ${store} and status = 'sent') as sent,
        (select count(*)::int from outbox where store_id = ${store}) as kept`)
    t.diagnostic(
      `${written.length} writes acknowledged, ${numberOfOrders} orders, ${hooks.received.length} deliveries, ` +
        `${mails!.sent} emails sent, ${mails!.kept} in the outbox`,
    )
    // What a killed node had under way is sent again.
    assert.ok(hooks.received.length - numberOfOrders <= kills * 20, 'few deliveries are repeated')
    assert.equal(mails!.sent, kills * mailsPerKill)
    assert.ok(mails!.kept >= mails!.sent && mails!.kept - mails!.sent <= kills * 5, 'few emails are repeated')
    await assertSumsOf(db, store)
  })

  await t.test('jobs run, and none has failed', async () => {
    const texts = await Promise.all(servers.map(({ url: node }) => fetch(`${node}/metrics`).then((one) => one.text())))
    const done = texts.map((text) =>
      Number(/job_runs_total\{job="seal the audit log",outcome="done"\} (\d+)/.exec(text)?.[1]),
    )
    assert.ok(
      done.some((runs) => runs > 0),
      done.join(),
    )
    const failed = texts.filter((text) => /job_runs_total\{[^}]*outcome="failed"\} [1-9]/.test(text))
    assert.deepEqual(failed, [])
  })
})

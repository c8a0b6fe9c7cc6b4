// A database that is paused, cut, restarted, full or too slow: every request ends in time with an answer in the
// contract's envelope, and what was away is used again without a restart.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres, type Postgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from './postmaster.ts'
import { newDataDir, newStore, startServer, type Server } from './server.ts'

// A request waits 5 s for the database at most; the rest is what a busy machine may take for hundreds of them.
const deadlineMs = 5000 + 20_000
const maximumConnections = 30

let [server, postgres]: [Server?, Postgres?] = []
after(async () => {
  await server?.end('SIGKILL')
  await postgres?.stop()
})
const dataDir = await newDataDir({ after })
postgres = await startPostgres({ dataDir, settings: { max_connections: String(maximumConnections) } })
await migrate(postgres.url)
const { url } = postgres
server = await startServer(dataDir, { DATABASE_URL: url })
const api = server.url
const { keys } = await newStore(dataDir, 50)
let asked = 0
const stocked = { name: 'Mug', price: 10, track_inventory: true, stock_quantity: 1_000_000 }
const { id } = (await ask('POST', '/v1/products', stocked)).body.data

test('while the database is paused every request ends in time, and later ones succeed', async () => {
  await everyKind()
  await whilePaused(await processesOf(dataDir), async () => {
    const first = many(60)
    await sleep(1000)
    assertAway(await many(700))
    assertAway(await first)
    assert.equal((await ask('GET', '/healthz')).status, 200)
  })
  await recovered()
})

test('/readyz says that the database cannot write while its disk is full, and is ready again afterwards', async () => {
  const admin = await connect()
  try {
    await admin.query(`
      create function no_room() returns trigger language plpgsql as $$
      begin
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end $$`)
    await admin.query('create trigger full_disk before insert on write_probes execute function no_room()')
    // It writes every 5 s.
    for (let tries = 0; (await ask('GET', '/readyz')).status !== 503; tries++) {
      assert.ok(tries < 100, 'it is ready for 10 s')
      await sleep(100)
    }
    assert.match((await ask('GET', '/readyz')).body.error.message, /disk is full/)
    await admin.query('drop trigger full_disk on write_probes')
    assert.equal((await ask('GET', '/readyz')).status, 200)
  } finally {
    await admin.end()
  }
})

test('when only the connections hang, new ones take their place', async () => {
  await everyKind()
  const [, ...children] = await processesOf(dataDir)
  await whilePaused(children, async () => {
    assertAnswered(await many(40))
    await recovered()
  })
  await recovered()
})

test('connections that are cut under load fail what they carried, and nothing after it', async () => {
  const load = sustained()
  const admin = await connect()
  for (let round = 0; round < 5; round++) {
    await load.answered(50)
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa'`)
  }
  await admin.end()
  await load.answered(50)
  assertAnswered(await load.end())
  await recovered()
})

test('while the database restarts requests are answered, and then succeed again', async () => {
  const load = sustained()
  await load.answered(50)
  const pid = (await postmasterOf(dataDir))!
  process.kill(pid, 'SIGINT')
  while ([pid, null].includes(await postmasterOf(dataDir))) await sleep(10)
  await recovered()
  await load.answered(50)
  assertAnswered(await load.end())
})

test('a database that takes no more connections is away for now', async () => {
  const others: pg.Client[] = []
  const admin = await connect()
  try {
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa'`)
    while (others.length < maximumConnections) others.push(await connect())
  } catch (error) {
    assert.equal((error as pg.DatabaseError).code, '53300')
  }
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa'`)
  assertAnswered(await many(100))
  await Promise.all([admin, ...others].map((client) => client.end()))
  await recovered()
})

test('hundreds of requests that are too slow are turned away early, and leave no trace', async () => {
  const locking = await connect()
  try {
    const before = await counts(locking)
    await locking.query('begin')
    await locking.query('lock table products, orders')
    const answers = await many(700)
    assertAway(answers)
    // Those beyond the queue do not wait for what the others wait for, however long this machine takes for all of them.
    const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
    const [hundredth, last] = [times[100]!, times.at(-1)!]
    assert.ok(hundredth < last - 1000, `the hundredth after ${hundredth} ms, the last after ${last} ms`)
    const health = await ask('GET', '/healthz')
    assert.equal(health.status, 200)
    await locking.query('rollback')
    while ((await locking.query(underWay)).rowCount! > 0) await sleep(20)
    assert.deepEqual(await counts(locking), before)
  } finally {
    // What it locks is let go even if something failed.
    await locking.end()
  }
  await recovered()
})

test('SIGTERM ends the server in time while the database is paused', async () => {
  await everyKind()
  await whilePaused(await processesOf(dataDir), async () => {
    const requests = many(20)
    await sleep(200)
    await server?.end()
    assertAway(await requests)
  })
})

type Answer = { request: string; status: number; body: any; ms: number }

/** A request that is not answered has the status 0. */
function ask(method: string, route: string, body?: object): Promise<Answer> {
  const startedAt = performance.now()
  const headers = { 'x-api-key': keys[asked++ % keys.length]!, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const end = (status: number, body: any) =>
      resolve({ request: `${method} ${route}`, status, body, ms: performance.now() - startedAt })
    const cut = (error: Error) => end(0, error.message)
    http
      .request(api + route, { method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part)).on('error', cut)
        response.on('end', () => end(response.statusCode!, JSON.parse(text)))
      })
      .on('error', cut)
      .end(body && JSON.stringify(body))
  })
}
const kinds = [
  () => ask('GET', '/v1/products'),
  () => ask('GET', `/v1/products/${id}`),
  () => ask('GET', '/v1/orders?status=pending&page=2'),
  () => ask('GET', '/v1/products/count?search=mug'),
  () => ask('POST', '/v1/products', { name: 'New', price: 1 }),
  () => ask('POST', '/v1/orders', { items: [{ product_id: id, quantity: 1 }] }),
  () => ask('PATCH', `/v1/inventory/products/${id}`, { quantity: 1 }),
  () => ask('PATCH', `/v1/products/${id}`, { name: 'Cup' }),
]

function many(count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!()))
}

/** Each kind of request succeeds: connections are open, and keys known. */
async function everyKind(): Promise<void> {
  for (const { request, status, body } of await many(kinds.length)) {
    assert.ok(status < 300, `${request} ${status} ${JSON.stringify(body)}`)
  }
}

async function recovered(): Promise<void> {
  for (let round = 0, isWell = false; !isWell; round++) {
    isWell = (await many(kinds.length)).every(({ status }) => status < 300)
    assert.ok(round < 200)
    if (!isWell) await sleep(100)
  }
  await everyKind()
}

/** Requests one after the other over several connections. */
function sustained() {
  const answers: Answer[] = []
  let isEnding = false
  const clients = Array.from({ length: 12 }, async (_, client) => {
    for (let turn = client; !isEnding; turn++) answers.push(await kinds[turn % kinds.length]!())
  })
  return {
    async answered(more: number) {
      const wanted = answers.length + more
      while (answers.length < wanted) await sleep(5)
    },
    async end() {
      isEnding = true
      await Promise.all(clients)
      return answers
    },
  }
}

/** Each answer is a success, or says in the envelope that the service is busy, and in time. */
function assertAnswered(answers: Answer[]): void {
  for (const { request, status, body, ms } of answers) {
    const said = `${request} ${status} ${JSON.stringify(body)} after ${Math.round(ms)} ms`
    assert.ok(ms < deadlineMs, said)
    if (status < 300 && status > 0) continue
    assert.equal(status, 503, said)
    assert.equal(body.error.code, 'UNAVAILABLE', said)
  }
}

/** No answer is a success. */
function assertAway(answers: Answer[]): void {
  assertAnswered(answers)
  assert.deepEqual(
    answers.filter(({ status }) => status < 300),
    [],
  )
}

const underWay = `select from pg_stat_activity where application_name = 'stoa' and state <> 'idle'`

async function counts(client: pg.Client): Promise<object> {
  return (
    await client.query(`
    select (select count(*) from products) as products, (select count(*) from orders) as orders,
      (select count(*) from inventory_transactions) as moves, (select count(*) from events) as events,
      (select to_json(store_counters) from store_counters) as counters`)
  ).rows[0]
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Stopped from the first to the last, and let go from the last to the first. */
async function whilePaused(processes: number[], run: () => Promise<void>): Promise<void> {
  processes.forEach((pid) => process.kill(pid, 'SIGSTOP'))
  try {
    await run()
  } finally {
    processes.toReversed().forEach((pid) => process.kill(pid, 'SIGCONT'))
  }
}

/** The postmaster first, then all that it has started. */
async function processesOf(dataDir: string): Promise<number[]> {
  const pid = (await postmasterOf(dataDir))!
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
  return [pid, ...children]
}

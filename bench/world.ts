// A database with the benchmark's data, the server over it, and another over the same that can be listened to.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { authority } from '../test/certificate.ts'
import { postmasterOf } from '../test/postmaster.ts'
import type { Request } from './generator.ts'
import { keyOf, load, ordersPerStore, smallStores, storeId } from './load.ts'
import { measuredServer, serve, type Served } from './processes.ts'
import { openWire, sessionOptions, type Exchange } from './wire.ts'

export const folder = new URL('.data/', import.meta.url).pathname

export type World = {
  url: string
  pid: number
  database: string
  environment: Record<string, string>
  postmaster: number
  /** Of the server's sessions, as libpq takes them in PGOPTIONS. */
  settings: string
  /** What a request for this store sends to the database. */
  exchangesOf(store: number, request: Request): Promise<Exchange[]>
  stop(): Promise<void>
}

/** `only`: one store alone in its database. */
export async function openWorld(name: string, port: number, only?: number): Promise<World> {
  mkdirSync(folder, { recursive: true })
  const dataDir = join(folder, name)
  const postgres = await upToDate(dataDir)
  const took = await load(postgres.url, only === undefined ? {} : { only })
  if (took > 0) console.log(`${name}: loaded in ${took.toFixed(0)} s`)
  await dropCreated(postgres.url)
  const receiver = await startReceiver()
  const environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    ...measuredServer,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: receiver.ca,
    // What an answer from memory costs is measured by bench/memory.ts.
    CACHE_MAX_MB: '0',
  }
  const server = await serve('src/program/main.ts', port, '/readyz', environment)
  await subscribe(server.url, receiver.url, only === undefined ? smallStores : 0)
  const heard = await openHeard(postgres.url, port + 10, environment)
  return {
    url: server.url,
    pid: server.pid,
    database: postgres.url,
    environment,
    postmaster: (await postmasterOf(dataDir))!,
    settings: sessionOptions,
    exchangesOf: heard.exchangesOf,
    async stop() {
      await heard.stop()
      await server.stop()
      receiver.child.disconnect()
      await postgres.stop()
    },
  }
}

/** Data that was loaded before a migration changed is made again. */
async function upToDate(dataDir: string) {
  const postgres = await startPostgres({ dataDir })
  try {
    await migrate(postgres.url)
    return postgres
  } catch (error) {
    await postgres.stop()
    if (!/was changed after/.test((error as Error).message)) throw error
    rmSync(dataDir, { recursive: true })
    return upToDate(dataDir)
  }
}

/** What an earlier run created would be page 1 of every list. */
async function dropCreated(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    with gone as (delete from products where slug like 'enamel-mug%' returning store_id), counts as (
      select store_id, count(*) as products from gone group by store_id
    )
    update store_counters
    set products_active = products_active - counts.products
    from counts
    where store_counters.store_id = counts.store_id`)
  await client.query(`
    with gone as (delete from orders where order_number > ${1000 + ordersPerStore} returning store_id), counts as (
      select store_id, count(*) as orders from gone group by store_id
    )
    update store_counters
    set orders = store_counters.orders - counts.orders
    from counts
    where store_counters.store_id = counts.store_id`)
  await client.query('vacuum analyze products, orders, order_items')
  await client.end()
}

export async function startReceiver(): Promise<{ child: ChildProcess; url: string; ca: string }> {
  mkdirSync(folder, { recursive: true })
  const { ca, issue } = authority()
  const { key, cert } = issue()
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const files = { TLS_KEY: file('key.pem', key), TLS_CERT: file('cert.pem', cert) }
  const program = new URL('webhooks/receiver.ts', import.meta.url).pathname
  const child = fork(program, { env: { ...process.env, ...files } })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, url: `https://localhost:${port}`, ca: file('ca.pem', ca) }
}

/** A webhook in each store, which hears what the scenarios create. The receiver has another port in each run. */
export async function subscribe(server: string, url: string, stores: number): Promise<void> {
  for (let store = 1; store <= stores; store++) {
    const headers = { 'x-api-key': keyOf(store), 'content-type': 'application/json' }
    const webhooks = await fetch(`${server}/v1/webhooks`, { headers })
    const { data } = (await webhooks.json()) as { data: { id: string }[] }
    const [path, method] = data[0] ? [`/v1/webhooks/${data[0].id}`, 'PATCH'] : ['/v1/webhooks', 'POST']
    const body = JSON.stringify({
      url: `${url}/${store}`,
      events: ['product.created', 'order.created'],
      is_active: true,
    })
    const answer = await fetch(server + path, { method, headers, body })
    if (!answer.ok) throw new Error(`webhook of store ${store}: ${answer.status} ${await answer.text()}`)
  }
}

/** A server of its own, since one at a time can be listened to. */
async function openHeard(database: string, port: number, environment: Record<string, string>) {
  const wire = await openWire(database)
  const server: Served = await serve('src/program/main.ts', port, '/readyz', { ...environment, DATABASE_URL: wire.url })
  const send = async ({ method, path, headers, body }: Request) => {
    const answer = await fetch(server.url + path, { method, headers: headers ?? {}, ...(body ? { body } : {}) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  return {
    async exchangesOf(store: number, request: Request) {
      await send(request) // the key is known, the statements are prepared
      return wire.exchangesOf(storeId(store), () => send(request))
    },
    async stop() {
      await server.stop()
      wire.close()
    },
  }
}

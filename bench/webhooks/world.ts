// What the webhook scenarios share: PostgreSQL, a receiver, servers, a store with a key.
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/kit/values/clock.ts'
import { openDatabase } from '../../src/kit/database/open.ts'
import type { Database } from '../../src/kit/database/database.ts'
import { newUuid } from '../../src/kit/values/ids.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { createKey } from '../../src/identity/apikeys/operations.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { startPostgres, type Postgres } from '../../src/platform/postgres/postgres.ts'
import { createStore } from '../../src/tenancy/stores/operations.ts'
import { loadStore, type Store } from '../../src/tenancy/stores/store.ts'
import { authority } from '../../test/certificate.ts'
import type { Told } from './receiver.ts'

export type World = {
  postgres: Postgres
  db: Database
  store: Store
  /** Several: the limit is by key. */
  keys: string[]
  folder: string
  receiver: { url: string; tell(wanted: 'tell' | 'count' | 'forget'): Promise<Told> }
  serve(environment?: Record<string, string>): Promise<Server>
  close(): Promise<void>
}
export type Server = { url: string; child: ChildProcess; kill(signal: NodeJS.Signals): Promise<void> }

const here = new URL('.', import.meta.url).pathname
const root = new URL('../..', import.meta.url).pathname

/** The clock of all processes of this machine, in milliseconds. */
export const machineMs = () => Number(process.hrtime.bigint()) / 1e6

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-webhooks-'))
  const postgres = await startPostgres({ dataDir: join(folder, 'data') })
  await migrate(postgres.url)
  const db = openDatabase({ url: postgres.url, clock: systemClock })
  const values = { name: 'Bench', currency: 'USD', timezone: 'UTC', country_code: 'US', slug: newUuid() }
  const id = await db.transaction((tx) => createStore(tx, values))
  const store = (await loadStore(db, id))!
  const scopes = ['write:products', 'write:webhooks']
  const keys = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const named = { name: 'bench', mode: 'live', scopes, is_active: true } as const
      return (await db.transaction((tx) => createKey(tx, store, named))).key
    }),
  )
  const { ca, issue } = authority()
  const { key: tlsKey, cert } = issue()
  const files = { TLS_KEY: tlsKey, TLS_CERT: cert, CA: ca }
  const paths = Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      writeFileSync(join(folder, `${name}.pem`), text)
      return [name, join(folder, `${name}.pem`)]
    }),
  )
  const child = fork(`${here}receiver.ts`, { env: { ...process.env, ...paths } })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const servers = new Set<Server>()
  return {
    postgres,
    db,
    store,
    keys,
    folder,
    receiver: {
      url: `https://localhost:${port}`,
      async tell(wanted) {
        child.send(wanted)
        return (await once(child, 'message'))[0] as Told
      },
    },
    async serve(environment = {}) {
      const server = await startServer({
        DATABASE_URL: postgres.url,
        LOG_LEVEL: 'error',
        DEMO: 'off',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        NODE_EXTRA_CA_CERTS: paths.CA!,
        SECRET_KEY: 'a key of the benchmark, 32 characters',
        ...environment,
      })
      servers.add(server)
      return server
    },
    async close() {
      await Promise.all([...servers].map((server) => server.kill('SIGKILL')))
      child.disconnect()
      await db.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startServer(environment: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, ['src/program/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 500) throw new Error('the server did not start')
    if (
      await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break
    await sleep(20)
  }
  return {
    url,
    child,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

export type Api = (method: string, path: string, body?: object) => Promise<any>

export function apiOf(server: Server, keys: string[]): Api {
  let turn = 0
  return async (method, path, body) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { 'x-api-key': keys[turn++ % keys.length]!, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const json = (await answer.json()) as { data?: unknown }
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
    return json.data
  }
}

/** Events with deliveries to one webhook, straight into the queue. */
export async function queue(db: Database, store: Store, webhookId: string, count: number, body: string): Promise<void> {
  const batch = 10_000
  for (let done = 0; done < count; done += batch) {
    await db.rows(sql`
      with written as (
        insert into events (store_id, id, event, event_id, body, occurred_at)
        select ${store.id}, uuidv7(), 'product.created', 'prod_x', ${body}, clock_timestamp()
        from generate_series(1, ${Math.min(batch, count - done)})
        returning id, occurred_at
      ), unnumbered as (
        insert into unnumbered_events (store_id, event_uuid)
        select ${store.id}, id from written
      )
      insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
      select ${store.id}, uuidv7(), ${webhookId}, id, 'product.created', occurred_at, occurred_at
      from written`)
  }
}

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

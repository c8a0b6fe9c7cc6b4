// A running app over the tests' PostgreSQL, and stores to work with: one small coherent world.
import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { movableClock, type MovableClock } from '../src/kit/values/clock.ts'
import { newUuid } from '../src/kit/values/ids.ts'
import { sql } from '../src/kit/database/sql.ts'
import { createKey } from '../src/identity/apikeys/operations.ts'
import { scopes } from '../src/identity/apikeys/scopes.ts'
import { wholePolicy, type CredentialPolicy } from '../src/tenancy/dispatch/policy.ts'
import { openApp, type App } from '../src/program/app.ts'
import { readConfig } from '../src/program/config.ts'
import type { ConcurrencyLimits } from '../src/http/overload.ts'
import type { SlowClientLimits } from '../src/http/slowclients.ts'
import type { FetchOptions } from '../src/platform/outbound/fetch.ts'
import type { Log } from '../src/platform/process/log.ts'
import { createStore } from '../src/tenancy/stores/operations.ts'
import { loadStore, type Store } from '../src/tenancy/stores/store.ts'
import { client, type Client } from './client.ts'
import { databaseUrl, ownDatabase, type TestDatabase } from './database.ts'
import { assertEvent } from './document.ts'

export type World = { app: App; url: string; clock: MovableClock; newStore(options?: NewStore): Promise<TestStore> }
export type TestStore = {
  store: Store
  api: Client
  /** A client of the same store with another key. */
  withKey(options: KeyOptions): Promise<Client>
  /** The events that the store has emitted since the last call, oldest first; their bodies are as declared. */
  events(): Promise<{ event: string; body: any }[]>
}
type KeyOptions = {
  scopes?: string[]
  mode?: 'live' | 'test'
  expires_at?: Date | null
  policy?: Partial<CredentialPolicy>
}
type NewStore = KeyOptions & {
  name?: string
  plan?: string
  currency?: string
  timezone?: string
  country_code?: string
}

export type Options = {
  network?: Partial<FetchOptions>
  slowClients?: Partial<SlowClientLimits>
  concurrency?: Partial<ConcurrencyLimits>
  /** Deliveries are made, out of a database of its own: a worker takes whatever is due in its database. */
  delivers?: boolean
  /** Jobs are called (app.jobs), in a database of its own: they take whatever is due in theirs. */
  sweeps?: boolean
  /** New forks are made at once, in a database of its own. */
  forks?: boolean
  log?: Log
  /** Instead of the tests' own; dropped with the file. */
  database?: TestDatabase
}

// The clients of a test share the event loop with the app: that it is late says nothing of the app.
const inOneProcess: Partial<ConcurrencyLimits> = { maxDelayMs: Infinity }

export const secretKey = 'a key of the tests, 32 characters'

/**
 * One app for a test file; it ends with the file. `environment` overrides variables of the configuration, as does
 * TEST_ENVIRONMENT for all apps of a process.
 */
export async function openWorld(
  environment: Record<string, string> = {},
  {
    network,
    slowClients,
    concurrency = inOneProcess,
    log,
    delivers = false,
    sweeps = false,
    forks = false,
    database: given,
  }: Options = {},
): Promise<World> {
  const clock = movableClock()
  const dataDir = path.join(os.tmpdir(), `stoa-world-${newUuid()}`)
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    TRUSTED_PROXIES: '127.0.0.1',
    BASE_URL: 'https://shop.example',
    DATA_DIR: dataDir,
    ...JSON.parse(process.env.TEST_ENVIRONMENT ?? '{}'),
    ...environment,
  })
  const database =
    given ?? (delivers || sweeps || forks ? await ownDatabase() : { url: databaseUrl(), drop: async () => {} })
  const app = await openApp({
    config,
    databaseUrl: database.url,
    secretKey,
    clock,
    network,
    slowClients,
    concurrency,
    log,
    delivers,
    runsJobs: false,
    isEager: forks,
  })
  const url = await app.listen()
  after(async () => {
    await app.close()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { app, url, clock, newStore: (options) => newStore(app, url, options) }
}

async function newStore({ db }: App, url: string, options: NewStore = {}): Promise<TestStore> {
  const { name = 'Corner shop', plan = 'unlimited', currency = 'USD', timezone = 'UTC', country_code = 'US' } = options
  const id = await db.transaction((tx) =>
    createStore(tx, { name, currency, timezone, country_code, plan_id: plan, slug: `shop-${newUuid()}` }),
  )
  const store = (await loadStore(db, id))!
  const withKey = async ({ scopes: wanted = [...scopes], mode = 'live', expires_at = null, policy }: KeyOptions) => {
    const limits = policy ? { policy: wholePolicy(policy) } : {}
    const { key } = await db.transaction((tx) =>
      createKey(tx, store, { name: 'test', mode, scopes: wanted, expires_at, is_active: true, ...limits }),
    )
    return client(url, { 'x-api-key': key })
  }
  let seen = 0
  return {
    store,
    withKey,
    api: await withKey(options),
    async events() {
      const rows = await db.rows<{ event: string; body: string }>(sql`
        select event, body from events where store_id = ${id} order by id offset ${seen}`)
      seen += rows.length
      const events = rows.map(({ event, body }) => ({ event, body: JSON.parse(body) }))
      for (const { event, body } of events) assertEvent(event, body)
      return events
    },
  }
}

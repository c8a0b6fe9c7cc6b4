// Large reads come from a real streaming replica that has replayed every write before them, else from the primary.
import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pino from 'pino'
import { sql } from '../src/kit/database/sql.ts'
import { diagnose } from '../src/program/cli/doctor.ts'
import { readConfig } from '../src/program/config.ts'
import { ConfigurationError } from '../src/kit/values/configuration.ts'
import { requireUpToDate, type ProvidedDatabase } from '../src/platform/postgres/provide.ts'
import { formatReplicaName, type Replica } from '../src/kit/database/replica.ts'
import { auditCsv } from '../src/developer/auditlog/csv.ts'
import { connectTo, startPrimary, startReplica } from './replica.ts'
import { dataOf } from './shop.ts'
import { newDataDir } from './server.ts'
import { staffOf } from './staff.ts'
import { stoaOn } from './stoa.ts'
import { openWorld, secretKey, type TestStore } from './world.ts'

const hooks: (() => Promise<void>)[] = []
const t = { after: (hook: () => Promise<void>) => void hooks.push(hook) }
const primary = await startPrimary(t)
const first = await startReplica(t, primary)
const second = await startReplica(t, primary)
const database = {
  url: primary.url,
  async drop() {
    for (const end of hooks.reverse()) await end()
  },
}
const kept = { url: primary.url, drop: async () => {} }
const setting = (...urls: string[]) => ({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: urls.join(', ') })
const lines: string[] = []
const log = pino({}, { write: (line) => void lines.push(line) })
const strict = await openWorld({ ...setting(first.url), ROW_SECURITY: 'on' }, { database: kept })
const world = await openWorld(setting(first.url), { database: kept })
const both = await openWorld(setting(first.url, second.url), { database, log })
const [replica] = world.app.db.replicas

const admin = await connectTo(first.url)
t.after(() => admin.end())
const fileOf = async ({ api }: TestStore, path = '/v1/audit.csv?operation=createCategory') => {
  const response = await fetch(api.url + path, { headers: { 'x-api-key': api.key } })
  assert.equal(response.status, 200, path)
  return response.text()
}
const lastStatements = async (url: string) => {
  const client = await connectTo(url)
  const { rows } = await client.query<{ query: string }>(
    `select query from pg_stat_activity where application_name = 'stoa' and pid <> pg_backend_pid()`,
  )
  await client.end()
  return rows.map(({ query }) => query).join('\n')
}

test('a server does not start on a replica, and may be started again once it is promoted', async () => {
  const database: ProvidedDatabase = { url: first.url, source: 'outside', servers: 0, async release() {} }
  await assert.rejects(
    requireUpToDate(database),
    (error: Error) =>
      !(error instanceof ConfigurationError) && /replica, .*read-only.*select pg_promote\(\)$/.test(error.message),
  )
})

test('migrate refuses a replica in the same words', async () => {
  const { code, error } = await stoaOn({ DATABASE_URL: first.url }).refused('migrate')
  assert.equal(code, 1)
  assert.match(JSON.stringify(error), /DATABASE_URL points to a replica, .*select pg_promote\(\)/)
})

test('exports, reports and feeds read from the replica, and see the last write', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'owner')
  const paths = ['/v1/audit.csv', '/v1/reports/sales?by=product', '/v1/reports/taxes']
  for (let round = 0; round < 5; round++) {
    dataOf(await shop.api.post('/v1/categories', { name: `Mug ${round}` }), 201)
    const text = await readFrom(replica!, () => fileOf(shop))
    assert.equal(text.trim().split('\r\n').length, 1 + round + 1)
    assert.ok(text.includes(`Mug ${round}`))
  }
  const screens = ['reports', 'reports.csv', 'products.csv', 'settings/audit.csv']
  for (const path of paths) await readFrom(replica!, () => fileOf(shop, path))
  for (const path of screens) await readFrom(replica!, () => ana.get(`/${shop.store.id}/${path}`))
  await readFrom(replica!, () => fetch(`${world.url}/s/${shop.store.slug}/sitemap.xml`))
  await readFrom(replica!, () => fileOf(shop))
  assert.match(await lastStatements(first.url), /from audit/)
  assert.equal(replica!.uses.failed, 0)
})

test('a replica that is behind is waited for, but not for long: then the primary answers', async () => {
  const shop = await world.newStore()
  await admin.query('select pg_wal_replay_pause()')
  try {
    dataOf(await shop.api.post('/v1/categories', { name: 'Late' }), 201)
    const [answered, behind] = [replica!.uses.answered, replica!.uses.behind]
    const text = await fileOf(shop)
    assert.match(text, /Late/)
    assert.deepEqual([replica!.uses.answered, replica!.uses.behind], [answered, behind + 1])
    assert.equal(replica!.fault, null)

    const soon = fileOf(shop)
    await sleep(50)
    await admin.query('select pg_wal_replay_resume()')
    assert.match(await soon, /Late/)
  } finally {
    await admin.query('select pg_wal_replay_resume()')
  }
  await caughtUp()
  assert.match(await readFrom(replica!, () => fileOf(shop)), /Late/)
})

test('a handle that has written reads from the primary', async () => {
  const shop = await world.newStore()
  const db = world.app.db.ofStore(shop.store.id).fromReplica()
  const nameOf = () => db.one<{ name: string }>(sql`select name from stores where id = ${shop.store.id}`)
  assert.equal((await nameOf())!.name, 'Corner shop')
  await admin.query('select pg_wal_replay_pause()')
  try {
    await db.transaction((tx) => tx.rows(sql`update stores set name = 'New' where id = ${shop.store.id}`))
    const before = replica!.uses.answered
    assert.equal((await nameOf())!.name, 'New')
    assert.equal(replica!.uses.answered, before)
  } finally {
    await admin.query('select pg_wal_replay_resume()')
  }
  await caughtUp()
})

test('row security hides the rows of other stores on the replica, too', async () => {
  const [one, other] = [await strict.newStore(), await strict.newStore()]
  for (const { api } of [one, other]) dataOf(await api.post('/v1/categories', { name: 'Mug' }), 201)
  const listStores = () =>
    strict.app.db
      .ofStore(one.store.id)
      .fromReplica()
      .rows<{ store_id: string }>(sql`select distinct store_id from categories`)
  assert.deepEqual(await readFrom(strict.app.db.replicas[0]!, listStores), [{ store_id: one.store.id }])
  assert.equal((await fileOf(other)).trim().split('\r\n').length, 2)
})

test('a server that is no replica of this database is not used', async () => {
  const wrong = await openWorld(setting(primary.url), { database: kept })
  const shop = await wrong.newStore()
  dataOf(await shop.api.post('/v1/categories', { name: 'Mug' }), 201)
  assert.match(await fileOf(shop), /Mug/)
  const { uses, fault } = wrong.app.db.replicas[0]!
  assert.deepEqual([uses.answered, fault], [0, 'it is not a replica of DATABASE_URL'])
})

test('doctor says which replicas follow', async () => {
  const config = readConfig({ ...setting(first.url, primary.url), SECRET_KEY: secretKey })
  const provided = { url: primary.url, source: 'outside', servers: 0, async release() {} } as const
  const { json } = await diagnose(config, provided)
  const found = (json as any).findings.find(({ name }: any) => name === 'replicas')
  assert.equal(found.ok, false)
  const [good, wrong] = found.detail.split('; ')
  assert.deepEqual(
    [good, wrong],
    [`${replica!.name} is up to date`, `${formatReplicaName(primary.url)} is not a replica of DATABASE_URL`],
  )
})

test('a backup reads from the replica, and from the primary if there is none', async () => {
  const folder = await newDataDir(t)
  const scans = async () => {
    const { rows } = await admin.query<{ scans: number }>('select sum(seq_scan)::int as scans from pg_stat_user_tables')
    return rows[0]!.scans
  }
  const backupWith = async (url: string) => {
    const stoa = stoaOn({ ...setting(url), DATA_DIR: folder, SECRET_KEY: secretKey })
    const before = await scans()
    const { tables } = await stoa.json('backup', path.join(folder, 'stoa.zst'))
    await stoa.json('backup', 'verify', path.join(folder, 'stoa.zst'))
    return { tables, scanned: (await scans()) - before }
  }
  const [read, unread] = [await backupWith(first.url), await backupWith('postgresql://127.0.0.1:1/stoa')]
  assert.ok(read.scanned > 50, `${read.scanned} scans`)
  assert.ok(unread.scanned < 10, `${unread.scanned} scans`)
  assert.deepEqual(read.tables, unread.tables)
})

test('a replica dies in the middle of an export: every row comes once, and the other serves the next', async () => {
  const shop = await both.newStore()
  const entries = 1300
  await both.app.db.ofStore(shop.store.id).transaction((tx) =>
    tx.rows(sql`
      insert into audit_log (store_id, id, actor_kind, actor_id, operation, records, changes, created_at)
      select ${shop.store.id}, overlay(gen_random_uuid()::text placing lpad(number::text, 8, '0') from 1)::uuid,
        'key', 'filler', 'fill', '{}', '[{"table":"stores","id":"x","before":{},"after":{}}]', ${tx.now}
      from generate_series(1, ${entries}::int) as number`),
  )
  await caughtUp()
  const db = both.app.db.ofStore(shop.store.id).fromReplica()
  const query = {} as never
  const csv: string[] = []
  const [one, two] = both.app.db.replicas
  for await (const chunk of auditCsv(db, shop.store, query)) {
    if (csv.push(chunk) === 2) {
      const used = one!.uses.answered > 0 ? first : second
      await used.stop()
    }
  }
  const ids = csv
    .join('')
    .split('\r\n')
    .filter((line) => line.includes(',fill,'))
    .map((line) => line.split(',')[1])
  assert.deepEqual([ids.length, new Set(ids).size], [entries, entries])
  const failed = [one, two].filter((each) => each!.uses.failed > 0)
  assert.deepEqual(
    failed.map((each) => each!.uses.failed),
    [1],
  )

  const [dead, alive] = failed[0] === one ? [one!, two!] : [two!, one!]
  for (let round = 0; round < 3; round++) await readFrom(alive, () => fileOf(shop))
  assert.deepEqual([dead.uses.failed, alive.uses.answered], [1, 3])
  assert.equal(lines.filter((line) => line.includes('a read replica is not used')).length, 1)

  const scraped = await (await fetch(`${both.url}/metrics`)).text()
  const valueOf = (metric: string) => scraped.split('\n').find((line) => line.startsWith(`${metric} `))
  assert.match(valueOf(`database_replica_down{replica="${dead.name}"}`)!, / 1$/)
  assert.match(valueOf(`database_replica_lag_bytes{replica="${alive.name}"}`)!, / \d+$/)
  assert.match(valueOf(`database_replica_reads_total{replica="${alive.name}",result="answered"}`)!, / \d+$/)

  await (dead.name === one!.name ? first : second).restart()
  // On a busy machine it is not there at once.
  for (let round = 0; round < 100 && dead.fault !== null; round++) {
    both.clock.advance(10)
    await fileOf(shop)
  }
  assert.equal(dead.fault, null)
  assert.ok(lines.at(-1)!.includes('a read replica is back'))
})

/** Reads until the replica answers: on a busy machine it may be behind for once, and the primary answers. */
async function readFrom<T>({ uses }: Replica, read: () => Promise<T>): Promise<T> {
  const { answered } = uses
  for (let tries = 0; tries < 100; tries++) {
    const result = await read()
    if (uses.answered > answered) return result
    await sleep(50)
  }
  assert.fail('the replica never answers')
}

async function caughtUp(): Promise<void> {
  const [client, ...replicas] = await Promise.all([primary, first, second].map(({ url }) => connectTo(url)))
  const { rows } = await client!.query<{ position: string }>('select pg_current_wal_lsn()::text as position')
  const replayed = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_fresh'
  const isBehind = async (replica: (typeof replicas)[number]) =>
    (await replica.query<{ is_fresh: boolean }>(replayed, [rows[0]!.position])).rows[0]!.is_fresh !== true
  try {
    for (const replica of replicas) {
      for (let tries = 0; await isBehind(replica); tries++) {
        assert.ok(tries < 500, 'the replica does not catch up')
        await sleep(20)
      }
    }
  } finally {
    await Promise.all([client!, ...replicas].map((each) => each.end()))
  }
}

// Databases and backups of version 0.1 become those of this version, also when the upgrade is killed halfway.
// test/versions/0.1.backup holds the demo store of that version after some work, with files of five pictures.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { test, type TestContext } from 'node:test'
import { createZstdDecompress } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { readParts } from '../src/platform/postgres/backupfile.ts'
import { applyMigration, makeRegister, migrate } from '../src/platform/postgres/migrate.ts'
import { migrationsNamed } from '../src/platform/postgres/migrations.ts'
import { newDatabase } from './database.ts'
import { newDataDir } from './server.ts'
import { stoaOn } from './stoa.ts'

const file = fileURLToPath(new URL('versions/0.1.backup', import.meta.url))
/** With which its secrets are sealed. */
const SECRET_KEY = 'a-secret-key-of-the-last-version-for-tests-0123456789'

test('the migrations of version 0.1 lead to the same tables as the baseline', async (t) => {
  const [early, fresh] = await Promise.all([databaseOf01(t), newDatabase(t)])
  await migrate(early)
  assert.deepEqual(await schemaOf(early), await schemaOf(fresh))
  assert.deepEqual(await migrate(early), [])
})

test('a database of version 0.1 is upgraded, whichever migrations are killed on the way', async (t) => {
  const url = await databaseOf01(t)
  const before = await countsOf(url)
  const stoa = stoaOn({ DATABASE_URL: url, SECRET_KEY })
  // Each table is altered by a later migration than the one before.
  const applied: number[] = []
  for (const table of ['media', 'mails', 'payment_sessions', 'stores', 'refund_items', 'products']) {
    const lock = await hold(t, url, table)
    const { child, ended } = stoa('migrate')
    await lock.isWaitedFor()
    child.kill('SIGKILL')
    await ended
    await lock.release()
    applied.push((await query<{ count: number }>(url, 'select count(*)::int as count from migrations'))[0]!.count)
  }
  assert.ok(new Set(applied).size >= 4 && applied.every((count, at) => count >= (applied[at - 1] ?? 47)), `${applied}`)
  assert.equal((await stoa.json('migrate')).applied.at(-1), (await newest()).at(-1))
  await agrees(t, url, before)
})

test('a backup of version 0.1 is restored and upgraded; killed in between, it leaves an empty database', async (t) => {
  const [url, early] = await Promise.all([newDatabase(t), databaseOf01(t)])
  const before = await countsOf(early)
  const stoa = stoaOn({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: await newDataDir(t) })
  const schema = await schemaOf(url)
  for (const table of ['canary', 'stores']) {
    const lock = await hold(t, url, table)
    const { child, ended } = stoa('restore', file)
    await lock.isWaitedFor()
    child.kill('SIGKILL')
    await ended
    await lock.release()
    assert.deepEqual([await schemaOf(url), (await countsOf(url)).stores], [schema, 0])
  }
  const { rows, files } = await stoa.json('restore', file)
  assert.deepEqual([rows, files], [Object.values(before).reduce((sum, count) => sum + count, 0), 5])
  assert.deepEqual(await schemaOf(url), schema)
  await agrees(t, url, before)
})

test('payments of version 0.1 get the names of this one', async (t) => {
  const url = await databaseOf01(t)
  const [session] = await query<{ store_id: string; id: string }>(url, 'select store_id, id from payment_sessions')
  await query(
    url,
    `with session as (
       update payment_sessions
       set status = 'canceled', trouble = 'not_let_go', needs_attention = true, held_amount = 12
       where store_id = '${session!.store_id}' and id = '${session!.id}'
       returning store_id, id, provider, amount, currency)
     insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
     select store_id, id, id, provider, id || ' canceled', 'canceled', amount, currency, now() from session`,
  )
  await migrate(url)
  const [payment] = await query(
    url,
    `select status, trouble, needs_review, capturable_amount::int, array(
       select kind || replace(key, id::text, '') from payment_events where payment_events.id = payment_sessions.id
     ) as events
     from payment_sessions
     where id = '${session!.id}'`,
  )
  const events = ['cancelled cancelled']
  const names = { status: 'cancelled', trouble: 'release_failed', needs_review: true, capturable_amount: 12, events }
  assert.deepEqual(payment, names)
})

/** Nothing is lost, and every rule of records and ledger holds. */
async function agrees(t: TestContext, url: string, before: Record<string, number>): Promise<void> {
  const after = await countsOf(url)
  // Migrations may add rows, and tables that hold what time makes may change.
  for (const [table, count] of Object.entries(before)) assert.ok(after[table]! >= count, `${table}: ${after[table]}`)
  const stoa = stoaOn({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: await newDataDir(t) })
  const findings: { name: string; ok: boolean; detail: string }[] = JSON.parse(
    (await stoa('doctor', '--json').ended).stdout,
  ).findings
  for (const name of ['migrations', 'schema', 'records', 'ledger', 'stored secrets']) {
    const finding = findings.find((one) => one.name === name)
    assert.ok(finding?.ok, `${name}: ${finding?.detail}`)
  }
  const { ok, stores } = await stoa.json('audit', 'verify')
  assert.deepEqual([ok, stores.length > 0], [true, true])
}

/** A database as that version left it. */
async function databaseOf01(t: TestContext): Promise<string> {
  const url = await newDatabase(t, { migrated: false })
  const client = await connect(url)
  const source = createReadStream(file).pipe(createZstdDecompress())
  await client.query('begin')
  for await (const { line, rows, bytes } of readParts(source)) {
    if ('stoa_backup' in line) {
      const applied = (line.migrations as string[]).map((text) => text.split(' ') as [string, string])
      await makeRegister(client)
      for (const migration of (await migrationsNamed(new Map(applied)))!) await applyMigration(client, migration)
      await client.query('delete from plans')
    } else if (rows) {
      await client.query(`alter table ${line.table} disable trigger user`)
      const columns = (line.columns as string[]).map((column) => `"${column}"`).join(', ')
      await pipeline(rows, client.query(copyFrom(`copy ${line.table} (${columns}) from stdin`)))
      await client.query(`alter table ${line.table} enable trigger user`)
    } else if (bytes) await Array.fromAsync(bytes)
  }
  await client.query('commit')
  await client.end()
  return url
}

/** Keeps a table from being altered until it is released. */
async function hold(t: TestContext, url: string, table: string) {
  const client = await connect(url)
  const release = () => client.end()
  t.after(release)
  await client.query(`begin; lock table ${table} in access share mode`)
  const waiting = `select from pg_locks where relation = '${table}'::regclass and not granted`
  return {
    release,
    async isWaitedFor() {
      for (let tries = 0; (await client.query(waiting)).rowCount === 0; tries++) {
        assert.ok(tries < 600, `nobody waits for ${table}`)
        await sleep(50)
      }
    },
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = await connect(url)
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function countsOf(url: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    url,
    `select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition and relname <> 'migrations'`,
  )
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
  const rows = await query<{ name: string; count: number }>(url, counts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

/** Tables as `doctor` compares them, functions, and what is written of the migrations. */
async function schemaOf(url: string) {
  const [tables, functions, migrations] = await Promise.all([
    query<{ text: string }>(url, `select obj_description('migrations'::regclass, 'pg_class') as text`),
    query(
      url,
      `select oid::regprocedure::text as name, md5(prosrc) as body from pg_proc
      where pronamespace = 'public'::regnamespace and proname not like 'account\\_%' order by 1`,
    ),
    query(url, 'select name, checksum from migrations order by name'),
  ])
  return { tables: JSON.parse(tables[0]!.text) as Record<string, string>, functions, migrations }
}

async function newest(): Promise<string[]> {
  const files = await readdir(new URL('../migrations/', import.meta.url))
  return files
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace('.sql', ''))
    .sort()
}

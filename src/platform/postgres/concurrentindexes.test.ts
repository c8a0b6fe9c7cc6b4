import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { listIndexStatements } from './concurrentindexes.ts'
import { extensionFaults, extensionMigrations } from './extensionmigrations.ts'
import { migrate, migrateAndDistribute } from './migrate.ts'

/** An extension with a table that has rows, and then an index of it. */
async function newNotes(t: TestContext, { isUnique = false } = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-notes-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(path.join(folder, '0001_notes.sql'), 'create table notes (id int, line text)')
  extensionMigrations.set('notes', { folder, tables: ['notes'] })
  t.after(() => void (extensionMigrations.delete('notes'), extensionFaults.delete('notes')))
  const url = await newDatabase(t)
  assert.deepEqual(await migrate(url), ['notes/0001_notes'])
  const client = await connected(t, url)
  await client.query(`insert into notes select 1, 'x' from generate_series(1, 2)`)
  const index = `create ${isUnique ? 'unique ' : ''}index notes_id on notes (id)`
  await writeFile(path.join(folder, '0002_sorted.sql'), `-- concurrently\n-- Lists sort by it.\n${index};\n`)
  return { url, client }
}

async function connected(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // it is cut when the database is dropped
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  return client
}

/** Has a transaction open, for which the build of an index waits. */
async function openWriter(t: TestContext, url: string): Promise<pg.Client> {
  const writer = await connected(t, url)
  await writer.query('begin')
  await writer.query(`insert into notes values (2, 'open')`)
  return writer
}

async function isValid(client: pg.Client): Promise<boolean | undefined> {
  const { rows } = await client.query(`select indisvalid from pg_index where indexrelid = to_regclass('notes_id')`)
  return rows[0]?.indisvalid
}

/** Returns the process that builds, once it waits for a transaction that began before it. */
async function waitForBuild(client: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await client.query(`
      select pid from pg_stat_activity
      where datname = current_database() and query like 'create%index concurrently%' and wait_event_type = 'Lock'`)
    if (rows[0]) return rows[0].pid
    await sleep(10)
  }
}

test('writers go on while an index is built, which waits for the transactions before it', async (t) => {
  const { url, client } = await newNotes(t)
  const writer = await openWriter(t, url)
  const migrating = migrate(url)
  await waitForBuild(client)
  await client.query(`set lock_timeout = '2s'`)
  await client.query(`insert into notes values (3, 'during the build')`)
  await client.query('update notes set line = line where id = 1')
  assert.equal(await isValid(client), false)
  await writer.query('commit')
  assert.deepEqual(await migrating, ['notes/0002_sorted'])
  assert.equal(await isValid(client), true)
  assert.deepEqual(await migrate(url), [], 'a second run does nothing')
})

test('an index that an interrupted build has left invalid is built again', async (t) => {
  const { url, client } = await newNotes(t)
  const writer = await openWriter(t, url)
  const cut = assert.rejects(migrate(url))
  await client.query('select pg_terminate_backend($1)', [await waitForBuild(client)])
  await cut
  assert.equal(await isValid(client), false)
  await writer.query('commit')
  assert.deepEqual(await migrate(url), ['notes/0002_sorted'])
  assert.equal(await isValid(client), true)
})

test('one that was built before the migration could be recorded stays', async (t) => {
  const { url, client } = await newNotes(t)
  await client.query('create index notes_id on notes (id)')
  const read = async () => (await client.query(`select 'notes_id'::regclass::oid as oid`)).rows[0].oid
  const before = await read()
  assert.deepEqual(await migrate(url), ['notes/0002_sorted'])
  assert.equal(await read(), before)
})

test('rows that break a unique index are named, and once they are mended it is built', async (t) => {
  const { url, client } = await newNotes(t, { isUnique: true })
  await migrate(url)
  assert.match(extensionFaults.get('notes')!, /0002_sorted failed: could not create unique index "notes_id"/)
  await client.query('delete from notes')
  extensionFaults.delete('notes')
  assert.deepEqual(await migrate(url), ['notes/0002_sorted'])
  assert.equal(await isValid(client), true)
})

test('of nodes that migrate at once one builds, and the others wait without holding it up', async (t) => {
  const { url, client } = await newNotes(t)
  const writer = await openWriter(t, url)
  const building = migrate(url)
  await waitForBuild(client)
  const waiting = Array.from({ length: 2 }, () => {
    const turn = Promise.withResolvers<void>()
    const placement = {}
    return { turn: turn.promise, done: migrateAndDistribute(url, placement, { onWait: turn.resolve }) }
  })
  await Promise.all(waiting.map(({ turn }) => turn))
  await writer.query('commit')
  assert.deepEqual(await building, ['notes/0002_sorted'])
  const results = await Promise.all(waiting.map(({ done }) => done))
  assert.deepEqual(
    results.map(({ applied }) => applied),
    [[], []],
  )
})

test('a new database gets the indexes with its tables, in transactions', async (t) => {
  await newNotes(t)
  const url = await newDatabase(t, { migrated: false })
  const applied = await migrate(url)
  assert.deepEqual(applied.slice(-2), ['notes/0001_notes', 'notes/0002_sorted'])
  assert.equal(await isValid(await connected(t, url)), true)
})

test('a marked file makes and drops indexes only', () => {
  const list = (text: string) => listIndexStatements({ name: '0001_x', text: `-- concurrently\n${text}`, checksum: '' })
  assert.deepEqual(
    list(`drop index a;\n\ncreate index b\n  on orders (store_id, name)\n  where status = 'a;b';\n`).map(
      ({ index, isDrop }) => [index, isDrop],
    ),
    [
      ['a', true],
      ['b', false],
    ],
  )
  for (const text of ['alter table orders add x int;\n', 'create index on orders (x);\n', 'drop index a, b;\n']) {
    assert.throws(() => list(text), /0001_x is marked "concurrently", but does more/, text)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { retryBlocked } from './lockwait.ts'

const patience = { waitMs: 50, pauseMs: 20, tries: 3 }

async function connected(t: { after(hook: () => Promise<void>): void }, url: string, name: string) {
  const client = new pg.Client({ connectionString: url, application_name: name })
  client.on('error', () => {}) // it is cut when the database is dropped
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  return client
}

async function inTransaction(client: pg.Client, ...statements: string[]): Promise<void> {
  for (const statement of ['begin', ...statements, 'commit']) await client.query(statement)
}

test('a step waits for a moment only, names who holds the lock, and succeeds once it is free', async (t) => {
  const url = await newDatabase(t)
  const [migrating, reading] = [await connected(t, url, 'migrate'), await connected(t, url, 'a long report')]
  await reading.query('begin')
  await reading.query('select count(*) from orders')
  const told: string[] = []
  let tries = 0
  const step = async () => {
    tries++
    // The report ends before the third try.
    if (tries === 3) await reading.query('commit')
    await inTransaction(migrating, 'alter table orders add column extra int')
  }
  await retryBlocked(migrating, step, (sentence) => told.push(sentence), patience)
  assert.equal(tries, 3)
  assert.equal(told.length, 1)
  assert.match(
    told[0]!,
    /held by process \d+ \(a long report, idle in transaction\) since 2\d{3}-.*pg_terminate_backend\(\d+\)/,
  )
  await migrating.query('select extra from orders')
})

test('a lock that stays ends the step with who holds it, and nothing of it is left', async (t) => {
  const url = await newDatabase(t)
  const [migrating, reading] = [await connected(t, url, 'migrate'), await connected(t, url, 'psql')]
  await reading.query('begin')
  await reading.query('select count(*) from orders')
  const step = () =>
    inTransaction(migrating, 'alter table products add column extra int', 'alter table orders add column extra int')
  await assert.rejects(
    retryBlocked(migrating, step, () => {}, patience),
    /psql.*Nothing of this step was applied/,
  )
  await assert.rejects(migrating.query('select extra from products'), { code: '42703' })
})

test('two that lock each other go on one after the other', async (t) => {
  const url = await newDatabase(t)
  const [migrating, writing] = [await connected(t, url, 'migrate'), await connected(t, url, 'writer')]
  await writing.query('begin')
  await writing.query('lock table orders in share mode')
  const step = async () => {
    await migrating.query('begin')
    await migrating.query('lock table products in access exclusive mode')
    await migrating.query('lock table orders in access exclusive mode')
    await migrating.query('commit')
  }
  const stepping = retryBlocked(migrating, step, () => {}, { ...patience, tries: 100 })
  await writing.query('select count(*) from products')
  await writing.query('commit')
  await stepping
})

test('another failure is not tried again', async (t) => {
  const migrating = await connected(t, await newDatabase(t), 'migrate')
  let tries = 0
  const step = () => (tries++, inTransaction(migrating, 'select nothing'))
  await assert.rejects(
    retryBlocked(migrating, step, () => {}, patience),
    { code: '42703' },
  )
  assert.equal(tries, 1)
})

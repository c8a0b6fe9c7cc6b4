import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ownDatabase, type TestDatabase } from '../../../test/database.ts'
import { systemClock } from '../values/clock.ts'
import type { Database } from './database.ts'
import { claimFrom, doublingBackoff, stepBackoff, type DueQueue } from './due.ts'
import { openDatabase } from './open.ts'
import { raw, sql } from './sql.ts'

type Row = { store_id: string; id: number }

let own: TestDatabase
let db: Database
own = await ownDatabase({ migrated: false })
db = openDatabase({ url: own.url, clock: systemClock })
after(async () => {
  await db.close()
  await own.drop()
})

/** `stores`: how many rows of each are due; the first store's are the oldest. */
async function tableOf(name: string, stores: Record<string, number>): Promise<void> {
  const run = (text: string) => db.transaction(async (tx) => void (await tx.rows(raw(text))))
  await run(`create table ${name} (store_id text, id int, run_at timestamptz, tries int default 0,
    primary key (store_id, id))`)
  await run(`create index on ${name} (run_at) where run_at is not null`)
  await run(`create index on ${name} (store_id, run_at) where run_at is not null`)
  const counts = JSON.stringify(Object.values(stores).map((count, at) => ({ store: Object.keys(stores)[at], count })))
  await run(`
    insert into ${name} (store_id, id, run_at)
    select store ->> 'store', position, now() - interval '1 day' + number * interval '1 minute'
    from json_array_elements('${counts}') with ordinality as stores (store, number)
    cross join generate_series(1, (store ->> 'count')::int) as position`)
}

const queueOf = (table: string, turns?: DueQueue['turns']) =>
  claimFrom<Row>({
    table,
    due: 'run_at',
    claim: (now) => sql`run_at = ${doublingBackoff(now, { firstSeconds: 60, maxSeconds: 600 })}, tries = tries + 1`,
    returning: `${table}.store_id, ${table}.id`,
    ...(turns ? { turns } : {}),
  })

const storesOf = (rows: Row[]) => [...new Set(rows.map(({ store_id }) => store_id))].sort()

test('parallel claims share the rows, and a claimed row is not due again before its time', async () => {
  await tableOf('shared', { one: 30 })
  const claim = queueOf('shared')
  const both = await Promise.all([db.transaction((tx) => claim(tx, 20)), db.transaction((tx) => claim(tx, 20))])
  const ids = both.flat().map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const rest = await db.transaction((tx) => claim(tx, 40))
  assert.equal(ids.length + rest.length, 30)
  assert.deepEqual(await db.transaction((tx) => claim(tx, 20)), [])
})

test('the time between two claims doubles up to its maximum', async () => {
  await tableOf('backoff', { one: 1 })
  const claim = queueOf('backoff')
  const waits: number[] = []
  for (let round = 0; round < 5; round++) {
    const waited = await db.transaction(async (tx) => {
      await claim(tx, 1)
      const row = await tx.one<{ run_at: Date }>(sql`select run_at from backoff`)
      tx.later(sql`update backoff set run_at = ${new Date(0)}`)
      return (row!.run_at.getTime() - tx.now.getTime()) / 1000
    })
    waits.push(waited)
  }
  assert.deepEqual(waits, [60, 120, 240, 480, 600])
})

test('stores take turns, also behind a store with more rows than the window', async () => {
  await tableOf('turns', { busy: 500, b: 2, c: 1, d: 1 })
  const claim = queueOf('turns', {})
  const first = await db.transaction((tx) => claim(tx, 10))
  assert.deepEqual(storesOf(first), ['b', 'busy', 'c', 'd'])
  assert.equal(first.filter(({ store_id }) => store_id === 'busy').length, 6)
})

test('with more stores than a claim visits, each has its turn after some claims', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `store${at}`)
  await tableOf('visits', { busy: 1000, ...Object.fromEntries(names.map((name) => [name, 1])) })
  const claim = queueOf('visits', {})
  const seen = new Set<string>()
  for (let round = 0; round < 8; round++) {
    for (const { store_id } of await db.transaction((tx) => claim(tx, 5))) seen.add(store_id)
  }
  assert.equal(seen.size, 31)
})

test('a store at its limit delays no other', async () => {
  await tableOf('limited', { busy: 300, z: 1 })
  const claim = queueOf('limited', { room: (storeId) => raw(storeId === 'busy' ? '0' : '5') })
  assert.deepEqual(storesOf(await db.transaction((tx) => claim(tx, 5))), ['z'])
  assert.deepEqual(await db.transaction((tx) => claim(tx, 5)), [])
})

test('the row is given up after the last step', () => {
  const next = stepBackoff([60, 300])
  const now = new Date(0)
  assert.deepEqual([next(1, now), next(2, now), next(3, now)], [new Date(60_000), new Date(300_000), null])
})

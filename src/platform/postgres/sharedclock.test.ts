import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pino from 'pino'
import { ownDatabase } from '../../../test/database.ts'
import type { Database } from '../../kit/database/database.ts'
import { claimFrom } from '../../kit/database/due.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { movableClock } from '../../kit/values/clock.ts'
import { openSharedClock } from './sharedclock.ts'

const hour = 3600

/** A node of a database whose machine is ahead by so much. */
async function openNode(t: TestContext, url: string, aheadSeconds = 0) {
  const machine = movableClock()
  machine.set(aheadSeconds)
  const lines: string[] = []
  const clock = openSharedClock(pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) }), machine)
  const db = openDatabase({ url, clock })
  t.after(() => db.close())
  t.after(() => clock.close())
  await clock.follow(db)
  return { clock, db, machine, lines }
}

async function newQueue(t: TestContext) {
  const own = await ownDatabase({ migrated: false })
  t.after(() => own.drop())
  const { db } = await openNode(t, own.url)
  const run = (text: string) => db.transaction(async (tx) => void (await tx.rows(raw(text))))
  await run('create table waiting (store_id text, id int, run_at timestamptz, primary key (store_id, id))')
  await run(`insert into waiting select 'one', id, now() - interval '1 minute' from generate_series(1, 3) as id`)
  return own.url
}

/** As a new node: claims of 90 seconds, as emails have. */
function claim(db: Database): Promise<{ id: number }[]> {
  const claimRows = claimFrom<{ id: number }>({
    table: 'waiting',
    due: 'run_at',
    claim: (now) => sql`run_at = ${new Date(now.getTime() + 90_000)}`,
    returning: 'store_id, id',
  })
  return db.transaction((tx) => claimRows(tx, 10))
}

test('nodes an hour apart take nothing over that another has claimed, and wait no longer for it', async (t) => {
  const url = await newQueue(t)
  const nodes = [await openNode(t, url), await openNode(t, url, hour), await openNode(t, url, -hour)]
  const [own, ahead, behind] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
  assert.equal((await claim(ahead.db)).length, 3)
  for (const { db } of nodes) assert.deepEqual(await claim(db), [])
  const [row] = await own.db.rows<{ run_at: Date }>(sql`select max(run_at) as run_at from waiting`)
  assert.ok(Math.abs(row!.run_at.getTime() - own.clock.now().getTime()) < 10 * 60_000)
  // Its claims end for all of them; clocks agree to milliseconds only.
  await own.db.transaction((tx) => tx.rows(sql`update waiting set run_at = ${new Date(tx.now.getTime() - 60_000)}`))
  assert.equal((await claim(behind.db)).length, 3)
  for (const { db } of nodes) assert.deepEqual(await claim(db), [])
})

test("a machine's clock that is set while a node runs moves nothing, and is told once in each direction", async (t) => {
  const url = await newQueue(t)
  const [one, other] = [await openNode(t, url), await openNode(t, url)]
  assert.equal((await claim(one.db)).length, 3)
  other.machine.set(hour)
  assert.deepEqual(await claim(other.db), [])
  for (let times = 0; times < 2; times++) await other.clock.adjust(other.db)
  assert.deepEqual(await claim(other.db), [])
  other.machine.set(-hour)
  for (let times = 0; times < 2; times++) await other.clock.adjust(other.db)
  assert.deepEqual(await claim(other.db), [])
  const [warning, end, ...rest] = other.lines
  assert.match(warning!, /^The clock of this machine is \d{4} s ahead of the database server's\. Synchronize both/)
  assert.equal(end, "the clock of this machine agrees with the database server's again")
  assert.deepEqual([rest, one.lines], [[], []])
})

test('a node that was suspended, or whose timer went wrong, returns to the time of the database server', async (t) => {
  const url = await newQueue(t)
  const [one, other] = [await openNode(t, url), await openNode(t, url)]
  for (const seconds of [hour, -2 * hour]) {
    other.machine.advance(seconds)
    await other.clock.adjust(other.db)
    const difference = other.clock.now().getTime() - one.clock.now().getTime()
    assert.ok(Math.abs(difference) < 10 * 60_000, String(difference))
  }
})

test('without an answer of the database, time goes on', async (t) => {
  const { clock, machine } = await openNode(t, 'postgresql://stoa@127.0.0.1:1/stoa')
  const before = clock.now().getTime()
  machine.advance(hour)
  assert.ok(clock.now().getTime() - before >= hour * 1000)
})

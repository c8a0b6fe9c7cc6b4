import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { databaseUrl } from '../../../test/database.ts'
import { unnamed } from '../values/cause.ts'
import { systemClock } from '../values/clock.ts'
import { RetryTransaction } from './errors.ts'
import { openDatabase } from './open.ts'
import { conflict } from '../values/errors.ts'
import { newUuid } from '../values/ids.ts'
import { raw, sql } from './sql.ts'
import type { Tx } from './database.ts'

const db = openDatabase({ url: databaseUrl(), clock: systemClock })
after(() => db.close())

const newUser = (email: string) => sql`
  insert into users (id, email, created_at, updated_at) values (${newUuid()}, ${email}, now(), now())`
const usersWith = (email: string) => db.rows(sql`select id from users where email = ${email}`)

test('a transaction that throws leaves nothing behind', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.rows(newUser('rolled@back.example'))
      throw new Error('no')
    }),
    /no/,
  )
  assert.deepEqual(await usersWith('rolled@back.example'), [])
})

test('a statement that nobody awaits fails the whole transaction', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.later(newUser('later@fails.example'))
      tx.later(sql`insert into users (id) values (null)`)
    }),
    /null value/,
  )
  assert.deepEqual(await usersWith('later@fails.example'), [])
})

test('statements after another part of the transaction failed do not run', async () => {
  const late: Promise<unknown>[] = []
  await assert.rejects(
    db.transaction((tx) =>
      Promise.all([
        tx.rows(sql`select 1`).then(async () => {
          for (let steps = 0; steps < 20; steps++) {
            late.push(tx.rows(newUser(`late${steps}@fails.example`)))
            await new Promise(setImmediate)
          }
        }),
        tx.rows(sql`select 1 / 0`),
      ]),
    ),
    /division by zero/,
  )
  while (late.length < 20) await new Promise(setImmediate)
  assert.deepEqual(await db.rows(sql`select id from users where email like 'late%@fails.example'`), [])
})

// An unheard rejection fails the test in which it happens.
for (const [reason, fails] of [
  ['a statement', (tx: Tx) => tx.rows(sql`select 1 / 0`)],
  ['the operation', (tx: Tx) => tx.rows(sql`select 1`).then(() => Promise.reject(new Error('division by zero')))],
] as const) {
  test(`parts that nobody waits for any more are not heard of: ${reason} failed`, async () => {
    const read = async (tx: Tx) => {
      for (let steps = 0; steps < 3; steps++) await tx.rows(sql`select 1`)
    }
    const operation = db.transaction(async (tx) => {
      const [first, second] = [read(tx), read(tx)]
      await fails(tx)
      await Promise.all([first, second])
    })
    await assert.rejects(operation, /division by zero/)
    assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }])
  })
}

test('a transaction without an answer is not repeated', async (t) => {
  const line = await cuttableLine(t)
  const cut = openDatabase({ url: line.url, clock: systemClock, connections: 1 })
  t.after(() => cut.close())
  await cut.rows(sql`select 1`)
  let runs = 0
  await assert.rejects(
    cut.transaction(async (tx) => {
      line.loseAnswer()
      tx.later(newUser(`unheard${++runs}@example.com`))
    }),
    /Connection terminated/,
  )
  assert.equal(runs, 1)
  assert.equal((await usersWith('unheard1@example.com')).length, 1)
})

test('a transaction that requests a retry runs again from the start', async () => {
  let runs = 0
  const result = await db.transaction(async (tx) => {
    await tx.rows(newUser(`again${runs}@example.com`))
    if (++runs < 3) throw new RetryTransaction()
    return runs
  })
  assert.equal(result, 3)
  assert.deepEqual(await usersWith('again0@example.com'), [])
})

test('a transaction that loses every race ends as a conflict that may be retried', async () => {
  let runs = 0
  const hopeless = db.transaction(async () => {
    runs++
    throw new RetryTransaction()
  })
  await assert.rejects(hopeless, { status: 409, code: 'CONFLICT', headers: { 'retry-after': '1' } })
  assert.equal(runs, 10)
})

test('hooks run after the commit, and not without one', async () => {
  const ran: string[] = []
  await db.transaction(async (tx) => tx.afterCommit(() => ran.push('committed')))
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('rolled back'))
      throw new Error('no')
    }),
  )
  assert.deepEqual(ran, ['committed'])
})

test('a violated constraint becomes the error that the operation names', async () => {
  const email = 'twice@example.com'
  await db.transaction((tx) => tx.rows(newUser(email)))
  await assert.rejects(
    db.transaction((tx) => tx.rows(newUser(email), { users_email: () => conflict('taken') })),
    /taken/,
  )
})

test('statements behind one that violates a constraint fail with the same error', async () => {
  const email = 'behind@example.com'
  await db.transaction((tx) => tx.rows(newUser(email)))
  await assert.rejects(
    db.transaction(async (tx) => {
      const refused = tx.rows(newUser(email), { users_email: () => conflict('taken') })
      const behind = tx.rows(sql`select 1`)
      await assert.rejects(behind, /taken/)
      await refused
    }),
    /taken/,
  )
})

test('statements sent after a failure that nobody has heard of fail with the same error', async () => {
  const email = 'after@example.com'
  let heard: unknown
  await db.transaction((tx) => tx.rows(newUser(email)))
  await assert.rejects(
    db.transaction(async (tx) => {
      const before = tx.rows(sql`select pg_sleep(0.01)`)
      tx.later(newUser(email), { users_email: () => conflict('taken') })
      await new Promise(setImmediate)
      tx.later(newUser(email), { users_email: () => conflict('another') })
      heard = await tx.rows(sql`select 1`).catch(({ message }) => message)
      await before
    }),
    /taken/,
  )
  assert.equal(heard, 'taken')
})

test('a statement that requests a retry decides, whatever the operation sends after it', async () => {
  for (const turns of [0, 1, 2, 5, 20]) {
    let runs = 0
    const result = await db.transaction(async (tx) => {
      const refused = sql`select refuse('customer_known') where ${++runs < 3}::boolean`
      tx.later(refused, { customer_known: () => new RetryTransaction() })
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      await Promise.all([tx.rows(sql`select 1`), tx.rows(sql`select 2`)])
      await tx.rows(sql`select 3`)
      return runs
    })
    assert.equal(result, 3)
  }
})

test('a violation without an error of its own runs the transaction again', async () => {
  const email = 'unnamed@example.com'
  await db.transaction((tx) => tx.rows(newUser(email)))
  let tries = 0
  await db.transaction((tx) => tx.rows(newUser(tries++ === 0 ? email : 'unnamed.too@example.com')))
  assert.equal(tries, 2)
})

test('two transactions that deadlock both succeed', async () => {
  const ids = [newUuid(), newUuid()]
  for (const id of ids) {
    await db.transaction((tx) =>
      tx.rows(sql`
      insert into users (id, email, created_at, updated_at)
      values (${id}, ${id}, now(), now())`),
    )
  }
  const touchBoth = ([first, second]: string[]) =>
    db.transaction(async (tx) => {
      await tx.rows(sql`update users set name = 'a' where id = ${first}`)
      await tx.rows(sql`select pg_sleep(0.05)`)
      await tx.rows(sql`update users set name = 'b' where id = ${second}`)
    })
  await Promise.all([touchBoth(ids), touchBoth(ids.toReversed())])
  assert.equal((await db.rows(sql`select id from users where id = any(${ids}) and name is not null`)).length, 2)
})

test('the pool recovers from connections that the database closed', async () => {
  const doomed = openDatabase({ url: `${databaseUrl()}&application_name=doomed`, clock: systemClock })
  after(() => doomed.close())
  await Promise.all(Array.from({ length: 8 }, () => doomed.rows(sql`select 1`)))
  await db.rows(sql`select pg_terminate_backend(pid, 2000) from pg_stat_activity where application_name = 'doomed'`)
  assert.deepEqual(await doomed.rows(sql`select 2 as two`), [{ two: 2 }])
  await Promise.all(Array.from({ length: 8 }, () => doomed.rows(sql`select 1`)))
  await db.rows(sql`select pg_terminate_backend(pid, 2000) from pg_stat_activity where application_name = 'doomed'`)
  assert.deepEqual(await doomed.transaction((tx) => tx.rows(sql`select 3 as three`)), [{ three: 3 }])
})

/** A way to the database that can lose an answer: the connection breaks when it comes. */
async function cuttableLine(t: { after(hook: () => Promise<void>): void }) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'stoa-line-'))
  const [, host] = /host=([^&]+)/.exec(databaseUrl())!
  const own = path.join(decodeURIComponent(host!), '.s.PGSQL.5432')
  let losesAnswer = false
  const line = net.createServer((client) => {
    const server = net.connect(own)
    client
      .on('error', () => {})
      .on('close', () => server.destroy())
      .pipe(server)
    server.on('error', () => {}).on('close', () => client.destroy())
    server.on('data', (answer) => {
      if (!losesAnswer) return client.write(answer)
      losesAnswer = false
      client.destroy()
    })
  })
  await once(line.listen(path.join(directory, '.s.PGSQL.5432')), 'listening')
  t.after(async () => {
    line.close()
    await rm(directory, { recursive: true, force: true })
  })
  return {
    url: databaseUrl().replace(/host=[^&]+/, `host=${directory}`),
    loseAnswer() {
      losesAnswer = true
    },
  }
}

test('a transaction has its cause, for any store and at any time', async () => {
  const cause = { requestId: 'req-1', actor: { kind: 'key', id: 'key_1' }, operation: 'createProduct' } as const
  const own = db.because(cause)
  const seen = await Promise.all([
    own.transaction(async (tx) => tx.cause),
    own.ofStore('AA-00000000').transaction(async (tx) => tx.at(new Date(0)).cause),
    db.transaction(async (tx) => tx.cause),
  ])
  assert.deepEqual(seen, [cause, cause, unnamed])
})

test('a dry run is undone, and hooks of the commit are only reported', async () => {
  let isCalled = false
  const seen = await db.dryRun(
    async (tx) => {
      tx.later(newUser('rehearsed@all.example'))
      tx.afterCommit(() => (isCalled = true), { asks: 'nobody' })
      return 'done'
    },
    async (tx, result, told) => ({
      result,
      told,
      users: await tx.rows(sql`select email from users where email = 'rehearsed@all.example'`),
    }),
  )
  assert.deepEqual(seen, { result: 'done', told: [{ asks: 'nobody' }], users: [{ email: 'rehearsed@all.example' }] })
  assert.deepEqual(await usersWith('rehearsed@all.example'), [])
  assert.equal(isCalled, false)
})

test('a dry run fails like a commit, also by unawaited statements and deferred constraints', async () => {
  const nothing = async () => {}
  const refused = conflict('There is one')
  const twice = db.dryRun(async (tx) => {
    tx.later(newUser('twice@rehearsed.example'))
    await tx.rows(sql`select 1`)
    tx.later(newUser('twice@rehearsed.example'), { users_email: () => refused })
  }, nothing)
  await assert.rejects(twice, (error) => error === refused)
  await db.rows(sql`create table deferred_${raw(suffix)} (id int unique deferrable initially deferred)`)
  const deferred = db.dryRun(async (tx) => {
    for (let count = 0; count < 2; count++) tx.later(sql`insert into deferred_${raw(suffix)} values (1)`)
  }, nothing)
  await assert.rejects(deferred, { status: 409 })
  await db.rows(sql`drop table deferred_${raw(suffix)}`)
})

const suffix = newUuid().replaceAll('-', '')

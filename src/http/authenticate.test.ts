import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { newUuid } from '../kit/values/ids.ts'
import { storeChanged } from '../tenancy/stores/store.ts'
import { openWorld } from '../../test/world.ts'
import { authenticator, type Guess } from './authenticate.ts'

const world = await openWorld()
const { clock } = world
const { db } = world.app

/** An authenticator and what it asks the database: keys looked up (`one`) and uses noted (`rows`). */
function watched(held: () => Promise<void> = async () => {}) {
  const asked = { lookUps: 0, touches: 0 }
  const noted: Promise<unknown>[] = []
  const watching: Database = {
    ...db,
    async one(query) {
      asked.lookUps++
      const row = await db.one<any>(query)
      await held()
      return row
    },
    rows(query) {
      asked.touches++
      const rows = db.rows<any>(query)
      noted.push(rows)
      return rows
    },
  }
  const authenticate = authenticator(watching, () => assert.fail('no Bearer token was sent'))
  const guess: Guess = (ask) => ask()
  return {
    asked,
    enter: async (key: string) => authenticate({ headers: { 'x-api-key': key } } as unknown as FastifyRequest, guess),
    noted: () => Promise.all(noted),
  }
}

test('requests that come together with one key look it up once', async () => {
  const { store, api } = await world.newStore()
  const { asked, enter } = watched()
  const together = () => Promise.all(Array.from({ length: 16 }, () => enter(api.key)))
  for (const { store: entered } of await together()) assert.equal(entered.id, store.id)
  await together()
  assert.equal(asked.lookUps, 1)
  clock.advance(5)
  await together()
  assert.equal(asked.lookUps, 2)
})

test('an unknown key is refused to each that came with it, and looked up again for the next', async () => {
  const { asked, enter } = watched()
  const key = `wk_live_${'z'.repeat(40)}`
  const answers = await Promise.allSettled([enter(key), enter(key)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(asked.lookUps, 1)
  await assert.rejects(enter(key), { message: 'Invalid or inactive API key' })
  assert.equal(asked.lookUps, 2)
})

test('the use of a key is noted once a minute, and nothing is asked for it in between', async () => {
  const { api } = await world.newStore()
  const { asked, enter, noted } = watched()
  for (const [seconds, touches] of [
    [0, 1],
    [5, 1],
    [50, 1],
    [6, 2],
    [5, 2],
  ] as const) {
    clock.advance(seconds)
    await enter(api.key)
    await noted()
    assert.equal(asked.touches, touches)
  }
})

test('a look-up that was under way when the store changed is neither kept nor shared', async () => {
  const { store, api } = await world.newStore({ name: 'Before' })
  const before = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const holds = [
    () => {
      read.resolve()
      return before.promise
    },
  ]
  const { enter } = watched(async () => holds.shift()?.())
  const currencyOf = async (answer: ReturnType<typeof enter>) => (await answer).store.currency

  const first = enter(api.key)
  await read.promise
  await db.rows(sql`update stores set currency = 'EUR' where id = ${store.id}`)
  db.bus.publish(storeChanged, store.id)
  assert.equal(await currencyOf(enter(api.key)), 'EUR')
  before.resolve()
  assert.equal(await currencyOf(first), 'USD')
  assert.equal(await currencyOf(enter(api.key)), 'EUR')
})

test('a key that was deactivated ends within 5 seconds, also when the clock is set an hour back', async () => {
  const { api } = await world.newStore()
  const { enter } = watched()
  await enter(api.key)
  await db.transaction((tx) => tx.rows(sql`update api_keys set is_active = false where last4 = ${api.key.slice(-4)}`))
  clock.set(-3600)
  clock.advance(5)
  await assert.rejects(enter(api.key), /inactive/)
  clock.set(3600)
})

test('a key that worked here is no guess, however often its neighbours guess', async () => {
  const { api } = await world.newStore()
  const guesses: string[] = []
  const authenticate = authenticator(db, () => assert.fail('no Bearer token was sent'))
  const enter = async (key: string) =>
    authenticate({ headers: { 'x-api-key': key } } as unknown as FastifyRequest, async (ask) => {
      guesses.push(key)
      return ask()
    })
  for (let count = 0; count < 3; count++) {
    await enter(api.key)
    clock.advance(5)
  }
  assert.deepEqual(guesses, [api.key])
})

test('beyond the limit of an address the database is not asked about its keys; known ones go on', async () => {
  const own = await openWorld()
  const { api } = await own.newStore()
  await api.get('/v1/store')
  const wrong = () => fetch(`${own.url}/v1/store`, { headers: { 'x-api-key': `wk_live_${newUuid()}` } })
  const statuses: number[] = []
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, wrong))
    statuses.push(...answers.map(({ status }) => status))
  }
  assert.deepEqual(new Set(statuses), new Set([401]))
  const { one } = own.app.db
  own.app.db.one = () => assert.fail('the database was asked')
  const refused = await wrong()
  own.app.db.one = one
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  own.clock.advance(5)
  assert.equal((await api.get('/v1/store')).status, 200)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { storeChanged } from '../stores/store.ts'
import { openWorld } from '../../test/world.ts'
import { authenticator } from './authenticate.ts'

const world = await openWorld()
const { clock } = world
const { db } = world.app

/** An authenticator and what it asks the database: keys looked up (`one`) and uses noted (`rows`). */
function watched(held: () => Promise<void> = async () => {}) {
  const asked = { lookUps: 0, touches: 0 }
  const noted: Promise<unknown>[] = []
  const watching: Db = {
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
  return {
    asked,
    enter: async (key: string) => authenticate({ headers: { 'x-api-key': key } } as unknown as FastifyRequest),
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
  storeChanged(store.id)
  assert.equal(await currencyOf(enter(api.key)), 'EUR')
  before.resolve()
  assert.equal(await currencyOf(first), 'USD')
  assert.equal(await currencyOf(enter(api.key)), 'EUR')
})

// Every time zone of IANA's list, older names too, as a store's: in its record, in PostgreSQL and in reports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { staffOf } from '../../../test/staff.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { currentTimezone, isTimezone, timezoneNames } from '../../kit/values/timezonenames.ts'
import { updateStore } from './operations.ts'

const world = await openWorld()
const { db } = world.app

const rows = await db.rows<{ name: string }>(sql`select name from pg_timezone_names order by name`)
// These three are no places: a setting of the server, one of its C library, and a joke.
const all = rows
  .map(({ name }) => name)
  .filter((name) => !/^(localtime|posixrules|Factory|posix\/.*|right\/.*)$/.test(name))

test('every name is a time zone here and in the database, which has all that can be chosen', () => {
  assert.ok(all.length > 550, String(all.length))
  assert.deepEqual(
    all.filter((name) => !isTimezone(name)),
    [],
  )
  const known = new Set(all)
  assert.deepEqual(
    timezoneNames.filter((name) => !known.has(name)),
    [],
  )
})

test('a store can have every time zone, and its day is that of the place', async () => {
  const { store } = await world.newStore()
  for (const timezone of all) {
    const { begins } = await db.transaction(async (tx) => {
      const { entity } = await updateStore(tx, { ...store, timezone: 'UTC' }, { timezone })
      assert.equal(entity.timezone, timezone)
      return (await tx.one<{ begins: Date }>(sql`
        select date '2026-01-15'::timestamp at time zone timezone as begins from stores where id = ${store.id}`))!
    })
    const clock = new Intl.DateTimeFormat('en-CA', {
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h23',
      timeZone: timezone,
    })
    assert.equal(clock.format(begins), '2026-01-15, 00:00:00', timezone)
  }
})

test('a shop in India, Ukraine, Argentina, Vietnam and Greenland has its time zone, under both names', async () => {
  const { api } = await world.newStore()
  for (const timezone of [
    ...['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'America/Argentina/Buenos_Aires'],
    ...['Asia/Ho_Chi_Minh', 'Asia/Saigon', 'America/Nuuk', 'America/Godthab', 'Asia/Kathmandu'],
  ]) {
    assert.equal(dataOf(await api.patch('/v1/store', { timezone }), 200).timezone, timezone)
    dataOf(await api.get('/v1/reports/sales'), 200)
  }
  for (const timezone of ['asia/kolkata', '+05:30', 'Asia/Nowhere', 'Factory', 'localtime', ''])
    assert.deepEqual(Object.keys(faultsOf(await api.patch('/v1/store', { timezone }))), ['timezone'], timezone)
})

test("the settings offer today's names once, and keep an older one", async () => {
  const shop = await world.newStore({ timezone: 'Asia/Calcutta' })
  const { text } = await (await staffOf(world, [shop])).get(`/${shop.store.id}/settings/store`)
  const offered = [...text.match(/<select[^>]*name="timezone"[^]*?<\/select>/)![0].matchAll(/value="([^"]*)"/g)]
  assert.deepEqual(
    offered.map(([, name]) => name),
    [...timezoneNames, 'Asia/Calcutta'],
  )
  assert.ok(timezoneNames.every((name) => currentTimezone(name) === name))
  assert.equal(new Set(timezoneNames).size, timezoneNames.length)
})

test('a time zone that the database does not know yet is refused, and nothing is written', async () => {
  const { store, api } = await world.newStore()
  await assert.rejects(
    db.transaction((tx) => updateStore(tx, store, { timezone: 'Antarctica/Tomorrow' })),
    /timezone/i,
  )
  assert.equal((await api.get('/v1/store')).data.timezone, 'UTC')
})

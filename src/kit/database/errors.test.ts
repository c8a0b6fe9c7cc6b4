import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseUrl } from '../../../test/database.ts'
import { systemClock } from '../values/clock.ts'
import { hasNoPartition } from './errors.ts'
import { openDatabase } from './open.ts'
import { raw } from './sql.ts'

const db = openDatabase({ url: databaseUrl(), clock: systemClock })
after(() => db.close())

/** As a node of a distributed database reports it to the coordinator, which passes on code and message. */
const fail = (code: string, message: string) =>
  db.transaction((tx) =>
    tx.rows(raw(`do $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`), {
      orders_number: () => new Error('the number is taken'),
      enough_stock: () => new Error('too few'),
    }),
  )

test('the constraint of a part of a table is known by the name of the whole', async () => {
  const taken = { message: 'the number is taken' }
  const unique = 'duplicate key value violates unique constraint'
  await assert.rejects(fail('23505', `${unique} "orders_number_102008"`), taken)
  await assert.rejects(fail('23505', `${unique} "orders_number"`), taken)
  await assert.rejects(
    fail('23514', 'new row for relation "orders_102008" violates check constraint "orders_number_102008"'),
    taken,
  )
  await assert.rejects(fail('23514', 'refused: enough_stock'), { message: 'too few' })
})

test('what names no constraint, or another one, stays as it is', async () => {
  const other = 'new row for relation "orders" violates check constraint "orders_number_1020"'
  await assert.rejects(fail('23514', other), { message: other })
  await assert.rejects(fail('22012', 'division by zero'), { message: 'division by zero' })
})

test('a missing partition is told from a violated check, on a node too', async () => {
  const errorOf = (message: string) => fail('23514', message).catch((error: unknown) => error)
  assert.ok(hasNoPartition(await errorOf('no partition of relation "requests_102010" found for row')))
  assert.ok(
    !hasNoPartition(await errorOf('new row for relation "a_102010" violates check constraint "positive_102010"')),
  )
  assert.ok(!hasNoPartition(await errorOf('refused: unknown_refusal')))
})

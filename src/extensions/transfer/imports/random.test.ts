// Imports of random files: no error of the server, no row unaccounted for, and nothing left of a file that is refused
// or undone. IMPORT_FILES=2000 for the long run, SEED to repeat one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { raw, sql } from '../../../kit/database/sql.ts'
import type { Client } from '../../../../test/client.ts'
import { randomFile } from '../../../../test/importfiles.ts'
import { assertAccounted, settled, upload } from '../../../../test/imports.ts'
import { randomBy, seed } from '../../../../test/random.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const files = Number(process.env.IMPORT_FILES ?? 60)
const filesPerStore = 25

const world = await openWorld({}, { sweeps: true })

test(`${files} random files: every row is accounted for`, async () => {
  const random = randomBy(seed)
  const results = new Map<string, number>()
  const note = (result: string) => results.set(result, (results.get(result) ?? 0) + 1)
  let shop = await world.newStore()
  for (let count = 0; count < files; count++) {
    if (count % filesPerStore === 0) shop = await world.newStore()
    world.clock.advance(60)
    const { bytes, fields, rows } = randomFile(random)
    const before = await contentOf(shop)
    try {
      const answer = await upload(shop.api, bytes, fields)
      if (answer.status !== 201) {
        assertRefused(answer)
        assert.deepEqual(await contentOf(shop), before)
        note(`refused: ${answer.error.message.replaceAll(/\d+/g, 'N').slice(0, 80)}`)
        continue
      }
      if (rows !== null) assert.equal(answer.data.rows_read, rows)
      const ready = await settled(world, shop.api, answer.data.id)
      assertAccounted(ready)
      assert.deepEqual([ready.status, await recordsOf(shop)], ['ready', before.records])
      await assertRows(shop.api, ready)
      dataOf(await shop.api.post(`/v1/imports/${ready.id}/start`, {}), 200)
      const done = await settled(world, shop.api, ready.id)
      assertAccounted(done)
      assert.deepEqual([done.status, done.rows_to_create, done.rows_to_update], ['completed', 0, 0])
      await assertRows(shop.api, done)
      note(`${fields.kind}: ${done.rows_created > 0 ? 'created' : done.rows_updated > 0 ? 'updated' : 'nothing new'}`)
      if (random.below(3) > 0) continue
      dataOf(await shop.api.post(`/v1/imports/${done.id}/undo`, {}), 200)
      const undone = await settled(world, shop.api, done.id)
      assert.equal(undone.status, 'undone')
      assertAccounted(undone)
      assert.deepEqual([undone.rows_created, await recordsOf(shop)], [0, before.records])
      note('undone')
    } catch (error) {
      console.error(`file ${count}: ${JSON.stringify(fields)}\n${bytes.toString().slice(0, 3000)}`)
      throw error
    }
  }
  console.log(Object.fromEntries([...results].toSorted()))
})

type Answer = Awaited<ReturnType<typeof upload>>

function assertRefused({ status, error }: Answer): void {
  assert.equal(status, 422, JSON.stringify(error))
  assert.equal(error.code, 'VALIDATION_ERROR')
  assert.ok(error.details.length > 0 && error.details.length < 300)
}

/** Each row says what became of it and, if it is not written, why; as a file it can be opened in a spreadsheet. */
async function assertRows(api: Client, { id, rows_read, columns }: any): Promise<void> {
  const names = columns.map(({ name }: { name: string }) => name)
  let count = 0
  for (let page = 1; count < rows_read; page++) {
    const { data } = await api.get(`/v1/imports/${id}/rows?per_page=100&page=${page}`)
    if (data.length === 0) break
    count += data.length
    for (const { outcome, messages } of data) {
      assert.ok(outcome)
      for (const { column, message } of messages) {
        assert.ok(column === null || names.includes(column), column)
        assert.ok(message.length > 0 && message.length < 2000)
      }
    }
  }
  assert.equal(count, rows_read)
  const headers = { 'x-api-key': api.key, accept: 'text/csv' }
  const answer = await fetch(`${api.url}/v1/imports/${id}/rows`, { headers })
  const table: string[][] = parse(await answer.text())
  assert.equal(table.length, rows_read + 1)
  for (const cell of table.flat()) assert.doesNotMatch(cell, /^\s*[=+\-@]/)
}

const recordTables = [
  'products',
  'variants',
  'customers',
  'orders',
  'order_items',
  'discounts',
  'redirects',
  'categories',
  'collections',
]

/** What the store sells and whom it knows. */
async function recordsOf({ store }: TestStore): Promise<Record<string, unknown>> {
  const counts = await Promise.all(
    recordTables.map(async (name) => {
      const [row] = await world.app.db.rows<{ count: number }>(sql`
        select count(*)::int as count
        from ${raw(name)}
        where store_id = ${store.id}`)
      return [name, row!.count]
    }),
  )
  const [stock] = await world.app.db.rows<{ stock: number }>(sql`
    select coalesce(sum(stock_quantity), 0) as stock
    from products
    where store_id = ${store.id}`)
  return { ...Object.fromEntries(counts), ...stock }
}

async function contentOf(shop: TestStore) {
  const [imports] = await world.app.db.rows<{ imports: number; rows: number }>(sql`
    select (select count(*)::int from imports where store_id = ${shop.store.id}) as imports,
      (select count(*)::int from import_rows where store_id = ${shop.store.id}) as rows`)
  return { records: await recordsOf(shop), ...imports }
}

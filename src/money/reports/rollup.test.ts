import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { dayRollupJob } from './rollup.ts'

test('after a load the newest days of a store are summed first, a few in each transaction', async () => {
  const { app, newStore } = await openWorld({}, { database: await ownDatabase() })
  const { store } = await newStore()
  const { db } = app
  await db.rows(sql`
    insert into unsummed_days (store_id, day)
    select ${store.id}, date '2024-01-01' + number from generate_series(0, 9) as number`)
  const job = dayRollupJob({ error: assert.fail } as never)
  const counts: number[] = []
  for (;;) {
    const { more } = (await db.transaction((tx) => job.run(tx)))!
    if (!more) break
    const rows = await db.rows<{ day: string }>(sql`select day::text from unsummed_days order by day`)
    counts.push(rows.length)
    // The oldest are left.
    assert.deepEqual(
      rows.map(({ day }) => day),
      Array.from(rows, (_, index) => `2024-01-${String(index + 1).padStart(2, '0')}`),
    )
  }
  assert.deepEqual(counts, [7, 4, 1, 0])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { openWorld } from '../../../test/world.ts'
import { discount, type DiscountRow } from './discount.ts'
import { getUnusableReason } from './usability.ts'

const world = await openWorld()

test('SQL and TypeScript agree on whether a discount can be used now, and why not', async () => {
  const { api, store } = await world.newStore()
  const now = world.clock.now().getTime()
  const moments = [null, new Date(now - 60_000), new Date(now), new Date(now + 60_000)]
  const seen = new Set<string | null>()
  let code = 0
  for (const is_active of [true, false]) {
    for (const starts_at of moments) {
      for (const expires_at of moments.filter((end) => !end || !starts_at || end > starts_at)) {
        for (const max_uses of [0, 1, 2]) {
          const body = { code: `C${code++}`, type: 'percentage', value: 10, is_active, starts_at, expires_at, max_uses }
          assert.equal((await api.post('/v1/discounts', body)).status, 201)
        }
      }
    }
  }
  await world.app.db.transaction(async (tx) =>
    tx.later(sql`update discounts set current_uses = 1 where store_id = ${store.id}`),
  )
  const rows = await world.app.db.rows<DiscountRow>(sql`
    select ${discount.row.columns}
    from discounts
    where store_id = ${store.id}`)
  for (const row of rows) {
    const { data } = await api.get(`/v1/discounts/${publicId('disc', row.id)}`)
    const reason = getUnusableReason(row, world.clock.now())
    assert.deepEqual([data.unusable_reason, data.is_usable], [reason, reason === null], JSON.stringify(data))
    seen.add(reason)
  }
  assert.deepEqual([...seen].map(String).sort(), ['expired', 'inactive', 'not_started', 'null', 'used_up'])
})

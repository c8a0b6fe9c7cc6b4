import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateArrival } from './arrival.ts'

const days = (handling_days: number | null, min_days: number | null, max_days: number | null) => ({
  handling_days,
  min_days,
  max_days,
})

test('business days lead from the day of the store to the arrival', () => {
  const friday = new Date('2026-11-27T20:00:00Z')
  const arrival = (rate: ReturnType<typeof days>, since = friday, timezone = 'UTC') =>
    estimateArrival(rate, since, timezone)
  assert.deepEqual(arrival(days(1, 2, 4)), { from: '2026-12-02', to: '2026-12-04' })
  assert.deepEqual(arrival(days(null, 1, 1)), { from: '2026-11-30', to: '2026-11-30' })
  assert.deepEqual(arrival(days(null, null, 2)), { from: '2026-12-01', to: '2026-12-01' })
  assert.deepEqual(arrival(days(0, 0, 0)), { from: '2026-11-27', to: '2026-11-27' })
  // It is Saturday in Tokyo: nothing is sent before Monday.
  assert.deepEqual(arrival(days(0, 0, 1), friday, 'Asia/Tokyo'), { from: '2026-11-30', to: '2026-11-30' })
  assert.equal(arrival(days(3, null, null)), null)
})

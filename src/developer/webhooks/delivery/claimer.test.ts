import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openScan } from './claimer.ts'

test('after a long pass over receivers that hold their deliveries, the next one rests', async () => {
  const pending = (count: number, page = 0) =>
    Array.from({ length: count }, () => ({ store_id: 's', webhook_id: 'w', page }))
  // What is pending, and which receivers are free: the last page is full, so there is more.
  const parts = [pending(256), pending(16, 15), [], pending(3), []]
  const rows = async () => {
    await sleep(250)
    return parts.shift()
  }
  const scan = openScan({ db: { rows, clock: { now: () => new Date() } } as any, me: 1 })
  assert.ok(scan.isRested())
  assert.deepEqual(await scan.next(), { places: [], hasMore: true })
  assert.ok(scan.isRested(), 'the pass goes on')
  assert.deepEqual(await scan.next(), { places: [], hasMore: false })
  assert.ok(!scan.isRested())
})

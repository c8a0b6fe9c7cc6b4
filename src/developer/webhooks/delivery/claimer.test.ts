import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openScan } from './claimer.ts'
import { maxReceivers } from './claim.ts'

test('after a long pass over receivers that hold their deliveries, the next one rests', async () => {
  const held = Array.from({ length: maxReceivers }, () => ({ store_id: 's', webhook_id: 'w', is_free: false }))
  const parts = [held, held.slice(1)]
  const rows = async () => {
    await sleep(500)
    return parts.shift()
  }
  const scan = openScan({ db: { rows, clock: { now: () => new Date() } } as any, me: 1 })
  assert.ok(scan.isRested())
  assert.deepEqual(await scan.next(), { places: [], hasMore: true })
  assert.ok(scan.isRested(), 'the pass goes on')
  assert.deepEqual(await scan.next(), { places: [], hasMore: false })
  assert.ok(!scan.isRested())
})

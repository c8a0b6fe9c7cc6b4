import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitAtMost } from './patience.ts'

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

test('work that ends in time is waited for, and leaves no timer behind', async () => {
  const before = timers()
  await waitAtMost(60_000, Promise.resolve())
  await assert.rejects(waitAtMost(60_000, Promise.reject(new Error('failed'))), /failed/)
  assert.ok(timers() <= before)
})

test('work that takes longer is left', async () => {
  await waitAtMost(1, new Promise(() => {}))
})

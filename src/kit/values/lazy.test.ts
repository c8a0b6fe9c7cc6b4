import { test } from 'node:test'
import assert from 'node:assert/strict'
import { lazy } from './lazy.ts'

test('all callers share one promise', async () => {
  let made = 0
  const value = lazy(async () => ++made)
  assert.deepEqual(await Promise.all([value(), value(), value()]), [1, 1, 1])
  assert.equal(await value(), 1)
})

test('a failure reaches all who wait, and the next call tries again', async () => {
  let tries = 0
  const value = lazy(async () => {
    if (++tries === 1) throw new Error('not yet')
    return 'there'
  })
  const outcomes = await Promise.allSettled([value(), value()])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await value(), 'there')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSlice } from './slices.ts'

test('two long calculations take turns, and the event loop turns between their slices', async () => {
  const done: string[] = []
  const work = async (name: string) => {
    for (let slice = 0; slice < 3; slice++) {
      await nextSlice()
      done.push(name)
    }
  }
  let turns = 0
  let isWorking = true
  const turn = () => {
    turns++
    if (isWorking) setImmediate(turn)
  }
  setImmediate(turn)
  await Promise.all([work('one'), work('other')])
  isWorking = false
  assert.deepEqual(done, ['one', 'other', 'one', 'other', 'one', 'other'])
  assert.ok(turns >= 5, `${turns} turns for 6 slices`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimedOut } from './errors.ts'
import { openFairPool, type FairPool, type Purpose } from './fairpool.ts'

const longMs = 60_000

/** Asks for a place and notes the name once it has one. */
function asking(places: FairPool, served: string[]) {
  return (name: string, purpose: Purpose): Promise<() => void> =>
    places.take(purpose).then((giveBack) => {
      served.push(name)
      return giveBack
    })
}

const turn = () => new Promise(setImmediate)

test('a store has half of the connections, and its further work waits', async () => {
  const places = openFairPool(8, longMs)
  const served: string[] = []
  const ask = asking(places, served)
  const own = Array.from({ length: 6 }, (_, index) => ask(`own ${index}`, { kind: 'read', storeId: 'large' }))
  await turn()
  assert.deepEqual([served.length, places.waiting], [4, 2])
  const neighbour = await ask('neighbour', { kind: 'read', storeId: 'small' })
  assert.equal(served.at(-1), 'neighbour')
  ;(await own[0]!)()
  await turn()
  assert.equal(served.at(-1), 'own 4')
  neighbour()
  for (const giveBack of await Promise.all(own.slice(1, 5))) giveBack()
  ;(await own[5]!)()
  assert.equal(places.waiting, 0)
})

test('reads leave connections to writes, and writes to reads', async () => {
  for (const [kind, other] of [
    ['read', 'write'],
    ['write', 'read'],
  ] as const) {
    const places = openFairPool(8, longMs)
    const served: string[] = []
    const ask = asking(places, served)
    const many = Array.from({ length: 20 }, (_, index) => ask(kind, { kind, storeId: `store ${index}` }))
    await turn()
    assert.equal(served.length, 6)
    const giveBack = await ask(other, { kind: other, storeId: 'store 0' })
    assert.equal(served.at(-1), other)
    giveBack()
    for (const one of many) (await one)()
  }
})

test('a store has two dry runs at a time, and its writes still get connections', async () => {
  const places = openFairPool(8, longMs)
  const served: string[] = []
  const ask = asking(places, served)
  const dryRuns = Array.from({ length: 5 }, () => ask('dry run', { kind: 'dry run', storeId: 'a' }))
  await turn()
  assert.deepEqual([served.length, places.waiting], [2, 3])
  const others = await Promise.all([
    ask('write', { kind: 'write', storeId: 'a' }),
    ask('dry run of b', { kind: 'dry run', storeId: 'b' }),
  ])
  others.forEach((giveBack) => giveBack())
  for (const one of dryRuns) (await one)()
  assert.equal(places.waiting, 0)
})

test('waiting stores take turns, however much work one of them has', async () => {
  const places = openFairPool(2, longMs)
  const served: string[] = []
  const ask = asking(places, served)
  const first = await Promise.all([ask('x', { kind: 'read' }), ask('x', { kind: 'read' })])
  const asked = ['a', 'a', 'a', 'a', 'b', 'c'].map((storeId) => ask(storeId, { kind: 'read', storeId }))
  first.forEach((giveBack) => giveBack())
  for (const one of asked) void one.then(async (giveBack) => (await turn(), giveBack()))
  await Promise.all(asked)
  assert.deepEqual(served.slice(2, 6).toSorted(), ['a', 'a', 'b', 'c'])
})

test('a call that waits too long fails and leaves the queue', async () => {
  const places = openFairPool(1, 10)
  const giveBack = await places.take({ kind: 'write' })
  await assert.rejects(places.take({ kind: 'write' }), TimedOut)
  assert.equal(places.waiting, 0)
  giveBack()
  ;(await places.take({ kind: 'write' }))()
})

test('a full queue rejects at once, and one store cannot fill it', async () => {
  const places = openFairPool(1, longMs)
  const giveBack = await places.take({ kind: 'read' })
  const fill = (storeId: string, count: number) =>
    Array.from({ length: count }, () => places.take({ kind: 'read', storeId }))
  const waiting = fill('large', 250)
  await assert.rejects(places.take({ kind: 'read', storeId: 'large' }), { status: 503 })
  waiting.push(...fill('small', 250))
  await assert.rejects(places.take({ kind: 'write', storeId: 'third' }), { status: 503 })
  giveBack()
  await Promise.all(waiting.map(async (one) => (await one)()))
  assert.equal(places.waiting, 0)
})

// Who follows the log through kill -9 and restarts sees every event once, in order, and what was answered among them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brokenInvariants } from '../src/program/cli/invariants.ts'
import { sql } from '../src/kit/database/sql.ts'
import { workerProcess, type WorkerProcess } from './worker-process.ts'
import { ownDatabase } from './database.ts'
import { openWorld } from './world.ts'

const kills = 4
const writers = 8

test('who follows the log through kill -9 and restarts of two nodes sees every event once and in order', async () => {
  const database = await ownDatabase()
  const world = await openWorld({}, { database })
  const { db } = world.app
  const store = await world.newStore()
  const keys = await Promise.all(Array.from({ length: 12 }, async () => (await store.withKey({})).key))
  const nodes: WorkerProcess[] = await Promise.all([workerProcess(database.url), workerProcess(database.url)])
  after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
  let isOver = false
  let turn = 0

  /** Of a node that may be gone: null. */
  const ask = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: any } | null> => {
    const key = keys[turn++ % keys.length]!
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    return fetch(`${nodes[turn % 2]!.url}${path}`, { ...init, headers })
      .then(
        async (response) => ({ status: response.status, body: await response.json() }),
        () => null,
      )
      .catch(() => null)
  }
  const answered = new Set<string>()
  const write = async () => {
    while (!isOver) {
      const answer = await ask('/v1/products', { method: 'POST', body: JSON.stringify({ name: 'Mug', price: 5 }) })
      if (answer?.status === 201) answered.add(answer.body.data.id)
      else await sleep(20)
    }
  }
  const seen: { sequence: number; event_id: string }[] = []
  const follow = async () => {
    for (let next = 0; ;) {
      const isLast = isOver
      const answer = await ask(`/v1/events?after=${next}&limit=50&wait=2`)
      if (answer?.status !== 200) {
        await sleep(20)
        continue
      }
      seen.push(...answer.body.data)
      next = answer.body.log.next_after
      if (isLast && answer.body.data.length === 0) return
    }
  }
  const following = follow()
  const writing = Array.from({ length: writers }, write)
  for (let round = 0; round < kills; round++) {
    const before = answered.size
    while (answered.size < before + 40) await sleep(20)
    await nodes[round % 2]!.end(round < kills - 1 ? 'SIGKILL' : 'SIGTERM')
    nodes[round % 2] = await workerProcess(database.url)
  }
  isOver = true
  await Promise.all([...writing, following])

  assert.deepEqual(
    seen.map(({ sequence }) => sequence),
    Array.from({ length: seen.length }, (_, index) => index + 1),
  )
  const told = new Set(seen.map(({ event_id }) => event_id))
  assert.deepEqual(
    [...answered].filter((id) => !told.has(id)),
    [],
  )
  const [written] = await db.rows<{ count: number }>(sql`
    select count(*) as count from products where store_id = ${store.store.id}`)
  assert.deepEqual([told.size, seen.length], [written!.count, written!.count])
  assert.deepEqual(await brokenInvariants(db, store.store.id), [])
})

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../test/server.ts'
import { openWorld, ownDatabase } from '../../test/world.ts'
import { signature } from '../webhooks/signature.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database })
const env = { DATABASE_URL: database.url }

test('listen carries what trigger emits to a local address, signed', async (t) => {
  const { store } = await world.newStore()
  const received: { headers: any; body: string }[] = []
  const local = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(local, 'listening')
  t.after(() => local.close())
  const url = `http://127.0.0.1:${(local.address() as AddressInfo).port}/hooks`

  const listening = run('src/cli.ts', ['listen', '--store', store.id, '--forward-to', url, '--json'], { env })
  t.after(() => listening.child.kill('SIGKILL'))
  while (listening.lines().length === 0) await sleep(50)
  const [{ secret }] = listening.lines()
  const triggered = await run('src/cli.ts', ['trigger', 'order.created', '--store', store.id, '--json'], { env }).ended
  assert.equal(triggered.code, 0, triggered.stderr)
  while (received.length === 0) await sleep(50)
  const [{ headers, body }] = received as [typeof received[0]]
  assert.equal(headers['x-webhook-event'], 'order.created')
  assert.equal(headers['x-webhook-signature'], signature({ timestamp: headers['x-webhook-timestamp'], body }, secret))
  const payload = JSON.parse(body)
  assert.deepEqual([payload.event_id, payload.store], [JSON.parse(triggered.stdout).event_id, { id: store.id, name: store.name, timezone: 'UTC' }])

  listening.child.kill('SIGINT')
  const ended = await listening.ended
  assert.equal(ended.code, 0, ended.stderr)
  assert.deepEqual(listening.lines().slice(1).map(({ event, outcome, carried }) => event ? [event, outcome] : [carried]), [['order.created', 200], [1]])
})

test('an event that does not exist, and a url that is none, are refused', async () => {
  const { store } = await world.newStore()
  const unknown = await run('src/cli.ts', ['trigger', 'order.eaten', '--store', store.id, '--json'], { env }).ended
  assert.equal(unknown.code, 1)
  assert.equal(JSON.parse(unknown.stderr).error.details[0].field, 'event')
  const nowhere = await run('src/cli.ts', ['listen', '--store', store.id, '--forward-to', 'nowhere', '--json'], { env }).ended
  assert.equal(JSON.parse(nowhere.stderr).error.details[0].field, 'forward_to')
})

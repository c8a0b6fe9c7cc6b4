import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createHmac } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../test/server.ts'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld, secretKey } from '../../../test/world.ts'
import { signature } from '../../platform/outbound/signature.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database })
const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey }

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

  const listening = run('src/program/cli.ts', ['listen', '--store', store.id, '--forward-to', url, '--json'], { env })
  t.after(() => listening.child.kill('SIGKILL'))
  while (listening.lines().length === 0) await sleep(50)
  const [{ secret }] = listening.lines()
  const triggered = await run('src/program/cli.ts', ['trigger', 'order.created', '--store', store.id, '--json'], {
    env,
  }).ended
  assert.equal(triggered.code, 0, triggered.stderr)
  while (received.length === 0) await sleep(50)
  const [{ headers, body }] = received as [(typeof received)[0]]
  assert.equal(headers['x-webhook-event'], 'order.created')
  assert.equal(headers['x-webhook-signature'], signature({ timestamp: headers['x-webhook-timestamp'], body }, secret))
  const payload = JSON.parse(body)
  assert.equal(payload.event_id, JSON.parse(triggered.stdout).event_id)
  assert.deepEqual(payload.store, { id: store.id, name: store.name, timezone: 'UTC' })

  const again = run('src/program/cli.ts', ['listen', '--store', store.id, '--forward-to', url, '--json'], { env })
  t.after(() => again.child.kill('SIGKILL'))
  while (again.lines().length === 0) await sleep(50)
  assert.equal(again.lines()[0].secret, secret, 'the secret stays')

  listening.child.kill('SIGINT')
  const ended = await listening.ended
  assert.equal(ended.code, 0, ended.stderr)
  const [, carried, end] = listening.lines()
  assert.deepEqual([carried.event, carried.outcome, end], ['order.created', 200, { carried: 1 }])
})

test('an event that does not exist, and a url that is none, are refused', async () => {
  const { store } = await world.newStore()
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run('src/program/cli.ts', [...args, '--store', store.id, '--json'], { env }).ended
    return [code, JSON.parse(stderr).error.details[0].field]
  }
  assert.deepEqual(await refused('trigger', 'order.eaten'), [1, 'event'])
  assert.deepEqual(await refused('listen', '--forward-to', 'nowhere'), [1, 'forward_to'])
})

/** Answers what `answer` says of each request. */
async function serving(t: TestContext, answer: (headers: any, body: string) => number): Promise<string> {
  const local = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    response.writeHead(answer(request.headers, body)).end()
  }).listen(0, '127.0.0.1')
  await once(local, 'listening')
  t.after(() => local.close())
  return `http://127.0.0.1:${(local.address() as AddressInfo).port}/hooks`
}

test('webhook examine says what a receiver on this machine gets wrong, and ends with 1', async (t) => {
  const url = await serving(t, () => 200)
  const { code, stdout } = await run('src/program/cli.ts', ['webhook', 'examine', url, '--secret', 'abc']).ended
  assert.equal(code, 1)
  assert.match(stdout, /^It returns 200 for a forged signature, so it does not check signatures\.\n {2}Compute /)
  const json = await run('src/program/cli.ts', ['webhook', 'examine', url, '--secret', 'abc', '--json']).ended
  assert.equal(JSON.parse(json.stdout).findings[0].code, 'unchecked')
})

test('listen says why a local receiver refuses the signature', async (t) => {
  const { store } = await world.newStore()
  const secret = 'a secret of our own choice'
  const url = await serving(t, ({ 'x-webhook-signature': given }, body) =>
    given === createHmac('sha256', secret).update(body).digest('hex') ? 200 : 401,
  )
  const options = ['--store', store.id, '--forward-to', url, '--secret', secret, '--json']
  const listening = run('src/program/cli.ts', ['listen', ...options], { env })
  t.after(() => listening.child.kill('SIGKILL'))
  while (listening.lines().length === 0) await sleep(50)
  await run('src/program/cli.ts', ['trigger', 'order.created', '--store', store.id, '--json'], { env }).ended
  while (listening.lines().length === 1) await sleep(50)
  const [, { outcome, why }] = listening.lines()
  assert.deepEqual(
    [outcome, why.code, why.says],
    [401, 'without_timestamp', 'computes the signature over the body alone'],
  )
})

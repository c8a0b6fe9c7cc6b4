// The starter, written to an empty folder, against a server of its own.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { verifyWebhook } from '../../../sdk/typescript/src/index.ts'
import { root } from '../../../test/server.ts'
import { stoaOn } from '../../../test/stoa.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { forks: true })
const run = promisify(execFile)

test('the starter of stoa init is typed, and its tests pass against a fork', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-init-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const app = path.join(folder, 'app')
  const stoa = stoaOn({ DATA_DIR: folder })
  const written = await stoa.json('init', app)
  for (const file of ['server.ts', '.env.example', 'stoa/index.ts', 'test/app.test.ts', 'package.json'])
    assert.ok(written.files.includes(file), file)
  const settings = await readFile(path.join(app, '.env.example'), 'utf8')
  assert.doesNotMatch(settings, /npx |\/stoa/)
  assert.equal((await stoa.refused('init', app)).error.code, 'CONFLICT')

  const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node']
  await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', app, ...types])

  const shop = await world.newStore()
  const env = { PATH: process.env.PATH, STOA_URL: world.url, STOA_KEY: shop.api.key }
  const { stdout } = await run(process.execPath, ['--test'], { cwd: app, env })
  assert.match(stdout, /pass 3\n/)
  assert.match(stdout, /fail 0\n/)
  assert.deepEqual((await shop.api.get('/v1/forks')).data, [])
  assert.equal((await shop.api.get('/v1/products/count')).data.count, 0)
  assert.deepEqual(JSON.parse(await readFile(path.join(app, 'package.json'), 'utf8')).dependencies, undefined)
})

test("the SDK's own program forwards new events to a receiver, which verifies them", async (t) => {
  const shop = await world.newStore()
  await shop.api.post('/v1/customers', { name: 'Earlier' })
  const requests = new EventEmitter()
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    response.writeHead(204).end()
    requests.emit('request', { headers: request.headers, body })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  const secret = 'a secret of the app'
  const env = { ...process.env, STOA_URL: world.url, STOA_KEY: shop.api.key, WEBHOOK_SECRET: secret }
  const program = spawn(process.execPath, [path.join(root, 'sdk/typescript/src/listen.ts'), receiver], { env })
  t.after(() => program.kill())
  await once(program.stdout, 'data')
  const received = once(requests, 'request')
  const { data: customer } = await shop.api.post('/v1/customers', { name: 'Ana' })
  const [{ headers, body }] = await received
  const event = await verifyWebhook({ secret, headers, body })
  assert.deepEqual([event.event, (event.body as any).customer.id], ['customer.created', customer.id])
})

// stoa api, logs and completion, as a developer uses them beside a server.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { newDataDir, run } from '../../../test/server.ts'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld } from '../../../test/world.ts'
import { newId } from '../../kit/values/ids.ts'
import { createKey } from '../../identity/apikeys/operations.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'

const database = await ownDatabase()
const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { database, delivers: true })
const shop = await world.newStore()
const { key } = await world.app.db.transaction((tx) =>
  createKey(tx, shop.store, { name: 'terminal', mode: 'live', scopes: [...scopes], expires_at: null, is_active: true }),
)
const env = { DATABASE_URL: database.url, STOA_URL: world.url, STOA_KEY: key }

const stoa = (args: string[], more: Record<string, string> = {}) =>
  run('src/program/cli.ts', args, { env: { ...env, ...more } }).ended
const faultsOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await stoa(['api', ...args, '--json'])
  assert.deepEqual([code, stdout], [1, ''])
  return JSON.parse(stderr).error.details.map(({ field, message }: any) => `${field} ${message}`)
}

test('api sends fields as the body of a write and as the query of a read', async () => {
  const made = await stoa(['api', 'POST', '/v1/products', 'name=Mug', 'price:=12.5', 'tags:=["new"]'])
  assert.equal(made.code, 0, made.stderr)
  const { data } = JSON.parse(made.stdout)
  assert.deepEqual([data.name, data.price, data.tags], ['Mug', 12.5, ['new']])
  await shop.api.post('/v1/products', { name: 'Bag', price: 30 })
  const found = await stoa(['api', 'get', '/v1/products', 'search=mug', 'per_page:=5'])
  assert.deepEqual(
    JSON.parse(found.stdout).data.map(({ id }: any) => id),
    [data.id],
  )
})

test('api sends a file as the body, and a dry run changes nothing', async (t) => {
  const file = path.join(await newDataDir(t), 'product.json')
  await writeFile(file, JSON.stringify({ name: 'Lamp', price: 40 }))
  const { data: before } = await shop.api.get('/v1/products/count')
  const tried = await stoa(['--dry-run', 'api', 'POST', '/v1/products', 'price:=50', '--body', file, '--include'])
  assert.equal(tried.code, 0, tried.stderr)
  assert.match(tried.stdout, /^HTTP 20\d\n[^]*"price": 50/)
  assert.deepEqual((await shop.api.get('/v1/products/count')).data, before)
})

test('an error of the API is printed and ends with 1', async () => {
  const refused = await stoa(['api', 'POST', '/v1/products', 'price:=-1'])
  assert.equal(refused.code, 1)
  const fields = JSON.parse(refused.stdout).error.details.map(({ field }: any) => field)
  assert.deepEqual(fields.sort(), ['name', 'price'])
  const unknown = await stoa(['api', 'GET', `/v1/products/${newId('prod')}`, '--key', 'wk_live_none'])
  assert.deepEqual([unknown.code, JSON.parse(unknown.stdout).error.code], [1, 'AUTHENTICATION_ERROR'])
})

test('all faults of the arguments are named at once, and nothing is sent', async () => {
  assert.deepEqual(await faultsOf('PUT', '/v1/products/{id}', 'price:=1x', 'nonsense'), [
    'method must be one of GET, POST, PATCH, DELETE',
    'path still contains {id}: write the ID there',
    'fields contains price:=1x: write name=text or name:=JSON',
    'fields contains nonsense: write name=text or name:=JSON',
  ])
  assert.deepEqual(await faultsOf('GET', 'v1/products'), ['path must begin with a slash, such as /v1/products'])
  assert.deepEqual(await faultsOf('GET', '/v1/products', '--url', 'shop'), ['url must be an http or https URL'])
  const words = await stoa(['api', 'GET', 'v1/products'])
  assert.equal(words.stderr, 'path must begin with a slash, such as /v1/products\n')
})

test('the key goes to the given server alone', async (t) => {
  const asked: string[] = []
  const other = await serving(t, (request) => void asked.push(request.url!))
  const path = `//${new URL(other).host}/v1/products`
  const answered = await stoa(['api', 'GET', path])
  assert.deepEqual([answered.code, asked], [1, []])
  const gone = await stoa(['api', 'GET', '/v1/products', '--url', 'http://127.0.0.1:9'])
  assert.deepEqual([gone.code, gone.stdout], [1, ''])
  assert.match(gone.stderr, /^No answer from http:\/\/127\.0\.0\.1:9: /)
})

async function serving(t: TestContext, see: (request: { url?: string }) => void): Promise<string> {
  const server = createServer((request, response) => {
    see(request)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('logs prints the latest requests, and follows requests and deliveries with their attempts', async (t) => {
  const { api, store } = await world.newStore()
  const url = 'https://127.0.0.1:9/hooks'
  await api.post('/v1/webhooks', { name: 'Closed', url, events: ['product.created'] })
  await api.get('/v1/products?search=secret')
  const following = run('src/program/cli.ts', ['logs', '--store', store.id, '--follow', '--json'], { env })
  t.after(() => following.child.kill('SIGKILL'))
  const until = async (isThere: (entry: any) => boolean) => {
    for (let tries = 0; tries < 200; tries++, await sleep(50)) {
      await world.app.requestLog!.flush()
      const entry = following.lines().find(isThere)
      if (entry) return entry
    }
    throw new Error(JSON.stringify(following.lines()))
  }
  const read = await until(({ path, method }) => path === '/v1/products' && method === 'GET')
  assert.deepEqual([read.status, read.query], [200, 'search=***'])
  await api.post('/v1/products', { name: 'Mug', price: 'much' })
  assert.equal((await until(({ status }) => status === 422)).code, 'VALIDATION_ERROR')
  await api.post('/v1/products', { name: 'Mug', price: 12 })
  const delivery = await until(({ event }) => event === 'product.created')
  assert.deepEqual([delivery.url, delivery.status, delivery.status_code, delivery.attempts], [url, 'pending', null, 1])
  following.child.kill('SIGINT')
  const { code, stderr } = await following.ended
  assert.deepEqual([code, stderr], [0, ''])
  const entries = following.lines()
  assert.deepEqual(entries.at(-1), { printed: entries.length - 1 })
  const { stdout } = await stoa(['logs', '--store', store.id, '--limit', '2'])
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, 2, stdout)
  assert.match(lines.join('\n'), /POST \/v1\/products → 201 in [\d.]+ ms, by key_/)
})

test('completion completes commands, options, methods and paths in bash', async () => {
  const { stdout: script } = await stoa(['completion'])
  const complete = async (...words: string[]) => {
    const line = `COMP_WORDS=(stoa ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`
    const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${line}; _stoa; echo "\${COMPREPLY[@]}"`])
    return stdout.trim().split(' ')
  }
  assert.deepEqual(await complete('webh'), ['webhook'])
  assert.deepEqual(await complete('store', 'cr'), ['create'])
  assert.deepEqual(await complete('store', 'create', '--time'), ['--timezone'])
  assert.deepEqual(await complete('api', 'PA'), ['PATCH'])
  assert.deepEqual(await complete('--json', 'api', 'GET', '/v1/products/c'), ['/v1/products/count'])
  assert.deepEqual(await complete('api', 'POST', '/v1/orders/{id}/ref'), ['/v1/orders/{id}/refunds'])
})

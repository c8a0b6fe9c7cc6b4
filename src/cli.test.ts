// The operator's commands, as processes of their own: beside a running server, and alone.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { run, startServer } from '../test/server.ts'

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-cli-'))
const server = await startServer(dataDir)
after(async () => {
  await server.end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

const stoa = (args: string[], env: Record<string, string> = {}) => run('src/cli.ts', args, { env: { DATA_DIR: dataDir, ...env } }).ended

async function json(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await stoa([...args, '--json'])
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim().split('\n').length, 1, 'one object')
  return JSON.parse(stdout)
}

async function refused(args: string[], expected: { code: number; error?: string; fields?: string[] }, env = {}): Promise<void> {
  const { code, stdout, stderr } = await stoa([...args, '--json'], env)
  assert.deepEqual([code, stdout], [expected.code, ''], stderr)
  if (!expected.error) return
  const { error } = JSON.parse(stderr)
  assert.equal(error.code, expected.error)
  if (expected.fields) assert.deepEqual(error.details.map(({ field }: any) => field), expected.fields)
}

const get = (url: string, key: string) => fetch(server.url + url, { headers: { 'x-api-key': key } })

test('a store and a key made beside a running server work at once, until the key is deactivated', async () => {
  const { store } = await json('store', 'create', '--name', 'Café Uno', '--currency', 'MXN', '--country', 'MX',
    '--timezone', 'America/Mexico_City', '--plan', 'growth')
  assert.match(store.id, /^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$/)
  assert.deepEqual([store.slug, store.currency, store.plan_name], ['cafe-uno', 'MXN', 'Growth'])
  const made = await json('key', 'create', '--store', store.id, '--mode', 'live', '--scopes', 'all', '--name', 'Till')
  assert.deepEqual(Object.keys(made), ['id', 'key'])
  assert.match(made.key, /^wk_live_[0-9A-Za-z]{40}$/)
  assert.equal(((await (await get('/v1/store', made.key)).json()) as any).data.id, store.id)

  const { keys } = await json('key', 'list', '--store', store.id)
  assert.deepEqual(keys.map(({ id, name }: any) => [id, name]), [[made.id, 'Till']])
  await json('key', 'deactivate', made.id)
  const deadline = Date.now() + 6000
  while ((await get('/v1/store', made.key)).status !== 401) assert.ok(Date.now() < deadline, 'it still works')
})

test('scopes are listed, or named by their group', async () => {
  const { store } = await json('store', 'create', '--name', 'Groups')
  const { key } = await json('key', 'create', '--store', store.id, '--mode', 'test', '--scopes', 'Automatizaciones,read:orders')
  assert.deepEqual([(await get('/v1/webhooks', key)).status, (await get('/v1/orders', key)).status, (await get('/v1/products', key)).status],
    [200, 200, 403])
})

test('users, clients, plans and statuses', async () => {
  const { store } = await json('store', 'create', '--name', 'Team')
  const owner = ['--email', 'owner@example.com', '--password', 'long enough 1', '--store', store.id, '--role', 'owner']
  const { id } = await json('user', 'create', ...owner)
  assert.match(id, /^usr_/)
  await refused(['user', 'create', ...owner], { code: 1, error: 'CONFLICT' })
  const client = await json('client', 'create', '--name', 'App', '--redirect-uri', 'https://app.example/cb', 'https://app.example/cb2',
    '--scope', 'read:orders read:products')
  assert.deepEqual(Object.keys(client), ['client_id', 'client_secret'])
  await refused(['client', 'create', '--name', 'App', '--redirect-uri', 'http://app.example/cb', '--scope', 'read:orders'],
    { code: 1, error: 'VALIDATION_ERROR' })
  assert.equal((await json('store', 'set-plan', store.id, 'free')).store.plan_name, 'Free')
  assert.equal((await json('store', 'set-status', store.id, 'suspended')).store.status, 'suspended')
  await refused(['store', 'set-plan', store.id, 'gold'], { code: 1, error: 'NOT_FOUND' })
})

test('all faults of an input come at once; wrong words are 2, a wrong configuration 78', async () => {
  await refused(['store', 'create', '--name', '', '--currency', 'usd', '--timezone', 'Mars/Base'],
    { code: 1, error: 'VALIDATION_ERROR', fields: ['name', 'currency', 'timezone'] })
  await refused(['store', 'create'], { code: 2 })
  await refused(['no-such-command'], { code: 2 })
  await refused(['store', 'list'], { code: 78, error: 'CONFIGURATION_ERROR' }, { PORT: 'x', WORKERS: '0' })
  await refused(['key', 'create', '--store', 'AA-00000000', '--mode', 'live', '--scopes', 'all'], { code: 1, error: 'NOT_FOUND' })
})

test('a demo, examined by the doctor, backed up, and restored alone elsewhere', async () => {
  const demo = await json('demo')
  assert.equal(demo.store.name, 'Harbour & Pine')
  const { ok, findings } = await json('doctor')
  assert.ok(ok, JSON.stringify(findings))
  const file = path.join(dataDir, 'backup.gz')
  const written = await json('backup', file)
  const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'stoa-cli-'))
  try {
    const { code, stdout, stderr } = await stoa(['restore', file, '--json'], { DATA_DIR: elsewhere })
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).rows, written.rows)
    const stores = await stoa(['store', 'list'], { DATA_DIR: elsewhere })
    assert.match(stores.stdout, /Harbour & Pine/)
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
})

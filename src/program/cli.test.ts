import assert from 'node:assert/strict'
import { chmod, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { client } from '../../test/client.ts'
import { newDatabase } from '../../test/database.ts'
import { newDataDir, startServer } from '../../test/server.ts'
import { stoaOn } from '../../test/stoa.ts'
import { madeReady, send as upload } from '../../test/uploads.ts'
import { runningPostgres } from '../platform/postgres/postgres.ts'

test("the operator's commands, alone and beside a running server", async (t) => {
  const dataDir = await newDataDir(t)
  const stoa = stoaOn({ DATA_DIR: dataDir })
  let storeId = ''

  await t.test('alone, a command starts, migrates and stops the database', async () => {
    const { store } = await stoa.json(
      'store',
      'create',
      '--name',
      'Café Sol',
      '--currency',
      'MXN',
      '--country',
      'MX',
      '--timezone',
      'America/Mexico_City',
    )
    storeId = store.id
    assert.match(storeId, /^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$/)
    assert.deepEqual(
      [
        store.name,
        store.slug,
        store.currency,
        store.country_code,
        store.timezone,
        store.plan_name,
        store.status,
        store.is_active,
      ],
      ['Café Sol', 'cafe-sol', 'MXN', 'MX', 'America/Mexico_City', 'Unlimited', 'active', true],
    )
    assert.equal(store.storefront_url, 'http://localhost:4000/s/cafe-sol')
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('two commands at once share the database, and the last one stops it', async () => {
    const [a, b] = await Promise.all([stoa.json('store', 'list'), stoa.json('store', 'list')])
    assert.deepEqual([a.stores.length, b.stores.length], [1, 1])
    assert.equal(await runningPostgres(dataDir), null)
  })

  const server = await startServer(dataDir)
  t.after(() => server.end())
  const get = (key: string, route = '/v1/store') => fetch(server.url + route, { headers: { 'x-api-key': key } })

  await t.test('a key made beside a running server works there at once, within its scopes', async () => {
    const { id, key } = await stoa.json(
      'key',
      'create',
      '--store',
      storeId,
      '--mode',
      'live',
      '--scopes',
      'read:store,Catálogo',
      '--name',
      'Till',
    )
    assert.match(id, /^key_[0-9a-z]{26}$/)
    assert.match(key, /^wk_live_[0-9A-Za-z]{32,}$/)
    assert.equal((await get(key)).status, 200)
    assert.equal((await get(key, '/v1/products')).status, 200)
    assert.equal((await get(key, '/v1/orders')).status, 403)

    const { keys } = await stoa.json('key', 'list', '--store', storeId)
    const [listed] = keys.filter((one: { name: string }) => one.name === 'Till')
    assert.deepEqual([listed.id, listed.mode, listed.last4, listed.is_active], [id, 'live', key.slice(-4), true])
    assert.doesNotMatch(JSON.stringify(keys), new RegExp(key))
  })

  await t.test('--json may stand before the command, and all scopes are all', async () => {
    const { stdout } = await stoa('--json', 'key', 'create', '--store', storeId, '--mode', 'test', '--scopes', 'all')
      .ended
    const { key } = JSON.parse(stdout)
    assert.match(key, /^wk_test_/)
    for (const route of ['/v1/orders', '/v1/webhooks', '/v1/checkout-drafts']) {
      assert.equal((await get(key, route)).status, 200, route)
    }
  })

  await t.test('a key that has expired is made, and refused by the API', async () => {
    const { key } = await stoa.json(
      'key',
      'create',
      '--store',
      storeId,
      '--mode',
      'live',
      '--scopes',
      'all',
      '--expires-at',
      '2026-01-01T00:00:00Z',
    )
    assert.equal((await get(key)).status, 401)
  })

  await t.test('a key that is in use is refused within 5 seconds of its deactivation', async () => {
    const { id, key } = await stoa.json('key', 'create', '--store', storeId, '--mode', 'live', '--scopes', 'all')
    assert.equal((await get(key)).status, 200)
    assert.deepEqual(await stoa.json('key', 'deactivate', id), { id, is_active: false })
    const deadline = Date.now() + 5_000
    while ((await get(key)).status !== 401) assert.ok(Date.now() < deadline, 'it still works')
  })

  await t.test('a plan and a status are set, and the API follows', async () => {
    const { key } = await stoa.json('key', 'create', '--store', storeId, '--mode', 'live', '--scopes', 'all')
    const { store } = await stoa.json('store', 'set-plan', storeId, 'growth')
    assert.deepEqual([store.id, store.plan_name], [storeId, 'Growth'])
    const suspended = await stoa.json('store', 'set-status', storeId, 'suspended')
    assert.deepEqual([suspended.store.status, suspended.store.is_active], ['suspended', false])
    assert.equal((await get(key)).status, 200)
    const write = await fetch(`${server.url}/v1/categories`, {
      method: 'POST',
      body: '{"name":"Hats"}',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    assert.equal(write.status, 403)
    assert.equal((await stoa.json('store', 'set-status', storeId, 'active')).store.status, 'active')
  })

  await t.test('audit verify says that the log is as it was written, and which entry is not', async () => {
    const deadline = Date.now() + 20_000
    const sealed = async () => (await stoa.json('audit', 'verify', '--store', storeId)).stores[0]?.rows ?? 0
    while ((await sealed()) === 0) assert.ok(Date.now() < deadline, 'nothing is sealed')
    assert.equal((await stoa.json('audit', 'verify')).ok, true)
    const entry = `where id = (select entries[1] from audit_seals where store_id = '${storeId}' and sequence = 1)`
    await onDatabase(dataDir, `update audit_log set changes = replace(changes::text, 'Sol', 'Sal')::json ${entry}`)
    const { code, stdout } = await stoa('--json', 'audit', 'verify').ended
    assert.equal(code, 1)
    const { ok, stores } = JSON.parse(stdout)
    const broken = stores.find(({ store_id }: { store_id: string }) => store_id === storeId)!.broken
    assert.deepEqual([ok, broken], [false, { sequence: 1, reason: 'the row was changed' }])
    await onDatabase(dataDir, `update audit_log set changes = replace(changes::text, 'Sal', 'Sol')::json ${entry}`)
    assert.equal((await stoa.json('audit', 'verify')).ok, true)
  })

  await t.test('a user is made as a member of a store, once', async () => {
    const given = ['--email', 'ana@example.com', '--password', 'correct horse', '--store', storeId, '--role', 'admin']
    const { id } = await stoa.json('user', 'create', ...given)
    assert.match(id, /^usr_[0-9a-z]{26}$/)
    const { code, error } = await stoa.refused('user', 'create', ...given)
    assert.deepEqual([code, error.code], [1, 'CONFLICT'])
    assert.match(error.message, /already exists\. To add the user to another store, use: user add$/)
  })

  await t.test('who has an account gets a role in a second store', async () => {
    const { store } = await stoa.json('store', 'create', '--name', 'Second')
    const given = ['--store', store.id, '--role', 'staff']
    const { id } = await stoa.json('user', 'add', '--email', 'ANA@example.com', ...given)
    assert.match(id, /^usr_/)
    assert.equal((await stoa.refused('user', 'add', '--email', 'ana@example.com', ...given)).error.code, 'CONFLICT')
    assert.equal((await stoa.refused('user', 'add', '--email', 'bo@example.com', ...given)).error.code, 'NOT_FOUND')
    assert.deepEqual((await stoa.refused('user', 'add', '--email', 'ana', ...given)).error.details[0].field, 'email')
  })

  await t.test("a merchant's control sequences do not reach the operator's terminal", async () => {
    await onDatabase(
      dataDir,
      `update stores set name = E'\\x1b]0;title\\x07\\x1b[31mRed\\u202e \\u009b2J' where name = 'Second'`,
    )
    const { stdout } = await stoa('store', 'list').ended
    assert.match(stdout, /  Red +\(/)
    assert.doesNotMatch(stdout, /(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  })

  await t.test('what a person typed wrong is answered with what it may be', async () => {
    const said = async (...args: string[]) => (await stoa(...args).ended).stderr
    const create = ['store', 'create', '--name', 'x']
    assert.match(await said(...create, '--currency', 'EURO'), /^--currency must be an uppercase ISO 4217 code/)
    assert.match(await said(...create, '--slug', 'My Shop'), /^--slug must be at most 63 lowercase letters and digits/)
    const plans = /^Unknown plan gold\. Available plans: free, growth, starter, unlimited\n$/
    assert.match(await said(...create, '--plan', 'gold'), plans)
    assert.match(await said('store', 'set-plan', storeId, 'gold'), plans)
    assert.match(
      (await stoa('key', 'create', '--help').ended).stdout,
      /catalog,\s+orders,\s+customers,\s+marketing,\s+store,\s+automations/,
    )
    assert.deepEqual((await stoa.json('mail')).letters, [])
  })

  await t.test('an OAuth client is made, and its secret told', async () => {
    const client = (uri: string) => [
      'client',
      'create',
      '--name',
      'Ledger',
      '--redirect-uri',
      uri,
      'https://ledger.example/two',
      '--scope',
      'read:orders read:store',
    ]
    const made = await stoa.json(...client('https://ledger.example/cb'))
    assert.deepEqual(Object.keys(made), ['client_id', 'client_secret'])
    assert.equal((await stoa.refused(...client('http://ledger.example/cb'))).error.code, 'VALIDATION_ERROR')
  })

  await t.test('a refusal names every fault, on stderr, with exit code 1', async () => {
    const { code, error } = await stoa.refused(
      'store',
      'create',
      '--name',
      ' ',
      '--currency',
      'XYZ',
      '--country',
      'mx',
      '--timezone',
      'Mars',
    )
    assert.deepEqual([code, error.code], [1, 'VALIDATION_ERROR'])
    assert.deepEqual(error.details.map(({ field }: { field: string }) => field).sort(), [
      'country_code',
      'currency',
      'name',
      'timezone',
    ])

    const words = await stoa('store', 'create', '--name', 'x', '--currency', 'XYZ', '--country', 'mx').ended
    assert.deepEqual([words.code, words.stdout], [1, ''])
    assert.match(words.stderr, /^  --currency must be an uppercase ISO 4217 code/m)
    assert.match(words.stderr, /^  --country must be/m)
  })

  await t.test('what does not exist is refused with NOT_FOUND', async () => {
    const cases = [
      ['store', 'set-plan', storeId, 'golden'],
      ['store', 'set-status', 'XX-00000000', 'paused'],
      ['key', 'list', '--store', 'XX-00000000'],
      ['key', 'deactivate', 'key_00000000000000000000000000'],
      ['key', 'deactivate', 'nothing'],
    ]
    await Promise.all(
      cases.map(async (args) => {
        const { code, error } = await stoa.refused(...args)
        assert.deepEqual([code, error.code], [1, 'NOT_FOUND'], args.join(' '))
      }),
    )
  })

  await t.test('unknown scopes, modes, statuses, roles and times are refused with their field', async () => {
    const key = ['key', 'create', '--store', storeId]
    const cases: [field: string, ...args: string[]][] = [
      ['scopes', ...key, '--mode', 'live', '--scopes', 'read:store,read:moon'],
      ['mode', ...key, '--mode', 'lively', '--scopes', 'all'],
      ['expires_at', ...key, '--mode', 'live', '--scopes', 'all', '--expires-at', 'tomorrow'],
      ['status', 'store', 'set-status', storeId, 'open'],
      ['forward_to', 'listen', '--store', storeId, '--forward-to', 'ftp://localhost/'],
      ['limit', 'outbox', '--limit', 'many'],
      [
        'role',
        'user',
        'create',
        '--email',
        'b@example.com',
        '--password',
        'correct horse',
        '--store',
        storeId,
        '--role',
        'king',
      ],
    ]
    await Promise.all(
      cases.map(async ([field, ...args]) => {
        const { code, error } = await stoa.refused(...args)
        const fields = error.details.map((fault: { field: string }) => fault.field)
        assert.deepEqual([code, error.code, fields], [1, 'VALIDATION_ERROR', [field]], args.join(' '))
      }),
    )
  })

  await t.test('a backup is written beside the server and restored into a new data directory', async () => {
    const file = path.join(dataDir, 'backup.gz')
    const { key } = await stoa.json('key', 'create', '--store', storeId, '--mode', 'live', '--scopes', 'all')
    const api = client(server.url, { 'x-api-key': key })
    const { data } = await upload(api)
    await madeReady(api, data.id)
    const { pathname } = new URL(data.url)
    const picture = await bytesAt(server.url + pathname)
    const written = await stoa.json('backup', file)
    assert.equal(written.bytes, (await stat(file)).size)
    assert.deepEqual([written.files, written.pictures_in_bucket], [2, false])
    const verified = await stoa.json('backup', 'verify', file)
    assert.deepEqual(
      [verified.rows, verified.tables, verified.files, verified.bytes, verified.key_fits],
      [written.rows, written.tables, written.files, written.bytes, true],
    )
    const otherDir = await newDataDir(t)
    const elsewhere = stoaOn({ DATA_DIR: otherDir })
    const read = await elsewhere.json('restore', file)
    assert.deepEqual(
      [read.rows, read.tables, read.files, read.key_fits],
      [written.rows, written.tables, written.files, false],
    )
    assert.deepEqual((await elsewhere.json('store', 'list')).stores.map(({ id }: { id: string }) => id)[0], storeId)
    assert.equal((await elsewhere.refused('restore', file)).code, 1)
    await copyFile(path.join(dataDir, 'secret.key'), path.join(otherDir, 'secret.key'))
    const other = await startServer(otherDir)
    t.after(() => other.end())
    assert.deepEqual(await bytesAt(other.url + pathname), picture)
    const bucket = { MEDIA_S3_URL: 'http://127.0.0.1:1/bucket', MEDIA_S3_KEY: 'key', MEDIA_S3_SECRET: 'secret' }
    const { files, pictures_in_bucket } = await stoaOn({ DATA_DIR: dataDir, ...bucket }).json('backup', file)
    assert.deepEqual([files, pictures_in_bucket], [0, true])
  })

  await t.test('doctor finds nothing wrong, then each thing that is', async () => {
    const { key } = await stoa.json('key', 'create', '--store', storeId, '--mode', 'live', '--scopes', 'all')
    const cap = {
      name: 'Cap',
      price: 12,
      track_inventory: true,
      variants: ['S', 'L'].map((value) => ({ option_values: [{ option_title: 'Size', value }], stock_quantity: 7 })),
    }
    const made = await fetch(`${server.url}/v1/products`, {
      method: 'POST',
      body: JSON.stringify(cap),
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    assert.equal(made.status, 201)
    const hook = { url: 'https://93.184.216.34/hook', events: ['product.created'] }
    const subscribed = await fetch(`${server.url}/v1/webhooks`, {
      method: 'POST',
      body: JSON.stringify(hook),
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    assert.equal(subscribed.status, 201)
    const well = await stoa.json('doctor')
    assert.equal(well.ok, true)
    assert.deepEqual(
      well.findings.map(({ name }: { name: string }) => name),
      [
        'version',
        'configuration',
        'packages',
        'database',
        'migrations',
        'extensions',
        'schema',
        'records',
        'ledger',
        'card payments',
        'deliveries',
        'emails',
        'jobs',
        'limits',
        'stored secrets',
        'secret key',
        'disk',
        'images',
      ],
    )

    const second = await startServer(dataDir)
    const apart = await stoa('doctor').ended
    assert.match(apart.stdout, /^wrong  limits: 2 servers use this data directory without REDIS_URL/m)
    assert.equal((await stoaOn({ DATA_DIR: dataDir, REDIS_URL: 'redis://127.0.0.1:1' }).json('doctor')).ok, true)
    const nowhere = await stoaOn({ DATA_DIR: dataDir, SHOPS_HOST: 'shops.invalid' })('doctor').ended
    assert.match(nowhere.stdout, /^wrong  store hosts: \*\.shops\.invalid has no address: create a wildcard record$/m)
    await second.end()

    const otherKey = { DATA_DIR: dataDir, SECRET_KEY: 'another key, of 32 characters and more' }
    const other = await stoaOn(otherKey)('doctor').ended
    assert.deepEqual([other.code, /^wrong  stored secrets: SECRET_KEY is not the key/m.test(other.stdout)], [1, true])

    await onDatabase(dataDir, 'update store_counters set orders = orders + 1')
    await onDatabase(dataDir, 'update variants set stock_quantity = stock_quantity + 1')
    await onDatabase(dataDir, 'alter table customers add column by_hand text')
    await onDatabase(
      dataDir,
      `insert into job_runs (name, every_s, done_at) values ('forgotten', 60, now() - interval '1 hour')`,
    )
    await chmod(path.join(dataDir, 'secret.key'), 0o644)
    const { code, stdout } = await stoa('doctor', '--json').ended
    const wrong = JSON.parse(stdout).findings.filter(({ ok }: { ok: boolean }) => !ok)
    assert.equal(code, 1)
    assert.deepEqual(
      wrong.map(({ name }: { name: string }) => name),
      ['schema', 'records', 'ledger', 'jobs', 'secret key'],
    )
    const [schema, records, ledger, jobs] = wrong
    assert.equal(schema.detail, 'changed manually: customers')
    assert.match(records.detail, new RegExp(`counters match the rows they count: .*${storeId} orders`))
    assert.match(ledger.detail, /the stock of a variant is the sum of its inventory transactions: /)
    assert.match(jobs.detail, /^forgotten is overdue, last run at /)
    const words = await stoa('doctor').ended
    assert.match(words.stdout, /^wrong  secret key: .*secret\.key has mode 644.*chmod 600/m)
  })
})

test('with DATABASE_URL commands use that database, and only migrate migrates it', async (t) => {
  const url = await newDatabase(t, { migrated: false })
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t), DATABASE_URL: url })
  const { code, error } = await stoa.refused('store', 'list')
  assert.equal(code, 1)
  assert.match(error.message, /lacks 0001_platform, .* Run: npm run -s stoa -- migrate/)
  assert.equal((await stoa.json('migrate')).applied[0], '0001_platform')
  assert.deepEqual(await stoa.json('migrate'), { applied: [], distributed: [] })
  assert.deepEqual(await stoa.json('store', 'list'), { stores: [] })
})

test('doctor says what is wrong with a database that it cannot use', async (t) => {
  const url = new URL(await newDatabase(t, { migrated: false }))
  const dataDir = await newDataDir(t)
  const wrong = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await stoaOn({ DATA_DIR: dataDir, ...env })('doctor', '--json').ended
    assert.deepEqual([code, stderr], [1, ''])
    return JSON.parse(stdout).findings.filter(({ ok }: { ok: boolean }) => !ok)
  }
  const [behind] = await wrong({ DATABASE_URL: url.href })
  const isTold = /0001_platform.*Run: npm run -s stoa -- migrate/.test(behind.detail)
  assert.deepEqual([behind.name, isTold], ['migrations', true])
  url.pathname = '/nowhere'
  const [absent] = await wrong({ DATABASE_URL: url.href })
  assert.deepEqual([absent.name, /\/nowhere cannot be used: .*does not exist/.test(absent.detail)], ['database', true])

  const file = path.join(dataDir, 'file')
  await writeFile(file, '')
  const names = (await wrong({ DATA_DIR: file })).map(({ name }: { name: string }) => name)
  assert.ok(names.includes('database') && names.includes('secret key'), names.join())
})

test('a command that is ended by a signal stops its PostgreSQL', async (t) => {
  const dataDir = await newDataDir(t)
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { child, ended } = stoaOn({ DATA_DIR: dataDir })('demo')
    while (!(await runningPostgres(dataDir))) await sleep(20)
    child.kill(signal)
    assert.deepEqual(await ended, { code, signal: null, stdout: '', stderr: `interrupted by ${signal}\n` })
    assert.equal(await runningPostgres(dataDir), null)
  }
})

test('demo makes a store with orders and a key that opens it', async (t) => {
  const url = await newDatabase(t)
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t), DATABASE_URL: url })
  const { store, key } = await stoa.json('demo')
  assert.match(key, /^wk_test_/)
  const again = await stoa.json('demo')
  assert.notEqual(again.store.id, store.id)
  assert.equal((await stoa.json('doctor')).ok, true)
})

test('a command that is not understood ends with code 2, and says so as JSON too', async (t) => {
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t) })
  const cases = [[], ['shop'], ['store', 'open'], ['store', 'create', '--nmae', 'x'], ['store', 'set-plan', 'x']]
  await Promise.all(
    cases.map(async (args) => {
      const { code, error } = await stoa.refused(...args)
      assert.deepEqual([code, error.code], [2, 'USAGE'], args.join(' '))
    }),
  )
  const words = await stoa('store', 'create').ended
  assert.deepEqual([words.code, words.stdout], [2, ''])
  assert.match(words.stderr, /^error: missing required options: --name <name>\n/)
  const missing = await stoa.refused('key', 'create')
  for (const name of ['--store', '--mode', '--scopes']) {
    assert.ok(missing.error.message.includes(name), missing.error.message)
  }
  assert.equal((await stoa('--help').ended).code, 0)
  assert.equal((await stoa('--version').ended).stdout, '0.2.0\n')
  assert.deepEqual(await stoa.json('--version'), { text: '0.2.0' })
  assert.match((await stoa.json('store', '--help')).text, /^Usage: /)
})

test('a wrong configuration ends a command with code 78', async () => {
  const stoa = stoaOn({ PORT: 'http', DATABASE_URL: 'mysql://a:hunter2@b' })
  const { code, error } = await stoa.refused('store', 'list')
  assert.deepEqual([code, error.code], [78, 'CONFIGURATION_ERROR'])
  assert.match(error.message, /PORT is "http"[^]*DATABASE_URL/)
  assert.doesNotMatch(error.message, /hunter2/)
})

test('a backup that cannot be read is refused in words', async (t) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'stoa-cli-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const stoa = stoaOn({ DATA_DIR: home, DATABASE_URL: await newDatabase(t) })
  const file = path.join(home, 'no.gz')
  for (const command of [['restore'], ['backup', 'verify']]) {
    await rm(file, { force: true })
    assert.equal((await stoa.refused(...command, file)).error.message, `The file ${file} does not exist`)
    await writeFile(file, 'hello')
    assert.match((await stoa.refused(...command, file)).error.message, /cannot be restored/)
  }
})

async function bytesAt(url: string): Promise<Buffer> {
  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

async function onDatabase(dataDir: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await runningPostgres(dataDir))! })
  await client.connect()
  await client.query(statement)
  await client.end()
}

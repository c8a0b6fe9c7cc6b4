import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { client, type Client } from '../../../test/client.ts'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { randomBy, seed } from '../../../test/random.ts'
import { randomStore } from '../../../test/randomstore.ts'
import { newRole, personOf } from '../../../test/people.ts'
import { nounOfPrefix, recordsOf } from '../../../test/records.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, secretKey } from '../../../test/world.ts'
import { brokenInvariants } from '../../program/cli/invariants.ts'
import { folderStorage } from '../../commerce/media/folder.ts'
import { addMember, createUser } from '../../identity/accounts/operations.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { systemClock } from '../../kit/values/clock.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { vault } from '../../kit/values/secrets.ts'
import { withClient } from '../../platform/postgres/client.ts'
import { verifyAudit } from '../../tenancy/audit/verify.ts'
import { loadArchive, type LoadDeps } from './load.ts'
import { writeArchive, type ArchiveDeps } from './write.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-archive-'))
after(() => rm(folder, { recursive: true, force: true }))
const database = await ownDatabase()
const world = await openWorld({ DATA_DIR: path.join(folder, 'data') }, { database, sweeps: true })
const { db, jobs } = world.app

const passphrase = 'four words by heart'
const once = 'a\\key'
const shop = await world.newStore()
const { id: storeId } = shop.store
const other = await world.newStore()
await fillStores()

const here: ArchiveDeps = {
  url: database.url,
  storage: folderStorage(path.join(folder, 'data', 'media')),
  vault: vault(secretKey),
  passphrase,
}

async function fillStores() {
  await randomStore(world, shop, randomBy(seed))
  const of = recordsOf(world, shop)
  for (const noun of nounOfPrefix.values()) await of(noun)
  const settings = { api_key: 'sk_sandbox_1', webhook_secret: 'whsec_c2VjcmV0' }
  const method = { code: 'sandbox-card', name: 'Card', provider: 'sandbox', settings }
  dataOf(await shop.api.post('/v1/store/payment-methods', method), 201)
  dataOf(await shop.api.post('/v1/categories', { name: 'Once' }, { headers: { 'idempotency-key': once } }), 201)
  await recordsOf(world, other)('Order')
  await db.transaction(async (tx) => {
    const ana = await createUser(tx, { email: 'Ana@example.com', password: 'correct horse battery' })
    await addMember(tx, shop.store, ana, 'owner')
  })
  await personOf(world, shop, { id: toUuid('role', await newRole(world, shop, ['read:orders']))! })
  await jobs.run('seal the audit log')
}

const contentOf = async (file: string) => zstdDecompressSync(await readFile(file)).toString('latin1')

const sealed = [
  ['webhooks', 'secret'],
  ['payment_methods', 'secrets'],
  ['checkouts', 'token'],
  ['idempotency_keys', 'body'],
] as const

const newFile = (name: string) => path.join(folder, `${name}-${newUuid()}`)

/** Another installation: a database, files and a key of its own. */
async function elsewhere(t: TestContext, own: Partial<ArchiveDeps> = {}): Promise<ArchiveDeps & { media: string }> {
  const url = await newDatabase(t)
  const key = vault('the key of another installation, long')
  const media = newFile('media')
  return { url, media, storage: folderStorage(media), vault: key, passphrase, ...own }
}

const load = (to: ArchiveDeps, file: string, plan: LoadDeps['plan'] = { most: 'unlimited' }) =>
  loadArchive({ ...to, now: new Date(), plan }, file)

/** An archive without its people, as nobody is added to an imported store. */
const withoutPeople = (content: string) =>
  content.replace(/\n\{"table":"members".*?\n\\\.\n/s, '').replace(/"members":.*?\}/, '')

async function query(url: string, statement: string, values: unknown[] = []): Promise<any[]> {
  return withClient(url, 'test', async (client) => (await client.query(statement, values)).rows)
}

test('a store imported elsewhere is exported again to the byte, but for its people', async (t) => {
  const [file, again] = [newFile('store'), newFile('store')]
  const written = await writeArchive(here, storeId, file)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.ok(written.rows > 500 && written.files > 1)
  const there = await elsewhere(t)
  const { members, ...loaded } = await load(there, file)
  assert.ok(members.length > 1)
  assert.deepEqual([loaded.webhooks_without_secret, loaded.payment_methods_without_secret], [[], []])
  assert.deepEqual([loaded.rows, loaded.files, loaded.bytes], [written.rows, written.files, written.bytes])
  await writeArchive(there, storeId, again)
  const contents = await Promise.all([again, file].map(contentOf))
  assert.equal(...(contents.map(withoutPeople) as [string, string]))
})

test('an imported store is sound, and goes on where it was', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const dataDir = newFile('data')
  const there = await elsewhere(t, { storage: folderStorage(path.join(dataDir, 'media')), vault: vault(secretKey) })
  await load(there, file)
  const drop = async () => {}
  const moved = await openWorld({ DATA_DIR: dataDir }, { database: { url: there.url, drop }, sweeps: true })
  const checks = await verifyAudit(moved.app.db)
  assert.deepEqual([checks.map(({ store_id, broken }) => [store_id, broken])], [[[storeId, null]]])
  assert.deepEqual(checks, await verifyAudit(db, storeId))
  assert.deepEqual(await brokenInvariants(moved.app.db), [])

  const api = client(moved.url, { 'x-api-key': shop.api.key })
  const order = { items: [{ product_name: 'Mug', quantity: 1, unit_price: 5 }] }
  const next = dataOf(await api.post('/v1/orders', order), 201)
  const last = await query(here.url, 'select max(order_number) from orders where store_id = $1', [storeId])
  assert.equal(next.order_number, Number(last[0].max) + 1)
  const newest = async (of: Client) => (await of.get('/v1/events?after=0')).body.log.newest
  assert.equal(await newest(api), (await newest(shop.api)) + 1)
  const again = await api.post('/v1/categories', { name: 'Once' }, { headers: { 'idempotency-key': once } })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const { url } = (await api.get('/v1/media')).data[0]
  assert.equal((await fetch(moved.url + new URL(url).pathname)).status, 200)
  await moved.app.jobs.run('seal the audit log')
  assert.equal((await verifyAudit(moved.app.db))[0]!.broken, null)
})

test('nothing in an archive is sealed with the key of the installation', async () => {
  const [keyId] = here.vault.seal('', '').split('.')
  for (const passphrase of [null, 'four words by heart']) {
    const file = newFile('store')
    await writeArchive({ ...here, passphrase }, storeId, file)
    assert.doesNotMatch(await contentOf(file), new RegExp(`\\t${keyId}\\.`), `passphrase ${passphrase}`)
  }
})

test('without a passphrase no secret travels, and what needs one is off and named', async (t) => {
  const [file, again] = [newFile('store'), newFile('store')]
  const bare = { ...here, passphrase: null }
  await writeArchive(bare, storeId, file)
  for (const [table, column] of sealed) {
    const [{ cells }] = await query(
      here.url,
      `select array_agg(${column}) as cells from ${table} where store_id = $1 and ${column} is not null`,
      [storeId],
    )
    assert.ok(cells.length > 0, `${table}.${column}`)
    const content = await contentOf(file)
    assert.ok(cells.every((cell: string) => !content.includes(cell)))
  }
  const there = await elsewhere(t, { passphrase: null })
  const loaded = await load(there, file)
  const hooks = await query(there.url, 'select id, url from webhooks where not is_active order by id')
  assert.deepEqual(loaded.webhooks_without_secret, hooks)
  assert.ok(hooks.length > 0)
  const methods = await query(
    there.url,
    `select id, name, is_active, settings from payment_methods where code = 'sandbox-card'`,
  )
  const [{ id, name, is_active, settings }] = methods
  assert.deepEqual([is_active, settings], [false, {}])
  assert.ok(loaded.payment_methods_without_secret.some((one) => one.id === id && one.name === name))
  await writeArchive(there, storeId, again)
  assert.equal(withoutPeople(await contentOf(again)), withoutPeople(await contentOf(file)))
})

test('a store is imported only where its ID, slugs and domain are free, and with a plan that exists', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  await assert.rejects(
    load(here, file),
    new RegExp(`the store ${storeId} already exists; the slug ${shop.store.slug} `),
  )
  const there = await elsewhere(t)
  await query(
    there.url,
    `insert into stores (id, name, slug, currency, country_code, timezone, plan_id, created_at, updated_at)
    values ('SH-00000000', 'Other', $1, 'USD', 'US', 'UTC', 'free', now(), now())`,
    [shop.store.slug],
  )
  const faults = [`the slug ${shop.store.slug} belongs to another store`, 'there is no plan gold']
  const reason = `The store cannot be imported: ${faults.join('; ')}`
  await assert.rejects(load(there, file, { chosen: 'gold' }), { code: 'CONFLICT', message: reason })
})

test('an import adds nobody, and names the people with their roles', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const there = await elsewhere(t)
  await query(
    there.url,
    `insert into users (id, email, created_at, updated_at) values ($1, 'ANA@example.com', now(), now())`,
    [newUuid()],
  )
  const { members } = await load(there, file)
  const ana = { email: 'ana@example.com', role: 'owner', has_account: true }
  assert.deepEqual(
    members.filter(({ has_account }) => has_account),
    [ana],
  )
  assert.ok(members.some(({ role }) => role.startsWith('role_')))
  assert.deepEqual(await query(there.url, 'select from members'), [])
  assert.deepEqual(await query(there.url, 'select staff from store_counters'), [{ staff: 0 }])
})

// prettier-ignore
const plans: [archived: string, policy: LoadDeps['plan'], kept: string][] = [
  ['growth',    { most: 'unlimited' }, 'growth'],
  ['growth',    { most: 'growth' },    'growth'],
  ['growth',    { most: 'starter' },   'starter'],
  ['unlimited', { most: 'free' },      'free'],
  ['free',      { most: 'growth' },    'free'],
  ['starter',   { chosen: 'growth' },  'growth'],
  ['gold',      { most: 'starter' },   'starter'],
]

test('an imported store keeps its plan if that gives no more than new stores have', async (t) => {
  await query(here.url, `insert into plans select 'gold', 'Gold', limits, features from plans where id = 'free'`)
  const there = await elsewhere(t)
  for (const [archived, policy, plan] of plans) {
    const { store } = await world.newStore({ plan: archived })
    const file = newFile('store')
    await writeArchive(here, store.id, file)
    const loaded = await load(there, file, policy)
    const kept = await query(there.url, 'select plan_id from stores where id = $1', [store.id])
    assert.deepEqual([loaded.store.plan, kept], [plan, [{ plan_id: plan }]], JSON.stringify([archived, policy]))
  }
})

test('a former slug that another store has given up for good is free', async (t) => {
  const file = newFile('store')
  const give = (url: string, store: string, until: string) =>
    query(url, `insert into store_slugs (store_id, slug, until) values ($1, 'formerly', $2)`, [store, until])
  await give(here.url, storeId, '2999-01-01')
  await writeArchive(here, storeId, file)
  await query(here.url, `delete from store_slugs where slug = 'formerly'`)
  const there = await elsewhere(t)
  await query(
    there.url,
    `insert into stores (id, name, slug, currency, country_code, timezone, plan_id, created_at, updated_at)
    values ('SH-00000000', 'Other', 'other', 'USD', 'US', 'UTC', 'free', now(), now())`,
  )
  await give(there.url, 'SH-00000000', '2001-01-01')
  await load(there, file)
  const [owner] = await query(there.url, `select store_id from store_slugs where slug = 'formerly'`)
  assert.equal(owner.store_id, storeId)
})

test('a wrong or missing passphrase is refused', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const there = await elsewhere(t)
  await assert.rejects(load({ ...there, passphrase: 'another' }, file), /the passphrase is not that of the export/)
  await assert.rejects(load({ ...there, passphrase: null }, file), /its passphrase is required/)
  assert.deepEqual(await query(there.url, 'select from stores'), [])
})

test('a truncated, damaged, foreign or differently migrated file changes nothing', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const whole = await readFile(file)
  const content = await contentOf(file)
  const there = await elsewhere(t)
  const refuses = async (bytes: Buffer, reason: RegExp) => {
    const damaged = newFile('damaged')
    await writeFile(damaged, bytes)
    await assert.rejects(load(there, damaged), reason)
  }
  const edited = (edit: (content: string) => string) => zstdCompressSync(Buffer.from(edit(content), 'latin1'))
  const random = randomBy(seed)
  const unreadable = /cannot be imported: /
  for (let count = 0; count < 20; count++) {
    await refuses(whole.subarray(0, random.below(whole.length)), unreadable)
    const changed = Buffer.from(whole)
    changed[random.below(whole.length)]! ^= 1 + random.below(255)
    await refuses(changed, unreadable)
  }
  await refuses(Buffer.from('name,price\nMug,10\n'), /it is not a store that Stoa exported/)
  await refuses(zstdCompressSync(Buffer.from('{"stoa_backup":1}\n')), /it is not a store that Stoa exported/)
  await refuses(
    edited((text) => text.slice(0, text.lastIndexOf('{"end"'))),
    /it is incomplete/,
  )
  await refuses(
    edited((text) => text.replace(/"\d{4}_\w+ \w+"\]/, '"9999_later 0"]')),
    /Update this installation/,
  )
  await refuses(
    edited((text) => text.replace(/"0001_[^"]*",/, '')),
    /Update the other installation/,
  )
  await refuses(
    edited((text) => text.replace('Corner shop\t', 'Corner chop\t')),
    /the rows of stores are not those/,
  )
  const stolen = (text: string) => text.replace(`\n${storeId}\t`, `\n${other.store.id}\t`)
  await refuses(edited(stolen), /a row of \w+ is not of the store/)
  await refuses(
    edited((text) => text.replace(`{"file":"${storeId}/`, '{"file":"../../')),
    /a file is not of the store/,
  )
  assert.deepEqual(await query(there.url, 'select from stores'), [])
})

test('a row that refers to one that is missing is found before the end', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const there = await elsewhere(t)
  const damaged = newFile('damaged')
  await writeFile(damaged, zstdCompressSync(Buffer.from(withLooseItem(await contentOf(file)), 'latin1')))
  await assert.rejects(load(there, damaged), /it is damaged: rows violate \w+_items_/)
  assert.deepEqual(await query(there.url, 'select from stores'), [])
  assert.equal((await readdir(there.media, { recursive: true })).filter((name) => name.endsWith('.webp')).length, 0)
})

/** An item of an order that does not exist; the sums are right. */
function withLooseItem(content: string): string {
  const [whole, line, rows] = /(\{"table":"order_items".*?\n)(.*?)\\\.\n/s.exec(content)!
  const at = JSON.parse(line!).columns.indexOf('order_id')
  const [first, ...rest] = rows!.split('\n')
  const cells = first!.split('\t')
  cells[at] = newUuid()
  const loose = [cells.join('\t'), ...rest].join('\n')
  const sha256 = createHash('sha256').update(loose, 'latin1').digest('hex')
  return content
    .replace(whole, () => `${line}${loose}\\.\n`)
    .replace(/("order_items":\{"count":\d+,"sha256":)"\w+"/, `$1"${sha256}"`)
}

test('the owner of a database imports without further rights', async (t) => {
  const file = newFile('store')
  await writeArchive(here, storeId, file)
  const there = await elsewhere(t)
  const role = `owner_${newUuid().replaceAll('-', '')}`
  const tables = `select format('alter table %I owner to ${role}', relname) as statement from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
  await query(there.url, `create role ${role} login password 'secret'`)
  for (const { statement } of await query(there.url, tables)) await query(there.url, statement)
  await query(there.url, `grant create, usage on schema public to ${role}`)
  const url = new URL(there.url)
  url.username = role
  url.password = 'secret'
  const { rows } = await load({ ...there, url: url.href }, file)
  assert.ok(rows > 500)
  assert.deepEqual(await query(there.url, `select tgname from pg_trigger where tgenabled = 'D'`), [])
  await query(there.url, `reassign owned by ${role} to current_user`)
  await query(there.url, `drop owned by ${role}`)
  await query(there.url, `drop role ${role}`)
})

test('an export beside writes is of one moment', async (t) => {
  const busy = await world.newStore()
  const file = newFile('store')
  const order = { items: [{ product_name: 'Mug', quantity: 1, unit_price: 5 }] }
  for (let count = 0; count < 20; count++) await busy.api.post('/v1/orders', order)
  let isDone = false
  const exporting = writeArchive(here, busy.store.id, file).finally(() => (isDone = true))
  let written = 0
  while (!isDone) {
    world.clock.advance(5)
    dataOf(await busy.api.post('/v1/orders', order), 201)
    written++
  }
  await exporting
  assert.ok(written > 0)
  const there = await elsewhere(t)
  await load(there, file)
  const moved = openDatabase({ url: there.url, clock: systemClock, connections: 1 })
  t.after(() => moved.close())
  assert.deepEqual(await brokenInvariants(moved), [])
})

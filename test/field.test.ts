// The fields of docs/contributing/howto.md, made as it says in a copy of the repository. Nothing else has to change.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import { languages } from '../src/kit/values/language.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { client, type Client } from './client.ts'
import { copyRepository, edit } from './copy.ts'
import { newDatabase } from './database.ts'
import { databaseOf, newDataDir, newStore, root, startServer, type Server } from './server.ts'
import { browsing, type Staff } from './staff.ts'
import { stoaOn } from './stoa.ts'
import { send } from './uploads.ts'

const execute = promisify(execFile)

type Fielded = { field: string; noun: string; path: string; body: object; label: string; isUndone: boolean }

// prettier-ignore
const fields: Fielded[] = [
  { field: 'warranty_note', noun: 'Product', path: 'products', label: 'Terms of the warranty', isUndone: true,
    body: { name: 'Mug', price: 5, slug: 'mug' } },
  { field: 'account_number', noun: 'Customer', path: 'customers', label: 'Accounting number', isUndone: true,
    body: { name: 'Ana', email: 'ana@example.com' } },
  { field: 'buyer_reference', noun: 'Order', path: 'orders', label: 'Reference of the buyer', isUndone: false,
    body: { items: [{ product_name: 'Mug', quantity: 1, unit_price: 5 }] } },
]

const SECRET_KEY = 'a-secret-key-of-a-copy-for-tests-0123456789'

test('a field made by the steps of the guide is in the API, pages, files, the log, events and SDKs', async (t) => {
  const copy = await copyRepository()
  await applySteps(copy)
  const program = (file: string) => path.join(copy, file)
  await execute(process.execPath, ['sdk/generate.ts'], { cwd: copy })
  await execute(process.execPath, ['node_modules/typescript/bin/tsc', '--incremental', 'false'], { cwd: copy })
  await checkWords(copy)
  await checkSdks(copy)

  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { SECRET_KEY }, [], program('src/program/main.ts'))
  const shop = await newStore(dataDir)
  const api = client(server.url, { 'x-api-key': shop.key })
  const ana = await signIn(dataDir, server, shop.id)
  const document: any = await (await fetch(`${server.url}/openapi.json`)).json()
  for (const one of fields) {
    const record = await checkApi(api, one)
    assert.ok(document.components.schemas[one.noun].properties[one.field].description, `${one.noun} in OpenAPI`)
    await checkForm(ana, `/${shop.id}/${one.path}/${record.id}`, one)
    await checkChange(api, one, record)
    await checkFiles(api, one, record)
  }
  await checkShop(api, server)
  await checkArchive(t, { shop, dataDir, program })
})

async function applySteps(copy: string): Promise<void> {
  const [, section] = /\n## A field\n([^]*?)\n## /.exec(
    readFileSync(path.join(root, 'docs/contributing/howto.md'), 'utf8'),
  )!
  const blocks = [...section!.matchAll(/^```diff\n([^]*?)^```/gm)].map(([, block]) => block!)
  const steps = blocks.flatMap((block) => block.split(/^ \/\/ (?=[\w.]+\/)/m).slice(1))
  assert.ok(steps.length > fields.length * 4)
  let migration = 9000
  for (const step of steps) {
    const [name, ...lines] = step.trimEnd().split('\n')
    if (name!.includes('NNNN')) {
      const text = lines.map((line) => `${line.slice(1)}\n`).join('')
      await writeFile(path.join(copy, name!.replace('NNNN', String(++migration))), text)
    } else await edit(path.join(copy, name!), lines)
  }
}

/** Missing translations are listed by the check of messages, each with its file. */
async function checkWords(copy: string): Promise<void> {
  const file = 'src/platform/languages/messages.test.ts'
  // It is no part of this run.
  const options = { cwd: copy, env: { PATH: process.env.PATH } }
  const report = await execute(process.execPath, ['--test', '--test-reporter=tap', file], options).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  )
  for (const language of languages.filter((other) => other !== 'en')) {
    for (const { field } of fields) {
      assert.match(report.stdout, new RegExp(`${language}/dashboard-\\w+\\.json lacks ${field}`), language)
    }
  }
}

async function checkSdks(copy: string): Promise<void> {
  for (const file of ['sdk/typescript/src/types.ts', 'sdk/python/stoa/types.py']) {
    const text = await readFile(path.join(copy, file), 'utf8')
    for (const { field } of fields) assert.ok(text.includes(field), `${field} in ${file}`)
  }
}

async function signIn(dataDir: string, { url }: Server, storeId: string): Promise<Pick<Staff, 'get' | 'post'>> {
  const db = await databaseOf(dataDir)
  try {
    const store = (await loadStore(db, storeId))!
    const session = await db.transaction(async (tx) => {
      const id = await createUser(tx, { email: 'ana@example.com', password: 'correct horse battery', name: 'Ana' })
      await addMember(tx, store, id, 'owner')
      return openSession(tx, id, { ip: '10.0.0.1', userAgent: 'test', how: 'password' })
    })
    const { get, post } = browsing(url, `${sessionCookie(url)}=${session}`)
    return { get, post: (address, form) => post(address, form, { origin: url }) }
  } finally {
    await db.close()
  }
}

type Kept = { id: string } & Record<string, any>

/** The record has the field with its value, alone and in its list. */
async function checkApi(api: Client, { field, path: noun, body }: Fielded): Promise<Kept> {
  const created = await api.post(`/v1/${noun}`, { ...body, [field]: 'first' })
  assert.deepEqual([created.status, created.data[field]], [201, 'first'])
  const { data } = await api.get(`/v1/${noun}/${created.data.id}`)
  assert.deepEqual(data, created.data)
  assert.deepEqual((await api.get(`/v1/${noun}`)).data, [data])
  const refused = await api.patch(`/v1/${noun}/${data.id}`, { [field]: 7 })
  assert.deepEqual([refused.status, refused.error.details[0].field], [422, field])
  return data
}

/** Its input has the value and a label, which is in English where it is not translated. */
async function checkForm(ana: Pick<Staff, 'get' | 'post'>, address: string, { field, label }: Fielded): Promise<void> {
  for (const language of ['en', 'de']) {
    const { status, text } = await ana.get(address, { 'accept-language': language })
    assert.equal(status, 200)
    const [input] = new RegExp(`<(input|textarea)[^>]*name="${field}"[^>]*>`).exec(text) ?? ['']
    assert.match(input, /value="first"/, `${field} in ${language}`)
    assert.ok(text.includes(label), `${label} in ${language}`)
  }
  const { text } = await ana.get(address)
  const form = text.split('<form').find((part) => part.includes(`name="${field}"`))!
  const act = /name="act" value="(\w+)"/.exec(form)![1]!
  const price: Record<string, string> = field === 'warranty_note' ? { name: 'Mug', price: '5' } : {}
  const saved = await ana.post(address, { act, name: 'Ana', ...price, [field]: 'second' })
  assert.equal(saved.status, 303, saved.text)
}

/** The change is in the log, and undoing it brings the value back. */
async function checkChange(api: Client, { field, path: noun, isUndone }: Fielded, { id }: Kept): Promise<void> {
  assert.equal((await api.get(`/v1/${noun}/${id}`)).data[field], 'second')
  const { data } = await api.get(`/v1/audit?id=${id}`)
  const change = data[0].changes.find((one: any) => one.id === id)
  assert.deepEqual([change.before[field], change.after[field]], ['first', 'second'])
  if (!isUndone) return
  const undone = await api.post(`/v1/changes/${data[0].request_id}/revert`, {})
  assert.equal(undone.status, 200, JSON.stringify(undone.error))
  assert.equal((await api.get(`/v1/${noun}/${id}`)).data[field], 'first')
}

/** An export has the column; imported with another value, it changes the record, or makes another order. */
async function checkFiles(api: Client, { field, path: noun }: Fielded, { id }: Kept): Promise<void> {
  const exported = await fetch(`${api.url}/v1/${noun}.csv`, { headers: { 'x-api-key': api.key } })
  const text = await exported.text()
  assert.ok(text.split('\n')[0]!.split(',').includes(field), `${field} in the export of ${noun}`)
  const changed = text.replaceAll(/\b(first|second)\b/g, 'third').replaceAll(/(?<=,|^)1001(?=,)/gm, '2001')
  assert.notEqual(changed, text)
  const options = { kind: noun, on_duplicate: 'update' }
  const { data } = await send(api, Buffer.from(changed), options, 'file.csv', {}, '/v1/imports')
  await settle(api, data.id, 'ready')
  await api.post(`/v1/imports/${data.id}/start`, {})
  const result = await settle(api, data.id, 'completed')
  assert.deepEqual([result.rows_rejected, result.rows_skipped], [0, 0])
  const records: Kept[] = (await api.get(`/v1/${noun}`)).data
  assert.ok(records.some((one) => one[field] === 'third' && (noun === 'orders' || one.id === id)))
}

async function settle(api: Client, id: string, status: string): Promise<any> {
  for (;;) {
    const { data } = await api.get(`/v1/imports/${id}`)
    if (data.status === status) return data
    assert.ok(['previewing', 'ready', 'running'].includes(data.status), JSON.stringify(data))
    await sleep(200)
  }
}

/** Where it is marked, shoppers and the receivers of events have it. */
async function checkShop(api: Client, { url }: Server): Promise<void> {
  const { slug } = (await api.get('/v1/store')).data
  const { data } = await client(url, {}).get(`/storefront/${slug}/products/mug`)
  assert.equal(data.warranty_note, 'third')
  const page = await (await fetch(`${url}/s/${slug}/products/mug`)).text()
  assert.match(page, /<dt>Terms<\/dt><dd>third<\/dd>/)
  const events = (await api.get('/v1/events?types=product.updated&limit=100')).data
  assert.equal(events.at(-1).body.product.warranty_note, 'third')
}

/** A store that moves to another database takes the values along. */
async function checkArchive(
  t: Parameters<typeof newDatabase>[0],
  { shop, dataDir, program }: { shop: { id: string; key: string }; dataDir: string; program: (file: string) => string },
): Promise<void> {
  const [cli, DATABASE_URL, file] = [
    program('src/program/cli.ts'),
    await newDatabase(t),
    path.join(dataDir, 'shop.zst'),
  ]
  const here = stoaOn({ DATA_DIR: dataDir, SECRET_KEY }, cli)
  await here.json('store', 'export', shop.id, '--output', file)
  const elsewhere = { DATABASE_URL, SECRET_KEY, DATA_DIR: await newDataDir(t) }
  await stoaOn(elsewhere, cli).json('migrate')
  await stoaOn(elsewhere, cli).json('store', 'import', file, '--plan', 'unlimited')
  const moved = await startServer(elsewhere.DATA_DIR, elsewhere, [], program('src/program/main.ts'))
  const api = client(moved.url, { 'x-api-key': shop.key })
  for (const { path: noun, field } of fields) assert.equal((await api.get(`/v1/${noun}`)).data[0][field], 'third', noun)
}

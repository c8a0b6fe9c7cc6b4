// Archives whose sums are right, but whose rows the API would not have let in.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { dataOf } from '../../../test/shop.ts'
import { madeReady, send } from '../../../test/uploads.ts'
import { openWorld, secretKey } from '../../../test/world.ts'
import { openPictureBackup } from '../../commerce/media/backup.ts'
import { folderStorage } from '../../commerce/media/folder.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { vault } from '../../kit/values/secrets.ts'
import { withClient } from '../../platform/postgres/client.ts'
import { loadArchive } from './load.ts'
import { writeArchive, type ArchiveDeps } from './write.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-forged-'))
after(() => rm(folder, { recursive: true, force: true }))
const database = await ownDatabase()
const world = await openWorld({ DATA_DIR: path.join(folder, 'data') }, { database, sweeps: true })
const { api, store } = await world.newStore()
await fillStore()

const newFile = () => path.join(folder, newUuid())
const storage = folderStorage(path.join(folder, 'data', 'media'))
const here: ArchiveDeps = { url: database.url, storage, vault: vault(secretKey), passphrase: null }

async function fillStore(): Promise<void> {
  const create = async (route: string, body: object) => dataOf(await api.post(route, body), 201)
  const variants = [{ option_values: [{ option_title: 'Color', value: 'Red' }], price: 2 }]
  await create('/v1/products', { name: 'Mug', price: 1, description: 'Blue', variants })
  await create('/v1/categories', { name: 'Hats', description: 'Warm' })
  await create('/v1/collections', { name: 'Summer' })
  await create('/v1/pages', { title: 'About us', body: 'Since 1998' })
  await create('/v1/orders', { items: [{ product_name: 'Gift', unit_price: 1, quantity: 1 }] })
  dataOf(await api.patch('/v1/store', { description: 'Mugs' }), 200)
  await madeReady(api, dataOf(await send(api), 201).id)
}

const load = (to: ArchiveDeps, file: string) =>
  loadArchive({ ...to, now: new Date(), plan: { most: 'unlimited' } }, file)

type Installation = ArchiveDeps & { media: string }

async function elsewhere(t: TestContext): Promise<Installation> {
  const media = newFile()
  return { ...here, media, url: await newDatabase(t), storage: folderStorage(media) }
}

/** The names of its image files. */
async function filesIn({ media }: Installation): Promise<string[]> {
  const entries = await readdir(media, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** An installation that has the store, whose rows a forger changes without any check. */
async function forger(t: TestContext): Promise<{ deps: ArchiveDeps; change: (statement: string) => Promise<void> }> {
  const [deps, file] = [await elsewhere(t), newFile()]
  await writeArchive(here, store.id, file)
  await load(deps, file)
  const change = (statement: string) =>
    withClient(deps.url, 'test', async (client) => {
      await client.query("set session_replication_role = 'replica'")
      const { rowCount } = await client.query(statement)
      assert.equal(rowCount, 1, statement)
    })
  return { deps, change }
}

const text = (value: string) => `'${value}'`

// prettier-ignore
const badValues: Record<string, string[]> = {
  'stores.slug':            [text('../x'), text('A b'), text('')],
  'stores.name':            [text(' '), `repeat('x', 256)`],
  'stores.description':     [`repeat('x', 5001)`],
  'stores.currency':        [text('ZZZ')],
  'stores.timezone':        [text('Mars/Base')],
  'media.hash':             [text('x')],
  'media.colour':           [text('<b>')],
  'media.width':            ['0'],
  'media.height':           ['100000'],
  'products.slug':          [text('a/b')],
  'products.name':          [text('')],
  'products.description':   [`repeat('x', 50001)`],
  'products.price':         ['1e12'],
  'variants.price':         ['1e12'],
  'categories.slug':        [text('<script>')],
  'categories.description': [`repeat('x', 5001)`],
  'collections.slug':       [text('-')],
  'pages.slug':             [text('a--b')],
}

test('a value that the API would not have let in is refused, whatever the sums say', async (t) => {
  const { deps, change } = await forger(t)
  const there = await elsewhere(t)
  for (const [place, values] of Object.entries(badValues)) {
    const [table, column] = place.split('.') as [string, string]
    const [kept] = await valuesOf(deps.url, `select ${column} as value from ${table}`)
    for (const value of values) {
      const file = newFile()
      await change(`update ${table} set ${column} = ${value}`)
      await writeArchive(deps, store.id, file)
      await assert.rejects(load(there, file), (error: Error) => error.message.includes(place), place)
    }
    await change(`update ${table} set ${column} = ${typeof kept === 'string' ? text(kept) : String(kept)}`)
  }
  for (const table of ['stores', 'products', 'media']) {
    assert.deepEqual(await valuesOf(there.url, `select id as value from ${table}`), [])
  }
  assert.deepEqual(await filesIn(there), [])
  const file = newFile()
  await writeArchive(deps, store.id, file)
  assert.equal((await load(there, file)).store.id, store.id)
})

function valuesOf(url: string, statement: string): Promise<unknown[]> {
  return withClient(url, 'test', async (client) => (await client.query(statement)).rows.map(({ value }) => value))
}

// prettier-ignore
const badCells: [table: string, column: string, cell: string][] = [
  ['products', 'price',      'much'],
  ['products', 'created_at', 'infinity'],
  ['products', 'is_featured', 'perhaps'],
  ['products', 'id',         'prod_1'],
  ['products', 'gallery',    '[{'],
  ['products', 'description', 'x'.repeat(17 * 1024 * 1024)],
  ['orders',   'status',     'lost'],
]

test('a cell of another type, or one that is too long, is refused', async (t) => {
  const [there, file] = [await elsewhere(t), newFile()]
  await writeArchive(here, store.id, file)
  const content = zstdDecompressSync(await readFile(file)).toString('latin1')
  for (const [table, column, cell] of badCells) {
    const forged = newFile()
    await writeFile(forged, zstdCompressSync(Buffer.from(withCell(content, table, column, cell), 'latin1')))
    await assert.rejects(load(there, forged), /cannot be imported/, `${table}.${column}`)
  }
  assert.deepEqual(await valuesOf(there.url, 'select id as value from stores'), [])
  assert.deepEqual(await filesIn(there), [])
})

/** The content with this cell in the first row of the table; the sums are right. */
function withCell(content: string, table: string, column: string, cell: string): string {
  const [whole, line, rows] = new RegExp(`(\\{"table":"${table}".*?\n)(.*?)\\\\\\.\n`, 's').exec(content)!
  const place = JSON.parse(line!).columns.indexOf(column)
  const [first, ...rest] = rows!.split('\n')
  const forged = [first!.split('\t').with(place, cell).join('\t'), ...rest].join('\n')
  const sha256 = createHash('sha256').update(forged, 'latin1').digest('hex')
  return content
    .replace(whole, () => `${line}${forged}\\.\n`)
    .replace(new RegExp(`("${table}":\\{"count":\\d+,"sha256":)"\\w+"`), `$1"${sha256}"`)
}

test('the domain of an imported store has to be proven again', async (t) => {
  const { deps, change } = await forger(t)
  await change(`update stores set custom_domain = 'shop.example.org', domain_verified = true`)
  const [there, file] = [await elsewhere(t), newFile()]
  await writeArchive(deps, store.id, file)
  await load(there, file)
  const facts = await valuesOf(
    there.url,
    'select json_build_array(custom_domain, domain_verified) as value from stores',
  )
  assert.deepEqual(facts, [['shop.example.org', false]])
})

test('a row that names no image keeps nothing from a backup', async (t) => {
  const { deps, change } = await forger(t)
  const namesIn = () =>
    withClient(deps.url, 'test', async (client) => [...(await openPictureBackup(deps.storage).namesOf(client))])
  assert.ok((await namesIn()).length > 0)
  await change(`update media set colour = 'x'`)
  assert.deepEqual(await namesIn(), [])
})

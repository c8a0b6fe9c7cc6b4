// Archives whose sums are right, but whose rows the API would not have let in.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { dataOf } from '../../../test/shop.ts'
import { madeReady, send } from '../../../test/uploads.ts'
import { openWorld, secretKey } from '../../../test/world.ts'
import { picturesOf } from '../../commerce/media/backup.ts'
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

async function elsewhere(t: TestContext): Promise<ArchiveDeps> {
  return { ...here, url: await newDatabase(t), storage: folderStorage(newFile()) }
}

/** An installation that has the store, whose rows a forger changes without any check. */
async function forger(t: TestContext): Promise<{ deps: ArchiveDeps; change: (statement: string) => Promise<void> }> {
  const [deps, file] = [await elsewhere(t), newFile()]
  await writeArchive(here, store.id, file)
  await loadArchive(deps, file, new Date())
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
      await assert.rejects(loadArchive(there, file, new Date()), (error: Error) => error.message.includes(place), place)
    }
    await change(`update ${table} set ${column} = ${typeof kept === 'string' ? text(kept) : String(kept)}`)
  }
  assert.deepEqual(await valuesOf(there.url, 'select id as value from stores'), [])
  const file = newFile()
  await writeArchive(deps, store.id, file)
  assert.equal((await loadArchive(there, file, new Date())).store.id, store.id)
})

function valuesOf(url: string, statement: string): Promise<unknown[]> {
  return withClient(url, 'test', async (client) => (await client.query(statement)).rows.map(({ value }) => value))
}

test('the domain of an imported store has to be proven again', async (t) => {
  const { deps, change } = await forger(t)
  await change(`update stores set custom_domain = 'shop.example.org', domain_verified = true`)
  const [there, file] = [await elsewhere(t), newFile()]
  await writeArchive(deps, store.id, file)
  await loadArchive(there, file, new Date())
  const facts = await valuesOf(
    there.url,
    'select json_build_array(custom_domain, domain_verified) as value from stores',
  )
  assert.deepEqual(facts, [['shop.example.org', false]])
})

test('a row that names no image keeps nothing from a backup', async (t) => {
  const { deps, change } = await forger(t)
  const namesIn = () =>
    withClient(deps.url, 'test', async (client) => [...(await picturesOf(deps.storage).namesOf(client))])
  assert.ok((await namesIn()).length > 0)
  await change(`update media set colour = 'x'`)
  assert.deepEqual(await namesIn(), [])
})

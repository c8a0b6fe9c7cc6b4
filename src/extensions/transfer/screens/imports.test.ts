import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardTranslator } from '../../../dashboard/framework/messages.ts'
import { languages } from '../../../kit/values/language.ts'
import { listMappableFields } from '../imports/fields.ts'
import { kinds } from '../imports/sources/source.ts'
import { nameImportField } from './words.ts'
import { importIn, previewed, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const path = '/settings/imports'

test('a file is uploaded, previewed, mapped, started and undone on screen', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ana = await staffOf(world, [shop])
  const at = (rest = '') => `/${store.id}${path}${rest}`
  assert.match((await ana.get(at())).text, /No imports yet/)
  const { id } = await previewed(world, api, 'name,price,cost\nMug,5,2\nCup,-1,\n', { kind: 'products' })
  const preview = (await ana.get(at(`/${id}`))).text
  assert.match(preview, /Ready to start/)
  assert.match(preview, /<tr><td>1<\/td><td>3<\/td><td>price<\/td><td>Price: Enter more than 0\./)
  const columns = { 'column.0': 'name', 'column.1': 'price', 'column.2': 'supplier_cost', on_duplicate: 'skip' }
  assert.equal((await ana.post(at(`/${id}`), { act: 'change', ...columns })).status, 303)
  await settled(world, api, id)
  assert.equal((await ana.post(at(`/${id}`), { act: 'start' })).status, 303)
  await settled(world, api, id)
  const [mug] = (await api.get('/v1/products')).data
  assert.deepEqual([mug.name, mug.supplier_cost], ['Mug', 2])
  assert.match((await ana.get(at(`/${id}`))).text, /Completed/)
  assert.match((await ana.post(at(`/${id}`), { act: 'undo' })).text, /Undo this import\?/)
  assert.equal((await ana.post(at(`/${id}`), { act: 'undo', sure: '1' })).status, 303)
  assert.equal((await settled(world, api, id)).status, 'undone')
  assert.equal((await api.get('/v1/products')).data.length, 0)
})

test('fields of every kind have a name in every language, and no word of the API', () => {
  for (const language of languages) {
    const t = dashboardTranslator(language)
    for (const kind of kinds) {
      const names = listMappableFields(kind).map((field) => nameImportField(t, field))
      assert.deepEqual(
        names.filter((name, at) => name.includes('_') || names.indexOf(name) < at),
        [],
        `${language} ${kind}`,
      )
    }
  }
})

test('all rows are downloaded with what became of them', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const id = await importIn(world, shop, 'completed')
  const { text, headers } = await ana.get(`/${shop.store.id}${path}/${id}.csv`)
  assert.match(headers.get('content-type')!, /text\/csv/)
  assert.match(text, /name,price,line,outcome,record_id,messages\r\nImported,1,2,to_create,,\r\nSecond,2,3,rejected,,/)
})

test('the preview shows new products with their values, and changes as before and after', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ana = await staffOf(world, [shop])
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const variants = [
    { ...size('S'), sku: 'T-S', price: 9 },
    { ...size('M'), sku: 'T-M', price: 12 },
  ]
  await api.post('/v1/products', { name: 'Tee', price: 10, variants })
  await api.post('/v1/products', { name: 'Pot', price: 7, sku: 'P-1' })
  const file = 'sku,name,price,stock_quantity\nT-M,,14,\nP-1,,7,\nM-1,Mug,5,3\nX-1,,1,\n'
  const { id } = await previewed(world, api, file, { kind: 'products', on_duplicate: 'update' })
  const at = `/${store.id}${path}/${id}`
  const { text } = await ana.get(at)
  assert.match(text, /M: [^<]*Price: 12 → <b>14<\/b>/)
  assert.match(text, /It’s the same in the store, so nothing changes/)
  assert.match(text, /Mug<small>M-1<\/small>/)
  assert.match(text, /<div>Price: 5<\/div><div>[^<]*: 3<\/div>/)
  const columns = { 'column.0': 'sku', 'column.1': 'name', 'column.2': 'price', 'column.3': '' }
  const change = { act: 'change', on_duplicate: 'update', match_by: 'sku', source: 'stoa', ...columns }
  assert.equal((await ana.post(at, change)).status, 303)
  assert.equal((await settled(world, api, id)).match_by, 'sku')
  for (const kind of ['products', 'customers', 'orders']) {
    assert.match((await ana.get(`/${store.id}/${kind}`)).text, new RegExp(`settings/imports\\?kind=${kind}`))
  }
})

test('the preview shows what is no longer shipped', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ana = await staffOf(world, [shop])
  const kinds = ['Print', 'File'].map((value) => ({ option_values: [{ option_title: 'Kind', value }], sku: value }))
  await api.post('/v1/products', { name: 'Map', price: 7, variants: kinds })
  await api.post('/v1/products', { name: 'Song', price: 1, sku: 'S-1' })
  const file = 'sku,requires_shipping\nS-1,no\nFile,no\nPrint,yes\n'
  const one = await previewed(world, api, file, { kind: 'products', on_duplicate: 'update' })
  assert.deepEqual([one.rows_to_update, one.rows_skipped], [2, 1])
  const { text } = await ana.get(`/${store.id}${path}/${one.id}`)
  assert.match(text, /<div>[^<]*: Yes → <b>No<\/b><\/div>/)
  assert.match(text, /<div>File: [^<]*: – → <b>No<\/b><\/div>/)
  assert.doesNotMatch(text, /<div>Print: /)
})

test('the preview shows custom fields, lists and names as changes, and leaves out what is unchanged', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ana = await staffOf(world, [shop])
  const create = async (path: string, body: object) => dataOf(await api.post(path, body), 201)
  const define = (applies_to: string, key: string, type: string) =>
    create('/v1/store/custom-fields', { applies_to, key, label: `The ${key}`, type })
  await define('product', 'material', 'text')
  await define('product', 'lined', 'boolean')
  await define('variant', 'care', 'text')
  const parent_id = (await create('/v1/categories', { name: 'Clothing' })).id
  const { id: category_id } = await create('/v1/categories', { name: 'Shirts', parent_id })
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }], sku: `T-${value}` })
  const tee = { name: 'Tee', price: 10, category_id, custom_fields: { material: 'Wool', lined: false } }
  await create('/v1/products', { ...tee, variants: [{ ...size('S'), custom_fields: { care: 'Cold' } }, size('M')] })
  const pot = await create('/v1/products', { name: 'Pot', price: 7, tags: ['vintage'] })
  await create('/v1/products', { name: 'Set', price: 9, bundle_items: [{ product_id: pot.id }] })
  const file = async () =>
    (await fetch(`${api.url}/v1/products.csv?status=all`, { headers: { 'x-api-key': api.key } })).text()
  const show = async (text: string) => {
    const one = await previewed(world, api, text, { kind: 'products', on_duplicate: 'update' })
    return { one, text: (await ana.get(`/${store.id}${path}/${one.id}`)).text }
  }
  const same = await show(await file())
  assert.deepEqual([same.one.rows_to_update, same.one.rows_skipped], [0, 5])
  assert.ok(!same.text.includes('<th>Preview</th>'))
  const edits = [
    ['Wool', 'Silk'],
    ['""lined"":false', '""lined"":true'],
    ['Cold', 'Warm'],
    ['vintage', '"vintage, new"'],
    ['Clothing > Shirts', 'Tops'],
  ]
  const edited = await show(edits.reduce((text, [from, to]) => text.replace(from!, to!), await file()))
  assert.equal(edited.one.rows_to_update, 4)
  assert.equal(edited.text.match(/>To update</g)!.length, 3, 'the count, and two products')
  assert.ok(!edited.text.includes('Unchanged'))
  for (const change of [
    'The material: Wool → <b>Silk</b>',
    'The lined: No → <b>Yes</b>',
    'S: The care: Cold → <b>Warm</b>',
    'Tags: vintage → <b>vintage, new</b>',
    'Category: <b>Tops</b>',
  ])
    assert.ok(edited.text.includes(`<div>${change}</div>`), change)
})

test('a fault of a choice names the options, and a custom field by its label', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ana = await staffOf(world, [shop])
  const field = { applies_to: 'product', key: 'season', label: 'Time of year', type: 'choice' }
  dataOf(await api.post('/v1/store/custom-fields', { ...field, choices: ['Spring', 'Summer'] }), 201)
  const file = 'name,price,custom_fields.season,product_status\nMug,5,Winter,\nCup,5,Spring,gone\n'
  const { id } = await previewed(world, api, file, { kind: 'products' })
  const { text } = await ana.get(`/${store.id}${path}/${id}`)
  assert.match(text, /Time of year: Choose one of these options: Spring, Summer\s/)
  assert.match(text, /Status: Choose one of these options: draft, active, archived\s/)
  assert.match((await ana.get(`/${store.id}${path}/${id}.csv`)).text, /Choose one of these options: Spring, Summer/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardTranslator } from '../../../dashboard/framework/messages.ts'
import { languages } from '../../../kit/values/language.ts'
import { listMappableFields } from '../imports/fields.ts'
import { kinds } from '../imports/sources/source.ts'
import { nameImportField } from './words.ts'
import { importIn, previewed, settled } from '../../../../test/imports.ts'
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

// How the rows of a file are matched to existing records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, previewed, remarksOf, settled, upload } from '../../../../test/imports.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const update = { kind: 'products', on_duplicate: 'update' }

const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })

test('products are found by ID, barcode or SKU, as the import says; a variant by its own barcode', async () => {
  const { api } = await world.newStore()
  const mug = dataOf(await api.post('/v1/products', { name: 'Mug', price: 5, sku: 'M-1', barcode: '111' }), 201)
  const variants = [
    { ...size('S'), sku: 'T-S', barcode: '221' },
    { ...size('M'), sku: 'T-M', barcode: '222', price: 12 },
  ]
  const tee = dataOf(await api.post('/v1/products', { name: 'Tee', price: 10, variants }), 201)
  const list = async () => {
    const { data } = await api.get('/v1/products?sort=name&order=asc')
    return data.map((one: any) => [one.name, one.price, one.sku, ...one.variants.map((v: any) => [v.sku, v.price])])
  }
  // A file of barcodes and prices is understood without a word.
  const prices = await imported(world, api, 'EAN;Preis netto (EUR)\n111;6,50\n222;14\n999;1\n', update)
  assert.deepEqual([prices.rows_updated, prices.rows_rejected], [2, 1], JSON.stringify(await remarksOf(api, prices.id)))
  const tees = ['Tee', 10, null, ['T-S', null], ['T-M', 14]]
  assert.deepEqual(await list(), [['Mug', 6.5, 'M-1'], tees])
  const byBarcode = { ...update, match_by: 'barcode' }
  const skus = await imported(world, api, 'barcode,sku,name\n111,M-2,\n,M-3,Cup\n', byBarcode)
  assert.deepEqual(await remarksOf(api, skus.id), [[3, 'rejected', null, 'barcode is required']])
  assert.deepEqual(await list(), [['Mug', 6.5, 'M-2'], tees])
  const byId = await imported(world, api, `id,name,sku\n${mug.id},Big mug,T-S\n`, update)
  assert.deepEqual([byId.rows_updated, byId.rows_rejected], [1, 0], JSON.stringify(await remarksOf(api, byId.id)))
  assert.deepEqual((await list())[0], ['Big mug', 6.5, 'T-S'])
  const preview = await previewed(world, api, `slug,sku,price\n${tee.slug},M-9,3\n`, update)
  assert.deepEqual([preview.rows_to_update, preview.match_by], [1, 'auto'])
  dataOf(await api.patch(`/v1/imports/${preview.id}`, { match_by: 'sku' }), 200)
  const changed = await settled(world, api, preview.id)
  assert.deepEqual([changed.rows_rejected, changed.match_by], [1, 'sku'])
})

test('products, variants and customers are found by the IDs of another system, and metadata is joined', async () => {
  const { api } = await world.newStore()
  const own = (external_id: string) => ({ external_id, metadata: { shelf: 'A', color: 'red' } })
  dataOf(await api.post('/v1/products', { name: 'Mug', price: 5, sku: 'M-1', ...own('erp-1') }), 201)
  const variants = [
    { ...size('S'), ...own('erp-21') },
    { ...size('M'), ...own('erp-22') },
  ]
  dataOf(await api.post('/v1/products', { name: 'Tee', price: 10, variants }), 201)
  const texts = '"{""shelf"":""B"",""color"":null}"'
  const file = `external_id,price,metadata\nerp-1,6,${texts}\nerp-22,12,${texts}\nerp-9,1,\n`
  const changed = await imported(world, api, file, { ...update, match_by: 'external_id' })
  assert.deepEqual([changed.rows_updated, changed.rows_rejected], [2, 1])
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  const [mug, tee] = data.map((one: any) => [one, ...one.variants].map((of) => [of.price, of.external_id, of.metadata]))
  const red = { shelf: 'A', color: 'red' }
  assert.deepEqual(mug, [[6, 'erp-1', { shelf: 'B' }]])
  assert.deepEqual(tee.slice(1), [
    [null, 'erp-21', red],
    [12, 'erp-22', { shelf: 'B' }],
  ])
  // A row that names a product by its SKU gives it the ID.
  const given = await imported(world, api, 'sku,external_id\nM-1,erp-77\n', update)
  assert.equal(given.rows_updated, 1, JSON.stringify(await remarksOf(api, given.id)))
  assert.equal((await api.get('/v1/products?external_id=erp-77')).data.length, 1)

  dataOf(await api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com', ...own('crm-1') }), 201)
  const people = { kind: 'customers', on_duplicate: 'update', match_by: 'external_id' }
  const moved = await imported(world, api, `external_id,email,metadata\ncrm-1,new@example.com,${texts}\n`, people)
  assert.equal(moved.rows_updated, 1, JSON.stringify(await remarksOf(api, moved.id)))
  const [ana] = (await api.get('/v1/customers?external_id=crm-1')).data
  assert.deepEqual([ana.email, ana.metadata], ['new@example.com', { shelf: 'B' }])
})

test('customers are found by ID, email or phone; other kinds have one key', async () => {
  const { api } = await world.newStore()
  const person = { name: 'Ana', email: 'ana@example.com', phone: '+12025550123' }
  const ana = dataOf(await api.post('/v1/customers', person), 201)
  const people = { kind: 'customers', on_duplicate: 'update' }
  const byPhone = await imported(world, api, 'phone,email\n+12025550123,new@example.com\n', {
    ...people,
    match_by: 'phone',
  })
  assert.equal(byPhone.rows_updated, 1, JSON.stringify(await remarksOf(api, byPhone.id)))
  const byId = await imported(world, api, `id,last_name,first_name\n${ana.id},Torres,Ana\n`, people)
  assert.equal(byId.rows_updated, 1, JSON.stringify(await remarksOf(api, byId.id)))
  const { data } = await api.get(`/v1/customers/${ana.id}`)
  assert.deepEqual([data.name, data.email], ['Ana Torres', 'new@example.com'])
  const wrong = await upload(api, 'code,type,value\nA,percentage,5\n', { kind: 'discounts', match_by: 'sku' })
  assert.match(faultsOf(wrong).match_by!, /is not one by which discounts are found/)
})

test('a mapping is remembered by the header of its file, and weights have their unit', async () => {
  const { api } = await world.newStore()
  const mapping = '{"Teil":"name","Kosten":"price","Masse":"weight_kg"}'
  await imported(world, api, 'Teil,Kosten,Masse\nTasse,5,1.5\n', { kind: 'products', mapping })
  await imported(world, api, 'masse,kosten,teil\n2,6,Kanne\n', { kind: 'products' })
  const other = await upload(api, 'Teil,Kosten\nTopf,7\n', { kind: 'products' })
  assert.match(faultsOf(other).file!, /no column that is recognized/)
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, price, weight }: any) => [name, price, weight]),
    [
      ['Kanne', 6, 2000],
      ['Tasse', 5, 1500],
    ],
  )
})

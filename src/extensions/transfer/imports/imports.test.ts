import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccounted, imported, previewed, remarksOf, settled, upload } from '../../../../test/imports.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })

const mugs = 'name,price,sku,stock_quantity\nMug,5.50,MUG,7\nCup,"1,200.00",CUP,\n'

test('a file is previewed, then started: each row is accounted for', async () => {
  const { api, events } = await world.newStore()
  const preview = await previewed(world, api, mugs, { kind: 'products' })
  assert.deepEqual(
    [preview.status, preview.source, preview.rows_read, preview.rows_to_create, preview.rows_created],
    ['ready', 'stoa', 2, 2, 0],
  )
  assert.deepEqual(preview.columns[1], { name: 'price', field: 'price' })
  assert.equal((await api.get('/v1/products')).data.length, 0)
  dataOf(await api.post(`/v1/imports/${preview.id}/start`, {}), 200)
  const done = await settled(world, api, preview.id)
  assert.deepEqual([done.status, done.rows_to_create, done.rows_created], ['completed', 0, 2])
  assertAccounted(done)
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, price, sku, stock_quantity, track_inventory }: any) => [
      name,
      price,
      sku,
      stock_quantity,
      track_inventory,
    ]),
    [
      ['Cup', 1200, 'CUP', 0, false],
      ['Mug', 5.5, 'MUG', 7, true],
    ],
  )
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['product.created', 'product.created'],
  )
  const rows = await api.get(`/v1/imports/${done.id}/rows`)
  assert.deepEqual(
    rows.data.map(({ line, outcome, record_id }: any) => [line, outcome, record_id]),
    [
      [2, 'created', data[1].id],
      [3, 'created', data[0].id],
    ],
  )
})

test('a rejected row has its line, its column and the message of the API; the others are imported', async () => {
  const { api } = await world.newStore()
  const file = 'name,price,compare_price\nMug,-1,many\n"Two\nlines",2,\nCup,,3\n'
  const done = await imported(world, api, file, { kind: 'products' })
  assert.deepEqual([done.rows_created, done.rows_rejected], [1, 2])
  assertAccounted(done)
  assert.deepEqual(await remarksOf(api, done.id), [
    [2, 'rejected', 'price', 'price must be greater than 0'],
    [2, 'rejected', 'compare_price', 'compare_price must be a number or null'],
    [5, 'rejected', null, 'price is required'],
  ])
  const address = `${world.url}/v1/imports/${done.id}/rows.csv?outcome=rejected`
  const csv = await (await fetch(address, { headers: { 'x-api-key': api.key } })).text()
  assert.match(
    csv,
    /^name,price,compare_price,line,outcome,record_id,messages\r\nMug,'-1,many,2,rejected,,price: price must/,
  )
})

test('what exists by SKU, slug or email is skipped, updated or rejected, as the import says', async () => {
  const { api } = await world.newStore()
  await imported(world, api, mugs, { kind: 'products' })
  const changed = mugs.replace('5.50', '6.00')
  const skipped = await imported(world, api, changed, { kind: 'products' })
  assert.deepEqual([skipped.rows_skipped, skipped.on_duplicate], [2, 'skip'])
  assert.deepEqual((await remarksOf(api, skipped.id))[0], [
    2,
    'skipped',
    null,
    'A record with the same SKU already exists: MUG',
  ])
  const rejected = await imported(world, api, changed, { kind: 'products', on_duplicate: 'reject' })
  assert.equal(rejected.rows_rejected, 2)
  const updated = await imported(world, api, changed, { kind: 'products', on_duplicate: 'update' })
  assert.deepEqual([updated.rows_updated, updated.rows_skipped], [1, 1])
  assert.deepEqual((await remarksOf(api, updated.id))[0], [3, 'skipped', null, 'Nothing has changed'])
  const { data } = await api.get('/v1/products?sort=name&order=desc')
  assert.deepEqual([data.length, data[0].price], [2, 6])
  const people = 'name,email\nAna,ana@example.com\nAna again,ANA@example.com\n'
  const twice = await imported(world, api, people, { kind: 'customers' })
  assert.deepEqual([twice.rows_created, twice.rows_skipped], [1, 1])
  assert.deepEqual((await remarksOf(api, twice.id))[0]![3], 'email ana@example.com is already on line 2')
})

test('a customer gets the address of their row, by a name or code of its country; an update adds another', async () => {
  const { api } = await world.newStore({ country_code: 'US' })
  const header = 'name,email,address_line_1,address_city,address_province,address_country'
  const rows = (street: string, country: string) =>
    `${header}\nAna,ana@example.com,${street},Mérida,Yucatán,${country}\n`
  const addresses = async () => (await api.get('/v1/customers')).data[0].addresses
  const first = await imported(world, api, rows('Calle 60', 'México'), { kind: 'customers' })
  assert.deepEqual([first.rows_created, first.rows_rejected], [1, 0])
  const [one] = await addresses()
  assert.deepEqual(
    [one.name, one.address, one.city, one.province_code, one.country_code, one.is_default_shipping],
    ['Ana', 'Calle 60', 'Mérida', 'MX-YUC', 'MX', true],
  )
  const update = { kind: 'customers', on_duplicate: 'update' } as const
  assert.equal((await imported(world, api, rows('Calle 60', 'MX'), update)).rows_skipped, 1)
  assert.equal((await imported(world, api, rows('Calle 61', 'MX'), update)).rows_updated, 1)
  assert.deepEqual(
    (await addresses()).map((each: any) => [each.id === one.id, each.address, each.is_default_shipping]),
    [
      [true, 'Calle 60', true],
      [false, 'Calle 61', false],
    ],
  )
  const wrong = await imported(world, api, rows('Calle 60', 'Atlantis').replace('ana@', 'bo@'), { kind: 'customers' })
  assert.deepEqual(await remarksOf(api, wrong.id), [
    [2, 'rejected', 'address_country', 'addresses.0.country_code must be at most 2 characters long'],
  ])
})

test('a running import is stopped, continued, and undone as one', async () => {
  const { api } = await world.newStore()
  const kept = dataOf(await api.post('/v1/products', { name: 'Kept', price: 1, sku: 'KEPT' }), 201)
  const lines = Array.from({ length: 60 }, (_, index) => `Product ${index},${index + 1},SKU-${index}`)
  const file = ['name,price,sku', ...lines, 'Kept,9,KEPT'].join('\n')
  const { id } = await previewed(world, api, file, { kind: 'products', on_duplicate: 'update' })
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  assert.equal(dataOf(await api.post(`/v1/imports/${id}/stop`, {}), 200).status, 'stopped')
  assert.equal((await settled(world, api, id)).rows_created, 0)
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  const done = await settled(world, api, id)
  assert.deepEqual([done.status, done.rows_created, done.rows_updated], ['completed', 60, 1])
  assert.equal((await api.get(`/v1/products/${kept.id}`)).data.price, 9)
  const { data: products } = await api.get('/v1/products?search=SKU-10')
  dataOf(await api.patch(`/v1/products/${products[0].id}`, { price: 77 }), 200)
  dataOf(await api.post(`/v1/imports/${id}/undo`, {}), 200)
  const undone = await settled(world, api, id)
  assert.equal(undone.status, 'undone')
  // One was changed since: it stays, and so it is said.
  assert.deepEqual([undone.rows_undone, undone.rows_updated, undone.rows_created], [60, 0, 1])
  assertAccounted(undone)
  const left = (await api.get('/v1/products?per_page=100')).data.map(({ name }: any) => name)
  assert.deepEqual(left.toSorted(), ['Kept', 'Product 10'])
  assert.equal((await api.get(`/v1/products/${kept.id}`)).data.price, 1)
  const stays = (await remarksOf(api, id)).filter(([, outcome]) => outcome === 'created')
  assert.deepEqual(stays, [[12, 'created', null, 'It was edited since, so it was not changed']])
})

test('a file that is no table is refused with its line and column, and nothing of it is kept', async () => {
  const { api } = await world.newStore()
  const refusals = async (text: string | Buffer, fields = {}) => {
    const answer = await upload(api, text, { kind: 'products', ...fields })
    assert.equal(answer.status, 422)
    return faultsOf(answer)
  }
  assert.match((await refusals(Buffer.from('PK\x03\x04 something'))).file!, /is damaged; open it/)
  assert.match((await refusals('')).file!, /has no rows|is required/)
  assert.match((await refusals('name,price\n')).file!, /has no rows/)
  assert.match((await refusals('name,name,price\na,b,1\n')).file!, /has the column name twice/)
  assert.match((await refusals('colour,size\nred,1\n')).file!, /no column that is recognized/)
  assert.match((await refusals('price\n1\n')).file!, /has no column for name/)
  const latin = Buffer.concat([Buffer.from('name,price\nTee,1\nCaf'), Buffer.from([0xe9]), Buffer.from(',2\n')])
  assert.match((await refusals(latin)).file!, /is not UTF-8 \(line 3, column 4\)/)
  assert.match((await refusals('name,price\n"never ends,1\n')).file!, /cannot be read as CSV at line \d/)
  assert.match(
    (await refusals('name,price\n"A 5" pipe",1\n')).file!,
    /cannot be read as CSV at line 2: a quote in a quoted cell is not doubled/,
  )
  assert.match((await refusals('{"name":"a","price":1}\n{oops}\n')).file!, /is not a JSON object on line 2/)
  assert.match(
    (await refusals('name,price\na,1\n', { mapping: '{"name":"nope"}' }))['mapping.name']!,
    /unknown field: nope/,
  )
  assert.equal((await api.get('/v1/imports')).data.length, 0)
  const read = await imported(world, api, latin, { kind: 'products', encoding: 'windows-1252' })
  assert.deepEqual((await api.get('/v1/products?search=caf')).data[0].name, 'Café')
  assert.equal(read.rows_created, 2)
})

test("semicolons, tabs, marks of UTF-16, decimal commas, JSONL and columns of one's own are read", async () => {
  const { api } = await world.newStore()
  const german = 'Artikel;Preis\nTasse;1.234,50\n'
  const fields = { kind: 'products', mapping: '{"Artikel":"name","Preis":"price"}' }
  await imported(world, api, german, fields)
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('name\tprice\nÜber\t2.5\n', 'utf16le')])
  await imported(world, api, utf16, { kind: 'products' })
  await imported(world, api, '{"name":"Line","price":3,"tags":["a","b"]}\n', { kind: 'products' })
  // The columns are remembered.
  await imported(world, api, 'Artikel;Preis\nKanne;7,25 €\n', { kind: 'products' })
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, price }: any) => [name, price]),
    [
      ['Kanne', 7.25],
      ['Line', 3],
      ['Tasse', 1234.5],
      ['Über', 2.5],
    ].sort(),
  )
  assert.deepEqual(data[1].tags, ['a', 'b'])
})

test('a changed mapping is previewed again, and a started import keeps its own', async () => {
  const { api } = await world.newStore()
  const file = 'name,price,cost\nMug,5,2\n'
  const first = await previewed(world, api, file, { kind: 'products' })
  assert.equal(first.columns[2].field, null)
  dataOf(await api.patch(`/v1/imports/${first.id}`, { mapping: '{"cost":"supplier_cost"}' }), 200)
  assert.equal((await settled(world, api, first.id)).columns[2].field, 'supplier_cost')
  dataOf(await api.post(`/v1/imports/${first.id}/start`, {}), 200)
  assert.equal((await api.patch(`/v1/imports/${first.id}`, { on_duplicate: 'update' })).status, 409)
  await settled(world, api, first.id)
  assert.equal((await api.get('/v1/products')).data[0].supplier_cost, 2)
})

test('an import needs the scope of its kind, and is seen by its store alone', async () => {
  const shop = await world.newStore()
  const other = await world.newStore()
  const limited = await shop.withKey({ scopes: ['write:customers'] })
  assert.equal((await upload(limited, mugs, { kind: 'products' })).status, 403)
  const { id } = await previewed(world, shop.api, mugs, { kind: 'products' })
  assert.equal((await limited.post(`/v1/imports/${id}/start`, {})).status, 403)
  for (const path of ['', '/rows', '/images'])
    assert.equal((await other.api.get(`/v1/imports/${id}${path}`)).status, 404)
  assert.equal((await other.api.post(`/v1/imports/${id}/start`, {})).status, 404)
})

test('a dry run reads the file and keeps nothing', async () => {
  const { api } = await world.newStore()
  const answer = await upload(api, mugs, { kind: 'products' }, { prefer: 'dry-run' })
  assert.deepEqual([answer.status, answer.data.rows_read], [201, 2])
  assert.equal((await api.get('/v1/imports')).data.length, 0)
})

test('a plan without tracked stock, and a plan that is full, reject rows and not the file', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const tracked = await imported(world, api, mugs, { kind: 'products' })
  assert.deepEqual([tracked.rows_created, tracked.rows_rejected], [1, 1])
  const many = ['name,price', ...Array.from({ length: 60 }, (_, index) => `P${index},1`)].join('\n')
  const done = await imported(world, api, many, { kind: 'products' })
  assert.deepEqual([done.rows_created, done.rows_rejected], [49, 11])
  assert.match((await remarksOf(api, done.id))[0]![3], /Product limit reached \(50\/50\)/)
})

test('changes of an import weigh as much as it has rows: a store previews a million rows a minute', async () => {
  const { api, store } = await world.newStore()
  const { id } = await previewed(world, api, 'name,price\nMug,1\n', { kind: 'products' })
  await world.app.db.rows(sql`update imports set rows_read = 400000 where store_id = ${store.id}`)
  const change = async (on_duplicate: string) => (await api.patch(`/v1/imports/${id}`, { on_duplicate })).status
  assert.deepEqual([await change('update'), await change('skip'), await change('update')], [200, 200, 429])
  assert.equal(await change('skip'), 200, 'no change weighs nothing')
  world.clock.advance(60)
  assert.equal(await change('update'), 200)
})

// Files with an oddity that is no reason to refuse all of them, and records as long as other systems allow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, previewed, remarksOf, upload } from '../../../../test/imports.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const products = { kind: 'products' }

test('a title, a line that names the delimiter, inches and a column without a name refuse nothing', async () => {
  const { api } = await world.newStore()
  const files = [
    ',name,price\n0,Index,1\n',
    'name,price,description\nInches,2,12" wide\n',
    'sep=;\nname;price\nSigned;3,50\n',
    'Price list 2026,,\n,,\nname,price,sku\nTitled,4,T-4\n',
    'Catalog\nname\tprice\nTabs\t5\n',
    'name,price,\nEnd,6,a remark\n',
  ]
  for (const file of files) {
    const done = await imported(world, api, file, products)
    assert.equal(done.rows_created, 1, JSON.stringify([file, await remarksOf(api, done.id)]))
  }
  const { data } = await api.get('/v1/products?sort=price&order=asc')
  assert.deepEqual(
    data.map(({ name, price }: any) => [name, price]),
    [
      ['Index', 1],
      ['Inches', 2],
      ['Signed', 3.5],
      ['Titled', 4],
      ['Tabs', 5],
      ['End', 6],
    ],
  )
  assert.equal(data[1].description, '12" wide')
})

test('a row with more cells than the header is rejected; a quote that never ends is named by its line', async () => {
  const { api } = await world.newStore()
  const done = await imported(world, api, 'name,price\nMug, blue,5\nCup,6,,\n', products)
  assert.deepEqual([done.rows_created, done.rows_rejected], [1, 1])
  assert.deepEqual(await remarksOf(api, done.id), [
    [
      2,
      'rejected',
      null,
      'The row has more cells than the header. Put quotes around texts with commas, and name every column',
    ],
  ])
  const csv = await fetch(`${world.url}/v1/imports/${done.id}/rows.csv`, { headers: { 'x-api-key': api.key } })
  assert.match(await csv.text(), /^name,price,line,outcome,record_id,messages\r\nMug, blue,2,rejected/m)
  const open = await upload(api, 'name,price\nMug,1\n"Cup,2\nPot,3\nPan,4\n', products)
  assert.match(faultsOf(open).file!, /cannot be read as CSV at line 3: a quote is not closed/)
})

test('names, options, SKUs, barcodes, tags and titles may have 255 characters', async () => {
  const { api } = await world.newStore()
  const long = (sign: string) => sign.repeat(255)
  const header = 'Handle,Title,Body (HTML),Vendor,Tags,SEO Title,Option1 Name,Option1 Value,Variant SKU,Variant Barcode'
  const texts = ['T', 'V', 'G', 'S', 'O'].map(long)
  const row = ['h', texts[0], '', texts[1], texts[2], texts[3], texts[4], long('a'), long('1'), long('2')]
  const done = await imported(world, api, `${header},Variant Price\n${row.join(',')},5\n`, products)
  assert.equal(done.rows_created, 1, JSON.stringify(await remarksOf(api, done.id)))
  const [one] = (await api.get('/v1/products')).data
  const [variant] = one.variants
  assert.deepEqual([one.name, one.brand, one.tags[0], one.seo_title, one.options[0].title], texts)
  assert.deepEqual([variant.option_values[0].value, variant.sku, variant.barcode], [long('a'), long('1'), long('2')])
  const code = 'SUMMER SALE 10% (VIP)'
  const codes = await imported(world, api, `code,type,value\n${code},percentage,10\n`, { kind: 'discounts' })
  assert.equal(codes.rows_created, 1, JSON.stringify(await remarksOf(api, codes.id)))
  const valid = dataOf(await api.post('/v1/discounts/validate', { code: code.toLowerCase(), order_total: 100 }), 200)
  assert.deepEqual([valid.valid, valid.discount_amount], [true, 10], JSON.stringify(valid))
})

test('orders of two shops whose numbers have the same digits both arrive, once', async () => {
  const { api } = await world.newStore()
  const header = 'Name,Email,Financial Status,Currency,Created at,Lineitem quantity,Lineitem name,Lineitem price,Total'
  const row = (name: string, day: number, price: number) =>
    `${name},a@example.com,paid,USD,2024-01-0${day} 10:00:00 +0100,1,Mug,${price},${price}`
  const file = [header, row('EU1001', 1, 10), row('US1001', 2, 20), row('EU1003', 3, 30)].join('\n')
  for (const created of [3, 0]) {
    const done = await imported(world, api, file, { kind: 'orders' })
    assert.deepEqual([done.rows_created, done.rows_skipped], [created, 3 - created])
  }
  const { data } = await api.get('/v1/orders?sort=created_at&order=asc')
  assert.deepEqual(
    data.map((one: any) => [one.order_number, one.total, one.internal_notes]),
    [
      [1001, 10, 'Order number: EU1001'],
      [1002, 20, 'Order number: US1001'],
      [1003, 30, 'Order number: EU1003'],
    ],
  )
})

test('a page, a picture, and a file of another kind or system are refused with what they are', async () => {
  const { api } = await world.newStore()
  const refusals = async (text: string | Buffer, fields: Record<string, string> = {}) => {
    const answer = await upload(api, text, { ...products, unmapped: 'accept', ...fields })
    assert.equal(answer.status, 422)
    return faultsOf(answer)
  }
  assert.match((await refusals('<!DOCTYPE html>\n<html><title>Sign in</title></html>')).file!, /is a web page/)
  assert.match((await refusals(Buffer.from('%PDF-1.7\n%\xe2\xe3', 'latin1'))).file!, /is a document or an image/)
  assert.match((await refusals(Buffer.from('\x89PNG\r\n', 'latin1'))).file!, /is a document or an image/)
  const orders =
    'Name,Email,Financial Status,Currency,Lineitem quantity,Lineitem name,Lineitem price\n#1,a@b.c,paid,USD,1,Mug,5'
  assert.match((await refusals(orders)).kind!, /must be orders for this file/)
  const woo = 'ID,Type,SKU,Name,Regular price\n1,simple,A,Mug,5\n'
  assert.match(
    (await refusals(woo, { source: 'shopify' })).source!,
    /does not fit: the file has the columns of woocommerce/,
  )
  assert.match(
    (await refusals('a,b\n1,2\n', { mapping: '{"a":"name","a":"sku"}' })).mapping!,
    /names the column a twice/,
  )
  assert.match(
    (await refusals('a,b\n1,2\n', { mapping: '{"a":"name","b":"name"}' })).mapping!,
    /maps two columns to name/,
  )
  assert.equal((await api.get('/v1/imports')).data.length, 0)
})

test('two systems that understand a file about as well are both named, and the other can be chosen', async () => {
  const { api } = await world.newStore()
  const file = 'title,description,price,quantity,sku,tags\nMug,Fine,5,3,M-1,gift\n'
  const preview = await previewed(world, api, file, products)
  assert.deepEqual([preview.source, preview.other_sources], ['generic', ['etsy', 'shopify']])
  const changed = dataOf(await api.patch(`/v1/imports/${preview.id}`, { source: 'etsy' }), 200)
  assert.deepEqual([changed.source, changed.other_sources], ['etsy', ['shopify', 'squarespace']])
})

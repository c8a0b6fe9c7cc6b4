// Exports for other programs: workbooks, and the columns of Shopify.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, remarksOf } from '../../../../test/imports.ts'
import { dataOf, newShop } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { readTable } from '../imports/file.ts'

const world = await openWorld({}, { sweeps: true })

async function fileOf({ api }: Pick<TestStore, 'api'>, path: string): Promise<Buffer> {
  const response = await fetch(`${api.url}/v1/${path}`, { headers: { 'x-api-key': api.key } })
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

async function readRows(file: Buffer): Promise<Record<string, string>[]> {
  const { columns, rows } = await readTable(file)
  const all = await Array.fromAsync(rows)
  return all.map(({ cells }) => Object.fromEntries(columns.map((name, at) => [name, cells[at]!])))
}

test('a workbook has codes as texts and amounts as numbers, with every sign that a text can have', async () => {
  const shop = await newShop(world)
  const name = '=1+1 "Ü" <b> & _x0041_ \u0007\r\nend'
  await shop.product({ name, slug: 'mug', sku: '000123', barcode: '4006381333931', price: 19.9 })
  const file = await fileOf(shop, 'products.xlsx')
  const [mug] = await readRows(file)
  assert.deepEqual([mug!.name, mug!.sku, mug!.barcode, mug!.price], [name, '000123', '4006381333931', '19.9'])
  assert.deepEqual(await fileOf(shop, 'products.xlsx'), file)
  assert.match(file.toString('latin1'), /^PK/)
})

test('the screen of a list has its workbook and its Shopify file, with the filters of the list', async () => {
  const shop = await newShop(world)
  await shop.product({ name: 'Mug', slug: 'mug', tags: ['gift'] })
  await shop.product({ name: 'Cup', slug: 'cup' })
  const ana = await staffOf(world, [shop])
  const page = `/${shop.store.id}/products`
  assert.match((await ana.get(`${page}?tag=gift`)).text, /products\.xlsx\?tag=gift/)
  const { text, headers } = await ana.get(`${page}.shopify.csv?tag=gift`)
  assert.match(headers.get('content-disposition')!, /products\.shopify\.csv/)
  assert.match(text, /^Handle,Title,Body \(HTML\),[^]*\r\nmug,Mug,/)
  assert.doesNotMatch(text, /\r\ncup,/)
})

test('products in the columns of Shopify come back as the same products', async () => {
  const shop = await newShop(world)
  const above = dataOf(await shop.api.post('/v1/categories', { name: 'Men, Women' }), 201)
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Hats', parent_id: above.id }), 201)
  await shop.variants({
    slug: 'shirt',
    description: 'Soft **cotton**\n\n- light\n- warm',
    category_id: category.id,
    brand: 'Ana',
    tags: ['new', 'gift'],
    gallery: ['https://cdn.example/1.jpg', { url: 'https://cdn.example/2.jpg', alt_text: 'Back' }],
  })
  await shop.product({
    ...{ name: 'Mug', slug: 'mug', sku: '000123', barcode: '4006381333931', price: 19.9, compare_price: 25 },
    ...{ weight: 350, supplier_cost: 4, product_status: 'draft', seo_title: 'A mug', track_inventory: true },
    ...{ stock_quantity: 3, continue_selling: true },
  })
  const file = await fileOf(shop, 'products.shopify.csv?status=all')
  assert.match(file.toString(), /"Men, Women > Hats"/)
  const empty = await newShop(world)
  const done = await imported(world, empty.api, file, { kind: 'products' })
  assert.equal(done.source, 'shopify')
  assert.equal(done.rows_created, done.rows_read, JSON.stringify(await remarksOf(empty.api, done.id)))
  assert.deepEqual(await fileOf(empty, 'products.shopify.csv?status=all'), file)
})

test('customers and orders in the columns of Shopify come back as the same', async () => {
  const shop = await newShop(world)
  const address = { name: 'Ana Torres', address: 'Calle 1', city: 'Puebla', postal_code: '01230', country_code: 'MX' }
  const ana = { name: 'Ana Torres', email: 'ana@example.com', phone: '+525512345678', notes: 'Likes tea' }
  dataOf(
    await shop.api.post('/v1/customers', { ...ana, tags: ['vip'], accepts_marketing: true, addresses: [address] }),
    201,
  )
  const items = [
    { product_name: 'Mug', quantity: 2, unit_price: 12.5 },
    { product_name: 'Tee', variant_name: 'S', quantity: 1, unit_price: 10 },
    { product_id: (await shop.product({ name: 'Guide', requires_shipping: false })).id, quantity: 1 },
  ]
  const { country_code, ...rest } = address
  const order = {
    ...{ customer_name: 'Ana Torres', customer_email: 'ana@example.com', payment_status: 'paid', tax_amount: 3.5 },
    ...{ shipping_cost: 4, discount_amount: 5, tags: ['gift'], items, status: 'confirmed' },
    shipping_address: { ...rest, country: country_code },
  }
  dataOf(await shop.api.post('/v1/orders', order), 201)
  const empty = await newShop(world)
  for (const kind of ['customers', 'orders']) {
    const file = await fileOf(shop, `${kind}.shopify.csv`)
    const done = await imported(world, empty.api, file, { kind })
    assert.equal(done.source, 'shopify')
    assert.equal(done.rows_created, done.rows_read, JSON.stringify(await remarksOf(empty.api, done.id)))
    assert.deepEqual(await fileOf(empty, `${kind}.shopify.csv`), file, kind)
  }
  const [sold] = (await empty.api.get('/v1/orders')).data
  const { items: found } = dataOf(await empty.api.get(`/v1/orders/${sold.id}`), 200)
  assert.deepEqual(
    found.map((one: any) => one.requires_shipping),
    [true, true, false],
  )
})

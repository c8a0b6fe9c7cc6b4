// Which products and variants of a file are shipped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/client.ts'
import { imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const products = { kind: 'products' }
const update = { ...products, on_duplicate: 'update' }

/** Name, value of the product, and of each of its variants. */
async function listShipped(api: Client): Promise<unknown[][]> {
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  return data.map(({ name, requires_shipping: own, variants }: any) => [
    name,
    own,
    ...variants.map((one: any) => one.requires_shipping),
  ])
}

async function shippedIn(rows: readonly string[]): Promise<unknown[][]> {
  const { api } = await world.newStore()
  const done = await imported(world, api, rows.join('\n'), products)
  assert.equal(done.rows_created, rows.length - 1, JSON.stringify(await remarksOf(api, done.id)))
  return listShipped(api)
}

const shopify = 'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant Requires Shipping,Variant Price'

test('what all variants of Shopify say is the product’s; if they differ, some are not shipped', async () => {
  assert.deepEqual(
    await shippedIn([
      shopify,
      'book,Book,,A,Format,Hardcover,true,20',
      'book,,,,,E-book,false,9',
      'book,,,,,Paperback,TRUE,12',
      'course,Course,,A,Level,One,false,20',
      'course,,,,,Two,false,30',
      'file,File,,A,Title,Default Title,FALSE,5',
      'mug,Mug,,A,Title,Default Title,true,5',
      'only,Only,,A,Size,L,false,5',
      'tee,Tee,,A,Size,S,true,20',
      'tee,,,,,M,true,20',
      'unsaid,Unsaid,,A,Title,Default Title,,5',
    ]),
    [
      ['Book', true, null, false, null],
      ['Course', false, null, null],
      ['File', false],
      ['Mug', true],
      ['Only', false, null],
      ['Tee', true, null, null],
      ['Unsaid', true],
    ],
  )
})

test('Shopify’s column of today, and files without one', async () => {
  const header = 'Title,URL handle,Description,Vendor,SKU,Option1 name,Option1 value,Price'
  const rows = ['File,file,,A,F-1,,,5', 'Tee,tee,,A,T-S,Size,S,20', ',tee,,,T-M,,M,20']
  const values = ['FALSE', 'TRUE', 'FALSE']
  assert.deepEqual(await shippedIn([`${header},Requires shipping`, ...rows.map((row, at) => `${row},${values[at]}`)]), [
    ['File', false],
    ['Tee', true, null, false],
  ])
  assert.deepEqual(await shippedIn([header, ...rows]), [
    ['File', true],
    ['Tee', true, null, null],
  ])
})

test('a virtual product of WooCommerce is not shipped, and a download that is not virtual is', async () => {
  assert.deepEqual(
    await shippedIn([
      'ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)',
      '1,simple,a,A,5,,,',
      '2,"simple, virtual",b,B,5,,,',
      '3,"simple, downloadable, virtual",c,C,5,,,',
      '4,"simple, downloadable",d,D,5,,,',
      '5,variable,e,E,,,Kind,"Print, File"',
      '6,variation,e-p,E - Print,5,e,Kind,Print',
      '7,"variation, downloadable, virtual",e-f,E - File,4,e,Kind,File',
      '8,"variable, virtual",f,F,,,Level,"1, 2"',
      '9,"variation, virtual",f-1,F - 1,5,f,Level,1',
      '10,"variation, virtual",f-2,F - 2,5,f,Level,2',
      '11,"lottery, virtual",g,G,5,,,',
      '12,lottery,h,H,5,,,',
    ]),
    [
      ['A', true],
      ['B', false],
      ['C', false],
      ['D', true],
      ['E', true, null, false],
      ['F', false, null, null],
      ['G', false],
      ['H', true],
    ],
  )
})

test('a virtual subscription or booking of WooCommerce is a draft like any other', async () => {
  const { api } = await world.newStore()
  const rows = ['1,"subscription, virtual",a,A,5', '2,booking,b,B,5', '3,"simple, virtual",c,C,5']
  const done = await imported(world, api, ['ID,Type,SKU,Name,Regular price', ...rows].join('\n'), products)
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, , column]) => [line, column]),
    [
      [2, 'Type'],
      [3, 'Type'],
    ],
  )
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  assert.deepEqual(
    data.map((one: any) => one.product_status),
    ['draft', 'draft', 'active'],
  )
  assert.deepEqual(await listShipped(api), [
    ['A', false],
    ['B', true],
    ['C', false],
  ])
})

test('the kinds of Magento, BigCommerce, Squarespace, Ecwid, PrestaShop and Square', async () => {
  const magento = 'sku,attribute_set_code,product_type,name,price,configurable_variations'
  assert.deepEqual(
    await shippedIn([
      magento,
      'C-P,Default,simple,C P,10,',
      'C-F,Default,virtual,C F,12,',
      'C,Default,configurable,C,,"sku=C-P,kind=Print|sku=C-F,kind=File"',
      'D,Default,downloadable,D,9,',
      'O,Default,rental,O,9,',
      'S,Default,simple,S,9,',
      'V,Default,virtual,V,9,',
    ]),
    [
      ['C', true, null, false],
      ['D', false],
      ['O', true],
      ['S', true],
      ['V', false],
    ],
  )
  assert.deepEqual(
    await shippedIn([
      'Item Type,Product Name,Product Type,Product Code/SKU,Price',
      'Product,Course,D,C,10',
      'SKU,[S]Level=1,,C-1,',
      'SKU,[S]Level=2,,C-2,',
      'Product,Mug,P,M,5',
    ]),
    [
      ['Course', false, null, null],
      ['Mug', true],
    ],
  )
  // A product of Squarespace says it in the row of its first variant.
  assert.deepEqual(
    await shippedIn([
      'Product ID [Non Editable],Product Type [Non Editable],Title,SKU,Option Name 1,Option Value 1,Price',
      'x1,SERVICE,Class,C-1,Level,1,10',
      ',,,C-2,,2,10',
      'x2,PHYSICAL,Mug,M,,,5',
      'x3,GIFT_CARD,Gift,G,,,5',
    ]),
    [
      ['Class', false, null, null],
      ['Gift', false],
      ['Mug', true],
    ],
  )
  assert.deepEqual(
    await shippedIn([
      'type,product_internal_id,product_sku,product_name,product_price,product_is_shipping_required',
      'product,1,F,File,5,FALSE',
      'product,2,M,Mug,5,TRUE',
    ]),
    [
      ['File', false],
      ['Mug', true],
    ],
  )
  assert.deepEqual(
    await shippedIn([
      'Name;Reference;Price (tax excl.);Virtual product (0 = No, 1 = Yes)',
      'File;F;5;1',
      'Mug;M;5;0',
      'Pot;P;5;',
    ]),
    [
      ['File', false],
      ['Mug', true],
      ['Pot', true],
    ],
  )
  assert.deepEqual(
    await shippedIn([
      'Token,Item Name,Variation Name,SKU,Item Type,Price',
      'A,File,Regular,F,Digital,5',
      'B,Tea,Small,T-S,Physical good,3',
      'C,Tea,Large,T-L,Physical good,4',
    ]),
    [
      ['File', false],
      ['Tea', true, null, null],
    ],
  )
})

test('columns of any other file, by their names and as the API’s', async () => {
  const named = (header: string, value: string) => shippedIn([`Titel,Preis,${header}`, `A,5,${value}`])
  for (const [header, value, shipped] of [
    ['Versandpflichtig', 'no', false],
    ['Requires shipping', 'Y', true],
    ['Virtual', 'yes', false],
    ['Virtual', '0', true],
    ['requires_shipping', 'off', false],
  ] as const)
    assert.deepEqual(await named(header, value), [['A', shipped]], `${header} ${value}`)
  assert.deepEqual(await named('Virtual,Requires shipping', 'no,no'), [['A', false]])
  assert.deepEqual(
    await shippedIn([
      'name,slug,price,option1_name,option1_value,requires_shipping',
      'Book,book,9,Format,Paper,yes',
      ',book,9,Format,File,no',
      'Course,course,9,Level,1,no',
      ',course,9,Level,2,',
    ]),
    [
      ['Book', true, null, false],
      ['Course', false, null, null],
    ],
  )
  assert.deepEqual(
    await shippedIn([
      'handle,row_type,name,price,option1_name,option1_value,requires_shipping',
      'course,product,Course,9,,,false',
      'course,variation,,9,Level,1,',
      'course,variation,,19,Level,Box,true',
    ]),
    [['Course', false, null, true]],
  )
})

test('any word but yes and no is a fault at its cell, which a fix replaces', async () => {
  const { api } = await world.newStore()
  const file = [shopify, 'a,A,,V,,,maybe,5', 'b,B,,V,Size,S,true,5', 'b,,,,,M,perhaps,5'].join('\n')
  const one = await previewed(world, api, file, products)
  assert.deepEqual(await remarksOf(api, one.id), [
    [2, 'rejected', 'Variant Requires Shipping', 'requires_shipping must be true or false'],
    [4, 'rejected', 'Variant Requires Shipping', 'variants.1.requires_shipping must be true or false or null'],
  ])
  const replace = { action: 'replace', column: 'Variant Requires Shipping' }
  const fixes = ['maybe', 'perhaps'].map((from) => ({ ...replace, from, to: 'false' }))
  dataOf(await api.patch(`/v1/imports/${one.id}`, { fixes }), 200)
  assert.equal((await settled(world, api, one.id)).rows_to_create, 3)
  const virtual = 'Name;Reference;Price (tax excl.);Virtual product\nFile;F;5;always\n'
  const other = await previewed(world, api, virtual, products)
  const always = { action: 'replace', column: 'Virtual product', from: 'always', to: 'false' }
  dataOf(await api.patch(`/v1/imports/${other.id}`, { fixes: [always] }), 200)
  await settled(world, api, other.id)
  for (const { id } of [one, other]) {
    dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
    await settled(world, api, id)
  }
  assert.deepEqual(await listShipped(api), [
    ['A', false],
    ['B', true, null, false],
    ['File', false],
  ])
})

/** A file that is not shipped, and a book of which the e-book is not. */
async function stocked(api: Client): Promise<void> {
  const format = (value: string) => ({ option_values: [{ option_title: 'Format', value }] })
  const variants = [
    { ...format('Paper'), sku: 'B-P' },
    { ...format('File'), sku: 'B-F', requires_shipping: false },
  ]
  dataOf(await api.post('/v1/products', { name: 'Book', price: 9, variants }), 201)
  dataOf(await api.post('/v1/products', { name: 'File', price: 5, sku: 'F-1', requires_shipping: false }), 201)
}

const before = [
  ['Book', true, null, false],
  ['File', false],
]

/** The rows that an update changes, in its preview and its run alike, and what is shipped then. */
async function updated(rows: readonly string[]): Promise<[number, unknown[][]]> {
  const { api } = await world.newStore()
  await stocked(api)
  const preview = await previewed(world, api, rows.join('\n'), update)
  dataOf(await api.post(`/v1/imports/${preview.id}/start`, {}), 200)
  const done = await settled(world, api, preview.id)
  assert.equal(done.rows_rejected, 0, JSON.stringify(await remarksOf(api, done.id)))
  assert.deepEqual(
    [done.rows_updated, done.rows_skipped],
    [preview.rows_to_update, preview.rows_skipped],
    'the preview is the run',
  )
  const shipped = await listShipped(api)
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).status, 'undone')
  assert.deepEqual(await listShipped(api), before)
  return [done.rows_updated, shipped]
}

test('an update without the column, or with empty cells, leaves what is shipped as it is', async () => {
  const header = 'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant Price'
  assert.deepEqual(await updated([header, 'book,Book,,,Format,Paper,19', 'book,,,,,File,12', 'file,File,,,,,6']), [
    3,
    before,
  ])
  assert.deepEqual(await updated(['sku,price,requires_shipping', 'F-1,6,', 'B-F,4,']), [2, before])
})

test('an update with what is so already changes nothing', async () => {
  assert.deepEqual(
    await updated([shopify, 'book,Book,,,Format,Paper,true,', 'book,,,,,File,false,', 'file,File,,,,,false,']),
    [0, before],
  )
  assert.deepEqual(await updated(['sku,requires_shipping', 'B-P,yes', 'B-F,no', 'F-1,no']), [0, before])
})

test('an update of all variants changes the product where they agree, and one of some these alone', async () => {
  const [, file] = before
  assert.deepEqual(await updated([shopify, 'book,Book,,,Format,Paper,false,', 'book,,,,,File,false,']), [
    2,
    [['Book', false, null, null], file],
  ])
  assert.deepEqual(await updated([shopify, 'book,Book,,,Format,Paper,true,', 'book,,,,,File,true,']), [
    2,
    [['Book', true, null, null], file],
  ])
  assert.deepEqual(await updated([shopify, 'book,Book,,,Format,Paper,false,', 'book,,,,,File,true,']), [
    2,
    [['Book', true, false, null], file],
  ])
  assert.deepEqual(await updated(['slug,option1_name,option1_value,requires_shipping', 'book,Format,Paper,no']), [
    1,
    [['Book', true, false, false], file],
  ])
  assert.deepEqual(await updated(['sku,requires_shipping', 'B-F,yes', 'F-1,yes']), [
    2,
    [
      ['Book', true, null, null],
      ['File', true],
    ],
  ])
})

test('a new variant of an update is as the file says, and the others stay', async () => {
  const options = '"[{""title"":""Format"",""values"":[""Paper"",""File"",""Audio"",""Box""]}]"'
  const rows = [`book,${options},Format,Audio,no`, 'book,,Format,Box,yes']
  assert.deepEqual(await updated(['slug,options,option1_name,option1_value,requires_shipping', ...rows]), [
    2,
    [['Book', true, null, false, false, null], before[1]],
  ])
})

// The formats of other shop systems: what a record is, in any of their versions, languages and orders of rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/client.ts'
import { assertAccounted, imported, remarksOf, settled, upload } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const products = { kind: 'products' }

async function importRows(api: Client, rows: readonly string[], fields: Record<string, string> = products) {
  const done = await imported(world, api, rows.join('\n'), fields)
  assertAccounted(done)
  const remarks = (await remarksOf(api, done.id)).map(([line, outcome, , message]) => [line, outcome, message])
  return { done, remarks }
}

async function listProducts(api: Client) {
  return (await api.get('/v1/products?status=all&sort=name&order=asc')).data
}

const listVariants = ({ variants, price }: any) =>
  variants.map((one: any) => [one.title, one.sku, one.price ?? price, one.stock_quantity])

test("Shopify's columns of today are those of before by other names", async () => {
  const { api } = await world.newStore()
  const names = 'Title,URL handle,Description,Vendor,Tags,Published on online store,Status,SKU,Barcode,Option1 name'
  const more = 'Option1 value,Price,Compare-at price,Cost per item,Charge tax,Inventory tracker,Inventory quantity'
  const last = 'Continue selling when out of stock,Weight value (grams),Product image URL,Image position,Gift card'
  const { done, remarks } = await importRows(api, [
    [names, more, last].join(','),
    'Tee,tee,<b>So</b>,A,summer,TRUE,Active,T-S,,Size,S,20,25,7,TRUE,shopify,4,DENY,150.4,https://c.test/b.jpg,2,FALSE',
    ',tee,,,,,,T-M,,,M,22,,,TRUE,shopify,3,DENY,150.4,https://c.test/1.jpg,1,',
  ])
  assert.deepEqual([done.source, done.rows_created, done.warnings], ['shopify', 2, []], JSON.stringify(remarks))
  const [tee] = await listProducts(api)
  assert.deepEqual([tee.name, tee.slug, tee.description, tee.brand], ['Tee', 'tee', '**So**', 'A'])
  assert.deepEqual(listVariants(tee), [
    ['S', 'T-S', 20, 4],
    ['M', 'T-M', 22, 3],
  ])
  assert.deepEqual([tee.variants[0].weight, tee.variants[0].compare_price], [150, 25])
  assert.deepEqual(
    tee.gallery.map(({ url }: any) => url),
    ['https://c.test/1.jpg', 'https://c.test/b.jpg'],
  )
})

test('stock that a file does not know is not 0; an inventory export of all locations has it', async () => {
  const { api } = await world.newStore()
  const first = await importRows(api, [
    'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Price',
    'tee,Tee,,A,Size,S,T-S,shopify,20',
    'tee,,,,,M,T-M,shopify,20',
  ])
  assert.equal(first.remarks.length, 2)
  assert.deepEqual(
    (await listProducts(api)).map((one: any) => one.is_purchasable),
    [true],
  )
  const { done, remarks } = await importRows(
    api,
    [
      'Handle,Title,Option1 Name,Option1 Value,SKU,Location,Available,On hand',
      'tee,Tee,Size,S,T-S,Berlin,4,4',
      'tee,Tee,Size,S,T-S,Lima,3,3',
      'tee,Tee,Size,M,T-M,Berlin,not stocked,',
      'tee,Tee,Size,M,T-M,Lima,5,6',
    ],
    { ...products, on_duplicate: 'update' },
  )
  assert.deepEqual([done.source, done.rows_updated], ['shopify', 4], JSON.stringify(remarks))
  const [tee] = await listProducts(api)
  assert.deepEqual(
    [tee.stock_quantity, listVariants(tee)],
    [
      12,
      [
        ['S', 'T-S', 20, 7],
        ['M', 'T-M', 20, 5],
      ],
    ],
  )
})

test('customers of Shopify in its former columns keep their address', async () => {
  const { api } = await world.newStore()
  const { done } = await importRows(
    api,
    [
      'First Name,Last Name,Email,Accepts Marketing,Company,Address1,City,Province Code,Country Code,Zip',
      'Ana,Torres,ana@example.com,yes,Torres,Main 1,Boston,MA,US,02108',
    ],
    { kind: 'customers' },
  )
  assert.deepEqual([done.source, done.rows_created], ['shopify', 1])
  const [ana] = (await api.get('/v1/customers')).data
  assert.partialDeepStrictEqual(ana.addresses[0], { address: 'Main 1', postal_code: '02108', country_code: 'US' })
  assert.equal(ana.accepts_marketing, true)
})

test('customers keep where, when and with which words they have agreed to marketing', async () => {
  const { api } = await world.newStore()
  const { done } = await importRows(
    api,
    [
      'Email,Email Marketing Consent,Email Marketing Consent Timestamp,Consent source,Consent text',
      'ana@example.com,SUBSCRIBED,2024-05-02 10:00:00+00:00,Checkout,Send me the letter',
      'mia@example.com,SUBSCRIBED,,Popup form,',
      'eva@example.com,NEVER_SUBSCRIBED,,,',
    ],
    { kind: 'customers' },
  )
  assert.deepEqual([done.rows_created, done.rows_rejected], [3, 0])
  const { data } = await api.get('/v1/customers?sort=name&order=asc')
  const [ana, eva, mia] = data
  const consent = { source: 'checkout', text: 'Send me the letter', consented_at: '2024-05-02T10:00:00.000Z' }
  assert.partialDeepStrictEqual(ana.marketing_consent, consent)
  assert.partialDeepStrictEqual(mia.marketing_consent, { source: 'import', text: null })
  assert.deepEqual(
    [ana, eva, mia].map((one) => one.accepts_marketing),
    [true, false, true],
  )
  const history = (await api.get(`/v1/marketing-consents?customer_id=${ana.id}`)).data
  assert.partialDeepStrictEqual(history, [{ source: 'checkout', text: 'Send me the letter' }])
})

test('a variation of WooCommerce finds its parent before or behind it; one without is rejected', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    'ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)',
    '2,variation,t-s,T - S,5,id:1,Size,S,,',
    '9,simple,mug,Mug,3,,,,,',
    '1,variable,t,T,,,Material,Wool,Size,"S, M"',
    '3,variation,t-m,T - M,6,t,Size,M,,',
    '4,variation,x-s,X - S,5,id:77,Size,S,,',
  ])
  assert.deepEqual([done.rows_created, done.rows_rejected], [4, 1])
  assert.deepEqual(remarks.filter(([line]) => line === 6)[0], [
    6,
    'rejected',
    'parent_row names a product that is not in the file',
  ])
  const [mug, tee] = await listProducts(api)
  assert.deepEqual([mug.name, tee.name, tee.options[0].title, tee.options.length], ['Mug', 'T', 'Size', 1])
  assert.deepEqual(
    listVariants(tee).map(([title, sku, price]: any) => [title, sku, price]),
    [
      ['S', 't-s', 5],
      ['M', 't-m', 6],
    ],
  )
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).rows_undone, 4)
  assert.deepEqual(await listProducts(api), [])
})

test('what WooCommerce did not sell is not for sale', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    'ID,Type,SKU,Name,Published,In stock?,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)',
    '1,simple,a,A,1,0,5,,,',
    '2,external,b,B,1,1,5,,,',
    '3,variable,c,C,1,1,,,Size,"S, M"',
    '4,variation,c-s,C - S,1,1,5,c,Size,S',
    '5,variation,c-m,C - M,0,1,5,c,Size,M',
  ])
  assert.equal(done.rows_created, 5, JSON.stringify(remarks))
  const [a, b, c] = await listProducts(api)
  assert.deepEqual(
    [a.is_purchasable, b.product_status, c.variants.map((one: any) => one.is_purchasable)],
    [false, 'draft', [true, false]],
  )
  assert.deepEqual(
    remarks.map(([line]) => line),
    [2, 3, 6],
  )
})

test('WooCommerce in German, without IDs, with line breaks of its own', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    'Typ,Artikelnummer,Name,Veröffentlicht,Beschreibung,Regulärer Preis,Kategorien,Schlagwörter',
    String.raw`simple,T1,Tasse,1,Erste\nZweite,5,"Küche > Tassen","S\, schmal, neu"`,
  ])
  assert.deepEqual([done.source, done.rows_created], ['woocommerce', 1], JSON.stringify(remarks))
  const [cup] = await listProducts(api)
  assert.deepEqual(
    [cup.name, cup.sku, cup.description, cup.tags],
    ['Tasse', 'T1', 'Erste\nZweite', ['S schmal', 'neu']],
  )
})

test('Medusa 1 and 2: prices in the currency of the store, by region too', async () => {
  const first = 'Product Handle,Product Title,Variant Title'
  for (const header of [
    `${first},Variant Sku,Variant Price Europe [EUR],Variant Price USD,Variant Option 1 Name,Variant Option 1 Value`,
    `${first},Variant SKU,Price EUR,Price USD,Option 1 Name,Option 1 Value`,
  ]) {
    const { api } = await world.newStore({ currency: 'EUR' })
    const { done, remarks } = await importRows(api, [
      header,
      'tee,Tee,S,T-S,30,33,Size,S',
      'tee,Tee,M,T-M,31,34,Size,M',
    ])
    assert.deepEqual([done.source, done.rows_created], ['medusa', 2], JSON.stringify(remarks))
    assert.deepEqual(listVariants((await listProducts(api))[0]), [
      ['S', 'T-S', 30, 0],
      ['M', 'T-M', 31, 0],
    ])
    assert.equal(remarks.length, 1)
  }
})

test('Square: options, the stock of all locations, and two items of one name', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    'Token,Item Name,Variation Name,SKU,Price,Option Name 1,Option Value 1,Current Quantity Rom,Current Quantity Lima',
    'A,Tea,Small,T-S,3,Size,Small,2,3',
    'B,Tea,Large,T-L,4,Size,Large,1,',
    'C,Cake,Regular,C1,5,,,4,4',
    'D,Cake,Regular,C2,6,,,,',
  ])
  assert.deepEqual([done.source, done.rows_created], ['square', 4], JSON.stringify(remarks))
  const [cake, other, tea] = await listProducts(api)
  assert.deepEqual(
    new Set([cake, other].map((one: any) => `${one.sku} ${one.price} ${one.stock_quantity}`)),
    new Set(['C1 5 8', 'C2 6 0']),
  )
  assert.deepEqual(listVariants(tea), [
    ['Small', 'T-S', 3, 5],
    ['Large', 'T-L', 4, 1],
  ])
})

test('a configurable product of Magento has its children as variants, and they are no products', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    [
      'sku,attribute_set_code,product_type,name,description,weight,product_online,visibility,price,url_key,qty',
      'configurable_variations',
    ].join(','),
    'A-S,Default,simple,A S,,1,1,Not Visible Individually,10,a-s,3,',
    'A-M,Default,simple,A M,,1,1,Not Visible Individually,12,a-m,4,',
    'A,Default,configurable,A,<p>Fine</p>,,1,"Catalog, Search",,a,0,"sku=A-S,size=S|sku=A-M,size=M"',
    'B,Default,simple,B,,0.5,1,Not Visible Individually,9,b,1,',
  ])
  assert.deepEqual([done.source, done.rows_created], ['magento', 4], JSON.stringify(remarks))
  assert.match(done.warnings[0].message, /kilograms/)
  const [a, b] = await listProducts(api)
  assert.deepEqual(
    [a.slug, a.description, a.product_status, b.product_status, b.weight],
    ['a', 'Fine', 'active', 'draft', 500],
  )
  assert.deepEqual(listVariants(a), [
    ['S', 'A-S', 10, 3],
    ['M', 'A-M', 12, 4],
  ])
})

test('BigCommerce, Wix, Squarespace, Ecwid, PrestaShop, Etsy and Google are known by their columns', async () => {
  const files: Record<string, string[]> = {
    bigcommerce: [
      'Item Type,Product Name,Product Code/SKU,Price,Product Visible?,Track Inventory,Current Stock Level',
      'Product,Tee,T,10,Y,by option,0',
      'SKU,[S]Size=S,T-S,,,,2',
      'SKU,[S]Size=M,T-M,,,,3',
    ],
    wix: [
      'handleId,fieldType,name,price,surcharge,visible,inventory,productOptionName1,productOptionDescription1,sku',
      'p1,Product,Tee,10,,true,InStock,Size,S;M,',
      'p1,Variant,,,0,,2,Size,S,T-S',
      'p1,Variant,,,2.5,,3,Size,M,T-M',
    ],
    squarespace: [
      'Product ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Visible',
      'x1,Tee,T-S,Size,S,10,5,No,2,Yes',
      ',,T-M,,M,10,5,No,3,',
    ],
    ecwid: [
      'type,product_internal_id,product_sku,product_name,product_price,product_is_available,product_quantity',
      'product,1,T,Tee,10,true,5',
    ],
    prestashop: ['Product ID;Name;Reference;Price (tax excl.);Quantity;Status', '1;Tee;T;10.00;5;1'],
    etsy: ['TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,SKU', 'Tee,Fine,10,USD,5,a,T'],
    google: [
      'id,title,link,price,availability,item_group_id,size,shipping_weight',
      'T-S,Tee,https://shop.example/tee,10.00 USD,in_stock,G,S,0.5 kg',
      'T-M,Tee,https://shop.example/tee,10.00 USD,in_stock,G,M,500 g',
    ],
  }
  for (const [source, rows] of Object.entries(files)) {
    const { api } = await world.newStore({ currency: 'USD' })
    const { done, remarks } = await importRows(api, rows)
    assert.deepEqual([done.source, done.rows_created], [source, rows.length - 1], JSON.stringify(remarks))
    const found = await listProducts(api)
    assert.deepEqual(
      found.map(({ name, price, is_purchasable }: any) => [name, price, is_purchasable]),
      [['Tee', 10, true]],
      source,
    )
    if (source === 'google')
      assert.deepEqual(
        found[0].variants.map((one: any) => one.weight),
        [500, 500],
      )
    if (source === 'wix')
      assert.deepEqual(
        found[0].variants.map((one: any) => one.price ?? 10),
        [10, 12.5],
      )
  }
})

test('any other file is read by its column names, and unknown ones that matter are reported', async () => {
  const { api } = await world.newStore()
  const { done, remarks } = await importRows(api, [
    'Bezeichnung,Artikelnummer,Beschreibung,Preis,Lagerbestand,Mindestabnahme quantity,Regal',
    'Tasse,T1,<p>Fein</p>,5,3,10,R7',
  ])
  assert.deepEqual([done.source, done.rows_created], ['generic', 1], JSON.stringify(remarks))
  assert.deepEqual(
    done.warnings.map(({ column }: any) => column),
    ['Mindestabnahme quantity'],
  )
  const [cup] = await listProducts(api)
  assert.deepEqual([cup.name, cup.sku, cup.description, cup.price, cup.stock_quantity], ['Tasse', 'T1', 'Fein', 5, 3])
})

test('a file of unknown columns can be accepted, mapped, and grouped by the mapping', async () => {
  const { api } = await world.newStore()
  const rows = 'Ding,Kennung,Wert,Art\nTee,tee,5,S\n,tee,6,M\n'
  assert.equal((await upload(api, rows, products)).status, 422)
  const { id } = dataOf(await upload(api, rows, { ...products, unmapped: 'accept' }), 201)
  assert.equal((await settled(world, api, id)).rows_rejected, 2)
  const mapping = JSON.stringify({ Ding: 'name', Kennung: 'handle', Wert: 'price', Art: 'option1_value' })
  dataOf(await api.patch(`/v1/imports/${id}`, { mapping }), 200)
  assert.equal((await settled(world, api, id)).rows_to_create, 2)
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  assert.equal((await settled(world, api, id)).rows_created, 2)
  const [tee] = await listProducts(api)
  assert.deepEqual([tee.name, tee.slug, tee.variants.length], ['Tee', 'tee', 2])
})

// What other systems say of a price, of who sees a product, and of who may use a code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const products = { kind: 'products' }

test('a sale that is over or has not begun is not the price; one that is on is, and its end is told', async () => {
  const { api } = await world.newStore({ timezone: 'America/Mexico_City' })
  const day = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
  const header = 'ID,Type,SKU,Name,Date sale price starts,Date sale price ends,Sale price,Regular price'
  const rows = [
    `1,simple,A,A over,,${day(-2)},20,200`,
    `2,simple,B,B not begun,${day(3)} 00:00:00,,20,200`,
    `3,simple,C,C on,${day(-3)},${day(3)},20,200`,
    `4,simple,D,D always,,,20,200`,
    `5,simple,E,E unreadable,,31/12/24,20,200`,
    `6,simple,F,F none,,,0.00,200`,
    `7,simple,G,G ended by the hour,,${day(-2)}T10:00:00Z,20,200`,
  ]
  const done = await imported(world, api, [header, ...rows].join('\n'), products)
  assert.deepEqual([done.rows_created, done.rows_rejected], [7, 0], JSON.stringify(await remarksOf(api, done.id)))
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  assert.deepEqual(
    data.map(({ price, compare_price }: any) => [price, compare_price]),
    [
      [200, null],
      [200, null],
      [20, 200],
      [20, 200],
      [200, null],
      [200, null],
      [200, null],
    ],
  )
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, , column, message]) => [line, column, message]),
    [
      [2, 'Sale price', `The sale ended on ${day(-2)}: the regular price is imported`],
      [3, 'Sale price', `The sale begins on ${day(3)} 00:00:00: the regular price is imported`],
      [4, 'Sale price', `The sale ends on ${day(3)}: the sale price stays until you change it`],
      [6, 'Sale price', 'The dates of the sale cannot be read ( – 31/12/24): the regular price is imported'],
      [8, 'Sale price', `The sale ended on ${day(-2)}T10:00:00Z: the regular price is imported`],
    ],
  )
})

test('what is not published, or hidden in the catalog, becomes a draft', async () => {
  const { api } = await world.newStore()
  const statuses = async (text: string) => {
    const done = await imported(world, api, text, { ...products, on_duplicate: 'update' })
    assert.equal(done.rows_rejected, 0, JSON.stringify(await remarksOf(api, done.id)))
    const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
    return data.map(({ name, product_status }: any) => [name, product_status])
  }
  const shopify = 'Handle,Title,Body (HTML),Vendor,Published,Status,Variant Price\n'
  const rows = ['a,A,,V,false,active,1', 'b,B,,V,FALSE,,1', 'c,C,,V,true,active,1', 'd,D,,V,true,draft,1', 'e,E,,V,,,1']
  assert.deepEqual(await statuses(shopify + rows.join('\n')), [
    ['A', 'draft'],
    ['B', 'draft'],
    ['C', 'active'],
    ['D', 'draft'],
    ['E', 'active'],
  ])
  const woo =
    'ID,Type,SKU,Name,Published,Visibility in catalog,Regular price\n1,simple,F,F,1,hidden,5\n2,simple,G,G,1,visible,5'
  assert.deepEqual((await statuses(woo)).slice(-2), [
    ['F', 'draft'],
    ['G', 'active'],
  ])
})

test('gift cards wait as drafts, and a product sold without tax says that taxes apply', async () => {
  const { api } = await world.newStore()
  const header = 'Handle,Title,Body (HTML),Vendor,Gift Card,Variant Taxable,Variant Price'
  const text = `${header}\ng,Gift,,V,true,true,10\nb,Book,,V,false,false,5`
  const done = await imported(world, api, text, products)
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, product_status }: any) => [name, product_status]),
    [
      ['Book', 'active'],
      ['Gift', 'draft'],
    ],
  )
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, outcome, column]) => [line, outcome, column]),
    [
      [2, 'created', 'Gift Card'],
      [3, 'created', 'Variant Taxable'],
    ],
  )
})

test('a discount of Shopify keeps its limits; what limits it otherwise makes it inactive', async () => {
  const { api } = await world.newStore()
  const limits = 'Customer Selection,Usage Limit Per Code,Times Used In Total,Applies Once Per Customer'
  const header = `Name,Value,Value Type,Discount Class,${limits},Status`
  const rows = [
    'USED,-10.0,percentage,order,all,100,100,true,Active',
    'SOME,-10.0,percentage,order,all,100,40,false,Active',
    'FRIENDS,-10.0,percentage,order,specific,,0,false,Active',
    'SHOES,-10.0,percentage,product,all,,0,false,Active',
    'ALL,-10.0,percentage,order,all,,7,false,Active',
  ]
  const done = await imported(world, api, [header, ...rows].join('\n'), { kind: 'discounts' })
  assert.equal(done.rows_created, 5, JSON.stringify(await remarksOf(api, done.id)))
  const { data } = await api.get('/v1/discounts?status=all&sort=code&order=asc')
  assert.deepEqual(
    data.map((one: any) => [one.code, one.max_uses, one.once_per_customer, one.is_active]),
    [
      ['ALL', 0, false, true],
      ['FRIENDS', 0, false, false],
      ['SHOES', 0, false, false],
      ['SOME', 60, false, true],
      ['USED', 100, true, false],
    ],
  )
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, , column]) => [line, column]),
    [
      [2, 'Times Used In Total'],
      [3, 'Times Used In Total'],
      [4, 'Customer Selection'],
      [5, 'Discount Class'],
    ],
  )
})

test('a preview with the columns as they are is the same again, and so is the next import', async () => {
  const { api } = await world.newStore()
  const header = 'Handle,Title,Body (HTML),Vendor,Type,Status,Variant Inventory Tracker,Variant SKU,Variant Price'
  const file = (handle: string) => `${header}\n${handle},Mug,<b>Fine</b>,A,Home > Cups,Active,shopify,${handle},5\n`
  const first = await previewed(world, api, file('mug'), products)
  const mapping = JSON.stringify(Object.fromEntries(first.columns.map(({ name, field }: any) => [name, field])))
  dataOf(await api.patch(`/v1/imports/${first.id}`, { mapping }), 200)
  const again = await settled(world, api, first.id)
  assert.deepEqual([again.rows_to_create, again.rows_skipped, again.rows_rejected], [1, 0, 0])
  const next = await imported(world, api, file('cup'), products)
  assert.deepEqual([next.rows_created, next.rows_rejected], [1, 0], JSON.stringify(await remarksOf(api, next.id)))
  const [cup] = (await api.get('/v1/products')).data
  const { name } = (await api.get(`/v1/categories/${cup.category_id}`)).data
  assert.deepEqual([cup.description, name, cup.product_status], ['**Fine**', 'Cups', 'active'])
})

test('an apostrophe that keeps a number as text is removed from SKUs, barcodes, postal codes and phones', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  const header = 'Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Barcode,Variant Price'
  const text = `${header}\na,'90s poster,,V,'00123,'4006381333931,5\nb,'Tis,,V,'A-1,,5\n`
  assert.equal((await imported(world, api, text, products)).rows_created, 2)
  const { data } = await api.get('/v1/products?sort=price&order=asc')
  const [poster, tis] = data.toSorted((a: any, b: any) => (a.slug < b.slug ? -1 : 1))
  assert.deepEqual([poster.sku, poster.barcode], ['00123', '4006381333931'])
  assert.deepEqual([poster.name, tis.name, tis.sku], ["'90s poster", "'Tis", "'A-1"])
  const lines = 'Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku'
  const address = 'Shipping Address1,Shipping Zip,Shipping Phone'
  const row = "#1,a@example.com,paid,USD,1,Poster,5,'00123,Main St 1,'02108,'6175550100"
  const order = `Name,Email,Financial Status,Currency,${lines},${address}\n${row}`
  assert.equal((await imported(world, api, order, { kind: 'orders' })).rows_created, 1)
  const [one] = (await api.get('/v1/orders')).data
  assert.deepEqual(
    [one.shipping_address.postal_code, one.shipping_address.phone, one.items[0].product_id],
    ['02108', '6175550100', poster.id],
  )
  const home = 'Default Address Address1,Default Address Zip'
  const people = `First Name,Last Name,Email,Accepts Email Marketing,${home}\nAna,Torres,b@example.com,no,Main 1,'02108`
  assert.equal((await imported(world, api, people, { kind: 'customers' })).rows_created, 1)
  const [ana] = (await api.get('/v1/customers?search=torres')).data
  assert.equal(ana.addresses[0].postal_code, '02108')
})

test('a weight in decimals of grams is rounded, and words may begin with a capital', async () => {
  const { api } = await world.newStore()
  const text = 'name,price,weight,product_status,condition\nPound,1,453.6,Active,New\nLess,1,226.796,DRAFT,used\n'
  assert.equal((await imported(world, api, text, products)).rows_created, 2)
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  assert.deepEqual(
    data.map((one: any) => [one.weight, one.product_status, one.condition]),
    [
      [227, 'draft', 'used'],
      [454, 'active', 'new'],
    ],
  )
})

test('points are decimals in a file with semicolons whose other numbers have points', async () => {
  const { api } = await world.newStore()
  const weights = async () => (await api.get('/v1/products?sort=created_at&order=desc')).data[0]
  const header = 'name;price;Gewicht (kg)'
  assert.equal((await imported(world, api, `${header}\nA;19.90;1.250\n`, products)).rows_created, 1)
  assert.partialDeepStrictEqual(await weights(), { price: 19.9, weight: 1250 })
  world.clock.advance(60)
  assert.equal((await imported(world, api, `${header}\nB;1.250,50;0,250\n`, products)).rows_created, 1)
  assert.partialDeepStrictEqual(await weights(), { price: 1250.5, weight: 250 })
})

test('a code that a spreadsheet shortened gets a note', async () => {
  const { api } = await world.newStore()
  const done = await imported(
    world,
    api,
    'name,price,sku,barcode\nA,5,A1,4.00638E+12\nB,5,B1,4006381333931\n',
    products,
  )
  assert.deepEqual(await remarksOf(api, done.id), [
    [2, 'created', 'barcode', 'A spreadsheet has shortened this number. Export it as text, and import it again'],
  ])
})

test('what an order of Shopify has no field for is in its internal notes', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  const names = 'Name,Email,Financial Status,Paid at,Currency,Lineitem quantity,Lineitem name,Lineitem price'
  const header = `${names},Payment Method,Shipping Method,Billing City`
  const row = 'EU1001,a@example.com,paid,2024-03-05 10:00:00 +0000,USD,1,Mug,5,Visa,DHL,Lima'
  const done = await imported(world, api, `${header}\n${row}\n`, { kind: 'orders' })
  assert.equal(done.rows_created, 1, JSON.stringify(await remarksOf(api, done.id)))
  const [order] = (await api.get('/v1/orders')).data
  assert.equal(order.billing_address.city, 'Lima')
  assert.deepEqual(order.internal_notes.split('\n'), [
    'Order number: EU1001',
    'Paid at: 2024-03-05 10:00:00 +0000',
    'Payment Method: Visa',
    'Shipping Method: DHL',
  ])
})

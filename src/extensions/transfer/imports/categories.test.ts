// The categories of other systems: a product has one of them here, and the others as its collections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

async function importFrom(text: string) {
  const { api } = await world.newStore({ currency: 'USD' })
  const done = await imported(world, api, text, { kind: 'products' })
  assert.equal(done.rows_rejected, 0, JSON.stringify(await remarksOf(api, done.id)))
  return { api, done }
}

/** The name of the category, then those of the collections. */
async function listPlaces(text: string): Promise<string[]> {
  const { api } = await importFrom(text)
  const [product] = (await api.get('/v1/products?status=all')).data
  const { name } = (await api.get(`/v1/categories/${product.category_id}`)).data
  const collections = (await api.get(`/v1/collections?product_id=${product.id}`)).data
  return [name, ...collections.map((one: any) => one.name).toSorted()]
}

const wooCommerce = (categories: string) =>
  `ID,Type,SKU,Name,Regular price,Categories\n1,simple,M,Mug,5,"${categories}"\n`

test('of several categories, the first is that of the product, and the others are its collections', async () => {
  const { api, done } = await importFrom(wooCommerce('Kitchen > Cups, Kitchen > Mugs, Gifts'))
  const [mug] = (await api.get('/v1/products')).data
  assert.equal((await api.get(`/v1/categories/${mug.category_id}`)).data.name, 'Cups')
  assert.deepEqual(
    (await api.get(`/v1/collections?product_id=${mug.id}`)).data.map(({ name }: any) => name).toSorted(),
    ['Gifts', 'Mugs'],
  )
  assert.deepEqual(await remarksOf(api, done.id), [
    [2, 'created', 'Categories', 'Only Cups is its category here. The others are collections: Mugs, Gifts'],
  ])
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  await settled(world, api, done.id)
  assert.deepEqual((await api.get('/v1/collections')).data, [])
  assert.deepEqual((await api.get('/v1/categories')).data, [])
})

test('a category that another leads through is not one of its own, and a comma of a name stays', async () => {
  assert.deepEqual(await listPlaces(wooCommerce('Clothing, Clothing > Shirts')), ['Shirts'])
  assert.deepEqual(await listPlaces(wooCommerce(String.raw`Cups\, saucers, Sale`)), ['Cups, saucers', 'Sale'])
})

/** The paths of the store's categories, from the top. */
async function listPaths(api: Shop['api']): Promise<string[]> {
  const { data } = await api.get('/v1/categories?sort=path&order=asc')
  const names = new Map(data.map(({ id, name }: any) => [id, name]))
  return data.map(({ ancestor_ids, name }: any) =>
    [...ancestor_ids.map((id: string) => names.get(id)), name].join(' > '),
  )
}

test('a category is below those of its path, which are made once', async () => {
  const rows = [
    'ID,Type,SKU,Name,Regular price,Categories',
    '1,simple,A,Boot,5,Women > Shoes > Boots',
    '2,simple,B,Shoe,5,Women > Shoes',
    '3,simple,C,Clog,5,Men > Shoes',
    '4,simple,D,Slipper,5,men > shoes',
    '5,simple,E,Deep,5,A > B > C > D > E > F',
    '6,simple,F,Sock,5,Women > Shoes > Boots > Lined > Socks > Wool',
  ]
  const { api, done } = await importFrom(rows.join('\n'))
  const paths = [
    'B > C > D > E > F'.split(' > ').map((_, at, all) => all.slice(0, at + 1).join(' > ')),
    ['Men', 'Men > Shoes (Men)'],
    ['Women', 'Women > Shoes', 'Women > Shoes > Boots'],
    ['Women > Shoes > Boots > Lined', 'Women > Shoes > Boots > Lined > Socks', 'Women > Shoes > Boots > Lined > Wool'],
  ].flat()
  assert.deepEqual(await listPaths(api), paths)
  const again = await imported(world, api, rows.join('\n'), { kind: 'products' })
  assert.equal(again.rows_rejected, 0)
  assert.deepEqual(await listPaths(api), paths)
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  await settled(world, api, done.id)
  assert.deepEqual(await listPaths(api), [])
})

test('a category that the store has keeps its place', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  dataOf(await api.post('/v1/categories', { name: 'Cups' }), 201)
  await imported(world, api, wooCommerce('Kitchen > Cups'), { kind: 'products' })
  assert.deepEqual(await listPaths(api), ['Cups', 'Kitchen'])
})

test('the root that a system has above all is no category', async () => {
  const magento =
    'sku,attribute_set_code,product_type,name,price,categories\nM,D,simple,Mug,5,Default Category/Gear/Bags'
  assert.deepEqual(await listPaths((await importFrom(magento)).api), ['Gear', 'Gear > Bags'])
})

test('each system has its own signs between categories and their parts', async () => {
  const files: [text: string, places: string[]][] = [
    ['Handle,Title,Body (HTML),Vendor,Type,Variant Price\nm,Mug,,A,"Shoes, Boots",5', ['Shoes, Boots']],
    [
      [
        'sku,attribute_set_code,product_type,name,price,categories',
        'M,D,simple,Mug,5,"Root/Gear,Root/Gear/Bags,Root/Sale"',
      ].join('\n'),
      ['Bags', 'Sale'],
    ],
    ['Item Type,Product Name,Product Code/SKU,Price,Category\nProduct,Mug,M,5,Kitchen/Cups;Gifts', ['Cups', 'Gifts']],
    [
      [
        'type,product_internal_id,product_name,product_price,product_category_1,product_category_2',
        'product,1,Mug,5,Kitchen/Cups,Gifts',
      ].join('\n'),
      ['Cups', 'Gifts'],
    ],
    [
      'id,title,link,price,availability,product_type\nM,Mug,https://shop.example/m,5 USD,in_stock,"Home > Cups, Mugs"',
      ['Cups, Mugs'],
    ],
  ]
  for (const [text, places] of files) assert.deepEqual(await listPlaces(text), places, text)
})

test('a collection that was a category has all of its products, whatever their order', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  const rows = [
    'ID,Type,SKU,Name,Regular price,Categories',
    '1,simple,A,Ale glass,5,Gifts',
    '2,simple,B,Bowl,5,"Kitchen, Gifts"',
    '3,simple,C,Cup,5,Gifts',
    '4,simple,D,Dish,5,Kitchen',
  ]
  const done = await imported(world, api, rows.join('\n'), { kind: 'products' })
  const [gifts, ...others] = (await api.get('/v1/collections')).data
  assert.deepEqual([gifts.name, gifts.products_count, others], ['Gifts', 3, []])
  const members = (await api.get(`/v1/products?collection_id=${gifts.id}&sort=name&order=asc`)).data
  assert.deepEqual(
    members.map(({ sku }: any) => sku),
    ['A', 'B', 'C'],
  )
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).status, 'undone')
  assert.deepEqual((await api.get('/v1/collections')).data, [])
})

test('what a system calls its products without a category is not a category', async () => {
  const files = [
    wooCommerce('Uncategorized'),
    'Name,Reference,Price (tax excl.),Category\nMug,M,5,Home\n',
    'sku,attribute_set_code,product_type,name,price,categories\nM,D,simple,Mug,5,Default Category\n',
  ]
  for (const text of files) {
    const { api } = await importFrom(text)
    assert.equal((await api.get('/v1/products?status=all')).data[0].category_id, null)
    assert.deepEqual((await api.get('/v1/categories')).data, [])
  }
  assert.deepEqual(await listPlaces(wooCommerce('Uncategorized, Cups')), ['Cups'])
})

test('the category of Shopify is that of a product without a type', async () => {
  const shopify = (category: string, type: string) =>
    `Handle,Title,Body (HTML),Vendor,Product Category,Type,Variant Price\nmug,Mug,,,${category},${type},5\n`
  const { api } = await importFrom(shopify('Home & Garden > Kitchen > Mugs', ''))
  assert.deepEqual(await listPaths(api), ['Home & Garden', 'Home & Garden > Kitchen', 'Home & Garden > Kitchen > Mugs'])
  assert.deepEqual(await listPlaces(shopify('Home & Garden > Kitchen > Mugs', 'Cups')), ['Cups'])
})

test('an export has the whole path of a category, and is read back as it was', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  let above: string | null = null
  for (const name of ['Home > Garden', 'Cups, mugs', 'Enamel'])
    above = dataOf(await api.post('/v1/categories', { name, parent_id: above }), 201).id
  dataOf(await api.post('/v1/products', { name: 'Mug', slug: 'mug', price: 5, category_id: above }), 201)
  const exported = async (from: Shop['api']) =>
    (await fetch(`${from.url}/v1/products.csv`, { headers: { 'x-api-key': from.key } })).text()
  const file = await exported(api)
  assert.ok(file.includes(String.raw`"Home \> Garden > Cups, mugs > Enamel"`), file)
  const { api: other } = await importFrom(file)
  assert.deepEqual(await listPaths(other), await listPaths(api))
  assert.equal(await exported(other), file)
})

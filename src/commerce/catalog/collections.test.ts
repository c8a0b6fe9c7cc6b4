// Collections: their order, their counters, and their public pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld()
const { db } = world.app

const create = async ({ api }: Shop, body: object) => dataOf(await api.post('/v1/collections', body), 201)
const put = ({ api }: Shop, { id }: any, products: any[], position?: number) =>
  api.post(`/v1/collections/${id}/products`, { product_ids: products.map((product) => product.id), position })
const namesIn = ({ body }: any) => body.data.map(({ name }: any) => name)
const namesOf = async ({ api }: Shop, { id }: any, query = '') =>
  namesIn(await api.get(`/v1/collections/${id}/products${query}`))

/** A collection with new products of these names. */
async function filled(shop: Shop, names: string[]) {
  const products: any[] = []
  for (const name of names) products.push(await shop.product({ name }))
  const collection = await create(shop, { name: 'Summer' })
  dataOf(await put(shop, collection, products), 200)
  await shop.events()
  return { collection, products }
}

/** Requests the public storefront API. */
async function ask({ store }: Shop, path: string) {
  const answer = await fetch(`${world.url}/storefront/${store.slug}${path}`, { redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location'), body: (await answer.json()) as any }
}

test('products stand in the order in which they were put, and move when they are put again', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A', 'B', 'C', 'D'])
  const [a, b, c, d] = products
  assert.deepEqual(await namesOf(shop, collection), ['A', 'B', 'C', 'D'])
  const moved = dataOf(await put(shop, collection, [d, b], 0), 200)
  assert.deepEqual([moved.products_count, await namesOf(shop, collection)], [4, ['D', 'B', 'A', 'C']])
  const e = await shop.product({ name: 'E' })
  assert.equal(dataOf(await put(shop, collection, [e, c], 1), 200).products_count, 5)
  assert.deepEqual(await namesOf(shop, collection), ['D', 'E', 'C', 'B', 'A'])
  dataOf(await put(shop, collection, [d]), 200)
  assert.deepEqual(await namesOf(shop, collection), ['E', 'C', 'B', 'A', 'D'])
  dataOf(await put(shop, collection, [a, b, c, d, e], 0), 200)
  assert.deepEqual(await namesOf(shop, collection, '?order=desc&per_page=2&page=2'), ['C', 'B'])
  await assertSums(world, shop)
})

test('a product is in several collections, and what is taken out of one stays in the others', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A', 'B'])
  const other = await create(shop, { name: 'Sale' })
  dataOf(await put(shop, other, [products[0]]), 200)
  const [a] = products
  const of = async (query: string) => namesIn(await shop.api.get(`/v1/collections?sort=name&order=asc&${query}`))
  assert.deepEqual(await of(`product_id=${a.id}`), ['Sale', 'Summer'])
  assert.deepEqual(await of('product_id=nobody'), [])
  const within = async (query: string) => namesIn(await shop.api.get(`/v1/products?sort=name&order=asc&${query}`))
  assert.deepEqual(await within(`collection_id=${other.id}`), ['A'])
  assert.deepEqual(await within(`collection_id=${other.id},${collection.id}`), ['A', 'B'])
  const path = `/v1/collections/${collection.id}/products/${a.id}`
  assert.deepEqual(dataOf(await shop.api.delete(path), 200), { deleted: true })
  assert.equal((await shop.api.delete(path)).error.message, 'Product not found')
  assert.deepEqual(await of(`product_id=${a.id}`), ['Sale'])
  assert.deepEqual(await shop.events(), [])
  await assertSums(world, shop)
})

test('what cannot be put into a collection is told by its place', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A'])
  const foreign = await (await newShop(world)).product()
  const answer = await put(shop, collection, [products[0], foreign, { id: 'prod_x' }])
  assert.deepEqual(faultsOf(answer), { 'product_ids.2': 'does not exist' })
  assert.deepEqual(faultsOf(await put(shop, collection, [products[0], foreign])), { 'product_ids.1': 'does not exist' })
  assert.ok('product_ids' in faultsOf(await put(shop, collection, [products[0], products[0]])))
  assert.ok('product_ids' in faultsOf(await put(shop, collection, [])))
  assert.ok('position' in faultsOf(await put(shop, collection, products, -1)))
  const elsewhere = await put(shop, { id: foreign.id.replace('prod', 'coll') }, products)
  assert.deepEqual([elsewhere.status, elsewhere.error.message], [404, 'Collection not found'])
  assert.deepEqual(await namesOf(shop, collection), ['A'])
})

test('its counts follow what becomes of its products', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A', 'B', 'C'])
  const counts = async () => {
    const { products_count } = dataOf(await shop.api.get(`/v1/collections/${collection.id}`), 200)
    return [products_count, (await ask(shop, '/collections/summer')).body.data.products_count]
  }
  assert.deepEqual(await counts(), [3, 3])
  await shop.api.patch(`/v1/products/${products[0].id}`, { product_status: 'draft' })
  assert.deepEqual(await counts(), [3, 2])
  await shop.api.patch(`/v1/products/${products[0].id}`, { product_status: 'archived' })
  await shop.api.patch(`/v1/products/${products[1].id}`, { product_status: 'active', name: 'Bee' })
  assert.deepEqual(await counts(), [3, 2])
  await shop.api.delete(`/v1/products/${products[0].id}`)
  await shop.api.delete(`/v1/products/${products[1].id}`)
  assert.deepEqual(await counts(), [1, 1])
  assert.equal((await ask(shop, '/collections/summer/products')).body.pagination.total, 1)
  await assertSums(world, shop)
  assert.deepEqual(dataOf(await shop.api.delete(`/v1/collections/${collection.id}`), 200), { deleted: true })
  assert.equal((await shop.api.get(`/v1/products/${products[2].id}`)).status, 200)
  await assertSums(world, shop)
})

test('many who put, take, hide and delete at once leave counts that are true and one order', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A', 'B', 'C', 'D', 'E', 'F'])
  const other = await create(shop, { name: 'Sale' })
  const { api } = shop
  const answers = await Promise.all(
    products.flatMap((product, index) => [
      put(shop, other, [product], 0),
      put(shop, collection, [product], index % 3),
      api.patch(`/v1/products/${product.id}`, { product_status: index % 2 ? 'draft' : 'archived' }),
      api.delete(`/v1/collections/${collection.id}/products/${product.id}`),
      ...(index < 2 ? [api.delete(`/v1/products/${product.id}`)] : []),
    ]),
  )
  assert.deepEqual(
    answers.filter(({ status }) => ![200, 404, 422].includes(status)).map(({ status, error }) => [status, error]),
    [],
  )
  await assertSums(world, shop)
  const names = await namesOf(shop, other)
  assert.equal(new Set(names).size, names.length)
})

test('a name and a slug are of one collection, and there are limits of collections and of their products', async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['A', 'B'])
  const same = await shop.api.post('/v1/collections', { name: ' SUMMER ' })
  assert.deepEqual([same.status, same.error.message], [409, 'A collection with the name  SUMMER  already exists'])
  const slug = await shop.api.post('/v1/collections', { name: 'Other', slug: 'summer' })
  assert.deepEqual([slug.status, slug.error.message], [409, 'A collection with the slug summer already exists'])
  assert.match((await create(shop, { name: 'Summer!' })).slug, /^summer-\w{6}$/)
  const { id } = shop.store
  await db.rows(sql`update store_counters set collections = 999 where store_id = ${id}`)
  await create(shop, { name: 'The last' })
  const full = await shop.api.post('/v1/collections', { name: 'One more' })
  assert.deepEqual(faultsOf(full), { body: 'exceeds the limit: a store can have at most 1000 collections' })
  await db.rows(sql`update collections set products_count = 10000 where store_id = ${id} and slug = 'summer'`)
  assert.equal((await put(shop, collection, products)).status, 200)
  const more = await put(shop, collection, [await shop.product({ name: 'C' })])
  assert.deepEqual(faultsOf(more), { product_ids: 'exceeds the limit: a collection can have at most 10000 products' })
})

test("shoppers' programs list collections in their place, and the products of one as it is narrowed", async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['Straw hat', 'Sun hat', 'Scarf', 'Hidden'])
  await shop.api.patch(`/v1/collections/${collection.id}`, {
    position: 2,
    description: 'Light',
    image: 'https://i.x/1',
  })
  await create(shop, { name: 'Winter', position: 1 })
  await create(shop, { name: 'Secret', is_active: false })
  await shop.api.patch(`/v1/products/${products[3].id}`, { product_status: 'draft' })
  await put(shop, collection, [products[2]], 0)
  assert.deepEqual(namesIn(await ask(shop, '/collections')), ['Winter', 'Summer'])
  const { data } = (await ask(shop, '/collections/summer')).body
  assert.deepEqual(Object.keys(data), [
    'id',
    'name',
    'slug',
    'description',
    'image',
    'seo_title',
    'seo_description',
    'sort_order',
    'position',
    'products_count',
  ])
  assert.equal((await ask(shop, '/collections/secret')).status, 404)
  assert.equal((await ask(shop, '/collections/secret/products')).status, 404)
  const list = (await ask(shop, `/collections/${collection.id}/products`)).body
  assert.deepEqual(namesIn({ body: list }), ['Scarf', 'Straw hat', 'Sun hat'])
  assert.deepEqual(list.pagination, { page: 1, per_page: 25, total: 3, total_pages: 1 })
  assert.ok(!('supplier_cost' in list.data[0]))
  const hats = (await ask(shop, '/collections/summer/products?words=hat&per_page=1&page=2')).body
  assert.deepEqual([namesIn({ body: hats }), hats.pagination.total], [['Sun hat'], 2])
  const listed = await ask(shop, '/products?collection=summer&sort=name&order=asc')
  assert.deepEqual(namesIn(listed), ['Scarf', 'Straw hat', 'Sun hat'])
})

test("a former slug leads shoppers' programs to the record, and its lists are found by it", async () => {
  const shop = await newShop(world)
  const { collection, products } = await filled(shop, ['Mug'])
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Cups' }), 201)
  await shop.api.patch(`/v1/products/${products[0].id}`, { slug: 'beaker', category_id: category.id })
  await shop.api.patch(`/v1/categories/${category.id}`, { slug: 'beakers' })
  await shop.api.patch(`/v1/collections/${collection.id}`, { slug: 'sun' })
  const root = `/storefront/${shop.store.slug}`
  for (const [former, now] of [
    ['/products/mug', '/products/beaker'],
    ['/categories/cups', '/categories/beakers'],
    ['/collections/summer', '/collections/sun'],
  ] as const) {
    const { status, location, body } = await ask(shop, former)
    assert.deepEqual([status, location, body.error.code], [301, root + now, 'MOVED'], former)
    assert.equal((await ask(shop, now)).status, 200)
  }
  for (const list of ['/products?category=cups', '/products?collection=summer', '/collections/summer/products']) {
    assert.deepEqual(namesIn(await ask(shop, list)), ['Mug'], list)
  }
  const stranger = await newShop(world)
  assert.equal((await ask(stranger, '/categories/cups')).status, 404)
  // A new owner takes over a former slug.
  dataOf(await shop.api.post('/v1/categories', { name: 'Other', slug: 'cups' }), 201)
  assert.deepEqual(namesIn(await ask(shop, '/products?category=cups')), [])
  assert.equal((await ask(shop, '/categories/cups')).body.data.name, 'Other')
  await shop.api.patch(`/v1/collections/${collection.id}`, { is_active: false })
  assert.equal((await ask(shop, '/collections/summer')).status, 404)
})

test('a film in the gallery keeps the shape of its elements and is never the main picture', async () => {
  const shop = await newShop(world)
  const film = 'https://films.example/mug.mp4?x=1'
  const gallery = [film, 'https://images.example/mug.jpg']
  const mug = await shop.product({ name: 'Mug', gallery })
  assert.deepEqual(mug.gallery.map(Object.keys), Array(2).fill(['id', 'alt_text', 'url', 'position']))
  assert.equal(mug.main_image, gallery[1])
  const poster = 'https://images.example/still.jpg'
  const { data } = await shop.api.patch(`/v1/products/${mug.id}`, { gallery: [{ url: film, poster }] })
  assert.deepEqual([data.main_image, data.gallery[0].poster], [poster, poster])
  const only = await shop.product({ name: 'Only a film', gallery: ['https://films.example/a.WEBM'] })
  assert.equal(only.main_image, null)
})

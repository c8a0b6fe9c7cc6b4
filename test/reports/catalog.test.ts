import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

// Sylius/Sylius#789, medusajs/admin#819
test('two products of one name have two slugs', async () => {
  const { product } = await newShop(world)
  const [one, other] = [await product({ name: 'Test product' }), await product({ name: 'Test product' })]
  assert.equal(one.slug, 'test-product')
  assert.notEqual(other.slug, one.slug)
})

// reactioncommerce/reaction#3007
test('two products of one name, created at once, have two slugs', async () => {
  const { api } = await newShop(world)
  const create = () => api.post('/v1/products', { name: 'Test product', price: 1 })
  const slugs = (await Promise.all([create(), create(), create()])).map((answer) => dataOf(answer, 201).slug)
  assert.equal(new Set(slugs).size, 3)
})

// woocommerce/woocommerce#10923, woocommerce/woocommerce#19767
test('what was read of a product with variants and SKUs can be sent back as it is', async () => {
  const { api, variants } = await newShop(world)
  const shirt = await variants({ sku: 'S' })
  const named = shirt.variants.map((variant: any, index: number) => ({ ...variant, sku: `S-${index}` }))
  dataOf(await api.patch(`/v1/products/${shirt.id}`, { variants: named }), 200)
  const { data } = await api.get(`/v1/products/${shirt.id}`)
  const { updated_at: _, ...again } = dataOf(await api.patch(`/v1/products/${shirt.id}`, data), 200)
  const { updated_at: __, ...before } = data
  assert.deepEqual(again, before)
})

// woocommerce/woocommerce#9077
test('the SKU of a deleted product is free', async () => {
  const { api, product } = await newShop(world)
  const mug = await product({ sku: 'MUG' })
  dataOf(await api.delete(`/v1/products/${mug.id}`), 200)
  assert.equal((await product({ sku: 'MUG' })).sku, 'MUG')
})

// bagisto/bagisto#9645, PrestaShop/PrestaShop#17119, bagisto/bagisto#9494
test('an order whose product was deleted is read as before, and can be cancelled', async () => {
  const { api, product, order } = await newShop(world)
  const mug = await product()
  const { id } = await order([sold(mug, 2)])
  await api.delete(`/v1/products/${mug.id}`)
  const { items, total } = dataOf(await api.get(`/v1/orders/${id}`), 200)
  assert.deepEqual([items[0].product_name, items[0].quantity, items[0].unit_price, total], ['Mug', 2, 10, 20])
  assert.equal(dataOf(await api.patch(`/v1/orders/${id}`, { status: 'cancelled' }), 200).status, 'cancelled')
})

// opencart/opencart#3298
test('an order keeps the name and price that it was sold with', async () => {
  const { api, product, order } = await newShop(world)
  const mug = await product({ price: 100 })
  const { id } = await order(mug)
  await api.patch(`/v1/products/${mug.id}`, { name: 'Cup', price: 200 })
  dataOf(await api.patch(`/v1/orders/${id}`, { internal_notes: 'Call first' }), 200)
  const { items, total } = (await api.get(`/v1/orders/${id}`)).data
  assert.deepEqual([items[0].product_name, items[0].unit_price, total], ['Mug', 100, 100])
})

// OFFLINE-GmbH/oc-site-search-plugin#29
test('a search finds words with accents in any case, and without their accents', async () => {
  const { api, product } = await newShop(world)
  await product({ name: 'Öffner für Büchsen' })
  for (const typed of ['öffner', 'ÖFFNER', 'offner', 'BUCHSEN', 'für']) {
    const { data } = await api.get(`/v1/products?search=${encodeURIComponent(typed)}`)
    assert.equal(data.length, 1, typed)
  }
})

// taginfo/taginfo#40, rotki/rotki#9505
test('a search takes the wildcards of SQL as they are', async () => {
  const { api, product } = await newShop(world)
  await product({ name: 'Cotton 100%', sku: 'A_1' })
  await product({ name: 'Cotton 100', sku: 'AB1' })
  for (const typed of ['100%', 'a_1', '%', '_']) {
    const { data } = await api.get(`/v1/products?search=${encodeURIComponent(typed)}`)
    assert.deepEqual(
      data.map(({ name }: any) => name),
      ['Cotton 100%'],
      typed,
    )
  }
})

const option = (option_title: string, value: string) => ({ option_title, value })

// vendurehq/vendure#1813
test('two options of a product can have the same value', async () => {
  const { product } = await newShop(world)
  const shirt = await product({
    stock_quantity: undefined,
    variants: ['M', 'L'].map((value) => ({ option_values: [option('Body', value), option('Sleeve', 'M')] })),
  })
  const titles = shirt.variants.map(({ title }: any) => title)
  assert.deepEqual(titles.toSorted(), ['L / M', 'M / M'])
})

// woocommerce/woocommerce#26310
test('a product has one variant for each combination of its options', async () => {
  const { api } = await newShop(world)
  const variants = [{ option_values: [option('Size', 'M')] }, { option_values: [option('Size', 'M')] }]
  assert.equal((await api.post('/v1/products', { name: 'Shirt', price: 10, variants })).status, 422)
})

// saleor/saleor#1928, cezerin/cezerin#20
test('the products of a deleted category are kept, without a category', async () => {
  const { api, product } = await newShop(world)
  const { data: category } = await api.post('/v1/categories', { name: 'Bags' })
  const bag = await product({ category_id: category.id })
  await api.delete(`/v1/categories/${category.id}`)
  assert.equal((await api.get(`/v1/products/${bag.id}`)).data.category_id, null)
  assert.equal((await api.get('/v1/products')).data.length, 1)
})

// solidusio/solidus#6093, simplcommerce/SimplCommerce#650
test('the former address of a product leads to its new one for good', async () => {
  const { api, product, store } = await newShop(world)
  const mug = await product({ slug: 'old-mug' })
  await api.patch(`/v1/products/${mug.id}`, { slug: 'new-mug' })
  const page = (slug: string) => fetch(`${world.url}/s/${store.slug}/products/${slug}`, { redirect: 'manual' })
  const [old, current] = [await page('old-mug'), await page('new-mug')]
  assert.deepEqual([old.status, current.status], [301, 200])
  assert.ok(old.headers.get('location')!.endsWith('/products/new-mug'))
})

// Mozu/core-theme#448
test('dinars have three decimals, rounded half up', async () => {
  const { product, order } = await newShop(world, { currency: 'KWD' })
  const mug = await product({ price: 1.2345 })
  const { total } = await order([sold(mug, 3)], { tax_amount: 0, shipping_cost: 0 })
  assert.deepEqual([mug.price, total], [1.235, 3.705])
})

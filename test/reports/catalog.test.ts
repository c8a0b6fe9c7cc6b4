// Reports of other shops about names, slugs, categories, pictures and searches of products.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopperOf } from '../checkouts.ts'
import { dataOf } from '../shop.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld()

const create = async ({ api }: TestStore, path: string, body: object) => dataOf(await api.post(path, body), 201)

// medusajs/medusa#14378, saleor/saleor-storefront#950, bagisto/bagisto#9799
test('products and categories with names in any script have slugs of their own, by which they are found', async () => {
  const shop = await world.newStore()
  const names = ['كتاب', 'Тест', '鞄', 'کتاب فارسی', '가방', '鞄']
  const slugs: string[] = []
  for (const name of names) {
    const made = await create(shop, '/v1/products', { name, price: 1 })
    const category = await create(shop, '/v1/categories', { name: `${name} ${slugs.length}` })
    assert.match(made.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.match(category.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.equal(dataOf(await shopperOf(world, shop).get(`/products/${made.slug}`), 200).name, name)
    slugs.push(made.slug)
  }
  assert.equal(new Set(slugs).size, names.length)
})

// bagisto/bagisto#4730, woocommerce/woocommerce#29540
test('the products of a deleted category stay, for sale and without a category', async () => {
  const shop = await world.newStore()
  const category = await create(shop, '/v1/categories', { name: 'Mugs' })
  const made = await create(shop, '/v1/products', { name: 'Mug', price: 1, category_id: category.id })
  dataOf(await shop.api.delete(`/v1/categories/${category.id}`), 200)
  const { category_id, is_purchasable } = dataOf(await shop.api.get(`/v1/products/${made.id}`), 200)
  assert.deepEqual([category_id, is_purchasable], [null, true])
})

// bagisto/bagisto#2704
test('a product is taken out of its category', async () => {
  const shop = await world.newStore()
  const category = await create(shop, '/v1/categories', { name: 'Mugs' })
  const made = await create(shop, '/v1/products', { name: 'Mug', price: 1, category_id: category.id })
  dataOf(await shop.api.patch(`/v1/products/${made.id}`, { category_id: null }), 200)
  assert.equal(dataOf(await shop.api.get(`/v1/products/${made.id}`), 200).category_id, null)
})

// mediacms-io/mediacms#1474, mattermost/mattermost#22345
test('a word inside a Chinese, Japanese, Thai or Korean name is found', async () => {
  const shop = await world.newStore()
  for (const [name, word] of [
    ['冬季羊毛围巾', '围巾'],
    ['青森りんごジュース', 'りんご'],
    ['รองเท้าผ้าใบ', 'ผ้าใบ'],
    ['가죽지갑', '지갑'],
  ] as const) {
    await create(shop, '/v1/products', { name, price: 1 })
    const found = dataOf(await shopperOf(world, shop).get(`/products?words=${encodeURIComponent(word)}`), 200)
    assert.deepEqual(
      found.map((one: { name: string }) => one.name),
      [name],
    )
  }
})

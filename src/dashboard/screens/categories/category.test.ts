import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { hiddenOf, staffOf, type Shown } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  return { shop, ana: await staffOf(world, [shop]), base: `/${shop.store.id}` }
}

const idIn = ({ location }: Shown) => /\/(?:categories|collections)\/(\w+)/.exec(location)![1]!

test('a category is made, changed, translated and deleted', async () => {
  const { shop, ana, base } = await open()
  const made = await ana.post(`${base}/categories/new`, { act: 'save', name: 'Bags', is_active: '1' })
  const id = idIn(made)
  await dataOf(await shop.api.post('/v1/products', { name: 'Backpack', price: 1, category_id: id }), 201)
  const shown = await ana.get(`${base}/categories/${id}`)
  assert.match(shown.text, /Backpack<\/a>/)
  const version = hiddenOf(shown, 'version').replaceAll('&quot;', '"')
  const change = { act: 'save', version, seen: hiddenOf(shown, 'seen'), name: 'Bags', slug: 'all-bags' }
  assert.equal((await ana.post(`${base}/categories/${id}`, { ...change, description: 'For the city' })).status, 303)
  const category = (await shop.api.get(`/v1/categories/${id}`)).data
  assert.deepEqual([category.slug, category.description, category.is_active], ['all-bags', 'For the city', false])
  await ana.post(`${base}/categories/${id}/translations/es`, { act: 'save', 'es.name': 'Bolsos' })
  assert.equal((await shop.api.get(`/v1/categories/${id}/translations`)).data.es.name, 'Bolsos')
  assert.match((await ana.post(`${base}/categories/${id}`, { act: 'delete', label: 'Bags' })).text, /Delete Bags\?/)
  await ana.post(`${base}/categories/${id}`, { act: 'delete', sure: '1' })
  assert.equal((await shop.api.get(`/v1/categories/${id}`)).status, 404)
})

test('a category gets a parent, the list is a tree, and choices have the whole path', async () => {
  const { shop, ana, base } = await open()
  const clothing = idIn(await ana.post(`${base}/categories/new`, { act: 'save', name: 'Clothing' }))
  const men = idIn(await ana.post(`${base}/categories/new`, { act: 'save', name: 'Men', parent_id: clothing }))
  const art = idIn(await ana.post(`${base}/categories/new`, { act: 'save', name: 'Art' }))
  assert.equal((await shop.api.get(`/v1/categories/${men}`)).data.path, 'clothing/men')
  const tree = (await ana.get(`${base}/categories`)).text
  assert.match(tree, /<option value="path" selected>Hierarchy</)
  const rows = [...tree.matchAll(/(— )*<a class="main"[^>]*>(\w+)/g)]
  assert.deepEqual(
    rows.map(([, dash = '', name]) => dash + name),
    ['Art', 'Clothing', '— Men'],
  )
  const parents = (await ana.get(`${base}/categories/${clothing}`)).text
  assert.match(parents, new RegExp(`<option value="${art}"`))
  assert.doesNotMatch(parents, new RegExp(`<option value="(${clothing}|${men})"`))
  assert.match((await ana.get(`${base}/categories/${men}`)).text, /categories\/clothing\//)
  assert.match((await ana.get(`${base}/products/new`)).text, /<option value="\w+">Clothing › Men</)
  await dataOf(await shop.api.post('/v1/products', { name: 'Belt', price: 1, category_id: men }), 201)
  assert.match((await ana.get(`${base}/categories/${clothing}`)).text, /Belt<\/a>/)
  const list = await ana.get(`${base}/products?category_id=${clothing}&subtree=true`)
  assert.match(list.text, /Belt/)
  const refusal = await ana.post(`${base}/categories/${clothing}`, { act: 'save', name: 'Clothing', parent_id: men })
  assert.match(refusal.text, /A category can’t be below itself/)
})

test('a name that another category has is refused, and what was typed stays', async () => {
  const { shop, ana, base } = await open()
  await shop.api.post('/v1/categories', { name: 'Bags' })
  const fields = { act: 'save', name: 'Bags', description: 'For the city' }
  const { status, text } = await ana.post(`${base}/categories/new`, fields)
  assert.equal(status, 409)
  assert.match(text, /This already exists/)
  assert.match(text, /For the city<\/textarea>/)
})

test('products are looked for, put into a collection, put in order and taken out', async () => {
  const { shop, ana, base } = await open()
  const ids: string[] = []
  for (const name of ['Mug', 'Mug lid', 'Shirt']) {
    ids.push((await dataOf(await shop.api.post('/v1/products', { name, price: 1 }), 201)).id)
  }
  const path = `${base}/collections/${idIn(await ana.post(`${base}/collections/new`, { act: 'save', name: 'Summer' }))}`
  const asked = { act: 'put', 'find.product_ids': 'mug', pick: 'product_ids' }
  const found = (await ana.post(path, asked)).text
  assert.deepEqual(
    ids.map((id) => found.includes(`name="product_ids" value="${id}"`)),
    [true, true, false],
  )
  const names = async () =>
    (await shop.api.get(`/v1${path.slice(base.length)}/products`)).data.map(({ name }: { name: string }) => name)
  await ana.post(path, { act: 'put', product_ids: ids })
  assert.deepEqual(await names(), ['Mug', 'Mug lid', 'Shirt'])
  await ana.post(path, { act: 'sort', order: [ids[2]!, ids[0]!, ids[1]!] })
  assert.deepEqual(await names(), ['Shirt', 'Mug', 'Mug lid'])
  await ana.post(path, { act: 'sort', order: [ids[2]!, ids[0]!, ids[1]!], move: `${ids[0]!} down` })
  assert.deepEqual(await names(), ['Shirt', 'Mug lid', 'Mug'])
  await ana.post(path, { act: 'out', product_id: ids[0]! })
  assert.deepEqual(await names(), ['Shirt', 'Mug lid'])
  const none = await ana.post(path, { act: 'put' })
  assert.equal(none.status, 422)
  assert.match(none.text, /class="fault" id="put-product_ids-fault"/)
})

test('what is changed in a collection meanwhile is no conflict with its name', async () => {
  const { shop, ana, base } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/collections', { name: 'Summer' }), 201)
  const { id: mug } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1 }), 201)
  const shown = await ana.get(`${base}/collections/${id}`)
  const version = hiddenOf(shown, 'version').replaceAll('&quot;', '"')
  await shop.api.post(`/v1/collections/${id}/products`, { product_ids: [mug] })
  const fields = { act: 'save', version, seen: hiddenOf(shown, 'seen'), name: 'Warm days', is_active: '1' }
  assert.equal((await ana.post(`${base}/collections/${id}`, { ...fields, sort_order: 'manual' })).status, 303)
  assert.equal((await shop.api.get(`/v1/collections/${id}`)).data.name, 'Warm days')
})

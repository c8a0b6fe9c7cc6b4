// Texts of products and their groups for search engines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()

const textOf = async ({ store }: TestStore, path: string) => (await fetch(`${world.url}/s/${store.slug}${path}`)).text()
const dataIn = (page: string) => JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)![1]!)

/** What a search engine reads in a page's head. */
function headOf(page: string) {
  const content = (kind: string, name: string) =>
    new RegExp(`<meta ${kind}="${name}" content="([^"]*)">`).exec(page)?.[1]
  return {
    title: /<title>([^<]*)<\/title>/.exec(page)?.[1],
    description: content('name', 'description'),
    ogTitle: content('property', 'og:title'),
    ogDescription: content('property', 'og:description'),
  }
}

const headWith = (title: string, description: string) => ({
  title: `${title} · Corner shop`,
  description,
  ogTitle: title,
  ogDescription: description,
})

test('a product has its own title and description for search engines, and its name on the page', async () => {
  const shop = await world.newStore()
  const texts = { name: 'Mug', description: 'Steel', seo_title: 'Enamel mugs', seo_description: 'Made to last.' }
  const { id } = dataOf(await shop.api.post('/v1/products', { ...texts, price: 14, slug: 'mug' }), 201)
  const page = await textOf(shop, '/products/mug')
  assert.deepEqual(headOf(page), headWith('Enamel mugs', 'Made to last.'))
  assert.match(page, /<h1>Mug<\/h1>/)
  const [described] = dataIn(page)['@graph']
  assert.deepEqual([described.name, described.description], ['Mug', 'Made to last.'])
  await shop.api.patch(`/v1/products/${id}`, { seo_title: null, seo_description: null })
  assert.deepEqual(headOf(await textOf(shop, '/products/mug')), headWith('Mug', 'Steel'))
})

test('a translated name comes before a title that is not translated', async () => {
  const shop = await world.newStore()
  const texts = { name: 'Mug', description: 'Steel', seo_title: 'Enamel mugs', seo_description: 'Made to last.' }
  const { id } = dataOf(await shop.api.post('/v1/products', { ...texts, price: 14, slug: 'mug' }), 201)
  const path = `/v1/products/${id}/translations`
  dataOf(await shop.api.patch(path, { es: { name: 'Taza' } }), 200)
  const head = async () => headOf(await textOf(shop, '/products/mug?lang=es'))
  assert.deepEqual(await head(), headWith('Taza', 'Made to last.'))
  dataOf(await shop.api.patch(path, { es: { seo_title: 'Tazas de peltre', description: 'Acero' } }), 200)
  assert.deepEqual(await head(), headWith('Tazas de peltre', 'Acero'))
})

test('categories and collections have such texts too, on the first page', async () => {
  const shop = await world.newStore()
  const texts = { name: 'Cups', description: 'All cups', seo_title: 'Cups and mugs', seo_description: 'For tea.' }
  const category = dataOf(await shop.api.post('/v1/categories', texts), 201)
  dataOf(await shop.api.post('/v1/collections', texts), 201)
  for (const path of ['/categories/cups', '/collections/cups']) {
    const page = await textOf(shop, path)
    assert.deepEqual(headOf(page), headWith('Cups and mugs', 'For tea.'), path)
    assert.match(page, /<h1>Cups<\/h1>/)
  }
  await shop.api.patch(`/v1/categories/${category.id}`, { seo_title: null, seo_description: null })
  assert.deepEqual(headOf(await textOf(shop, '/categories/cups')), headWith('Cups', 'All cups'))
})

// The pages of collections and categories, what stands beside a product, and where all of them are found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function pageOf({ store }: Shop, path: string) {
  const headers = { 'accept-language': 'en' }
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers, redirect: 'manual' })
  return {
    status: answer.status,
    to: answer.headers.get('location'),
    headers: answer.headers,
    text: await answer.text(),
  }
}
const namesIn = (text: string) => [...text.matchAll(/<h2>([^<]+)<\/h2>\n<p class="price/g)].map(([, name]) => name!)
const create = async ({ api }: Shop, path: string, body: object) => dataOf(await api.post(path, body), 201)
const put = ({ api }: Shop, { id }: any, ...products: any[]) =>
  api.post(`/v1/collections/${id}/products`, { product_ids: products.map((product) => product.id) })

async function summer(shop: Shop, body: object = {}) {
  const products: any[] = []
  for (const [name, price] of [
    ['Straw hat', 30],
    ['Sandals', 20],
    ['Fan', 40],
  ] as const)
    products.push(await shop.product({ name, price }))
  const collection = await create(shop, '/v1/collections', { name: 'Summer', ...body })
  const [hat, sandals, fan] = products
  await put(shop, collection, fan, hat, sandals)
  return { collection, products }
}

test('a collection has a page with its text and picture, and its products in their order', async () => {
  const shop = await newShop(world)
  const image = 'https://images.example/summer.jpg'
  const { collection, products } = await summer(shop, { description: 'Light things', image })
  await shop.product({ name: 'Coat' })
  const { status, text } = await pageOf(shop, '/collections/summer')
  assert.equal(status, 200)
  assert.deepEqual(namesIn(text), ['Fan', 'Straw hat', 'Sandals'])
  assert.match(text, /<h1>Summer<\/h1>\s*<div class="lead"><p>Light things<\/p>/)
  assert.match(text, /<img alt="" src="https:\/\/images\.example\/summer\.jpg"/)
  assert.match(text, /<meta name="description" content="Light things">/)
  assert.match(text, /<meta property="og:image" content="https:\/\/images\.example\/summer\.jpg">/)
  const root = `https://shop.example/s/${shop.store.slug}`
  assert.ok(text.includes(`<link rel="canonical" href="${root}/collections/summer">`))
  assert.match(text, /"@type":"ListItem","position":2,"name":"Summer"/)
  assert.match(text, /<option value="manual" selected>Featured<\/option>/)

  // Sorted and narrowed as any list; the counts are of the collection alone.
  assert.deepEqual(namesIn((await pageOf(shop, '/collections/summer?sort=price_up')).text), [
    'Sandals',
    'Straw hat',
    'Fan',
  ])
  const narrowed = (await pageOf(shop, '/collections/summer?min=25')).text
  assert.deepEqual(namesIn(narrowed), ['Fan', 'Straw hat'])
  assert.match(narrowed, /<p class="soft">\$20\.00 – \$40\.00<\/p>/)

  await shop.api.patch(`/v1/collections/${collection.id}`, { sort_order: 'name' })
  assert.deepEqual(namesIn((await pageOf(shop, '/collections/summer')).text), ['Fan', 'Sandals', 'Straw hat'])
  const byHand = (await pageOf(shop, '/collections/summer?sort=manual')).text
  assert.deepEqual(namesIn(byHand), ['Fan', 'Straw hat', 'Sandals'])
  await shop.api.patch(`/v1/products/${products[0].id}`, { product_status: 'draft' })
  assert.deepEqual(namesIn((await pageOf(shop, '/collections/summer?sort=manual')).text), ['Fan', 'Sandals'])
  // Only a collection is sorted by hand.
  assert.doesNotMatch((await pageOf(shop, '?sort=manual')).text, /value="manual"/)
  await shop.api.patch(`/v1/collections/${collection.id}`, { is_active: false })
  assert.equal((await pageOf(shop, '/collections/summer')).status, 404)
})

test('a collection of many products has numbered pages', async () => {
  const shop = await newShop(world)
  const products: any[] = []
  for (let number = 10; number < 36; number++) products.push(await shop.product({ name: `Mug ${number}` }))
  await put(shop, await create(shop, '/v1/collections', { name: 'Mugs', description: 'All' }), ...products)
  const second = (await pageOf(shop, '/collections/mugs?page=2')).text
  assert.deepEqual(namesIn(second), ['Mug 34', 'Mug 35'])
  assert.match(second, /<p>26 products<\/p>/)
  assert.doesNotMatch(second, /class="lead"/)
  assert.equal((await pageOf(shop, '/collections/mugs?page=3')).status, 404)
})

test('a category has a page with its text and picture, also the one beyond the hundredth', async () => {
  const shop = await newShop(world)
  for (let number = 100; number < 200; number++) await create(shop, '/v1/categories', { name: `A ${number}` })
  const image = 'https://images.example/cups.jpg'
  const cups = await create(shop, '/v1/categories', { name: 'Cups', description: 'Of clay', image })
  await shop.product({ name: 'Mug', category_id: cups.id })
  const { status, text } = await pageOf(shop, '/categories/cups')
  assert.equal(status, 200)
  assert.deepEqual(namesIn(text), ['Mug'])
  assert.match(text, /<h1>Cups<\/h1>\s*<div class="lead"><p>Of clay<\/p>/)
  assert.match(text, /<img alt="" src="https:\/\/images\.example\/cups\.jpg"/)
  assert.match(text, /<meta property="og:image" content="https:\/\/images\.example\/cups\.jpg">/)
})

test('slugs that categories and collections have given up lead to the ones that they have, 301', async () => {
  const shop = await newShop(world)
  const { collection } = await summer(shop)
  const category = await create(shop, '/v1/categories', { name: 'Cups' })
  const rename = (path: string, slug: string) => shop.api.patch(`/v1/${path}`, { slug })
  for (const [at, id] of [
    ['/collections/summer', `collections/${collection.id}`],
    ['/categories/cups', `categories/${category.id}`],
  ] as const) {
    const [kind] = id.split('/')
    const root = `/s/${shop.store.slug}/${kind}`
    await rename(id, 'second')
    const moved = await pageOf(shop, `${at}?sort=name&page=2`)
    assert.deepEqual([moved.status, moved.to], [301, `${root}/second?sort=name&page=2`])
    await rename(id, 'third')
    assert.deepEqual((await pageOf(shop, at)).to, `${root}/third`)
    assert.deepEqual((await pageOf(shop, `/${kind}/second`)).to, `${root}/third`)
    // Back again: no circle. Taken by another: no redirect.
    await rename(id, at.split('/')[2]!)
    assert.equal((await pageOf(shop, at)).status, 200)
    assert.equal((await pageOf(shop, `/${kind}/third`)).to, `${root}/${at.split('/')[2]}`)
    await create(shop, `/v1/${kind}`, { name: 'Third' })
    assert.equal((await pageOf(shop, `/${kind}/third`)).status, 200)
    assert.equal((await pageOf(await newShop(world), `/${kind}/second`)).status, 404)
  }
})

test('beside a product stands what follows it in its collections, then the newest of its category', async () => {
  const shop = await newShop(world)
  const category = await create(shop, '/v1/categories', { name: 'Cups' })
  const kin: any[] = []
  for (const name of ['Old cup', 'Cup', 'New cup', 'Draft cup']) {
    kin.push(await shop.product({ name, category_id: category.id }))
    world.clock.advance(1)
  }
  await shop.api.patch(`/v1/products/${kin[3].id}`, { product_status: 'draft' })
  const besides = async (slug: string) => {
    const [, section = ''] = (await pageOf(shop, `/products/${slug}`)).text.split('<section class="beside">')
    return namesIn(section)
  }
  assert.deepEqual(await besides('cup'), ['New cup', 'Old cup'])
  const { products } = await summer(shop)
  const { data: all } = await shop.api.get('/v1/collections')
  await put(shop, all[0], kin[1])
  assert.deepEqual(await besides('cup'), ['Fan', 'Straw hat', 'Sandals', 'New cup'])
  assert.deepEqual(await besides('straw-hat'), ['Sandals', 'Cup', 'Fan'])
  await shop.api.patch(`/v1/products/${products[1].id}`, { product_status: 'draft' })
  await shop.api.patch(`/v1/collections/${all[0].id}`, { is_active: false })
  assert.deepEqual(await besides('straw-hat'), [])
  assert.deepEqual(await besides('cup'), ['New cup', 'Old cup'])
})

test('collections stand on the home page, in the sitemap, in llms.txt, and where menus lead', async () => {
  const shop = await newShop(world)
  const { collection } = await summer(shop)
  await create(shop, '/v1/collections', { name: 'Hidden', is_active: false })
  const home = (await pageOf(shop, '')).text
  assert.match(home, /<h2>Collections<\/h2>[^]*\/collections\/summer">[^]*<h3>Summer<\/h3>[^]*<h2>Recently added<\/h2>/)
  const root = `https://shop.example/s/${shop.store.slug}`
  const sitemap = (await pageOf(shop, '/sitemap.xml')).text
  assert.ok(sitemap.includes(`<loc>${root}/collections/summer</loc>`))
  assert.ok((await pageOf(shop, '/llms.txt')).text.includes(`- [Summer](${root}/collections/summer)`))
  assert.ok(!(home + sitemap).includes('/hidden'))
  await shop.api.patch('/v1/store/menus', { header_menu: [{ label: 'Summer', link: '/collections/summer' }] })
  const at = `/s/${shop.store.slug}/collections/summer`
  const { text } = await pageOf(shop, '/collections/summer')
  assert.ok(text.includes(`<a href="${at}" aria-current="page">Summer</a>`))

  // What changes in a collection changes the sitemap.
  world.clock.advance(120)
  const etag = (await pageOf(shop, '/sitemap.xml')).headers.get('etag')
  assert.ok(etag)
  await shop.api.delete(`/v1/collections/${collection.id}`)
  assert.notEqual((await pageOf(shop, '/sitemap.xml')).headers.get('etag'), etag)
})

test('a few left are told without their number, and films come under a policy of their own', async () => {
  const shop = await newShop(world)
  const film = 'https://films.example/mug.mp4'
  const poster = 'https://images.example/still.jpg'
  await shop.product({ stock_quantity: 3, gallery: ['https://images.example/mug.jpg', { url: film, poster }] })
  const { text, headers } = await pageOf(shop, '/products/mug')
  assert.match(text, /<p id="stock" class="stock few">Almost sold out<\/p>/)
  assert.match(text, new RegExp(`<video class="tile" src="${film}" poster="${poster}" preload="none" controls`))
  assert.match(headers.get('content-security-policy')!, /; media-src 'self' https:;/)
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!
  assert.ok(!data.includes(film) && data.includes(poster))
  const feed = (await pageOf(shop, '/feeds/google.xml')).text
  assert.ok(!feed.includes(film) && feed.includes(poster))
  assert.doesNotMatch((await pageOf(shop, '')).headers.get('content-security-policy')!, /media-src/)
})

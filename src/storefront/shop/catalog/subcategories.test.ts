// The pages of categories below others: their addresses, what leads to them, and the products of a subtree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function pageOf({ store }: Shop, path: string) {
  const headers = { 'accept-language': 'en' }
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers, redirect: 'manual' })
  return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() }
}

const namesIn = (text: string) => [...text.matchAll(/<h2>([^<]+)<\/h2>\n<p class="price/g)].map(([, name]) => name!)

/** The texts of the links of a navigation, and the current one. */
function linksIn(text: string, label: string): string[] {
  const [, nav = ''] = text.split(`aria-label="${label}">`)
  const links = [...nav.split('</nav>')[0]!.matchAll(/<a href="([^"]+)"([^>]*)>([^<]+)/g)]
  return links.map(([, href, rest, name]) => `${name} ${href!.replace(/.*\/s\/[^/]+/, '')}${rest}`)
}

function breadcrumbsIn(text: string): [string, string][] {
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  const list = JSON.parse(json)['@graph'].find((one: any) => one['@type'] === 'BreadcrumbList')
  return list.itemListElement.map(({ name, item }: any) => [name, item.replace(/.*\/s\/[^/]+/, '')])
}

async function openTree() {
  const shop = await newShop(world)
  const create = async (body: object) => dataOf(await shop.api.post('/v1/categories', body), 201)
  const clothing = await create({ name: 'Clothing' })
  const men = await create({ name: 'Men', parent_id: clothing.id })
  const shirts = await create({ name: 'Shirts', parent_id: men.id, description: 'Linen & cotton' })
  await create({ name: 'Women', parent_id: clothing.id })
  const music = await create({ name: 'Music' })
  for (const [name, { id }] of [
    ['Coat', clothing],
    ['Belt', men],
    ['Polo', shirts],
    ['Album', music],
  ] as const) {
    await shop.product({ name, category_id: id })
    world.clock.advance(1)
  }
  return { shop, clothing, men, shirts }
}

test('the page of a category has the products below it, the way to it, and the categories below it', async () => {
  const { shop } = await openTree()
  const top = (await pageOf(shop, '/categories/clothing')).text
  assert.deepEqual(namesIn(top), ['Polo', 'Belt', 'Coat'])
  assert.deepEqual(linksIn(top, 'Categories'), [
    'All products ',
    'Clothing /categories/clothing aria-current="page"',
    'Music /categories/music',
  ])
  assert.deepEqual(linksIn(top, 'Subcategories'), ['Men /categories/clothing/men', 'Women /categories/clothing/women'])
  assert.doesNotMatch(top, /class="trail"/)

  const low = (await pageOf(shop, '/categories/clothing/men/shirts')).text
  assert.deepEqual(namesIn(low), ['Polo'])
  assert.deepEqual(linksIn(low, 'Breadcrumbs'), ['Clothing /categories/clothing', 'Men /categories/clothing/men'])
  assert.ok(linksIn(low, 'Categories').includes('Clothing /categories/clothing aria-current="true"'))
  assert.doesNotMatch(low, /Subcategories/)
  assert.match(low, /<link rel="canonical" href="[^"]+\/categories\/clothing\/men\/shirts">/)
  assert.deepEqual(breadcrumbsIn(low), [
    ['Corner shop', breadcrumbsIn(low)[0]![1]],
    ['Clothing', '/categories/clothing'],
    ['Men', '/categories/clothing/men'],
    ['Shirts', '/categories/clothing/men/shirts'],
  ])

  const product = (await pageOf(shop, '/products/polo')).text
  assert.deepEqual(linksIn(product, 'Breadcrumbs').at(-1), 'Shirts /categories/clothing/men/shirts')
  assert.deepEqual(
    breadcrumbsIn(product).map(([name]) => name),
    ['Corner shop', 'Clothing', 'Men', 'Shirts', 'Polo'],
  )
  assert.match(product, /"category":"Clothing > Men > Shirts"/)
})

test('a page that has moved with its category, or has another slug, is found by its old address', async () => {
  const { shop, men, shirts } = await openTree()
  const root = `/s/${shop.store.slug}/categories`
  const leads = async (path: string) => {
    const { status, to } = await pageOf(shop, `/categories${path}`)
    return status === 301 ? to!.slice(root.length) : status
  }
  for (const wrong of ['/shirts', '/men/shirts', '/music/shirts', '/clothing/shirts', '/a/b/c/d/shirts']) {
    assert.equal(await leads(`${wrong}?sort=name&page=1`), '/clothing/men/shirts?sort=name&page=1', wrong)
  }
  assert.equal(await leads('/men'), '/clothing/men')
  assert.equal(await leads('/a/clothing'), '/clothing')
  await shop.api.patch(`/v1/categories/${shirts.id}`, { slug: 'tops' })
  assert.equal(await leads('/clothing/men/shirts?lang=en'), '/clothing/men/tops?lang=en')
  await shop.api.patch(`/v1/categories/${men.id}`, { parent_id: null, slug: 'gents' })
  assert.deepEqual(
    [await leads('/clothing/men/tops'), await leads('/clothing/men'), await leads('/shirts'), await leads('/gents')],
    ['/gents/tops', '/gents', '/gents/tops', 200],
  )
  assert.deepEqual([await leads('/clothing/none'), await leads('/a/b/c/d/e/tops')], [404, 404])
  const woo = await pageOf(shop, '/product-category/clothing/men/shirts')
  assert.deepEqual([woo.status, woo.to], [301, `${root}/gents/tops`])
})

test('sitemap, feeds and the storefront API have the paths, and a hidden category is in none', async () => {
  const { shop, clothing, men, shirts } = await openTree()
  const at = `/storefront/${shop.store.slug}`
  const sitemap = (await pageOf(shop, '/sitemap.xml')).text
  assert.match(sitemap, /<loc>[^<]+\/categories\/clothing\/men\/shirts<\/loc>/)
  assert.match((await pageOf(shop, '/llms.txt')).text, /\[Shirts\]\(\S+\/categories\/clothing\/men\/shirts\)/)
  const feed = (await pageOf(shop, '/feeds/google.xml')).text
  assert.match(feed, /<g:product_type>Clothing &gt; Men &gt; Shirts<\/g:product_type>/)
  const ask = async (path: string) => (await (await fetch(`${world.url}${at}${path}`)).json()) as any
  const { data } = await ask('/categories/shirts')
  assert.deepEqual(
    [data.parent_id, data.ancestor_ids, data.path],
    [men.id, [clothing.id, men.id], 'clothing/men/shirts'],
  )
  const pathsOf = async (query: string) => (await ask(`/categories?${query}`)).data.map(({ path }: any) => path)
  assert.deepEqual(await pathsOf('parent_id=none'), ['clothing', 'music'])
  assert.deepEqual(await pathsOf(`parent_id=${clothing.id}`), ['clothing/men', 'clothing/women'])
  const products = async (category: string) =>
    (await ask(`/products?category=${category}&sort=name&order=asc`)).data.map(({ name }: any) => name)
  assert.deepEqual(await products('clothing'), ['Belt', 'Coat', 'Polo'])
  assert.deepEqual(await products(men.id), ['Belt', 'Polo'])

  await shop.api.patch(`/v1/categories/${men.id}`, { is_active: false })
  const low = (await pageOf(shop, '/categories/clothing/men/shirts')).text
  assert.deepEqual(linksIn(low, 'Breadcrumbs'), ['Clothing /categories/clothing'])
  assert.equal((await pageOf(shop, '/categories/clothing/men')).status, 404)
  assert.equal((await ask(`/categories/${shirts.id}`)).data.path, 'clothing/men/shirts')
  assert.deepEqual(await products('clothing'), ['Belt', 'Coat', 'Polo'])
})

test('the way to a product goes when its store has no categories below others any more', async () => {
  const leave: ((shop: Shop, below: { id: string }) => Promise<unknown>)[] = [
    ({ api }, { id }) => api.patch(`/v1/categories/${id}`, { parent_id: null }),
    ({ api }, { id }) => api.delete(`/v1/categories/${id}`),
  ]
  for (const last of leave) {
    const shop = await newShop(world)
    const create = async (body: object) => dataOf(await shop.api.post('/v1/categories', body), 201)
    const top = await create({ name: 'Clothing' })
    const below = await create({ name: 'Men', parent_id: top.id })
    await shop.product({ name: 'Coat', category_id: top.id })
    const trailOf = async () => linksIn((await pageOf(shop, '/products/coat')).text, 'Breadcrumbs')
    assert.deepEqual(await trailOf(), ['Clothing /categories/clothing'])
    await last(shop, below)
    assert.deepEqual(await trailOf(), [])
  }
})

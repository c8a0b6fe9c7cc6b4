// Old addresses in the shop, at each of its hosts: former systems, redirects of the merchant, and what stays missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAtHost } from '../../../test/host.ts'
import { dataOf } from '../../../test/shop.ts'
import { openUcpWorld } from '../../../test/ucp.ts'
import type { TestStore } from '../../../test/world.ts'

const world = await openUcpWorld({
  BASE_URL: 'https://shops.example:8443',
  AUTH_URL: 'https://auth.example',
  SHOPS_HOST: 'shops.example',
  TRUSTED_PROXIES: '127.0.0.1',
})

type Place = { host: string; root: string }

/** The same shop below a path, on its host and on its domain. */
async function placesOf(shop: TestStore): Promise<Place[]> {
  const { slug } = shop.store
  return [
    { host: 'shops.example:8443', root: `/s/${slug}` },
    { host: `${slug}.shops.example:8443`, root: '' },
    { host: await world.domainOf(shop), root: '' },
  ]
}

async function leadsTo({ host, root }: Place, path: string): Promise<[number, unknown]> {
  const { status, headers } = await getAtHost(world, host, (root + path).replace(/^(?!\/)/, '/'))
  return [status, headers.location]
}

const create = async ({ api }: TestStore, path: string, body: object) => dataOf(await api.post(`/v1${path}`, body), 201)
const redirect = (shop: TestStore, path: string, target: string) => create(shop, '/redirects', { path, target })

test('a page that is not here leads to the target of its redirect, on each host of the shop', async () => {
  const shop = await world.newStore()
  await create(shop, '/products', { name: 'Blue mug', price: 14 })
  for (const [path, target] of [
    ['/old-page', '/products/blue-mug'],
    ['/Blog/Café', '/pages/journal?from=blog#top'],
    ['/away', 'https://journal.example/first'],
    ['/products/gone', '/'],
    ['/collections/gone', '/search?q=mug'],
    ['/pages/gone', '/pages/größe'],
    ['/index.php?id=7', '/products/blue-mug'],
    ['/index.php', '/'],
    ['/?p=12', '/products/blue-mug#reviews'],
  ] as const)
    await redirect(shop, path, target)
  for (const place of await placesOf(shop)) {
    const to = async (path: string) => {
      const [status, location] = await leadsTo(place, path)
      assert.equal(status, 301, path)
      return location
    }
    const { root } = place
    assert.equal(await to('/old-page'), `${root}/products/blue-mug`)
    assert.equal(await to('/OLD-page/?utm_source=a&x=%20'), `${root}/products/blue-mug?utm_source=a&x=%20`)
    assert.equal(await to('/blog/caf%C3%A9?a=b'), `${root}/pages/journal?from=blog#top`)
    assert.equal(await to('/away'), 'https://journal.example/first')
    assert.equal(await to('/away?a=b'), 'https://journal.example/first?a=b')
    assert.equal(await to('/products/gone'), `${root}/`)
    assert.equal(await to('/collections/gone'), `${root}/search?q=mug`)
    assert.equal(await to('/pages/gone'), `${root}/pages/gr%C3%B6%C3%9Fe`)
    assert.equal(await to('/index.php?id=7'), `${root}/products/blue-mug`)
    assert.equal(await to('/index.php?id=8'), `${root}/?id=8`)
    assert.equal(await to('?p=12'), `${root}/products/blue-mug#reviews`)
    assert.equal((await leadsTo(place, '?p=13'))[0], 200)
    assert.equal((await leadsTo(place, '/search?p=12'))[0], 200)
    assert.equal((await leadsTo(place, '/none'))[0], 404)
  }
})

test('an existing page wins over a redirect from its path, and so does a former slug', async () => {
  const shop = await world.newStore()
  const mug = await create(shop, '/products', { name: 'Mug', price: 14 })
  await create(shop, '/pages', { title: 'About' })
  for (const path of ['/products/mug', '/pages/about', '/cart', '/search', '/robots.txt']) {
    await redirect(shop, path, 'https://elsewhere.example/')
  }
  const [place] = (await placesOf(shop)) as [Place]
  for (const path of ['/products/mug', '/pages/about', '/cart', '/search', '/robots.txt']) {
    assert.deepEqual(await leadsTo(place, path), [200, undefined], path)
  }
  dataOf(await shop.api.patch(`/v1/products/${mug.id}`, { slug: 'cup' }), 200)
  assert.deepEqual(await leadsTo(place, '/products/mug'), [301, `${place.root}/products/cup`])
  dataOf(await shop.api.delete(`/v1/products/${mug.id}`), 200)
  assert.deepEqual(await leadsTo(place, '/products/mug'), [301, 'https://elsewhere.example/'])
})

test('addresses of Shopify and WooCommerce lead to the record with that slug, if shoppers can see it', async () => {
  const shop = await world.newStore()
  const mug = await create(shop, '/products', { name: 'Blue mug', price: 14 })
  await create(shop, '/products', { name: 'Draft', price: 14, product_status: 'draft' })
  await create(shop, '/categories', { name: 'Hats' })
  await redirect(shop, '/products/großer-becher', '/products/blue-mug')
  const other = await world.newStore()
  await create(other, '/products', { name: 'Other', price: 1 })
  for (const place of await placesOf(shop)) {
    const { root } = place
    for (const path of [
      '/collections/summer/products/blue-mug?variant=1',
      '/product/Blue-mug/?variant=1',
      '/collections/all/products/gro%C3%9Fer-becher?variant=1',
    ]) {
      assert.deepEqual(await leadsTo(place, path), [301, `${root}/products/blue-mug?variant=1`], path)
    }
    for (const path of ['/product-category/hats/', '/product-category/clothing/winter/hats']) {
      assert.deepEqual(await leadsTo(place, path), [301, `${root}/categories/hats`], path)
    }
    for (const path of [
      '/product/none',
      '/product/draft',
      '/product/other',
      '/product/',
      '/product/blue-mug/reviews',
      '/product-category/none',
      '/collections/summer/products/draft',
      '/collections/a/b/products/blue-mug',
    ]) {
      assert.equal((await leadsTo(place, path))[0], 404, path)
    }
  }
  // The record's own page comes before a redirect from where it is; a redirect of the old address before both.
  const [place] = (await placesOf(shop)) as [Place]
  await redirect(shop, '/products/cup', '/pages/cups')
  dataOf(await shop.api.patch(`/v1/products/${mug.id}`, { slug: 'cup' }), 200)
  assert.deepEqual(await leadsTo(place, '/collections/a/products/cup'), [301, `${place.root}/products/cup`])
  assert.deepEqual(await leadsTo(place, '/product/blue-mug'), [301, `${place.root}/products/cup`])
  await redirect(shop, '/product/blue-mug', '/pages/mugs')
  assert.deepEqual(await leadsTo(place, '/product/blue-mug'), [301, `${place.root}/pages/mugs`])
})

test('nothing that is not stored leads out of the shop, and no store follows the redirects of another', async () => {
  const shop = await world.newStore()
  const other = await world.newStore()
  await redirect(other, '/old', 'https://evil.example/')
  await redirect(shop, '/go', '/products/mug')
  for (const place of await placesOf(shop)) {
    const { root } = place
    assert.equal((await leadsTo(place, '/old'))[0], 404)
    for (const path of [
      '//evil.example',
      '//evil.example/go',
      '/%2F/evil.example',
      '/%5Cevil.example',
      '/\\evil.example',
      '/go%0d%0aLocation:%20https://evil.example',
      '/product//evil.example',
      '/product/%2F%2Fevil.example',
      '/collections/x/products/%2e%2e',
      `/${'a'.repeat(6000)}`,
      `/${'%41'.repeat(2000)}`,
    ]) {
      const [status, location] = await leadsTo(place, path)
      assert.deepEqual([status < 500, location], [true, undefined], path)
    }
    const [status, location] = await leadsTo(place, '/go?next=//evil.example&a="<>')
    assert.equal(status, 301)
    assert.ok(String(location).startsWith(`${root}/products/mug?next=//evil.example&a=`), String(location))
    assert.match(String(location), /^[\x21-\x7e]+$/)
  }
})

test('only pages are redirected: a form that is sent to an old address is not found', async () => {
  const shop = await world.newStore()
  await redirect(shop, '/products/old', 'https://elsewhere.example/')
  const url = `${world.url}/s/${shop.store.slug}/products/old`
  const ask = (method: string) => fetch(url, { method, redirect: 'manual' })
  assert.deepEqual([(await ask('GET')).status, (await ask('HEAD')).status], [301, 301])
  assert.equal((await ask('POST')).status, 404)
})

test('a redirect holds as soon as it is there, and no longer than it is', async () => {
  const shop = await world.newStore()
  const [place] = (await placesOf(shop)) as [Place]
  for (let turn = 0; turn < 3; turn++) assert.equal((await leadsTo(place, '?p=5'))[0], 200)
  const { id } = await redirect(shop, '/?p=5', '/pages/five')
  assert.deepEqual(await leadsTo(place, '?p=5'), [301, `${place.root}/pages/five`])
  dataOf(await shop.api.delete(`/v1/redirects/${id}`), 200)
  assert.equal((await leadsTo(place, '?p=5'))[0], 200)
})

// The host that SHOPS_HOST gives every store: one address in all links, and nothing of another store by it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUp } from '../../../test/checkouts.ts'
import { openUcpWorld } from '../../../test/ucp.ts'
import { getAtHost } from '../../../test/host.ts'
import type { TestStore } from '../../../test/world.ts'
import { storeHosts } from './hosts.ts'

const world = await openUcpWorld({
  BASE_URL: 'https://shops.example:8443',
  AUTH_URL: 'https://auth.example',
  SHOPS_HOST: 'shops.example',
  TRUSTED_PROXIES: '127.0.0.1',
})

const hostOf = ({ store }: TestStore) => `${store.slug}.shops.example:8443`
const get = (host: string, path: string) => getAtHost(world, host, path)
const textOf = async (host: string, path: string) => (await get(host, path)).text

test('every link to a store names its host, or its domain once that is verified', async () => {
  const shop = await setUp(await world.newStore())
  await shop.api.post('/v1/products', { name: 'Enamel mug', price: 14 })
  const host = hostOf(shop)
  const root = `https://${host}`
  assert.equal((await shop.api.get('/v1/store')).data.storefront_url, root)
  for (const [at, path] of [
    [host, ''],
    ['shops.example:8443', `/s/${shop.store.slug}`],
  ] as const) {
    const page = await textOf(at, `${path}/products/enamel-mug`)
    assert.match(page, new RegExp(`<link rel="canonical" href="${root}/products/enamel-mug"`))
    assert.match(await textOf(at, `${path}/sitemap.xml`), new RegExp(`<loc>${root}/products/enamel-mug</loc>`))
    assert.match(await textOf(at, `${path}/llms.txt`), new RegExp(`\\(${root}/feeds/products.jsonl\\)`))
  }
  assert.match(await textOf(host, '/robots.txt'), new RegExp(`Sitemap: ${root}/sitemap.xml`))
  const domain = await world.domainOf(shop)
  assert.equal((await shop.api.get('/v1/store')).data.storefront_url, `https://${domain}`)
  const page = await textOf(host, '/products/enamel-mug')
  assert.match(page, new RegExp(`<link rel="canonical" href="https://${domain}/products/enamel-mug"`))
})

test('UCP has a profile on each host, whose addresses are there', async () => {
  const shop = await setUp(await world.newStore())
  const root = `https://${hostOf(shop)}`
  const { status, body } = await world.http(hostOf(shop), 'GET', '/.well-known/ucp')
  assert.equal(status, 200)
  assert.deepEqual(
    body.ucp.services['dev.ucp.shopping'].map(({ endpoint }: any) => endpoint),
    [`${root}/ucp`, `${root}/ucp/mcp`],
  )
  await shop.api.post('/v1/products', { name: 'Cup', price: 3 })
  const found = await world.agent(hostOf(shop)).call('search_catalog', { body: { query: 'cup' } })
  assert.deepEqual(
    found.body.products.map(({ url }: any) => url),
    [`${root}/products/cup`],
  )
})

test('a former slug leads to the host of the present one, and only a slug names a store', async () => {
  const shop = await world.newStore()
  const former = hostOf(shop)
  const slug = `new-${shop.store.slug}`.slice(0, 60)
  assert.equal((await shop.api.patch('/v1/store', { slug })).status, 200)
  const moved = await get(former, '/search?q=mug')
  assert.deepEqual([moved.status, moved.headers.location], [301, `https://${slug}.shops.example:8443/search?q=mug`])
  const pages = [`${slug}.shops.example`, `${slug.toUpperCase()}.SHOPS.EXAMPLE:8443`]
  for (const host of pages) assert.equal((await get(host, '/')).status, 200, host)
  const strange = [
    'none.shops.example',
    `a.${slug}.shops.example`,
    '-.shops.example',
    '%00.shops.example',
    `${slug}.shops.example.net`,
    `${'x'.repeat(2000)}.shops.example`,
  ]
  for (const host of strange) assert.ok([400, 404].includes((await get(host, '/')).status), host)
})

test('a store has nothing of another at its host', async () => {
  const [own, other] = [await world.newStore(), await world.newStore()]
  await own.api.post('/v1/products', { name: 'Secret mug', price: 14 })
  assert.equal((await get(hostOf(other), '/products/secret-mug')).status, 404)
  assert.equal((await get(hostOf(own), '/products/secret-mug')).status, 200)
  const cookie = [(await get(hostOf(own), '/?lang=en')).headers['set-cookie']].flat() as string[]
  assert.ok(cookie.length > 0 && cookie.every((line) => /; Secure/.test(line) && !/domain=/i.test(line)))
})

test('hosts of the service are not those of stores', () => {
  const { isOwn, slugOf, sites } = storeHosts(['shops.example', 'auth.example'], 'http://*.shops.example:4000')
  const isShop = (host: string) => sites.map((site) => site.host.test(host))
  assert.deepEqual(isShop('a.shops.example:4000'), [true, false])
  assert.deepEqual(isShop('a.b.shops.example'), [true, false])
  assert.deepEqual(isShop('brand.example'), [false, true])
  for (const host of ['shops.example', 'auth.example:4000', '127.0.0.1', 'localhost'])
    assert.deepEqual(isShop(host), [false, false], host)
  assert.deepEqual(['shops.example', 'A.shops.example', 'shopsxexample'].map(slugOf), [null, 'a', null])
  assert.deepEqual(['shops.example', 'a.shops.example', '10.0.0.1'].map(isOwn), [true, false, true])
  const inPath = storeHosts(['shops.example'], 'https://shops.example/s/*')
  assert.deepEqual(
    [inPath.sites.length, inPath.slugOf('a.shops.example'), inPath.urlOf('a')],
    [1, null, 'https://shops.example/s/a'],
  )
})

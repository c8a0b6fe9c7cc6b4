// How search engines find a shop: sitemap, robots.txt, canonical addresses, structured data, and slugs given up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAtHost } from '../../../../test/host.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { elementsOf, parseXml, textsOf } from '../../../../test/xml.ts'
import { sql } from '../../../kit/database/sql.ts'
import { setStatus } from '../../../tenancy/stores/operations.ts'

const world = await openWorld()
/** Those of a store that has chosen none. */
const languages = ['en', 'es']
const { db } = world.app

const get = ({ store }: TestStore, path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}/s/${store.slug}${path}`, { redirect: 'manual', headers })
const textOf = async (shop: TestStore, path: string) => (await get(shop, path)).text()
const create = async ({ api }: TestStore, path: string, body: object) => {
  const { data, error } = await api.post(path, body)
  assert.equal(error, undefined, JSON.stringify(error))
  return data
}
const rootOf = ({ store }: TestStore) => `https://shop.example/s/${store.slug}`

async function givenDomain({ store }: TestStore): Promise<string> {
  const domain = `${store.slug}.example.net`
  await db.transaction(async (tx) => {
    await tx.rows(sql`
      update stores
      set custom_domain = ${domain}, domain_verified = true
      where id = ${store.id}`)
  })
  return domain
}

/** loc → hreflang → href, as a sitemap says it. */
function alternatesIn(text: string): Map<string, Record<string, string>> {
  return new Map(
    elementsOf(parseXml(text), 'url').map((url) => {
      const links = elementsOf(url, 'xhtml:link')
      const pairs = links.map((link) => [link.getAttribute('hreflang')!, link.getAttribute('href')!])
      return [textsOf(url, 'loc')[0]!, Object.fromEntries(pairs)]
    }),
  )
}

const linksIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)].map(([, lang, href]) => [
      lang,
      href,
    ]),
  )
const canonicalIn = (page: string) => /<link rel="canonical" href="([^"]+)">/.exec(page)?.[1]
const dataIn = (page: string) => JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)![1]!)

test('the sitemap names home, categories and products for sale in every language, and nothing else', async () => {
  const shop = await world.newStore()
  const category = await create(shop, '/v1/categories', { name: 'Cups' })
  await create(shop, '/v1/categories', { name: 'Hidden', is_active: false })
  const mug = await create(shop, '/v1/products', { name: 'Enamel mug', price: 14, category_id: category.id })
  await create(shop, '/v1/products', { name: 'Draft', price: 14, product_status: 'draft' })
  const answer = await get(shop, '/sitemap.xml')
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/xml; charset=utf-8'])
  const text = await answer.text()
  const root = rootOf(shop)
  const pages = [root, `${root}/categories/cups`, `${root}/products/enamel-mug`]
  const addresses = pages.flatMap((page) => [page, ...languages.map((language) => `${page}?lang=${language}`)])
  assert.deepEqual([...alternatesIn(text).keys()], addresses)
  assert.equal(textsOf(parseXml(text), 'lastmod').at(-1), mug.updated_at)
})

test('alternates agree both ways: in the sitemap, in the pages, and each page calls itself canonical', async () => {
  const shop = await world.newStore()
  await create(shop, '/v1/products', { name: 'Enamel mug', price: 14 })
  const inSitemap = alternatesIn(await textOf(shop, '/sitemap.xml'))
  for (const [address, alternates] of inSitemap) {
    const names = Object.keys(alternates)
    assert.deepEqual(names, ['x-default', ...languages])
    assert.ok(Object.values(alternates).includes(address), address)
    for (const other of Object.values(alternates)) assert.deepEqual(inSitemap.get(other), alternates, other)
    const page = await textOf(shop, address.slice(rootOf(shop).length))
    assert.equal(canonicalIn(page), address)
    assert.deepEqual(linksIn(page), alternates, address)
  }
})

test('a page in a list of its own has its own address in each language', async () => {
  const shop = await world.newStore()
  for (let number = 0; number < 25; number++) await create(shop, '/v1/products', { name: `Mug ${number}`, price: 1 })
  const page = await textOf(shop, '?page=2&sort=name&lang=es')
  assert.equal(canonicalIn(page), `${rootOf(shop)}?page=2&amp;lang=es`)
  assert.equal(linksIn(page)['x-default'], `${rootOf(shop)}?page=2`)
  assert.equal(linksIn(page).en, `${rootOf(shop)}?page=2&amp;lang=en`)
  // A language that there is not is nobody's address.
  assert.equal(canonicalIn(await textOf(shop, '?lang=xx')), rootOf(shop))
})

test('beyond 10,000 addresses the sitemap names its parts, which hold every product once', async () => {
  const shop = await world.newStore()
  const count = 10_001
  // Each transaction is within the time that one may take.
  for (let first = 1; first <= count; first += 1000)
    await db.transaction((tx) =>
      tx.rows(sql`
      insert into products (store_id, id, name, slug, price, search_text, created_at, updated_at)
      select ${shop.store.id}, gen_random_uuid(), 'Mug', 'mug-' || n, 1, 'mug',
        ${tx.now}::timestamptz + n * interval '1 ms', ${tx.now}::timestamptz + n * interval '1 ms'
      from generate_series(${first}::int, ${Math.min(first + 999, count)}::int) as n`),
    )
  await db.rows(sql`update store_counters set products_active = ${count} where store_id = ${shop.store.id}`)
  const index = parseXml(await textOf(shop, '/sitemap.xml'))
  assert.equal(index.tagName, 'sitemapindex')
  const parts = textsOf(index, 'loc')
  assert.equal(textsOf(index, 'lastmod').length, parts.length)
  const seen = new Set<string>()
  for (const [at, part] of parts.entries()) {
    assert.equal(part, `${rootOf(shop)}/sitemaps/${at + 1}.xml`)
    const addresses = textsOf(parseXml(await textOf(shop, `/sitemaps/${at + 1}.xml`)), 'loc')
    assert.ok(addresses.length <= 10_003, `${addresses.length}`)
    addresses.filter((address) => !address.includes('?')).forEach((address) => seen.add(address))
  }
  assert.equal(seen.size, count + 1)
  assert.equal((await get(shop, `/sitemaps/${parts.length + 1}.xml`)).status, 404)
  for (const wrong of ['0.xml', '1', '01.xml', 'x.xml'])
    assert.equal((await get(shop, `/sitemaps/${wrong}`)).status, 404)
})

test('robots.txt keeps carts, purchases, orders and searches out, opens the feeds and names the sitemap', async () => {
  const shop = await world.newStore()
  const linesOf = (text: string) => text.trim().split('\n')
  const own = linesOf(await textOf(shop, '/robots.txt'))
  const at = `/s/${shop.store.slug}`
  assert.equal(own[1], 'User-agent: *')
  for (const path of ['cart', 'checkout', 'orders/', 'account', 'search']) {
    assert.ok(own.includes(`Disallow: ${at}/${path}`), path)
  }
  for (const path of ['/v1/', '/oauth/', '/dashboard']) assert.ok(own.includes(`Disallow: ${path}`), path)
  for (const path of [`${at}/feeds/`, `${at}/llms.txt`, '/.well-known/ucp']) {
    assert.ok(own.includes(`Allow: ${path}`), path)
  }
  assert.equal(own.at(-1), `Sitemap: ${rootOf(shop)}/sitemap.xml`)

  const domain = await givenDomain(shop)
  const there = await getAtHost(world, domain, '/robots.txt')
  assert.equal(there.status, 200)
  for (const line of ['Disallow: /cart', 'Disallow: /v1/', 'Allow: /feeds/', 'Allow: /.well-known/ucp']) {
    assert.ok(linesOf(there.text).includes(line), line)
  }
  const models = (await getAtHost(world, domain, '/llms.txt')).text
  assert.ok(models.includes(`- [UCP profile](https://${domain}/.well-known/ucp)`))
  assert.equal(linesOf(there.text).at(-1), `Sitemap: https://${domain}/sitemap.xml`)
  assert.equal(textsOf(parseXml((await getAtHost(world, domain, '/sitemap.xml')).text), 'loc')[0], `https://${domain}`)
})

test('the robots.txt of the house closes the same below every shop and names their sitemaps', async () => {
  const shop = await world.newStore({ name: 'A shop with a sitemap' })
  const named = await world.newStore({ name: 'A shop with a domain' })
  await givenDomain(named)
  world.clock.advance(61)
  const text = await (await fetch(`${world.url}/robots.txt`)).text()
  for (const path of ['/s/*/cart', '/s/*/checkout', '/s/*/orders/', '/v1/', '/oauth/', '/dashboard']) {
    assert.ok(text.includes(`\nDisallow: ${path}\n`), path)
  }
  assert.ok(text.includes(`\nSitemap: ${rootOf(shop)}/sitemap.xml\n`))
  assert.ok(!text.includes(named.store.slug))
})

test('a shop that is closed or shut tells robots nothing', async () => {
  const shop = await world.newStore()
  await shop.api.patch('/v1/store', { status: 'paused' })
  for (const path of ['/sitemap.xml', '/sitemaps/1.xml', '/robots.txt']) {
    assert.equal((await get(shop, path)).status, 503, path)
  }
  await db.transaction((tx) => setStatus(tx, shop.store.id, 'closed'))
  for (const path of ['/sitemap.xml', '/sitemaps/1.xml', '/robots.txt']) {
    assert.equal((await get(shop, path)).status, 404, path)
  }
})

test('a sitemap that is still true is not sent again', async () => {
  const shop = await world.newStore()
  const mug = await create(shop, '/v1/products', { name: 'Enamel mug', price: 14 })
  const etagOf = async () => (await get(shop, '/sitemap.xml')).headers.get('etag')
  // Whatever was begun before the last change is written within a minute.
  assert.equal(await etagOf(), null)
  world.clock.advance(61)
  const etag = (await etagOf())!
  assert.equal((await get(shop, '/sitemap.xml', { 'if-none-match': etag })).status, 304)
  await shop.api.delete(`/v1/products/${mug.id}`)
  assert.equal((await get(shop, '/sitemap.xml', { 'if-none-match': etag })).status, 200)
})

test('a product with variants is told as a group with what they differ in, and where in the shop it is', async () => {
  const shop = await world.newStore({ currency: 'MXN' })
  const category = await create(shop, '/v1/categories', { name: 'Shirts' })
  const value = (option_title: string, value: string) => ({ option_title, value })
  const shirt = await create(shop, '/v1/products', {
    name: 'Linen shirt',
    price: 300,
    main_image: 'https://images.example/shirt.jpg',
    category_id: category.id,
    variants: [
      { option_values: [value('Color', 'Red'), value('Fit', 'Slim')], sku: 'SH-R' },
      { option_values: [value('Color', 'Blue'), value('Fit', 'Wide')], price: 320, manage_inventory: true },
    ],
  })
  const { '@context': context, '@graph': graph } = dataIn(await textOf(shop, '/products/linen-shirt'))
  assert.equal(context, 'https://schema.org')
  const [group, trail] = graph
  const url = `${rootOf(shop)}/products/linen-shirt`
  assert.deepEqual(
    [group['@type'], group.productGroupID, group.url, group.category, group.image],
    ['ProductGroup', shirt.id, url, 'Shirts', ['https://images.example/shirt.jpg']],
  )
  assert.deepEqual(group.variesBy, ['https://schema.org/color', 'Fit'])
  const [red, blue] = group.hasVariant
  assert.deepEqual(
    [red['@type'], red.name, red.sku, red.color, red.additionalProperty],
    ['Product', 'Linen shirt – Red / Slim', 'SH-R', 'Red', [{ '@type': 'PropertyValue', name: 'Fit', value: 'Slim' }]],
  )
  assert.deepEqual(red.offers, {
    '@type': 'Offer',
    url: `${url}?variant=${shirt.variants[0].id}`,
    price: 300,
    priceCurrency: 'MXN',
    availability: 'https://schema.org/InStock',
    itemCondition: 'https://schema.org/NewCondition',
    seller: { '@type': 'Organization', name: 'Corner shop' },
  })
  assert.deepEqual([blue.offers.price, blue.offers.availability], [320, 'https://schema.org/OutOfStock'])
  assert.equal(trail['@type'], 'BreadcrumbList')
  assert.deepEqual(
    trail.itemListElement.map(({ position, name, item }: any) => [position, name, item]),
    [
      [1, 'Corner shop', rootOf(shop)],
      [2, 'Shirts', `${rootOf(shop)}/categories/shirts`],
      [3, 'Linen shirt', url],
    ],
  )
})

test('structured data names the numbers of a product, and no name of one can end it', async () => {
  const shop = await world.newStore()
  const name = '</script><script>alert(1)</script><!-- & "'
  await create(shop, '/v1/products', {
    name,
    slug: 'mug',
    price: 14,
    brand: 'Acme',
    sku: 'M-1',
    barcode: '4006381333931',
  })
  const page = await textOf(shop, '/products/mug')
  assert.ok(!page.includes('<script>alert'))
  const [mug] = dataIn(page)['@graph']
  assert.deepEqual(
    [mug['@type'], mug.name, mug.brand.name, mug.sku, mug.mpn, mug.gtin],
    ['Product', name, 'Acme', 'M-1', 'M-1', '4006381333931'],
  )
})

test('the home page tells whose shop it is, and previews of links to any page have a picture', async () => {
  const shop = await world.newStore()
  const category = await create(shop, '/v1/categories', { name: 'Cups' })
  const main_image = 'https://images.example/mug.jpg'
  await create(shop, '/v1/products', { name: 'Mug', price: 14, main_image, category_id: category.id })
  const home = await textOf(shop, '')
  const [store, site] = dataIn(home)['@graph']
  assert.deepEqual([store['@type'], store.name, store.url], ['OnlineStore', 'Corner shop', rootOf(shop)])
  assert.equal(site['@type'], 'WebSite')
  assert.equal(site.potentialAction.target.urlTemplate, `${rootOf(shop)}/search?q={search_term_string}`)
  const cups = await textOf(shop, '/categories/cups')
  assert.equal(dataIn(cups)['@graph'][0].itemListElement.at(-1).name, 'Cups')
  for (const page of [home, cups, await textOf(shop, '/products/mug')]) {
    assert.match(page, /<meta property="og:image" content="https:\/\/images\.example\/mug\.jpg">/)
    assert.match(page, /<meta property="og:title" content="[^"]+">/)
  }
})

test('a slug that a product has given up leads to the one that it has, 301, and a form there by 308', async () => {
  const shop = await world.newStore()
  const mug = await create(shop, '/v1/products', { name: 'Mug', price: 14, slug: 'mug' })
  const leadsTo = async (path: string, method = 'GET') => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const init = method === 'GET' ? {} : { headers, body: 'quantity=1' }
    const answer = await fetch(`${world.url}/s/${shop.store.slug}${path}`, { redirect: 'manual', method, ...init })
    return [answer.status, answer.headers.get('location')]
  }
  const rename = async (id: string, slug: string) => {
    const { status, error } = await shop.api.patch(`/v1/products/${id}`, { slug })
    assert.equal(status, 200, JSON.stringify(error))
  }
  const at = `/s/${shop.store.slug}/products`
  await rename(mug.id, 'cup')
  assert.deepEqual(await leadsTo('/products/mug?variant=x&lang=es'), [301, `${at}/cup?variant=x&lang=es`])
  assert.deepEqual(await leadsTo('/products/mug', 'POST'), [308, `${at}/cup`])
  await rename(mug.id, 'beaker')
  assert.deepEqual(await leadsTo('/products/mug'), [301, `${at}/beaker`])
  assert.deepEqual(await leadsTo('/products/cup'), [301, `${at}/beaker`])

  // Whoever has the slug now is shown there; gone again, it leads back.
  const other = await create(shop, '/v1/products', { name: 'Other', price: 14, slug: 'mug' })
  assert.deepEqual(await leadsTo('/products/mug'), [200, null])
  await shop.api.delete(`/v1/products/${other.id}`)
  assert.deepEqual(await leadsTo('/products/mug'), [301, `${at}/beaker`])

  // Back to an old slug: no circle.
  await rename(mug.id, 'mug')
  assert.deepEqual(await leadsTo('/products/mug'), [200, null])
  assert.deepEqual(await leadsTo('/products/beaker'), [301, `${at}/mug`])
  const elsewhere = await world.newStore()
  assert.equal((await get(elsewhere, '/products/beaker')).status, 404)
  await shop.api.patch(`/v1/products/${mug.id}`, { product_status: 'draft' })
  assert.deepEqual((await leadsTo('/products/beaker'))[0], 404)
})

test('pages, policies and contact are in the sitemap, as soon as they are there', async () => {
  const shop = await world.newStore()
  const root = rootOf(shop)
  const plain = async () => {
    const found = alternatesIn(await (await get(shop, '/sitemap.xml')).text())
    return [...found.keys()].filter((address) => !address.includes('?'))
  }
  assert.deepEqual(await plain(), [root])
  const about = await create(shop, '/v1/pages', { title: 'About us' })
  await create(shop, '/v1/pages', { title: 'Returns', kind: 'returns' })
  await create(shop, '/v1/pages', { title: 'Draft', is_published: false })
  await shop.api.patch('/v1/store/appearance', { contact_email: 'hello@shop.example' })
  assert.deepEqual(await plain(), [root, `${root}/pages/about-us`, `${root}/pages/returns`, `${root}/contact`])
  assert.match(await (await get(shop, '/llms.txt')).text(), /- \[Returns\]\(\S+\/pages\/returns\)/)
  for (const path of ['/pages/returns', '/contact']) {
    assert.equal(canonicalIn(await (await get(shop, path)).text()), root + path)
  }
  await shop.api.delete(`/v1/pages/${about.id}`)
  await shop.api.patch('/v1/store/appearance', { contact_email: null })
  assert.deepEqual(await plain(), [root, `${root}/pages/returns`])
})

test('who sells is told as the merchant says it: legal name, address, phone, e-mail and where else', async () => {
  const shop = await world.newStore({ name: 'Corner shop' })
  const seller = async () => dataIn(await (await get(shop, '')).text())['@graph'][0]
  const bare = await seller()
  assert.deepEqual([bare.legalName, bare.email, bare.sameAs], ['Corner shop', undefined, undefined])
  await shop.api.patch('/v1/store/appearance', {
    legal_name: 'Corner Shop LLC',
    logo: 'https://images.example/logo.png',
    contact_email: 'hello@shop.example',
    contact_phone: '+52 55 1234 5678',
    contact_address: 'Calle 60 no. 482\nMérida </script>',
    social_links: ['https://social.example/corner'],
  })
  const { legalName, logo, email, telephone, sameAs, address } = await seller()
  assert.deepEqual([legalName, logo], ['Corner Shop LLC', 'https://images.example/logo.png'])
  assert.deepEqual([email, telephone], ['hello@shop.example', '+52 55 1234 5678'])
  assert.deepEqual(sameAs, ['https://social.example/corner'])
  assert.deepEqual(address, {
    '@type': 'PostalAddress',
    streetAddress: 'Calle 60 no. 482\nMérida </script>',
    addressCountry: 'US',
  })
})

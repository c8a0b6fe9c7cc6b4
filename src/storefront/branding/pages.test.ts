import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

async function seen({ store }: Shop, path: string) {
  const response = await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { 'accept-language': 'en' } })
  return { status: response.status, text: await response.text() }
}

const create = (shop: Shop, body: object) => shop.api.post('/v1/pages', body)

test('a page is read under its slug, in the markup of its Markdown, as soon as it is published', async () => {
  const shop = await newShop(world)
  const links = 'see [a mug](/products/mug) and [us](https://other.example).'
  const body = `# Who\n\nSince **1998**, ${links}\n\n| a | b |\n|-|-|\n| 1 | 2 |`
  const page = dataOf(await create(shop, { title: 'About us & you', body, is_published: false }), 201)
  assert.equal(page.slug, 'about-us-and-you')
  assert.equal((await seen(shop, '/pages/about-us-and-you')).status, 404)
  dataOf(await shop.api.patch(`/v1/pages/${page.id}`, { is_published: true }), 200)
  const { status, text } = await seen(shop, '/pages/about-us-and-you')
  assert.equal(status, 200)
  assert.match(text, /<h1>About us &amp; you<\/h1>\s*<h2>Who<\/h2>\s*<p>Since <strong>1998<\/strong>/)
  assert.match(text, new RegExp(`<a href="/s/${shop.store.slug}/products/mug">a mug</a>`))
  assert.match(text, /<a href="https:\/\/other\.example" rel="noopener nofollow">us<\/a>/)
  assert.match(text, /<td>1<\/td>/)
  assert.match(text, /<meta name="description" content="Who ?Since 1998, see a mug and us/)

  await shop.api.patch(`/v1/pages/${page.id}`, { seo_title: 'Who we are', seo_description: 'Since 1998', slug: 'who' })
  const renamed = await seen(shop, '/pages/who')
  assert.match(renamed.text, /<title>Who we are · /)
  assert.match(renamed.text, /<meta name="description" content="Since 1998">/)
  assert.equal((await seen(shop, '/pages/about-us-and-you')).status, 404)
  await shop.api.delete(`/v1/pages/${page.id}`)
  assert.equal((await seen(shop, '/pages/who')).status, 404)
})

test('policies are linked from every page and from the checkout, as they are now', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const terms = dataOf(await create(shop, { title: 'Terms of sale', kind: 'terms', body: 'Fair.' }), 201)
  dataOf(await create(shop, { title: 'Your data', kind: 'privacy' }), 201)
  const added = await fetch(`${world.url}/s/${shop.store.slug}/products/${mug.slug}`, {
    method: 'POST',
    body: new URLSearchParams({ quantity: '1' }),
    headers: { origin: 'http://shop.example' },
    redirect: 'manual',
  })
  const cookie = added.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const checkout = await fetch(`${world.url}/s/${shop.store.slug}/checkout`, { headers: { cookie } })
  const links = /href="\/s\/[^"]+\/pages\/terms-of-sale">Terms of sale<[^]*\/pages\/your-data">Your data</
  assert.match(await checkout.text(), links)
  assert.match((await seen(shop, '')).text, links)
  await shop.api.patch(`/v1/pages/${terms.id}`, { is_published: false })
  assert.doesNotMatch((await seen(shop, '')).text, /Terms of sale/)
})

test('of each kind of policy a store has one, and of each slug', async () => {
  const shop = await newShop(world)
  dataOf(await create(shop, { title: 'Terms', kind: 'terms' }), 201)
  const second = await create(shop, { title: 'Other terms', kind: 'terms' })
  assert.deepEqual([second.status, second.error.message], [409, 'A page of kind terms already exists'])
  const same = await create(shop, { title: 'Terms' })
  assert.deepEqual([same.status, same.error.message], [409, 'A page with this slug already exists'])
  const other = dataOf(await create(shop, { title: 'Other' }), 201)
  assert.equal((await shop.api.patch(`/v1/pages/${other.id}`, { kind: 'terms' })).status, 409)
  dataOf(await create(await newShop(world), { title: 'Terms', kind: 'terms' }), 201)
})

test('nothing in Markdown runs or leads where it should not', async () => {
  const shop = await newShop(world)
  const bad = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt&#58;alert(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](//evil.example)',
    '[a](/\\evil.example)',
    '![a](http://evil.example/a.png)',
    '![a" onerror="alert(1)](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[a][b]\n\n[b]: vbscript:x',
    '```<script>\n</code><script>alert(2)</script>\n```',
    '[a](https://x.example/"onmouseover="alert(1))',
    '<!-- --><style>*{display:none}</style>',
  ]
  dataOf(await create(shop, { title: 'Bad', body: bad.join('\n\n') }), 201)
  const { text } = await seen(shop, '/pages/bad')
  const main = /<article[^]*<\/article>/.exec(text)![0]
  const tags = [...main.matchAll(/<(\/?[a-z0-9]+)([^>]*)>/g)]
  const allowed = /^(article|h[1-6]|p|a|img|pre|code|strong|em|ul|ol|li|br)$/
  for (const [whole, name, attributes] of tags) {
    assert.match(name!.replace('/', ''), allowed, whole)
    assert.doesNotMatch(attributes!.replaceAll(/"[^"]*"/g, '""'), /\bon\w+|style/, whole)
    const href = /(?:href|src)="([^"]*)"/.exec(attributes!)?.[1]
    if (href !== undefined) assert.match(href, /^(https:\/\/|\/s\/)/, whole)
  }
})

test('a text too long, a slug of emoji and an unknown kind are faults; a title of emoji is a page', async () => {
  const shop = await newShop(world)
  const long = faultsOf(await create(shop, { title: 'A', body: 'x'.repeat(900_000) }))
  assert.deepEqual(long, { body: 'must be at most 50000 characters long' })
  assert.ok(faultsOf(await create(shop, { title: 'A', slug: '😀' })).slug)
  assert.ok(faultsOf(await create(shop, { title: 'A', slug: '../cart' })).slug)
  assert.ok(faultsOf(await create(shop, { title: 'A', kind: 'imprint' })).kind)
  const { slug } = dataOf(await create(shop, { title: '😀' }), 201)
  assert.equal((await seen(shop, `/pages/${slug}`)).status, 200)
  assert.equal((await seen(shop, '/pages/%F0%9F%98%80')).status, 404)
})

test('Markdown made to be slow is shown as soon as any other', async () => {
  const shop = await newShop(world)
  const bodies = [
    '['.repeat(50_000),
    '*a '.repeat(16_000),
    '> '.repeat(25_000),
    '![](<'.repeat(10_000),
    '`'.repeat(49_999),
  ]
  for (const [index, body] of bodies.entries()) {
    dataOf(await create(shop, { title: `Slow ${index}`, body }), 201)
    assert.equal((await seen(shop, `/pages/slow-${index}`)).status, 200)
  }
})

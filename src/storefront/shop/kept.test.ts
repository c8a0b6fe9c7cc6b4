// Pages of a shop in memory, asked of two nodes over one database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { bindingsOf, statementsOf } from '../../../test/statements.ts'
import { openWorld } from '../../../test/world.ts'
import { loadDependencies } from '../../tenancy/answers/dependencies.ts'
import { toSubjectSet } from '../../tenancy/answers/versions.ts'
import { findOffer } from '../checkout/offers/offer.ts'

const [one, other] = [await openWorld(), await openWorld()]

async function newShop() {
  const shop = await one.newStore()
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  const read = async (node: typeof one, path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${node.url}/s/${shop.store.slug}${path}`, { headers, redirect: 'manual' })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { shop, product, read }
}

const paths = (slug: string) => ['', `/products/${slug}`, '/search?q=mug']

test('a repeated page sends only the statement that reads the versions, and has the same bytes', async () => {
  const { product, read } = await newShop()
  for (const path of paths(product.slug)) {
    const first = await read(one, path)
    for (let times = 0; times < 2; times++) await read(one, path)
    let kept = first
    assert.equal((await statementsOf(async () => (kept = await read(one, path)))).length, 1, path)
    assert.equal(kept.text, first.text)
    const differing = [...first.headers].filter(([name, value]) => kept.headers.get(name) !== value)
    const changing = ['x-request-id', 'date']
    assert.deepEqual(
      differing.filter(([name]) => !changing.includes(name)),
      [],
    )
  }
})

test('a change of the product, the store or its look shows at once, on both nodes', async () => {
  const { shop, product, read } = await newShop()
  const path = `/products/${product.slug}`
  const everywhere = async (text: string) => {
    for (const node of [one, other])
      for (let times = 0; times < 3; times++) assert.match((await read(node, path)).text, new RegExp(text))
  }
  await everywhere('\\$5\\.00')
  await shop.api.patch(`/v1/products/${product.id}`, { price: 7 })
  await everywhere('\\$7\\.00')
  await shop.api.patch('/v1/store', { store_title: 'Another title' })
  await everywhere('Another title')
  await shop.api.patch('/v1/store/appearance', { announcement: 'Free shipping today' })
  await everywhere('Free shipping today')
  await shop.api.delete(`/v1/products/${product.id}`)
  for (const node of [one, other]) assert.equal((await read(node, path)).status, 404)
  await shop.api.patch('/v1/store', { status: 'paused' })
  for (const node of [one, other]) assert.equal((await read(node, '')).status, 503)
})

test('what a store offers is read again once it has changed, and not for every change of a product', async () => {
  const { shop, product, read } = await newShop()
  const path = `/products/${product.slug}`
  const offer = /from shipping_rates/
  const changedPrice = (price: number) => shop.api.patch(`/v1/products/${product.id}`, { price })
  await read(one, path)
  await changedPrice(6)
  const again = async () => assert.match((await read(one, path)).text, /\$6\.00/)
  assert.deepEqual(await statementsOf(again, offer), [])
  const show = async (expected: RegExp, hidden: RegExp) => {
    for (const node of [one, other])
      for (let times = 0; times < 3; times++) {
        const { text } = await read(node, path)
        assert.match(text, expected)
        assert.doesNotMatch(text, hidden)
        await changedPrice(6 + times)
      }
  }
  const notReady = /class="notice warning"/
  await show(notReady, /Tax included/)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  const { data: method } = await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  await show(/<h1/, notReady)
  await shop.api.patch(`/v1/store/payment-methods/${method.id}`, { is_active: false })
  await show(notReady, /Tax included/)
  await shop.api.post('/v1/store/tax-zones', { name: 'VAT', country_code: 'US', rate: 10, included: true })
  await shop.api.patch('/v1/store', { tax_display: 'included' })
  await show(/Tax included/, /Excluding tax/)
})

test('what a store offers on pages of its catalog depends on its settings alone', async () => {
  const { shop } = await newShop()
  const { db } = one.app
  const sent = await bindingsOf(() => findOffer(db.ofStore(shop.store.id), shop.store, { isForCheckout: false }))
  const offers = sent.filter(({ text }) => text.includes('from shipping_rates'))
  assert.equal(offers.length, 1)
  const findDependence = await loadDependencies(db)
  assert.deepEqual(findDependence(offers[0]!), { subjects: toSubjectSet('settings'), moments: [] })
})

test('each reader gets a page of their own: by language, by cart, and a cookie for a chosen language', async () => {
  const { shop, read } = await newShop()
  await shop.api.patch('/v1/store', { languages: ['en', 'es'] })
  for (let times = 0; times < 3; times++) {
    assert.match((await read(one, '', { 'accept-language': 'es' })).text, /lang="es"/)
    assert.match((await read(one, '', { 'accept-language': 'en' })).text, /lang="en"/)
    const full = await read(one, '', { cookie: 'stoa_cart=AAAAAAAAAAAAAAAAAAAAAA*3' })
    assert.match(full.text, /<b><span class="hidden">: <\/span>3<\/b>/)
    assert.doesNotMatch((await read(one, '')).text, /<b><span class="hidden">: <\/span>3<\/b>/)
    const chosen = await read(one, '?lang=es')
    assert.match(chosen.headers.get('set-cookie') ?? '', /stoa_lang=es/)
  }
})

test('who accepts gzip gets the same page compressed, and who has it gets 304', async () => {
  const { shop, read } = await newShop()
  const compressed = () =>
    new Promise<{ encoding: string | undefined; body: Buffer; vary: string | undefined }>((resolve, reject) => {
      const headers = { 'accept-encoding': 'gzip' }
      request(`${one.url}/s/${shop.store.slug}`, { headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => {
          const { 'content-encoding': encoding, vary } = answer.headers
          resolve({ encoding, body: Buffer.concat(parts), vary })
        })
      })
        .on('error', reject)
        .end()
    })
  for (let times = 0; times < 4; times++) {
    const { encoding, body, vary } = await compressed()
    assert.equal(encoding, 'gzip')
    assert.match(vary ?? '', /accept-encoding/i)
    const { text, headers } = await read(one, '', { 'accept-encoding': 'identity' })
    assert.equal(gunzipSync(body).toString(), text)
    const refused = await read(one, '', { 'accept-encoding': 'gzip; q=0, identity' })
    assert.deepEqual([refused.headers.get('content-encoding'), refused.text], [null, text])
    const etag = headers.get('etag')!
    const again = await read(one, '', { 'if-none-match': etag })
    assert.deepEqual([again.status, again.text], [304, ''])
  }
})

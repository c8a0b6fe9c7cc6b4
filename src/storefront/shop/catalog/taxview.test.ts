// Prices in the shop with tax or without it: for everyone, or as the shopper chooses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../../../test/browser.ts'
import { letterTo } from '../../../../test/letters.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { convertTax, shownPriceColumn } from '../../../commerce/tax/prices.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { findOffer } from '../../checkout/offers/offer.ts'

const world = await openWorld({}, { sweeps: true })

/** A lamp for 119, before 238, and a book for 107 whose rate is 7%. */
async function openShop(settings: object) {
  const shop = await world.newStore({ country_code: 'DE', currency: 'EUR' })
  const { api } = shop
  const books = dataOf(await api.post('/v1/categories', { name: 'Books' }), 201)
  const zone = { name: 'VAT', country_code: 'DE', rate: 19, included: true }
  const category_rates = [{ category_id: books.id, rate: 7 }]
  dataOf(await api.post('/v1/store/tax-zones', { ...zone, category_rates }), 201)
  const lamp = { name: 'Lamp', slug: 'lamp', price: 119, compare_price: 238, unit_pricing_measure: '2 ct' }
  dataOf(await api.post('/v1/products', lamp), 201)
  const sizes = [
    { option_values: [{ option_title: 'Cover', value: 'Soft' }], price: 107 },
    { option_values: [{ option_title: 'Cover', value: 'Hard' }], price: 214 },
  ]
  const book = { name: 'Book', slug: 'book', price: 107, category_id: books.id, variants: sizes }
  dataOf(await api.post('/v1/products', book), 201)
  dataOf(await api.patch('/v1/store', { default_language: 'en', ...settings }), 200)
  return shop
}

async function read({ store }: TestStore, path: string, cookie = '') {
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { cookie, 'accept-language': 'en' } })
  return { cookies: answer.headers.get('set-cookie') ?? '', text: await answer.text() }
}
const tagless = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const offerIn = (text: string) => tagless(/<div id="offer".*?<\/div>/s.exec(text)![0]).trim()
const cardsIn = (text: string) => tagless(/<ul class="grid">.*?<\/ul>/s.exec(text)![0]).trim()

test('prices with tax are shown without it, each by the rate of its category', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const lamp = (await read(shop, '/products/lamp')).text
  assert.equal(offerIn(lamp), '€100.00 Before: €200.00 €50.00 each In stock Excluding tax')
  assert.match(lamp, /"price":100,"priceCurrency":"EUR"/)
  const book = (await read(shop, '/products/book')).text
  assert.match(offerIn(book), /^€100\.00 .*Excluding tax$/)
  assert.match(book, /"values":\["Hard"\],"price":"€200\.00"/)
  const { text } = await read(shop, '')
  const cards = cardsIn(text)
  assert.match(cards, /Book from €100\.00 Excluding tax/i)
  assert.match(cards, /Lamp €100\.00 Before: €200\.00 Excluding tax €50\.00 each/)
  assert.match(tagless((await read(shop, '/search/suggestions?q=lamp')).text), /Lamp €100\.00/)
  assert.doesNotMatch(text, /tax=/)
})

test('prices without tax are shown with it', async () => {
  const shop = await openShop({ tax_display: 'included' })
  const [zone] = (await shop.api.get('/v1/store/tax-zones')).data
  dataOf(await shop.api.patch(`/v1/store/tax-zones/${zone.id}`, { included: false }), 200)
  const { text } = await read(shop, '/products/lamp')
  assert.equal(offerIn(text), '€141.61 Before: €283.22 €70.81 each In stock Tax included')
  assert.match(cardsIn((await read(shop, '')).text), /Lamp €141\.61/)
})

test('a store that charges no tax, or shows prices as they are entered, says what it said', async () => {
  const shop = await world.newStore({ country_code: 'US', currency: 'USD' })
  dataOf(await shop.api.post('/v1/products', { name: 'Lamp', slug: 'lamp', price: 5 }), 201)
  dataOf(await shop.api.patch('/v1/store', { tax_display: 'by_shopper' }), 200)
  const { text, cookies } = await read(shop, '/products/lamp?tax=excluded')
  assert.deepEqual([offerIn(text), cookies], ['$5.00 Before: In stock', ''])
  const other = await openShop({})
  const asked = await read(other, '/products/lamp?tax=excluded', 'stoa_tax=excluded')
  assert.deepEqual([offerIn(asked.text).slice(-12), asked.cookies], ['Tax included', ''])
  const refused = await shop.api.patch('/v1/store', { tax_display: 'net' })
  assert.deepEqual([refused.status, refused.error.details[0].field], [422, 'tax_display'])
})

test('filters and their range are about the prices that are shown', async () => {
  const shop = await openShop({ tax_display: 'by_shopper' })
  const category = dataOf(await shop.api.post('/v1/collections', { name: 'All', slug: 'all' }), 201)
  const { data: products } = await shop.api.get('/v1/products')
  const product_ids = products.map(({ id }: any) => id)
  dataOf(await shop.api.post(`/v1/collections/${category.id}/products`, { product_ids }), 200)
  const found = async (path: string, cookie: string) => {
    const { text } = await read(shop, path, cookie)
    const names = [...text.matchAll(/href="[^"]*\/products\/([a-z]+)"/g)].map(([, slug]) => slug)
    return [[...new Set(names)].sort().join(' '), tagless(/<p class="soft">(€.*?)<\/p>/.exec(text)?.[1] ?? '')]
  }
  for (const path of ['/collections/all?', '/search?q=b&', '/collections/all?sort=price_asc&']) {
    const isSearch = path.startsWith('/search')
    // 119 and 107 are both 100 without tax.
    for (const [query, cookie, slugs] of [
      ['max=100', 'stoa_tax=excluded', 'book lamp'],
      ['min=100.01', 'stoa_tax=excluded', ''],
      ['min=100&max=110', '', 'book'],
      ['min=110', '', 'lamp'],
      ['max=106.99', '', ''],
    ] as const) {
      const expected = isSearch ? slugs.replace(/ ?lamp/, '') : slugs
      assert.equal((await found(path + query, cookie))[0], expected, `${path}${query} ${cookie}`)
    }
  }
  assert.equal((await found('/collections/all?', 'stoa_tax=excluded'))[1], '€100.00 – €100.00')
  assert.equal((await found('/collections/all?', ''))[1], '€107.00 – €119.00')
})

test('the column of shown prices is what a page shows, whatever the price and the category', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const books = (await shop.api.get('/v1/categories')).data[0]
  const { db } = world.app
  const { store } = shop
  const prices = Array.from({ length: 400 }, (_, index) => (index + 1) * 0.37 + (index % 7) * 13.01)
  for (const included of [true, false]) {
    const [zone] = (await shop.api.get('/v1/store/tax-zones')).data
    dataOf(await shop.api.patch(`/v1/store/tax-zones/${zone.id}`, { included }), 200)
    const offer = await findOffer(db.ofStore(store.id), store)
    const column = shownPriceColumn(offer, store, !included)!
    const { convert } = convertTax(offer, store, !included)!
    for (const category_id of [null, toUuid('cat', books.id)]) {
      const rows = await db.rows<{ price: string; shown: string }>(sql`
        select products.price, ${column} as shown
        from (select unnest(${prices.map((price) => price.toFixed(2))}::numeric[]) as price,
          ${category_id}::uuid as category_id) as products`)
      for (const { price, shown } of rows) assert.equal(Number(shown), convert(Number(price), category_id))
    }
    assert.equal(shownPriceColumn(offer, store, included), null)
  }
})

test('feeds have the prices that a page has at first, and are sent again once a tax zone changes', async () => {
  const shop = await openShop({ tax_display: 'by_shopper' })
  const [zone] = (await shop.api.get('/v1/store/tax-zones')).data
  dataOf(await shop.api.patch(`/v1/store/tax-zones/${zone.id}`, { included: false }), 200)
  world.clock.advance(61)
  const url = `${world.url}/s/${shop.store.slug}/feeds/google.xml`
  const cookie = 'stoa_tax=excluded'
  const feed = await fetch(url, { headers: { cookie } })
  const prices = [...(await feed.text()).matchAll(/<g:(?:sale_)?price>(.*?)</g)].map(([, price]) => price)
  assert.deepEqual(prices.toSorted(), ['114.49 EUR', '141.61 EUR', '228.98 EUR', '283.22 EUR'])
  const again = { headers: { 'if-none-match': feed.headers.get('etag')! } }
  assert.equal((await fetch(url, again)).status, 304)
  dataOf(await shop.api.patch(`/v1/store/tax-zones/${zone.id}`, { rate: 20 }), 200)
  assert.equal((await fetch(url, again)).status, 200)
})

test('shoppers choose, the choice stays, and nobody gets the page of another', async () => {
  const shop = await openShop({ tax_display: 'by_shopper' })
  for (let times = 0; times < 3; times++) {
    const first = await read(shop, '/products/lamp')
    assert.match(offerIn(first.text), /^€119\.00 .* Tax included Show prices without tax$/)
    assert.match(first.text, /<a href="[^"]*\?tax=excluded" rel="nofollow">Show prices without tax<\/a>/)
    const chosen = await read(shop, '/products/lamp?tax=excluded')
    assert.match(offerIn(chosen.text), /^€100\.00 .* Excluding tax Show prices with tax$/)
    assert.match(chosen.cookies, /stoa_tax=excluded;.*Max-Age=31536000/)
    assert.match(offerIn((await read(shop, '/products/book', 'stoa_tax=excluded')).text), /^€100\.00/)
    assert.match(cardsIn((await read(shop, '', 'stoa_tax=excluded')).text), /Lamp €100\.00/)
    assert.match(cardsIn((await read(shop, '', 'stoa_tax=no')).text), /Lamp €119\.00/)
  }
  const back = await read(shop, '/products/lamp?tax=included', 'stoa_tax=excluded')
  assert.match(offerIn(back.text), /^€119\.00/)
  assert.match(back.cookies, /stoa_tax=included/)
})

test('the cart charges what it did, and says what that is without tax', async () => {
  const shop = await openShop({ tax_display: 'by_shopper' })
  const root = `${world.url}/s/${shop.store.slug}`
  const browser = openBrowser({ 'accept-language': 'en' })
  await browser.visit(`${root}/products/lamp`, { method: 'POST', body: new URLSearchParams({ quantity: '2' }) })
  assert.doesNotMatch((await browser.visit(`${root}/cart`)).text, /Excluding tax/)
  await browser.visit(`${root}/products/lamp?tax=excluded`)
  const totals = tagless(/<div class="totals".*?<\/div>/s.exec((await browser.visit(`${root}/cart`)).text)![0])
  assert.match(totals, /Subtotal €238\.00 Excluding tax €200\.00/)
})

test('a customer with a tax ID sees prices without tax after signing in, unless they had chosen', async () => {
  const shop = await openShop({ tax_display: 'by_shopper' })
  const root = `${world.url}/s/${shop.store.slug}`
  const signIn = async (email: string, before = '') => {
    const browser = openBrowser({ 'accept-language': 'en' })
    if (before) await browser.visit(root + before)
    const post = (path: string, fields: Record<string, string>) =>
      browser.visit(root + path, { method: 'POST', body: new URLSearchParams(fields) })
    await post('/account', { email })
    const [letter] = await letterTo(world.app, email)
    await post('/account/sign-in', { code: /\s(\d{6})\s/.exec(letter!.text)![1]! })
    return offerIn((await browser.visit(`${root}/products/lamp`)).text).slice(0, 7)
  }
  const customers = ['firm', 'person', 'chooser'].map((name) => ({ name, email: `${name}@example.com` }))
  for (const { name, email } of customers) {
    const tax_id = name === 'person' ? {} : { tax_id: 'DE136695976' }
    dataOf(await shop.api.post('/v1/customers', { name, email, ...tax_id }), 201)
  }
  assert.equal(await signIn('firm@example.com'), '€100.00')
  assert.equal(await signIn('person@example.com'), '€119.00')
  assert.equal(await signIn('chooser@example.com', '/products/lamp?tax=included'), '€119.00')
})

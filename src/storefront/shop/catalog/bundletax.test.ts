// Bundles in the shop with tax or without it: each part has the tax of its own category, as in orders.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { statementsOf } from '../../../../test/statements.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { convertTax, findPricedParts, shownPriceColumn } from '../../../commerce/tax/prices.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { findOffer } from '../../checkout/offers/offer.ts'

const world = await openWorld({}, { sweeps: true })

/** A bundle for 27, before 30, of coffee for 10 (7%) and a mug for 20 (19%), and one with variants. */
async function openShop(settings: object, included = true) {
  const shop = await world.newStore({ country_code: 'DE', currency: 'EUR' })
  const { api } = shop
  const food = dataOf(await api.post('/v1/categories', { name: 'Food' }), 201).id
  const zone = { name: 'VAT', country_code: 'DE', rate: 19, included, category_rates: [{ category_id: food, rate: 7 }] }
  dataOf(await api.post('/v1/store/tax-zones', zone), 201)
  dataOf(await api.patch('/v1/store', { tax_included: included }), 200)
  const create = async (body: object) => dataOf(await api.post('/v1/products', body), 201)
  const coffee = await create({ name: 'Coffee', slug: 'coffee', price: 10, category_id: food })
  const mug = await create({ name: 'Mug', slug: 'mug', price: 20 })
  const items = (...parts: { id: string }[]) => parts.map(({ id }) => ({ product_id: id, quantity: 1 }))
  const set = { name: 'Breakfast', slug: 'breakfast', price: 27, compare_price: 30, bundle_items: items(coffee, mug) }
  const bundle = await create(set)
  const value = (name: string) => [{ option_title: 'Size', value: name }]
  const variants = [
    { option_values: value('Small'), price: 21, bundle_items: [{ product_id: coffee.id, quantity: 2 }] },
    { option_values: value('Large'), price: 20, bundle_items: items(mug) },
  ]
  const choice = await create({ name: 'Choice', slug: 'choice', price: 20, category_id: food, variants })
  dataOf(await api.patch('/v1/store', { default_language: 'en', ...settings }), 200)
  return { ...shop, bundle, choice, coffee, mug, food }
}

async function read({ store }: TestStore, path: string) {
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { 'accept-language': 'en' } })
  return answer.text()
}
const tagless = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const offerIn = (text: string) => tagless(/<div id="offer".*?<\/div>/s.exec(text)![0]).trim()
const cardsIn = (text: string) => tagless(/<ul class="grid">.*?<\/ul>/s.exec(text)![0]).trim()

test('a bundle is shown without tax as an order has it: 9.00 / 1.07 + 18.00 / 1.19', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const page = await read(shop, '/products/breakfast')
  // The price before: 10.00 / 1.07 + 20.00 / 1.19.
  assert.match(offerIn(page), /^€23\.54 Before: €26\.16 .*Excluding tax$/)
  assert.match(page, /"price":23\.54,"priceCurrency":"EUR"/)
  assert.match(cardsIn(await read(shop, '')), /Breakfast €23\.54 Before: €26\.16 Excluding tax/)
  assert.match(cardsIn(await read(shop, '/search?q=breakfast')), /Breakfast €23\.54/)
  assert.match(tagless(await read(shop, '/search/suggestions?q=breakfast')), /Breakfast €23\.54/)
  assert.match(await read(shop, '/feeds/google.xml'), /<g:sale_price>23\.54 EUR</)
  assert.match(cardsIn(await read(shop, '/products/coffee')), /Choice From €16\.81/)
  const refused = await fetch(`${world.url}/s/${shop.store.slug}/products/breakfast`, {
    method: 'POST',
    body: new URLSearchParams({ quantity: '0' }),
    headers: { 'accept-language': 'en' },
  })
  assert.match(offerIn(await refused.text()), /^€23\.54/)
  dataOf(await shop.api.patch('/v1/store', { tax_fixed_prices: false }), 200)
  const items = [{ product_id: shop.bundle.id, quantity: 1 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items, country_code: 'US' }), 201)
  assert.equal(order.subtotal, 23.54)
})

test('and with tax, where the catalog has prices without it: 9.00 × 1.07 + 18.00 × 1.19', async () => {
  const shop = await openShop({ tax_display: 'included' }, false)
  assert.match(offerIn(await read(shop, '/products/breakfast')), /^€31\.05 Before: €34\.50/)
  assert.match(cardsIn(await read(shop, '')), /Breakfast €31\.05/)
  dataOf(await shop.api.patch('/v1/store', { tax_display: 'as_entered' }), 200)
  assert.match(offerIn(await read(shop, '/products/breakfast')), /^€27\.00/)
})

test('each variant that is a bundle has the taxes of its parts, and lists show the cheapest', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const page = await read(shop, '/products/choice')
  // 21.00 / 1.07 and 20.00 / 1.19, in a category of 7%.
  assert.match(page, /"values":\["Small"\],"price":"€19\.63"/)
  assert.match(page, /"values":\["Large"\],"price":"€16\.81"/)
  assert.match(cardsIn(await read(shop, '')), /Choice from €16\.81/i)
  const other = await openShop({ tax_display: 'included' }, false)
  // 21.00 × 1.07 is less than 20.00 × 1.19.
  assert.match(cardsIn(await read(other, '')), /Choice from €22\.47/i)
})

test('the filter by price is about the shown price of a bundle', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  for (const [query, isFound] of [
    ['min=23.54&max=23.54', true],
    ['min=22.69&max=22.69', false],
  ] as const) {
    assert.equal((await read(shop, `/search?q=breakfast&${query}`)).includes('/products/breakfast"'), isFound, query)
  }
})

test('the column is what pages show, whatever the prices of the parts', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const { api, bundle, coffee, mug } = shop
  const store = { ...shop.store, has_bundles: true }
  const db = world.app.db.ofStore(store.id)
  const id = toUuid('prod', bundle.id)!
  const tray = dataOf(await api.post('/v1/products', { name: 'Tray', price: 0.5 }), 201)
  const bundle_items = [coffee, mug, tray].map((one, index) => ({ product_id: one.id, quantity: index + 1 }))
  dataOf(await api.patch(`/v1/products/${bundle.id}`, { bundle_items }), 200)
  for (const [price, ofCoffee, ofMug] of [
    [27.01, 10, 20],
    [0.01, 3.33, 6.67],
    [100, 0.01, 0.01],
    [33.33, 0.02, 1.99],
    [19.99, 7.77, 0.01],
    [0.02, 7.77, 0.01],
  ]) {
    for (const [one, amount] of [
      [bundle, price],
      [coffee, ofCoffee],
      [mug, ofMug],
    ]) {
      dataOf(await api.patch(`/v1/products/${one.id}`, { price: amount }), 200)
    }
    const offer = await findOffer(db, store)
    const { convert } = convertTax(offer, store, false)!
    const parts = (await findPricedParts(db, store, [id])).get(id)!
    const row = await db.one<{ shown: string }>(sql`
      select ${shownPriceColumn(offer, store, false)!} as shown
      from products
      where store_id = ${store.id}
        and id = ${id}`)
    assert.equal(parts.length, 3)
    assert.equal(Number(row!.shown), convert(price!, null, parts), `${price} of ${ofCoffee} and ${ofMug}`)
  }
})

test('a page asks for the parts of its bundles once, and only where prices are converted', async () => {
  const shop = await openShop({ tax_display: 'excluded' })
  const count = async () => {
    await read(shop, '')
    return (await statementsOf(() => read(shop, ''), /as bundles/)).length
  }
  assert.equal(await count(), 1)
  dataOf(await shop.api.patch('/v1/store', { tax_display: 'included' }), 200)
  assert.equal(await count(), 0)
})

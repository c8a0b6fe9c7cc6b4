// The price per unit and the lowest price of the 30 days before a reduction: in /v1, on cards, pages and in feeds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { randomBy } from '../../../../test/random.ts'
import { computeUnitPrice, kinds } from '../../../commerce/catalog/unitprices.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()
const day = 86_400

const textOf = async ({ store }: TestStore, path: string) =>
  (await (await fetch(`${world.url}/s/${store.slug}${path}`)).text()).replaceAll('\u00a0', ' ')

test('the price of one unit follows from the content of a piece', async () => {
  const shop = await world.newStore()
  const cases: [price: number, measure: string, unitPrice: number, base: string][] = [
    [12, '750 ml', 16, '1 l'],
    [2.49, '125g', 19.92, '1 kg'],
    [3.99, '0.75 l', 5.32, '1 l'],
    [5, '12 oz', 6.67, '1 lb'],
    [4, '1 gal', 0.03, '1 floz'],
    [9, '3 yd', 1, '1 ft'],
    [6, '12 ct', 0.5, '1 ct'],
    [20, '2.5 sqm', 8, '1 sqm'],
  ]
  for (const [price, unit_pricing_measure, unit_price, unit_pricing_base_measure] of cases) {
    const made = dataOf(await shop.api.post('/v1/products', { name: 'Oil', price, unit_pricing_measure }), 201)
    assert.partialDeepStrictEqual(made, { unit_price, unit_pricing_base_measure })
  }
  const { data } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  assert.deepEqual([data.unit_price, data.unit_pricing_base_measure, data.lowest_prior_price], [null, null, null])
})

test('the database knows every unit with its size', async () => {
  const { api } = await world.newStore()
  for (const unit of kinds.flatMap((kind) => Object.keys(kind))) {
    const measure = `1.5 ${unit}`
    const { data } = await api.post('/v1/products', { name: 'Oil', price: 300, unit_pricing_measure: measure })
    const of = computeUnitPrice(300, measure, 'USD')!
    assert.deepEqual([data.unit_price, data.unit_pricing_base_measure], [of.amount, `1 ${of.unit}`])
  }
})

test('a measure may have a decimal comma, and is kept with a point', async () => {
  const { api } = await world.newStore()
  const variants = [{ option_values: [{ option_title: 'Size', value: 'S' }], unit_pricing_measure: '0,125 l' }]
  const made = await api.post('/v1/products', { name: 'Oil', price: 3, unit_pricing_measure: '1,5 kg', variants })
  const { unit_pricing_measure, unit_price, variants: sizes } = dataOf(made, 201)
  assert.deepEqual([unit_pricing_measure, unit_price, sizes[0].unit_pricing_measure], ['1.5 kg', 2, '0.125 l'])
})

test('a measure without an amount, without a unit or with another unit is refused', async () => {
  const { api } = await world.newStore()
  for (const measure of [
    '0 ml',
    'ml',
    '750',
    '750 cups',
    '-1 kg',
    '1e3 g',
    '1 kg 2',
    '00.000 l',
    '1,000 ml',
    '1,5,5 l',
    ',5 l',
    '0,0 l',
  ]) {
    const { status, error } = await api.post('/v1/products', { name: 'Oil', price: 1, unit_pricing_measure: measure })
    assert.deepEqual([status, error.details.map(({ field }: any) => field)], [422, ['unit_pricing_measure']], measure)
  }
})

test('cards, pages, structured data and feeds show the price of one unit, by variant', async () => {
  const shop = await world.newStore()
  const sizes = [
    { option_values: [{ option_title: 'Size', value: 'S' }], price: 12, unit_pricing_measure: '750 ml' },
    { option_values: [{ option_title: 'Size', value: 'L' }], price: 30 },
  ]
  const oil = { name: 'Oil', slug: 'oil', price: 20, unit_pricing_measure: '2 l', variants: sizes }
  dataOf(await shop.api.post('/v1/products', oil), 201)
  dataOf(
    await shop.api.post('/v1/products', { name: 'Eggs', slug: 'eggs', price: 3, unit_pricing_measure: '6 ct' }),
    201,
  )
  const home = await textOf(shop, '')
  assert.match(home, /\$16\.00\/l/)
  assert.match(home, /\$0\.50 each/)
  assert.match(await textOf(shop, '/products/oil'), /<p id="unit" class="soft">\$16\.00\/l</)
  const large = await textOf(shop, '/products/oil?option.0=L')
  assert.match(large, /<p id="unit" class="soft">\$15\.00\/l</)
  assert.match(large, /"price":15,"priceCurrency":"USD","referenceQuantity":\{[^}]*"value":1,"unitCode":"LTR"\}/)
  const feed = await textOf(shop, '/feeds/google.xml')
  assert.match(feed, /<g:unit_pricing_measure>6 ct<\/g:unit_pricing_measure>\s*<g:unit_pricing_base_measure>1 ct</)
})

test('a reduction in the EU shows the lowest price of the 30 days before it', async () => {
  const shop = await world.newStore({ country_code: 'DE', currency: 'EUR' })
  const { data } = await shop.api.post('/v1/products', { name: 'Lamp', slug: 'lamp', price: 100 })
  const change = (body: object) => shop.api.patch(`/v1/products/${data.id}`, body)
  const lowest = async () => /<p id="lowest" class="soft">([^<]*)/.exec(await textOf(shop, '/products/lamp'))![1]
  assert.equal(await lowest(), '')
  await change({ price: 90 })
  world.clock.advance(5 * day)
  await change({ price: 110 })
  world.clock.advance(20 * day)
  await change({ price: 95, compare_price: 110 })
  assert.match((await lowest())!, /30.*90,00 €$/)
  world.clock.advance(40 * day)
  // It stays what it was when the reduction began.
  assert.match((await lowest())!, /90,00 €$/)
  await change({ price: 85 })
  assert.match((await lowest())!, /95.00/)
  assert.match(await textOf(shop, ''), /95,00 €<\/p>/)
  await shop.api.patch('/v1/store', { lowest_price_display: 'never' })
  assert.equal(await lowest(), '')
  await shop.api.patch('/v1/store', { lowest_price_display: 'always', country_code: 'US' })
  assert.match((await lowest())!, /95.00/)
  await shop.api.patch('/v1/store', { lowest_price_display: 'by_country' })
  assert.equal(await lowest(), '')
})

test('a variant without a price of its own has that of its product before', async () => {
  const { api } = await world.newStore()
  const value = (name: string) => ({ option_values: [{ option_title: 'Size', value: name }] })
  const variants = [{ ...value('S'), price: 40, compare_price: 60 }, value('L')]
  const { data } = await api.post('/v1/products', { name: 'Lamp', price: 50, variants })
  const [small, large] = data.variants.map(({ id }: any) => id)
  const set = async (prices: number[]) => {
    const rows = [small, large].map((id, index) => ({ id, price: prices[index], compare_price: 60 }))
    const { data: now } = await api.patch(`/v1/products/${data.id}`, { variants: rows })
    return now.variants.map((one: any) => one.lowest_prior_price)
  }
  assert.deepEqual(await set([35, 45]), [40, 50])
  assert.deepEqual(await set([30, 42]), [35, 45])
})

async function shopWithVariant() {
  const { api, store } = await world.newStore({ country_code: 'DE', currency: 'EUR' })
  const variants = [{ option_values: [{ option_title: 'Size', value: 'S' }] }]
  const { data } = await api.post('/v1/products', { name: 'Lamp', slug: 'lamp', price: 20, variants })
  const path = `/v1/products/${data.id}`
  const change = async (body: object) => dataOf(await api.patch(path, body), 200)
  const [{ id }] = data.variants
  const ofVariant = async (own: object, more = {}) =>
    (await change({ ...more, variants: [{ id, ...own }] })).variants[0].lowest_prior_price
  const read = async () => (await api.get(path)).data.variants[0].lowest_prior_price
  return { api, shop: { api, store } as TestStore, id, productId: data.id, change, ofVariant, read }
}

test('a variant that gets a price of its own has had all prices of its product', async () => {
  const { change, ofVariant } = await shopWithVariant()
  await change({ price: 10 })
  await change({ price: 16 })
  assert.equal(await ofVariant({ price: 12, compare_price: 40 }), 10)
  const late = await shopWithVariant()
  await late.change({ price: 10 })
  world.clock.advance(10 * day)
  await late.change({ price: 16 })
  world.clock.advance(31 * day)
  // 10 ended 31 days ago.
  assert.equal(await late.ofVariant({ price: 12, compare_price: 40 }), 16)
  const both = await shopWithVariant()
  // It never cost 5.
  assert.equal(await both.ofVariant({ price: 12, compare_price: 40 }, { price: 5 }), 20)
  const bulk = await shopWithVariant()
  await bulk.change({ price: 10 })
  await bulk.change({ price: 16 })
  const variants = [{ id: bulk.id, price: 12, compare_price: 40 }]
  dataOf(await bulk.api.post('/v1/products/batch', { variants }), 200)
  assert.equal(await bulk.read(), 10)
})

test('prices of the product count only for as long as the variant had none', async () => {
  const { change, ofVariant, read, shop } = await shopWithVariant()
  world.clock.advance(2 * day)
  await ofVariant({ price: 30 })
  world.clock.advance(2 * day)
  await change({ price: 7 })
  world.clock.advance(2 * day)
  await change({ price: 26 })
  world.clock.advance(2 * day)
  assert.equal(await ofVariant({ price: null }, { compare_price: 60 }), 20)
  assert.match(await textOf(shop, '/products/lamp'), /<p id="lowest" class="soft">[^<]*20,00 €/)
  world.clock.advance(2 * day)
  await change({ price: 18 })
  world.clock.advance(2 * day)
  await change({ price: 19 })
  assert.equal(await read(), 18)
  assert.equal(await ofVariant({ price: 12, compare_price: 60 }), 18)
  world.clock.advance(40 * day)
  assert.equal(await ofVariant({ price: 11 }), 12)
})

test('a new variant has no prices from before it was there', async () => {
  const { change } = await shopWithVariant()
  await change({ price: 10 })
  world.clock.advance(2 * day)
  await change({ price: 16 })
  world.clock.advance(2 * day)
  const options = (name: string) => ({ option_values: [{ option_title: 'Size', value: name }] })
  const both = { options: [{ title: 'Size', values: ['S', 'L'] }], variants: [options('S'), options('L')] }
  const { variants } = await change(both)
  const ids = variants.map(({ id }: any) => id)
  const own = { price: 12, compare_price: 40 }
  const after = await change({ variants: ids.map((id: string) => ({ id, ...own })) })
  assert.deepEqual(
    after.variants.map((one: any) => one.lowest_prior_price),
    [16, 16],
  )
})

test('the lowest price before is that of the whole history of 30 days, however prices change', async () => {
  const { api } = await world.newStore()
  const { below } = randomBy(45)
  const { data } = await api.post('/v1/products', { name: 'Lamp', price: 50, compare_price: 1000 })
  const dayNow = () => Math.floor(world.clock.now().getTime() / 1000 / day)
  const history: { price: number; until: number }[] = []
  let price = 50
  for (let step = 0; step < 60; step++) {
    world.clock.advance(below(12) * (day / 2))
    const next = 1 + below(100)
    const isBulk = below(10) < 3
    const answer = isBulk
      ? await api.post('/v1/products/batch', { products: [{ id: data.id, price: next }] })
      : await api.patch(`/v1/products/${data.id}`, { price: next })
    assert.equal(answer.status, 200)
    if (next !== price) history.push({ price, until: dayNow() })
    price = next
    const kept = history.filter(({ until }) => until >= history.at(-1)!.until - 30)
    const { lowest_prior_price: lowest } = (await api.get(`/v1/products/${data.id}`)).data
    assert.equal(lowest, kept.length > 0 ? Math.min(...kept.map((one) => one.price)) : null)
  }
})

test('an undone change of a price counts as a change, and the log of changes has prices alone', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/products', { name: 'Lamp', price: 50, compare_price: 90 })
  await api.patch(`/v1/products/${data.id}`, { price: 40 }, { headers: { 'x-request-id': 'price-1' } })
  const [entry] = (await api.get('/v1/audit?request_id=price-1')).data
  assert.deepEqual(entry.changes[0].after, { price: 40 })
  assert.equal((await api.post('/v1/changes/price-1/revert', {})).status, 200)
  assert.equal((await api.get(`/v1/products/${data.id}`)).data.lowest_prior_price, 40)
})

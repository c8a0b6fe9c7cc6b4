// Carts with goods that are not shipped: no address, no shipping, taxed where they are billed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBothWays } from '../../../test/byservers.ts'
import { ana, buyer, faultsOf, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { isShipped } from '../../commerce/catalog/shipped.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld()

async function openShop() {
  const shop = await setUp(await world.newStore({ currency: 'MXN', country_code: 'MX' }))
  const ebook = await productOf(shop, { price: 100, requires_shipping: false, weight: 5000 })
  const mug = await productOf(shop, { price: 50, weight: 300 })
  return { shop, ebook, mug, shopper: shopperOf(world, shop) }
}

const lineOf = ({ id }: { id: string }, quantity = 1) => ({ product_id: id, quantity })
const codesOf = ({ shipping_costs }: any): string[] => shipping_costs.map(({ code }: any) => code)

test('a cart without goods to ship needs no address, costs no shipping and becomes an order', async () => {
  const { shop, ebook, shopper } = await openShop()
  await shop.api.post('/v1/store/shipping-rates', { code: 'pickup', price: 0, pickup_address: 'Insurgentes 1' })
  const begun = dataOf(await shopper.begin({ items: [lineOf(ebook)], customer: ana }), 201)
  assert.deepEqual([begun.shipping_method, codesOf(begun), begun.totals.shipping], ['digital', ['digital'], 0])
  assert.equal(begun.items[0].requires_shipping, false)
  const { order: placed } = dataOf(await shopper.complete(begun.token), 201)
  const order = (await shop.api.get(`/v1/orders/${placed.id}`)).data
  assert.deepEqual([order.shipping_method, order.shipping_cost, order.shipping_address], ['digital', 0, null])
  assert.equal(order.items[0].requires_shipping, false)
})

test('goods that are shipped are not offered it, and beside them only they count for shipping', async () => {
  const { shop, ebook, mug, shopper } = await openShop()
  const tiers = [{ from: 1000, price: 90 }]
  await shop.api.post('/v1/store/shipping-rates', {
    code: 'parcel',
    name: 'Parcel',
    price: 7,
    price_by: 'weight',
    tiers,
  })
  await shop.api.post('/v1/store/shipping-rates', { code: 'each', name: 'Each', price: 10, price_by: 'per_item' })
  const { token } = dataOf(await shopper.begin({ ...buyer(), items: [lineOf(ebook, 3), lineOf(mug, 2)] }), 201)
  const both = (await shopper.read(token)).data
  assert.deepEqual(
    both.shipping_costs.map(({ code, price }: any) => [code, price]),
    [
      ['standard', 0],
      ['parcel', 7],
      ['each', 20],
    ],
  )
  assert.deepEqual(faultsOf(await shopper.change(token, { shipping_method: 'digital' })), [
    'shipping_method: is not available',
  ])
  await shopper.change(token, { shipping_method: 'parcel' })
  // Without the mugs, their rate falls away.
  const download = (await shopper.change(token, { items: [lineOf(ebook)] })).data
  assert.deepEqual(codesOf(download), ['digital'])
  const { message } = download.changes.find(({ field }: any) => field === 'shipping_method')
  assert.match(message, /is for goods that are shipped, and these are not/)
  await shopper.change(token, { shipping_method: 'digital' })
  dataOf(await shopper.complete(token), 201)
})

test("a rate of the store's own with the code comes before the built-in one, and services stay offered", async () => {
  const { shop, ebook, shopper } = await openShop()
  await shop.api.post('/v1/store/shipping-rates', { code: 'digital', price: 3, name: 'Secure download' })
  await shop.api.post('/v1/store/shipping-rates', { code: 'visit', name: 'Visit', price: 5, requires_address: false })
  const begun = dataOf(await shopper.begin({ items: [lineOf(ebook)], customer: ana }), 201)
  assert.deepEqual(
    begun.shipping_costs.map(({ code, price }: any) => [code, price]),
    [
      ['digital', 3],
      ['visit', 5],
    ],
  )
  const mug = await productOf(shop, { name: 'Mug' })
  assert.deepEqual(codesOf(dataOf(await shopper.begin({ items: [lineOf(mug)] }), 201)), ['standard', 'visit'])
  const rates = (await shop.api.post('/v1/store/shipping-rates/preview', { items: [lineOf(ebook)] })).data
  assert.deepEqual(
    rates.shipping_rates.map(({ code, reasons }: any) => [code, reasons.map((one: any) => one.code)]),
    [
      ['standard', ['nothing_to_ship']],
      ['digital', []],
      ['visit', []],
    ],
  )
})

test('a variant decides for itself, and a bundle is shipped if a part is', async () => {
  const { shop, ebook, mug, shopper } = await openShop()
  const book = await productOf(shop, {
    options: [{ title: 'Format', values: ['Paper', 'PDF'] }],
    variants: [
      { option_values: [{ option_title: 'Format', value: 'Paper' }] },
      { option_values: [{ option_title: 'Format', value: 'PDF' }], requires_shipping: false },
    ],
  })
  const [paper, pdf] = book.variants.map(({ id }: any) => ({ product_id: book.id, variant_id: id, quantity: 1 }))
  const partsOf = (...parts: { id: string }[]) => parts.map(({ id }) => ({ product_id: id, quantity: 1 }))
  const reading = await productOf(shop, {
    name: 'Reading',
    bundle_items: partsOf(ebook, await productOf(shop, { name: 'Essay', requires_shipping: false })),
  })
  const evening = await productOf(shop, { name: 'Evening', bundle_items: partsOf(ebook, mug) })
  await shop.api.post('/v1/store/shipping-rates', { code: 'light', name: 'Light', price: 1, max_weight: 300 })
  const offered = async (line: object) =>
    codesOf(dataOf(await shopper.begin({ ...buyer(), items: [line] }), 201)).toString()
  assert.equal(await offered(paper), 'standard,light')
  assert.equal(await offered(pdf), 'digital')
  assert.equal(await offered(lineOf(reading)), 'digital')
  assert.equal(await offered(lineOf(evening)), 'standard,light')
  dataOf(await shop.api.patch(`/v1/products/${evening.id}`, { requires_shipping: false }), 200)
  assert.equal(await offered(lineOf(evening)), 'digital')
})

test('a bundle is shown as it is sold, by each of its variants too, on one server and on many', async () => {
  const { shop, ebook, mug, shopper } = await openShop()
  const partsOf = (...parts: { id: string }[]) => parts.map(({ id }) => ({ product_id: id, quantity: 1 }))
  const reading = await productOf(shop, { name: 'Reading', bundle_items: partsOf(ebook) })
  const evening = await productOf(shop, { name: 'Evening', bundle_items: partsOf(ebook, mug) })
  const kinds = [partsOf(ebook), partsOf(ebook, mug), null]
  const gift = await productOf(shop, {
    name: 'Gift',
    variants: kinds.map((bundle_items, index) => ({
      option_values: [{ option_title: 'Kind', value: `K${index}` }],
      ...(bundle_items ? { bundle_items } : {}),
    })),
  })
  const shown = async () => {
    const all = await Promise.all([reading, evening, gift].map(({ slug }) => shopper.get(`/products/${slug}`)))
    const of = ({ requires_shipping }: { requires_shipping: boolean | null }) => requires_shipping
    const found = all.map(({ data }) => [of(data), ...data.variants.map(of)])
    const listed = dataOf(await shopper.get('/products'), 200) as any[]
    for (const [index, { id }] of [reading, evening, gift].entries())
      assert.equal(of(listed.find((one) => one.id === id)), found[index]![0])
    return found
  }
  const query = sql`
    select ${isShipped.product} as shipped, id from products
    where store_id = ${shop.store.id} and product_status = 'active' and (bundle_items is not null or variant_count > 0)
    union all
    select ${isShipped.variant}, id from variants where store_id = ${shop.store.id}
    order by id`
  const assertShipped = async (...expected: (boolean | null)[][]) => {
    assert.deepEqual(await shown(), expected)
    for (const rows of await readBothWays(query, shop.store.id))
      assert.deepEqual(
        rows.map(({ shipped }: any) => shipped),
        expected.flat(),
      )
  }
  await assertShipped([false], [true], [true, false, null, null])
  dataOf(await shop.api.patch(`/v1/products/${mug.id}`, { requires_shipping: false }), 200)
  await assertShipped([false], [false], [true, false, false, null])
  dataOf(await shop.api.patch(`/v1/products/${ebook.id}`, { requires_shipping: true }), 200)
  await assertShipped([true], [true], [true, null, null, null])
  dataOf(await shop.api.patch(`/v1/products/${reading.id}`, { requires_shipping: false }), 200)
  await assertShipped([false], [true], [true, null, null, null])
  assert.equal((await shop.api.get(`/v1/products/${evening.id}`)).data.requires_shipping, true, 'its own setting')
})

test('it is taxed where it is billed, in checkouts and orders, whatever the rate', async () => {
  const { shop, ebook } = await openShop()
  for (const [country_code, rate] of [
    ['MX', 16],
    ['DE', 19],
  ])
    await shop.api.post('/v1/store/tax-zones', { name: 'VAT', country_code, rate, included: false })
  const shopper = shopperOf(world, shop)
  const billing_address = { address: 'Lange Str. 1', city: 'Kiel', postal_code: '24103', country_code: 'DE' }
  const items = [lineOf(ebook)]
  const begun = dataOf(await shopper.begin({ items, customer: ana, billing_address }), 201)
  assert.equal(begun.totals.tax, 19)
  const billed = { customer: ana, billing_address: { ...billing_address, name: ana.name } }
  for (const shipping_method of ['digital', 'standard', null]) {
    const sold = { ...buyer(), ...billed, items, ...(shipping_method ? { shipping_method } : {}) }
    assert.equal(dataOf(await shop.api.post('/v1/orders', sold), 201).tax_amount, 19, String(shipping_method))
  }
  const draft = { ...billed, items, shipping_method: 'digital' }
  assert.equal(dataOf(await shop.api.post('/v1/draft-orders', draft), 201).tax_amount, 19)
  // Without a billing address, it is taxed in the country that the order names, or at home.
  const unbilled = { customer: ana, items, shipping_method: 'digital' }
  assert.equal(dataOf(await shop.api.post('/v1/orders', { ...unbilled, country_code: 'DE' }), 201).tax_amount, 19)
  assert.equal(dataOf(await shop.api.post('/v1/orders', unbilled), 201).tax_amount, 16)
  assert.equal(dataOf(await shop.api.post('/v1/draft-orders', unbilled), 201).tax_amount, 16)
})

// Carts of bundles and single goods, shipped by tables or not at all, with several codes: what the checkout asks for is
// what the model says, to the cent. CARTS sets how many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, shopperOf } from './checkouts.ts'
import { cents, codes, discounts, places, priceCart, zoneBody, zones } from './pricemodel.ts'
import type { Country, Line, Rate, Terms } from './pricemodel.ts'
import { dataOf } from './shop.ts'
import { openWorld } from './world.ts'
import { fc } from './random.ts'

const world = await openWorld()
const carts = Number(process.env.CARTS ?? 400)

type Sold = Omit<Line, 'quantity'>

const single = (price: bigint, grams: bigint, isBook = false): Sold => ({ price, grams, isBook, parts: null })
const goods: Sold[] = [
  single(1999n, 350n),
  single(1005n, 1200n),
  single(333n, 420n, true),
  single(12_345n, 0n),
  { ...single(1490n, 2500n, true), isDownload: true },
]

/** `items` are positions among the goods, with how many. */
type Bundle = { items: [at: number, quantity: number][]; grams: bigint } & ({ price: bigint } | { percentage: bigint })

const choiceOff = 12n
/** The variants of one product, with parts of their own. */
const choices: Bundle[] = [
  { items: [[0, 1], [3, 1]], percentage: choiceOff, grams: 350n }, // prettier-ignore
  { items: [[1, 2], [2, 1]], percentage: choiceOff, grams: 2900n }, // prettier-ignore
]

const bundles: Bundle[] = [
  { items: [[0, 2], [2, 1]], price: 3999n, grams: 1000n }, // prettier-ignore
  { items: [[2, 3], [1, 1]], percentage: 15n, grams: 2300n }, // prettier-ignore
  { items: [[4, 1], [0, 1]], percentage: 20n, grams: 600n }, // prettier-ignore
  { items: [[2, 1], [3, 1], [0, 1]], price: 1n, grams: 0n }, // prettier-ignore
]

function toSold({ items, grams, ...own }: Bundle): Sold {
  const parts = items.map(([at, quantity]) => ({
    isBook: goods[at]!.isBook,
    isDownload: goods[at]!.isDownload ?? false,
    price: goods[at]!.price * BigInt(quantity),
    units: BigInt(quantity),
  }))
  const sum = parts.reduce((whole, { price }) => whole + price, 0n)
  const price = 'price' in own ? own.price : (sum * (100n - own.percentage) * 2n + 100n) / 200n
  return { isBook: false, price, grams, parts }
}

const sold = [...goods, ...[...bundles, ...choices].map(toSold)]

const rate = (by: Rate['by'], price: bigint, more: Partial<Rate> = {}): Rate => ({
  by,
  price,
  tiers: [],
  perBook: 0n,
  freeFrom: null,
  byCode: true,
  ...more,
})
const rates = {
  parcel: rate('weight', 490n, { tiers: [[1000n, 790n], [5000n, 1290n]], freeFrom: 25_000n }), // prettier-ignore
  courier: rate('amount', 890n, { tiers: [[3000n, 590n], [10_000n, 0n]], byCode: false }), // prettier-ignore
  post: rate('items', 300n, { tiers: [[3n, 500n], [8n, 905n]], perBook: 75n }), // prettier-ignore
  each: rate('per_item', 155n, { perBook: 33n, freeFrom: 20_000n }),
  service: rate('flat', 199n),
}
type RateCode = keyof typeof rates

const measures = { weight: Number, items: Number, amount: cents, flat: cents, per_item: cents }

function rateBody(code: string, { by, price, tiers, perBook, freeFrom, byCode }: Rate, category_id: string): object {
  return {
    code,
    price_by: by,
    price: cents(price),
    tiers: tiers.map(([from, price]) => ({ from: measures[by](from), price: cents(price) })),
    surcharges: perBook > 0n ? [{ category_id, amount: cents(perBook), per: 'item' }] : [],
    free_from: freeFrom && cents(freeFrom),
    free_by_code: byCode,
    name: code,
    requires_address: code !== 'service',
  }
}

async function open(home: keyof typeof zones, { rounding, fixed, shipping }: Omit<Terms, 'home'>) {
  const shop = await world.newStore({ currency: 'EUR', country_code: home })
  const { api } = shop
  const terms = { tax_rounding: rounding, tax_fixed_prices: fixed, tax_shipping: shipping !== 'none' }
  dataOf(await api.patch('/v1/store', { ...terms, tax_included: zones[home].included }), 200)
  const books = dataOf(await api.post('/v1/categories', { name: 'Books' }), 201)
  const ids: string[] = []
  const partsOf = ({ items }: Bundle) => items.map(([at, quantity]) => ({ product_id: ids[at], quantity }))
  for (const { price, grams, isBook, isDownload = false } of goods) {
    const terms = { weight: Number(grams), requires_shipping: !isDownload }
    const fields = { price: cents(price), ...terms, ...(isBook ? { category_id: books.id } : {}) }
    ids.push(dataOf(await api.post('/v1/products', { name: 'Thing', ...fields }), 201).id)
  }
  for (const one of bundles) {
    const price =
      'price' in one ? { price: cents(one.price) } : { price: 1, bundle_discount_percentage: Number(one.percentage) }
    const body = { name: 'Set', bundle_items: partsOf(one), weight: Number(one.grams), ...price }
    ids.push(dataOf(await api.post('/v1/products', body), 201).id)
  }
  const variants = choices.map((one, index) => ({
    option_values: [{ option_title: 'Size', value: String(index) }],
    bundle_items: partsOf(one),
    weight: Number(one.grams),
  }))
  const choice = { name: 'Choice', price: 1, bundle_discount_percentage: Number(choiceOff), variants }
  const chosen = dataOf(await api.post('/v1/products', choice), 201)
  const references = [
    ...ids.map((product_id) => ({ product_id })),
    ...chosen.variants.map(({ id }: any) => ({ product_id: chosen.id, variant_id: id })),
  ]
  const zone = { category_id: books.id, shipping_tax: shipping }
  const posts: [string, object][] = [
    ...Object.entries(zones).map(([code, one]): [string, object] => [
      '/store/tax-zones',
      zoneBody(`Tax ${code}`, code, one, zone),
    ]),
    ...Object.entries(rates).map(([code, one]): [string, object] => [
      '/store/shipping-rates',
      rateBody(code, one, books.id),
    ]),
    ['/store/payment-methods', { code: 'cod' }],
    ...discounts.map((one): [string, object] => ['/discounts', one]),
  ]
  for (const [path, body] of posts) dataOf(await api.post(`/v1${path}`, body), 201)
  return { shop, references, terms: { rounding, fixed, shipping, home: zones[home] } }
}

const cart = fc.record({
  quantities: fc
    .tuple(...sold.map(() => fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 7 }))))
    .filter((quantities) => quantities.some((quantity) => quantity > 0)),
  codes: fc.shuffledSubarray([...codes]),
  wanted: fc.constantFrom(...(Object.keys(rates) as RateCode[])),
  delivery: fc.constantFrom(...(Object.keys(places) as Country[])),
  billing: fc.option(fc.constantFrom(...(Object.keys(places) as Country[]))),
})

for (const [home, rounding, fixed, shipping] of [
  ['DE', 'order', false, 'proportional'],
  ['MX', 'line', true, 'proportional'],
  ['US', 'order', true, 'none'],
  ['CA', 'line', false, 'standard'],
] as const) {
  test(`bundles, tables, places and codes come to what the model says: ${home} ${rounding} ${fixed}`, async () => {
    const { shop, references, terms } = await open(home, { rounding, fixed, shipping })
    const property = fc.asyncProperty(cart, async ({ quantities, codes, wanted, delivery, billing }) => {
      const lines = sold
        .map((one, at) => ({ ...one, quantity: quantities[at]! }))
        .filter(({ quantity }) => quantity > 0)
      const isShipped = lines.some(({ isDownload }) => !isDownload)
      const rate = isShipped ? wanted : 'service'
      // What is not shipped is taxed where it is billed, and so is everything that is not delivered.
      const country = rate === 'service' ? (billing ?? delivery) : delivery
      const begun = await shopperOf(world, shop).begin({
        items: quantities.flatMap((quantity, at) => (quantity > 0 ? [{ ...references[at], quantity }] : [])),
        discount_codes: codes,
        shipping_method: rate,
        customer: ana,
        shipping_address: places[delivery],
        ...(billing ? { billing_address: { name: ana.name, ...places[billing] } } : {}),
      })
      const { subtotal, discount, shipping, tax, included_tax, total } = dataOf(begun, 201).totals
      const taxed = { country, billed: billing ?? country }
      const expected = priceCart(terms, { lines, codes, rate: rates[rate], ...taxed, isExempt: false })
      assert.deepEqual([subtotal, discount, shipping, tax, included_tax, total], expected)
    })
    await fc.assert(property, { numRuns: Math.ceil(carts / 4), endOnFailure: true })
  })
}

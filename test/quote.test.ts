// The same cart costs the same wherever it is sold: at the checkout, in its draft, by API and at the form of the desk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, shopperOf } from './checkouts.ts'
import {
  cents,
  codes,
  discounts,
  places,
  priceCart,
  zoneBody,
  zones,
  type Code,
  type Country,
  type Terms,
} from './pricemodel.ts'
import { dataOf } from './shop.ts'
import { staffOf } from './staff.ts'
import { openWorld } from './world.ts'
import { fc } from './random.ts'

const world = await openWorld()

const goods = [1999n, 1005n, 333n, 12_345n]
const bookAt = 2
const wrapping = 250n
const rates = {
  standard: { price: 690n, free_from: 10_000n, byCode: true },
  express: { price: 1499n, free_from: null, byCode: false },
}

type Cart = {
  quantities: number[]
  bump: boolean
  codes: Code[]
  rate: keyof typeof rates
  country: Country
  isExempt: boolean
}

/** What the model says. */
function expectedOf(terms: Terms, { quantities, bump, rate, ...cart }: Cart): number[] {
  const line = (price: bigint, quantity: number, isBook = false) => ({
    price,
    quantity,
    isBook,
    grams: 0n,
    parts: null,
  })
  const chosen = quantities.map((quantity, at) => line(goods[at]!, quantity, at === bookAt))
  const lines = [...chosen.filter(({ quantity }) => quantity > 0), ...(bump ? [line(wrapping, 1)] : [])]
  const { price, free_from, byCode } = rates[rate]
  return priceCart(terms, {
    ...cart,
    lines,
    rate: { by: 'flat', price, tiers: [], perBook: 0n, freeFrom: free_from, byCode },
  })
}

const exempt = { name: 'Clinic', email: 'clinic@example.com', tax_id: 'DE111111125' }

async function open(home: keyof typeof zones, { rounding, fixed, shipping }: Omit<Terms, 'home'>) {
  const shop = await world.newStore({ currency: 'EUR', country_code: home })
  const { api } = shop
  const terms = { tax_rounding: rounding, tax_fixed_prices: fixed, tax_shipping: shipping !== 'none' }
  dataOf(await api.patch('/v1/store', { ...terms, tax_included: zones[home].included }), 200)
  const books = dataOf(await api.post('/v1/categories', { name: 'Books' }), 201)
  const made = []
  for (const [at, price] of goods.entries()) {
    const category = at === bookAt ? { category_id: books.id } : {}
    made.push(await productOf(shop, { name: `Thing ${at}`, price: cents(price), ...category }))
  }
  const bump = await productOf(shop, { name: 'Wrapping', price: cents(wrapping) })
  const posts: [string, object][] = [
    ...Object.entries(zones).map(([code, zone]): [string, object] => [
      '/store/tax-zones',
      zoneBody(`Tax ${code}`, code, zone, { category_id: books.id, shipping_tax: shipping }),
    ]),
    ...Object.entries(rates).map(([code, { price, free_from, byCode }]): [string, object] => [
      '/store/shipping-rates',
      { code, price: cents(price), free_from: free_from && cents(free_from), free_by_code: byCode },
    ]),
    ['/store/payment-methods', { code: 'cod' }],
    ...discounts.map((one): [string, object] => ['/discounts', one]),
    ['/customers', { ...exempt, tax_exempt: true }],
  ]
  for (const [path, body] of posts) dataOf(await api.post(`/v1${path}`, body), 201)
  const offer = dataOf(await api.post('/v1/store/order-bumps', { title: 'Wrapping', product_id: bump.id }), 201)
  const staff = await staffOf(world, [shop], 'staff')
  return { shop, staff, products: made, bump, offer, terms: { rounding, fixed, shipping, home: zones[home] } }
}

const sumsOf = ({ subtotal, discount_amount, shipping_cost, tax_amount, included_tax, total: whole }: any) => [
  subtotal,
  discount_amount,
  shipping_cost,
  tax_amount,
  included_tax,
  whole,
]

async function sold({ shop, staff, products, bump, offer }: Awaited<ReturnType<typeof open>>, cart: Cart) {
  const { api, store } = shop
  const chosen = cart.quantities.flatMap((quantity, at) =>
    quantity === 0 ? [] : [{ product_id: products[at].id as string, quantity }],
  )
  const items = cart.bump ? [...chosen, { product_id: bump.id as string, quantity: 1 }] : chosen
  const who = cart.isExempt ? { name: exempt.name, email: exempt.email } : { name: 'Bo', email: 'bo@example.com' }
  const tax_id = cart.isExempt ? exempt.tax_id : null
  const address = places[cart.country]
  const common = { discount_codes: cart.codes, shipping_method: cart.rate, payment_method: 'cod', tax_id }

  const shopper = shopperOf(world, shop)
  const order_bumps = cart.bump ? [offer.id] : []
  const begun = await shopper.begin({ ...common, items: chosen, order_bumps, customer: who, shipping_address: address })
  const { token, totals } = dataOf(begun, 201)
  const draftId = (await api.get('/v1/checkout-drafts?status=active')).data[0].id
  const draft = (await api.get(`/v1/checkout-drafts/${draftId}`)).data
  const placed = dataOf(await shopper.complete(token, { total: totals.total }), 201).order
  const { country_code, ...rest } = address
  const byHand = { ...common, items, customer: who, shipping_address: { ...rest, country: country_code } }

  const fields = {
    act: 'make',
    rehearse: '1',
    line: items.map(({ product_id }) => product_id),
    ...Object.fromEntries(items.map(({ quantity }, at) => [`items.${at}.quantity`, String(quantity)])),
    ...Object.fromEntries(
      Object.entries(byHand.shipping_address).map(([name, text]) => [`shipping_address.${name}`, text]),
    ),
    customer_name: who.name,
    customer_email: who.email,
    shipping_method: cart.rate,
    discount_codes: cart.codes.join('\n'),
    ...(tax_id ? { tax_id } : {}),
  }
  const form = await staff.post(`/${store.id}/orders/new`, fields)
  const total = /class="total"><dt>[^<]*<\/dt><dd>€([\d.,]+)/.exec(form.text)
  return {
    checkout: [totals.subtotal, totals.discount, totals.shipping, totals.tax, totals.included_tax, totals.total],
    draft: [draft.subtotal, draft.discount, draft.shipping, draft.tax, totals.included_tax, draft.total],
    order: sumsOf((await api.get(`/v1/orders/${placed.id}`)).data),
    api: sumsOf(dataOf(await api.post('/v1/orders', byHand), 201)),
    form: Number(total?.[1]?.replaceAll(',', '')),
  }
}

const carts = fc.record({
  quantities: fc
    .tuple(...goods.map(() => fc.integer({ min: 0, max: 6 })))
    .filter((quantities) => quantities.some((quantity) => quantity > 0)),
  bump: fc.boolean(),
  codes: fc.shuffledSubarray([...codes]),
  rate: fc.constantFrom('standard' as const, 'express' as const),
  country: fc.constantFrom(...(Object.keys(places) as Country[])),
  isExempt: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

for (const [home, rounding, fixed, shipping] of [
  ['DE', 'order', true, 'proportional'],
  ['DE', 'line', false, 'standard'],
  ['US', 'line', true, 'none'],
  ['CA', 'order', true, 'proportional'],
] as const) {
  test(`a cart costs the same in every way, and what the model says: ${home} ${rounding} ${fixed}`, async () => {
    const shop = await open(home, { rounding, fixed, shipping })
    const property = fc.asyncProperty(carts, async (cart) => {
      const expected = expectedOf(shop.terms, cart)
      const { form, ...others } = await sold(shop, cart)
      for (const [way, sums] of Object.entries(others)) assert.deepEqual(sums, expected, way)
      assert.equal(form, expected.at(-1), 'form')
    })
    await fc.assert(property, { numRuns: 25, endOnFailure: true })
  })
}

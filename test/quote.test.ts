// The same cart costs the same wherever it is sold: at the checkout, in its draft, by API and at the form of the desk.
// What it costs is worked out a second time here, in whole cents and fractions, by code that shares nothing with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, shopperOf } from './checkouts.ts'
import { dataOf } from './shop.ts'
import { staffOf } from './staff.ts'
import { openWorld } from './world.ts'
import { fc } from './random.ts'

const world = await openWorld()

/** Percent in ten-thousandths: 9.975 % is 99750n. */
type Tax = { rate: bigint; compound?: boolean }
type Zone = { included: boolean; taxes: Tax[]; books?: Tax[] }
type ShippingTax = 'standard' | 'proportional' | 'none'
type Terms = { rounding: 'order' | 'line'; fixed: boolean; shipping: ShippingTax; home: Zone }

const single = (rate: bigint): Tax[] => [{ rate }]
const zones = {
  DE: { included: true, taxes: single(190000n), books: single(70000n) },
  US: { included: false, taxes: single(80000n) },
  CA: { included: false, taxes: [{ rate: 50000n }, { rate: 99750n }], books: [{ rate: 50000n }, { rate: 0n }] },
  MX: { included: true, taxes: [{ rate: 120000n }, { rate: 92500n, compound: true }] },
} satisfies Record<string, Zone>

const places = {
  DE: { address: 'Lange Str. 1', city: 'Kiel', postal_code: '24103', country_code: 'DE' },
  US: { address: '1 Main St', city: 'Albany', province: 'NY', postal_code: '12207', country_code: 'US' },
  CA: { address: '1 rue X', city: 'Montréal', province: 'QC', postal_code: 'H2X 1Y4', country_code: 'CA' },
  MX: { address: 'Reforma 222', city: 'Ciudad de México', province: 'CDMX', postal_code: '06600', country_code: 'MX' },
  NO: { address: 'Gate 1', city: 'Oslo', postal_code: '0150', country_code: 'NO' },
}
type Country = keyof typeof places

const goods = [1999n, 1005n, 333n, 12_345n]
const bookAt = 2
const wrapping = 250n
const rates = {
  standard: { price: 690n, free_from: 10_000n, byCode: true },
  express: { price: 1499n, free_from: null, byCode: false },
}
const codes = ['TEN', 'FIVE', 'SHIP', null] as const

type Cart = {
  quantities: number[]
  bump: boolean
  code: (typeof codes)[number]
  rate: keyof typeof rates
  country: Country
  isExempt: boolean
}

/** Half up. */
const divided = (amount: bigint, by: bigint) => (2n * amount + by) / (2n * by)

/** Of a net price of one, as a numerator over 10^24. */
const one = 10n ** 24n
const sharesOf = (taxes: readonly Tax[]) => {
  let before = one
  return taxes.map(({ rate, compound }) => {
    const share = ((compound ? before : one) * rate) / 1_000_000n
    before += share
    return share
  })
}
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
const grossOf = (taxes: readonly Tax[]) => one + total(sharesOf(taxes))

/** Each share is what is due up to it, less what was shared before. */
function spread(amount: bigint, weights: readonly bigint[]): bigint[] {
  let [weighed, shared] = [0n, 0n]
  return weights.map((weight) => {
    weighed += weight
    const due = amount === 0n ? 0n : divided(amount * weighed, total(weights))
    const share = due - shared
    shared = due
    return share
  })
}

const none: Zone = { included: false, taxes: single(0n) }

function model(terms: Terms, cart: Cart) {
  const place: Zone = cart.country === 'NO' ? { ...none, included: terms.home.included } : zones[cart.country]
  const untaxed = cart.isExempt || cart.country === 'NO'
  const taxesFor = (zone: Zone, isBook: boolean, isFree: boolean) =>
    isFree ? single(0n) : (isBook && zone.books) || zone.taxes
  // Where prices are not fixed, the tax of home in them gives way to that of the place.
  const there = (price: bigint, isBook: boolean, isTaxed = true) => {
    if (terms.fixed) return price
    const gross = (zone: Zone, isFree: boolean) =>
      zone.included && isTaxed ? grossOf(taxesFor(zone, isBook, isFree)) : one
    return divided(price * gross(place, untaxed), gross(terms.home, false))
  }
  const lines = cart.quantities.flatMap((quantity, at) =>
    quantity === 0 ? [] : [{ isBook: at === bookAt, amount: there(goods[at]!, at === bookAt) * BigInt(quantity) }],
  )
  if (cart.bump) lines.push({ isBook: false, amount: there(wrapping, false) })
  const weights = lines.map(({ amount }) => amount)
  const subtotal = total(weights)
  const five = subtotal < 500n ? subtotal : 500n
  const discount = cart.code === 'TEN' ? divided(subtotal * 10n, 100n) : cart.code === 'FIVE' ? five : 0n
  const shares = spread(discount, weights)
  const { price, free_from, byCode } = rates[cart.rate]
  const isFree = (cart.code === 'SHIP' && byCode) || (free_from !== null && subtotal - discount >= free_from)
  const isTaxed = terms.shipping !== 'none'
  const shipping = isFree ? 0n : there(price, false, isTaxed)
  const soldGoods = lines.map(({ isBook, amount }, at) => ({ isBook, amount: amount - shares[at]! }))
  // Books share the shipping by what they cost, where they have a rate of their own.
  const kinds = [...new Set(soldGoods.map(({ isBook }) => isBook && !untaxed && place.books !== undefined))]
  const worth = kinds.map((isBook) =>
    total(soldGoods.filter((line) => kinds.length === 1 || line.isBook === isBook).map(({ amount }) => amount)),
  )
  const isShared = terms.shipping === 'proportional' && total(worth) > 0n
  const parcels = isShared
    ? spread(shipping, worth).map((amount, at) => ({ isBook: kinds[at]!, amount }))
    : [{ isBook: false, amount: shipping }]
  const taxed = [...soldGoods, ...(isTaxed && shipping > 0n ? parcels.filter(({ amount }) => amount > 0n) : [])]
  const sums = new Map<string, { amount: bigint; share: bigint; of: bigint }>()
  taxed.forEach(({ isBook, amount }, line) => {
    const taxes = taxesFor(place, isBook, untaxed)
    const of = place.included ? grossOf(taxes) : one
    sharesOf(taxes).forEach((share, at) => {
      const key = `${at} ${share} ${of} ${terms.rounding === 'line' ? line : ''}`
      sums.set(key, { amount: (sums.get(key)?.amount ?? 0n) + amount, share, of })
    })
  })
  const tax = total([...sums.values()].map(({ amount, share, of }) => divided(amount * share, of)))
  const [added, within] = place.included ? [0n, tax] : [tax, 0n]
  return [subtotal, discount, shipping, added, within, subtotal - discount + shipping + added].map(cents)
}

const cents = (amount: bigint) => Number(amount) / 100
const percent = (rate: bigint) => Number(rate) / 10_000

function zoneBody(
  name: string,
  country_code: string,
  { included, taxes, books }: Zone,
  { category_id, shipping_tax }: { category_id: string; shipping_tax: ShippingTax },
): object {
  const named = taxes.map(({ rate, compound = false }, at) => ({
    name: `${name} ${at}`,
    rate: percent(rate),
    compound,
  }))
  // A tax that is the same for books is not named again.
  const own = (books ?? []).flatMap(({ rate }, at) => {
    const component = taxes.length > 1 ? { component: `${name} ${at}` } : {}
    return rate === taxes[at]!.rate ? [] : [{ category_id, rate: percent(rate), ...component }]
  })
  const rate = taxes.length > 1 ? { components: named } : { rate: named[0]!.rate }
  return { name, country_code, included, category_rates: own, shipping_tax, ...rate }
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
    ['/discounts', { code: 'TEN', type: 'percentage', value: 10 }],
    ['/discounts', { code: 'FIVE', type: 'fixed_amount', value: 5 }],
    ['/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 }],
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
  const common = { discount_code: cart.code, shipping_method: cart.rate, payment_method: 'cod', tax_id }

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
    ...(cart.code ? { discount_code: cart.code } : {}),
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
  code: fc.constantFrom(...codes),
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
      const expected = model(shop.terms, cart)
      const { form, ...others } = await sold(shop, cart)
      for (const [way, sums] of Object.entries(others)) assert.deepEqual(sums, expected, way)
      assert.equal(form, expected.at(-1), 'form')
    })
    await fc.assert(property, { numRuns: 25, endOnFailure: true })
  })
}

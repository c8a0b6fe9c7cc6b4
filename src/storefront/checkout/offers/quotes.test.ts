// Shipping rates whose price an app quotes, from the request to the order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, home, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { running } from '../../../../test/strangers.ts'
import { testAuthority, type Answer } from '../../../../test/receiver.ts'
import { openWorld } from '../../../../test/world.ts'
import { signature } from '../../../platform/outbound/signature.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { network: { ca: testAuthority.ca } })

const answering = (body: unknown) => (): Answer => ({ body: JSON.stringify(body) })

async function open(answer: () => Answer, fields: object = {}, terms: object = {}) {
  const shop = await world.newStore(terms)
  const app = await running({ answer })
  const rates = '/v1/store/shipping-rates'
  const body = { code: 'standard', price: 12, quote_url: `${app.url}/quote`, ...fields }
  const { data: rate } = await shop.api.post(rates, body)
  const { data } = await shop.api.post(`${rates}/${rate.id}/rotate-secret`)
  const product = await productOf(shop, { price: 20, weight: 400, sku: 'BAG' })
  const cart = { items: [{ product_id: product.id, quantity: 2 }], ...buyer() }
  return { ...shop, app, rate, secret: data.quote_secret, product, cart, shopper: shopperOf(world, shop) }
}

const costsOf = ({ data }: any) => data.shipping_costs.map(({ code, price }: any) => [code, price])

test('an app is asked by a signed request, and its answer is price, name and days of the order', async () => {
  const shop = await open(answering({ price: 7.5, name: 'By bicycle', min_days: 1, max_days: 2 }), { surcharges: [] })
  const begun = await shop.shopper.begin({ ...shop.cart, shipping_method: 'standard' })
  const [cost] = begun.data.shipping_costs
  assert.deepEqual([cost.price, cost.name, begun.data.totals.total], [7.5, 'By bicycle', 47.5])
  assert.ok(cost.arrives_from < cost.arrives_to)
  const [request, ...others] = shop.app.received
  assert.equal(others.length, 0)
  const body = request!.body.toString()
  assert.deepEqual(JSON.parse(body), {
    shipping_rate: { id: shop.rate.id, code: 'standard' },
    destination: { country_code: 'MX', province: 'MX-CMX', postal_code: home.postal_code ?? null },
    items: [{ product_id: shop.product.id, variant_id: null, sku: 'BAG', quantity: 2, weight: 400, amount: 40 }],
    currency: shop.store.currency,
    subtotal: 40,
  })
  const { headers } = request!
  const timestamp = Number(headers['x-webhook-timestamp'])
  assert.equal(headers['x-webhook-event'], 'shipping_rate.quote')
  assert.equal(headers['x-webhook-signature'], signature({ timestamp, body }, shop.secret))
  shop.app.answer = answering({ price: 99 })
  const { order } = (await shop.shopper.complete(begun.data.token)).data
  assert.equal(order.total, 47.5, 'what was shown is charged')
  assert.equal(shop.app.received.length, 1, 'and nobody is asked again')
  const row = sql`select shipping_rate from orders where store_id = ${shop.store.id}`
  const [stored] = await world.app.db.rows<{ shipping_rate: object }>(row)
  assert.partialDeepStrictEqual(stored!.shipping_rate, { name: 'By bicycle', min_days: 1, max_days: 2 })
})

test('it is asked again for another cart or address and after 15 minutes, and not for another name', async () => {
  const shop = await open(answering({ price: 7.5 }))
  const { token } = (await shop.shopper.begin(shop.cart)).data
  await shop.shopper.change(token, { customer: { name: 'Luz' } })
  assert.equal(shop.app.received.length, 1)
  shop.app.answer = answering({ price: 8 })
  const more = [{ product_id: shop.product.id, quantity: 3 }]
  assert.deepEqual(costsOf(await shop.shopper.change(token, { items: more })), [['standard', 8]])
  await shop.shopper.change(token, { shipping_address: { postal_code: '44100', province: 'Jalisco' } })
  assert.equal(shop.app.received.length, 3)
  await world.clock.advance(15 * 60)
  shop.app.answer = answering({ price: 9 })
  assert.deepEqual(costsOf(await shop.shopper.read(token)), [['standard', 8]])
  const late = await shop.shopper.change(token, {})
  assert.deepEqual(
    [costsOf(late), late.data.changes.map(({ field }: any) => field)],
    [[['standard', 9]], ['shipping', 'total']],
  )
})

test('an app is told of the goods that are shipped, and a cart without any asks nobody', async () => {
  const shop = await open(answering({ price: 7.5 }))
  const { id } = await productOf(shop, { name: 'Score', price: 5, weight: 9000, requires_shipping: false })
  const score = { product_id: id, quantity: 4 }
  const begun = await shop.shopper.begin({ ...shop.cart, items: [score, ...shop.cart.items] })
  assert.deepEqual(costsOf(begun), [['standard', 7.5]])
  const { items, subtotal } = JSON.parse(shop.app.received[0]!.body.toString())
  assert.deepEqual([items.map(({ sku, quantity }: any) => [sku, quantity]), subtotal], [[['BAG', 2]], 60])
  // The rate has no address, so it is offered for downloads as well.
  await shop.api.patch(`/v1/store/shipping-rates/${shop.rate.id}`, { requires_address: false })
  const digital = await shopperOf(world, shop).begin({ ...shop.cart, items: [score] })
  assert.deepEqual(costsOf(digital), [['standard', 12], ['digital', 0]]) // prettier-ignore
  assert.equal(shop.app.received.length, 1)
})

const roundedPrices: [price: number, currency: string, charged: number][] = [
  [7.505, 'USD', 7.51],
  [7.5049, 'USD', 7.5],
  [1.005, 'USD', 1.01],
  [0.004, 'USD', 0],
  [750.5, 'JPY', 751],
  [7.5005, 'TND', 7.501],
]
for (const [price, currency, charged] of roundedPrices) {
  test(`a price of ${price} ${currency} that an app answers is rounded half-up to ${charged}`, async () => {
    const shop = await open(answering({ price }), {}, { currency })
    const { data } = await shop.shopper.begin({ ...shop.cart, shipping_method: 'standard' })
    assert.deepEqual([costsOf({ data }), data.totals.shipping], [[['standard', charged]], charged])
    const rate = await shop.api.get(`/v1/store/shipping-rates/${shop.rate.id}`)
    assert.equal(rate.data.quote_error, null)
  })
}

const badAnswers: [what: string, answer: () => Answer, error: string, detail: string | null][] = [
  ['is late', () => 'hang', 'timeout', null],
  ['sends 10 MB', () => ({ body: 'x'.repeat(10_000_000) }), 'too_large', null],
  ['redirects', () => ({ status: 302, headers: { location: 'https://10.0.0.1/' } }), 'status', '302'],
  ['fails', () => ({ status: 500 }), 'status', '500'],
  ['closes the connection', () => 'reset', 'unreachable', null],
  ['sends no JSON', () => ({ body: 'ok' }), 'invalid', null],
  ['sends a list', answering([{ price: 1 }]), 'invalid', null],
  ['says a negative price', answering({ price: -1 }), 'invalid', 'price'],
  ['says a price as text', answering({ price: '7.50' }), 'invalid', 'price'],
  ['says less than nothing by a fraction of a cent', answering({ price: -0.001 }), 'invalid', 'price'],
  ['says a price beyond all', answering({ price: 1e15 }), 'invalid', 'price'],
  ['says a price that is beyond all once rounded', answering({ price: 999_999_999_999.005 }), 'invalid', 'price'],
  ['says a number without bounds', () => ({ body: '{"price":1e999}' }), 'invalid', 'price'],
  ['says a number that is none', () => ({ body: '{"price":NaN}' }), 'invalid', null],
  ['says nothing', answering({}), 'invalid', 'price'],
  ['says another currency', answering({ price: 1, currency: 'JPY' }), 'invalid', 'currency'],
  ['says a name that is none', answering({ price: 1, name: 7 }), 'invalid', 'name'],
  ['says days in the wrong order', answering({ price: 1, min_days: 3, max_days: 2 }), 'invalid', 'max_days'],
  ['does not know what it says', answering({ offered: 'no' }), 'invalid', 'offered'],
]
for (const [what, answer, error, detail] of badAnswers) {
  test(`an app that ${what} leaves the rate its own price, and the merchant sees why`, async () => {
    const shop = await open(answer)
    assert.deepEqual(costsOf(await shop.shopper.begin(shop.cart)), [['standard', 12]])
    const { data } = await shop.api.get(`/v1/store/shipping-rates/${shop.rate.id}`)
    assert.deepEqual([data.quote_error, data.quote_error_detail], [error, detail])
    assert.notEqual(data.quote_failed_at, null)
  })
}

test('a rate whose app fails or declines is not offered where the merchant says so', async () => {
  const shop = await open(() => ({ status: 500 }), { quote_fallback: 'not_offered' })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 30 })
  const begin = () => shop.shopper.begin({ ...shop.cart, shipping_method: 'standard' })
  assert.deepEqual(faultsOf(await begin()), ['shipping_method: has no price at the moment'])
  shop.app.answer = answering({ offered: false, reason: 'too bulky' })
  assert.deepEqual(faultsOf(await begin()), ['shipping_method: is not offered for this cart: too bulky'])
  const others = await shop.shopper.begin(shop.cart)
  assert.deepEqual(costsOf(others), [['express', 30]])
})

test('completing keeps to the price of a fallback that was shown', async () => {
  const shop = await open(() => ({ status: 500 }))
  const begun = await shop.shopper.begin({ ...shop.cart, shipping_method: 'standard' })
  shop.app.answer = answering({ price: 7.5 })
  await world.clock.advance(5 * 60)
  const { order } = (await shop.shopper.complete(begun.data.token)).data
  assert.deepEqual([order.total, shop.app.received.length], [52, 1])
})

test('a cart that changes leaves the checkout its rate, which is asked about when the shopper is back', async () => {
  const shop = await open(answering({ price: 7.5 }), { quote_fallback: 'not_offered' })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 30 })
  const { token } = (await shop.shopper.begin({ ...shop.cart, shipping_method: 'standard' })).data
  const product = `/s/${shop.store.slug}/products/${shop.product.slug}`
  const added = await fetch(world.url + product, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: `stoa_checkout=${token}`,
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    },
    body: 'quantity=3',
  })
  assert.equal(added.status, 303)
  const kept = (await shop.shopper.read(token)).data
  assert.deepEqual([kept.items[0].quantity, kept.shipping_method, shop.app.received.length], [3, 'standard', 1])
  const back = (await shop.shopper.change(token, {})).data
  assert.deepEqual([back.shipping_method, back.totals.shipping, shop.app.received.length], ['standard', 7.5, 2])
})

test('a preview says where each price comes from', async () => {
  const shop = await open(answering({ price: 7.5 }))
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 30 })
  const preview = async () => {
    const { items } = shop.cart
    const { data } = await shop.api.post('/v1/store/shipping-rates/preview', { items, country_code: 'MX' })
    return data.shipping_rates.map((one: any) => [one.price, one.price_source, one.quote_error])
  }
  assert.deepEqual(await preview(), [
    [7.5, 'app', null],
    [30, 'rate', null],
  ])
  shop.app.answer = answering({ price: 'free' })
  assert.deepEqual((await preview())[0], [12, 'fallback', 'invalid'])
})

test('two rates are asked side by side', async () => {
  const shop = await open(answering({ price: 7.5 }))
  let waiting = 0
  const { promise: both, resolve } = Promise.withResolvers<void>()
  shop.app.answer = async () => {
    waiting += 1
    if (waiting === 2) resolve()
    await both
    return { body: JSON.stringify({ price: 5 }) }
  }
  const { data } = await shop.api.post('/v1/store/shipping-rates', {
    code: 'express',
    price: 30,
    quote_url: `${shop.app.url}/express`,
  })
  await shop.api.post(`/v1/store/shipping-rates/${data.id}/rotate-secret`)
  assert.deepEqual(costsOf(await shop.shopper.begin(shop.cart)), [
    ['standard', 5],
    ['express', 5],
  ])
})

test('shoppers at once get their own prices', async () => {
  const shop = await open(answering({ price: 7.5 }))
  shop.app.answer = ({ body }) => {
    const { subtotal } = JSON.parse(body.toString())
    return { body: JSON.stringify({ price: subtotal / 10 }) }
  }
  const prices = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const items = [{ product_id: shop.product.id, quantity: index + 1 }]
      const { data } = await shopperOf(world, shop).begin({ ...buyer(`b${index}@example.com`), items })
      return data.shipping_costs[0].price
    }),
  )
  assert.deepEqual(
    prices,
    Array.from({ length: 6 }, (_, index) => (index + 1) * 2),
  )
})

test('the secret is shown once and sealed, and without one nobody is asked', async () => {
  const shop = await world.newStore()
  const app = await running({ answer: answering({ price: 1 }) })
  const path = '/v1/store/shipping-rates'
  const { data } = await shop.api.post(path, { code: 'standard', price: 12, quote_url: app.url })
  const cart = { items: [{ product_id: (await productOf(shop)).id, quantity: 1 }], ...buyer() }
  assert.deepEqual(costsOf(await shopperOf(world, shop).begin(cart)), [['standard', 12]])
  assert.equal((await shop.api.get(`${path}/${data.id}`)).data.quote_error, 'no_secret')
  assert.equal(app.received.length, 0)
  const rotated = await shop.api.post(`${path}/${data.id}/rotate-secret`)
  assert.match(rotated.data.quote_secret, /^[0-9a-f]{64}$/)
  const { data: rate } = await shop.api.get(`${path}/${data.id}`)
  assert.equal(rate.quote_secret_last4, rotated.data.quote_secret.slice(-4))
  assert.equal('quote_secret' in rate, false)
  const rows = sql`select quote_secret from shipping_rates where store_id = ${shop.store.id}`
  const [row] = await world.app.db.rows<{ quote_secret: string }>(rows)
  assert.equal(row!.quote_secret.includes(rotated.data.quote_secret), false)
  assert.deepEqual(faultsOf(await shop.api.patch(`${path}/${data.id}`, { quote_url: 'http://example.com' })), [
    'quote_url: must start with https://',
  ])
  const facts = await shopperOf(world, shop).get()
  assert.equal(JSON.stringify(facts.data).includes('quote'), false, 'shoppers do not see it')
})

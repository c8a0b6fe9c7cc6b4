import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buyer, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { conforms, type Fake } from '../../../../test/conformance.ts'
import { openStripeFake, secretKey, webhookSecret } from '../../../../test/stripefake.ts'
import { openWorld } from '../../../../test/world.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import type { CallContext } from '../provider.ts'
import { stripe } from './stripe.ts'

const service = await openStripeFake()
after(() => service.close())

const sessionOf = (reference: string) => service.sessions.get(reference)!

const fake: Fake = {
  apiUrl: service.url,
  settings: { secret_key: secretKey, webhook_secret: webhookSecret },
  approve: async (reference) => service.pay(reference),
  decline: async (reference) => service.pay(reference, 'requires_payment_method'),
  async payLate(reference) {
    service.pay(reference, 'processing')
    return { comeIn: async () => service.pay(reference) }
  },
  expire: async (reference) => void (sessionOf(reference).status = 'expired'),
  breakAnswers: (how) => (service.faults.after = how),
  refundsOf: (reference) =>
    service.refunds
      .filter((refund) => refund.payment_intent === sessionOf(reference).intent)
      .map(({ amount }) => amount),
  hook(reference, { secondsAgo = 0, secret, lies = false } = {}) {
    const timestamp = Math.floor(Date.now() / 1000) - secondsAgo
    const object = {
      id: reference,
      object: 'checkout.session',
      ...(lies ? { amount_total: 1, payment_status: 'paid' } : {}),
    }
    return service.event('checkout.session.completed', object, {
      timestamp,
      ...(secret === undefined ? {} : { secret }),
    })
  },
  sign: (raw) => service.sign(raw.toString()),
  failRefund: (_reference, reason) => void service.failRefund(service.refunds.at(-1)!, reason),
  dispute(reference, { minor, reason, due }) {
    const dispute = service.dispute(reference, { amount: minor, reason, due_by: due.getTime() / 1000 })
    const statuses = { review: 'under_review', win: 'won', lose: 'lost' }
    return (to) => void (dispute.status = statuses[to])
  },
  currencies: [
    { currency: 'USD', amount: 10.05, minor: 1005 },
    { currency: 'JPY', amount: 500, minor: 500 },
    { currency: 'CLP', amount: 12990, minor: 12990 },
    { currency: 'COP', amount: 50_000.5, minor: 5_000_050 },
    { currency: 'KWD', amount: 1.23, minor: 1230, unfit: 1.234 },
    { currency: 'ISK', amount: 500, minor: 50_000 },
    { currency: 'UGX', amount: 5000, minor: 500_000 },
    { currency: 'MGA', amount: 700, minor: 700, unfit: 700.5 },
  ],
  askedOf: (reference) => sessionOf(reference).amount_total,
}

conforms('stripe', stripe, fake)

const at = (): CallContext => ({
  settings: fake.settings,
  currency: 'EUR',
  returnUrl: 'https://shop.example/return',
  cancelUrl: 'https://shop.example/checkout',
  apiUrl: service.url,
  now: new Date(),
  signal: AbortSignal.timeout(5_000),
  fetch,
})

async function paid(): Promise<string> {
  const session = { id: newUuid(), amount: 25.9, currency: 'EUR', description: 'Two things' }
  const begun = await stripe.createPayment(session, at())
  assert.ok('reference' in begun)
  service.pay(begun.reference)
  return begun.reference
}

test('a refund that Stripe has not made yet is pending, and counts when it is', async (t) => {
  const reference = await paid()
  service.faults.refundStatus = 'pending'
  t.after(() => (service.faults.refundStatus = 'succeeded'))
  const key = newUuid()
  const moved = await stripe.refund(reference, 5.9, key, at())
  assert.ok('status' in moved && moved.status === 'pending')
  assert.equal((await stripe.fetchState(reference, at())).refunded, 0)
  service.refunds.at(-1)!.status = 'succeeded'
  assert.equal((await stripe.fetchState(reference, at())).refunded, 5.9)
  assert.deepEqual(await stripe.refund(reference, 5.9, key, at()), { ...moved, status: 'done' })
})

test('a refund that failed is refused to its key, and another may be made', async () => {
  const reference = await paid()
  const key = newUuid()
  await stripe.refund(reference, 25.9, key, at())
  service.failRefund(service.refunds.at(-1)!)
  const { refunded, failed_refunds } = await stripe.fetchState(reference, at(), { refunded: 25.9 })
  assert.deepEqual([refunded, failed_refunds], [0, [{ key, reason: 'expired_or_canceled_card' }]])
  assert.ok('refused' in (await stripe.refund(reference, 25.9, key, at())))
  assert.ok('reference' in (await stripe.refund(reference, 25.9, newUuid(), at())))
})

test('a refund is found by its key after Stripe has forgotten the key', async () => {
  const reference = await paid()
  const first = await stripe.refund(reference, 5.9, 'a key of yesterday', at())
  service.forgetKeys()
  assert.deepEqual(await stripe.refund(reference, 5.9, 'a key of yesterday', at()), first)
})

test('a payment that the bank must confirm requires action', async () => {
  const begun = await stripe.createPayment(
    { id: newUuid(), amount: 25.9, currency: 'EUR', description: 'Two things' },
    at(),
  )
  assert.ok('reference' in begun)
  service.pay(begun.reference, 'requires_action')
  assert.equal((await stripe.fetchState(begun.reference, at())).status, 'requires_action')
})

test('who is invoiced is the customer of the session, if the key may create customers', async () => {
  const world = await openWorld({ STRIPE_API_URL: service.url })
  const shop = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  const settings = { secret_key: secretKey, webhook_secret: webhookSecret }
  await shop.api.post('/v1/store/payment-methods', { code: 'card', provider: 'stripe', settings })
  const { id } = await productOf(shop)
  const billing_address = {
    company: 'Torres GmbH',
    address: 'Rue 1',
    city: 'Lyon',
    postal_code: '69001',
    country_code: 'FR',
  }
  const pay = async (body: object) => {
    const shopper = shopperOf(world, shop)
    const items = [{ product_id: id, quantity: 1 }]
    const { token } = (await shopper.begin({ ...buyer(), items, payment_method: 'card', ...body })).data
    assert.equal((await shopper.complete(token)).status, 202)
    return [...service.sessions.values()].at(-1)!.params.customer
  }
  const customer = await pay({ billing_address })
  const { name, email, address } = service.customers.find((one) => one.id === customer)!
  assert.deepEqual([name, email], ['Torres GmbH', buyer().customer.email])
  assert.deepEqual(address, { line1: 'Rue 1', city: 'Lyon', postal_code: '69001', country: 'FR' })
  assert.equal(await pay({}), undefined)
  service.faults.refusesCustomers = true
  assert.equal(await pay({ billing_address }), undefined)
  service.faults.refusesCustomers = false
})

test('inquiries of banks are disputes too', async () => {
  const reference = await paid()
  const dispute = service.dispute(reference, { amount: 2590 })
  const seen = async () => (await stripe.fetchState(reference, at())).disputes!
  for (const [status, as] of [
    ['warning_needs_response', 'needs_response'],
    ['warning_under_review', 'under_review'],
    ['warning_closed', 'won'],
    ['prevented', 'won'],
  ]) {
    dispute.status = status!
    assert.equal((await seen())[0]!.status, as, status)
  }
})

test('with a voucher to pay elsewhere the page is over, and Stripe is at it', async () => {
  const session = { id: newUuid(), amount: 25.9, currency: 'MXN', description: 'Two things' }
  const begun = await stripe.createPayment(session, at())
  assert.ok('reference' in begun)
  service.pay(begun.reference, 'requires_action')
  assert.equal((await stripe.fetchState(begun.reference, at())).status, 'requires_action')
  sessionOf(begun.reference).status = 'complete'
  assert.equal((await stripe.fetchState(begun.reference, at())).status, 'processing')
})

test('events that name a payment intent lead to its session, and those of other payments to none', async () => {
  const reference = await paid()
  const { intent } = sessionOf(reference)
  const hear = async ({ raw, headers }: ReturnType<typeof service.event>) => {
    const heard = await stripe.parseWebhook(raw, headers, at())
    assert.ok(heard !== null && heard !== 'malformed')
    return heard
  }
  const of = { object: 'charge', id: 'ch_1', payment_intent: intent }
  assert.equal((await hear(service.event('charge.refunded', of))).reference, reference)
  const itself = { object: 'payment_intent', id: intent }
  assert.equal((await hear(service.event('payment_intent.succeeded', itself))).reference, reference)
  assert.equal((await hear(service.event('charge.refunded', { ...of, payment_intent: 'pi_other' }))).reference, null)
  assert.equal((await hear(service.event('customer.created', { object: 'customer', id: 'cus_1' }))).reference, null)
})

test('the order is one line of its whole total, and the shopper comes back to the shop', async () => {
  const reference = await paid()
  const { params } = sessionOf(reference)
  assert.deepEqual(params.line_items[0], {
    quantity: '1',
    price_data: { currency: 'eur', unit_amount: '2590', product_data: { name: 'Two things' } },
  })
  assert.deepEqual([params.success_url, params.cancel_url], [at().returnUrl, at().cancelUrl])
})

test('without an address of the operator, Stripe itself is asked and its pages are allowed', () => {
  assert.deepEqual(stripe.origins({ settings: {}, apiUrl: null }), ['https://checkout.stripe.com'])
})

test('a checkout is paid at Stripe, and its signed webhook places the order', async () => {
  const world = await openWorld({ STRIPE_API_URL: service.url })
  const shop = await world.newStore()
  const product = await productOf(shop, { price: 25.9 })
  const settings = { secret_key: secretKey, webhook_secret: webhookSecret }
  const { data: method } = await shop.api.post('/v1/store/payment-methods', {
    code: 'card',
    provider: 'stripe',
    settings,
  })
  assert.deepEqual(method.settings, { secret_key: 'set', webhook_secret: 'set' })
  const shopper = shopperOf(world, shop)
  const { data: checkout } = await shopper.begin({
    items: [{ product_id: product.id, quantity: 2 }],
    ...buyer(),
    payment_method: 'card',
  })
  const { status, data } = await shopper.complete(checkout.token)
  assert.equal(status, 202)
  const reference = data.payment.redirect_url.split('/').at(-1)
  assert.equal(sessionOf(reference).amount_total, 5180)
  service.pay(reference)
  const { raw, headers } = fake.hook(reference)
  const send = (signed: Record<string, string>) =>
    fetch(world.url + new URL(method.webhook_url).pathname, { method: 'POST', body: raw, headers: signed })
  assert.equal((await send({ 'stripe-signature': 't=1,v1=forged' })).status, 401)
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
  const malformed = service.sign('not json')
  const answer = await fetch(world.url + new URL(method.webhook_url).pathname, {
    method: 'POST',
    body: malformed.raw,
    headers: malformed.headers,
  })
  assert.deepEqual([answer.status, ((await answer.json()) as any).error.code], [400, 'BAD_REQUEST'])
  for (let times = 0; times < 2; times++) assert.equal((await send(headers)).status, 200)
  const { data: orders } = await shop.api.get('/v1/orders')
  assert.deepEqual(
    orders.map(({ payment_status, total }: any) => [payment_status, total]),
    [['paid', 51.8]],
  )
  assert.equal((await shopper.complete(checkout.token)).data.order.id, orders[0].id)
})

// Changes of a payment after its order was placed, which the provider reports late or never.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../../test/deliveries.ts'
import { buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openStripeFake, secretKey, webhookSecret } from '../../../test/stripefake.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const service = await openStripeFake()
after(() => service.close())
const world = await openWorld({ STRIPE_API_URL: service.url }, { sweeps: true })

const hour = 3600
const day = 24 * hour

/** An order of two at 20, paid at Stripe and placed by the shopper who comes back. */
async function paidOrder() {
  const shop = await world.newStore()
  await shop.api.patch('/v1/store', { notification_email: 'owner@example.com' })
  const product = await productOf(shop, { price: 20, stock: 9 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const settings = { secret_key: secretKey, webhook_secret: webhookSecret }
  const { data: method } = await shop.api.post('/v1/store/payment-methods', {
    code: 'card',
    provider: 'stripe',
    settings,
  })
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: product.id, quantity: 2 }]
  const { data: checkout } = await shopper.begin({ items, ...buyer(), payment_method: 'card' })
  const { data } = await shopper.complete(checkout.token)
  const reference: string = data.payment.redirect_url.split('/').at(-1)
  service.pay(reference)
  const { data: done } = await shopper.complete(checkout.token)
  await shop.events()
  return { ...shop, order: done.order.id as string, reference, method, product }
}

type Sale = Awaited<ReturnType<typeof paidOrder>>

/** A dispute as Stripe reports it. */
async function tell({ method, reference }: Sale, type: string, object: object): Promise<void> {
  const about = { payment_intent: service.sessions.get(reference)!.intent, ...object }
  const timestamp = Math.floor(world.clock.now().getTime() / 1000)
  const { raw, headers } = service.event(type, about, { timestamp })
  const path = new URL(method.webhook_url).pathname
  const { status } = await fetch(world.url + path, { method: 'POST', body: raw, headers })
  assert.equal(status, 200)
}

const paymentOf = async ({ api, order }: Sale) => (await api.get(`/v1/orders/${order}/payments`)).data[0]
const amountsOf = async ({ api, order }: Sale) => {
  const { payment_status, captured_amount, refunded_amount } = (await api.get(`/v1/orders/${order}`)).data
  return [payment_status, captured_amount, refunded_amount]
}
const spentBy = async ({ api }: Sale) => (await api.get('/v1/customers')).data[0].total_spent

async function refund({ api, order }: Sale, body: object = {}): Promise<any> {
  const { data, status } = await api.post(`/v1/orders/${order}/refunds`, body)
  assert.equal(status, 201, JSON.stringify(data))
  const read = async () => (await api.get(`/v1/orders/${order}/refunds/${data.id}`)).data
  await until(async () => (await read()).status !== 'pending')
  return read()
}

const recheck = () => world.app.jobs.run('recheck payments')

async function agree(sale: TestStore): Promise<void> {
  const { data } = await sale.api.get('/v1/ledger/verify')
  assert.deepEqual(data.disagreements, [])
  await assertSums(world, sale)
}

const mailsOf = async ({ api }: TestStore, kind: string) => (await api.get(`/v1/mails?kind=${kind}`)).data

const updated = (sale: Sale, payment_status: string) => ['order.updated', { id: sale.order, payment_status }]
const eventsOf = async (sale: Sale) => (await sale.events()).map(({ event, body }: any) => [event, body.order])

test('a refund that the bank sends back days later has failed, and can be made again', async () => {
  const sale = await paidOrder()
  const { id } = await refund(sale)
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  assert.equal(await spentBy(sale), 0)
  await sale.events()

  world.clock.advance(4 * day)
  service.failRefund(service.refunds.at(-1)!)
  for (let times = 0; times < 2; times++) await tell(sale, 'refund.failed', { object: 'refund' })
  const failed = (await sale.api.get(`/v1/orders/${sale.order}/refunds/${id}`)).data
  assert.deepEqual(
    [failed.status, failed.failure_reason, failed.succeeded_at],
    ['failed', 'expired_or_canceled_card', null],
  )
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])
  assert.equal(await spentBy(sale), 40)
  const payment = await paymentOf(sale)
  assert.deepEqual([payment.trouble, payment.needs_review, payment.refunded_amount], ['refund_failed', true, 0])
  const reversed = payment.events.filter(({ kind }: any) => kind === 'refund_reversed')
  assert.deepEqual(
    reversed.map(({ amount, reason }: any) => [amount, reason]),
    [[40, 'expired_or_canceled_card']],
  )
  assert.deepEqual(await eventsOf(sale), [updated(sale, 'paid')])
  const [mail, ...more] = await mailsOf(sale, 'refund_failed')
  assert.deepEqual([mail.order_id, mail.payment_id, more], [sale.order, payment.id, []])
  await agree(sale)

  const { data: left } = await sale.api.get(`/v1/orders/${sale.order}/refundable`)
  assert.deepEqual([left.amount, left.items[0].quantity], [40, 2])
  const again = await refund(sale, { items: [{ item_id: left.items[0].item_id, quantity: 2 }] })
  assert.equal(again.status, 'succeeded')
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  // The goods came back once.
  assert.equal((await sale.api.get(`/v1/products/${sale.product.id}`)).data.stock_quantity, 9)
  await agree(sale)
})

test('of several refunds only the one that failed is undone, and the order stays paid', async () => {
  const sale = await paidOrder()
  const { data: left } = await sale.api.get(`/v1/orders/${sale.order}/refundable`)
  const one = { items: [{ item_id: left.items[0].item_id, quantity: 1 }] }
  await refund(sale, one)
  await refund(sale, one)
  await sale.events()
  service.failRefund(service.refunds.at(-2)!)
  await tell(sale, 'refund.failed', { object: 'refund' })
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 20])
  const { data: after } = await sale.api.get(`/v1/orders/${sale.order}/refundable`)
  assert.deepEqual([after.amount, after.items[0].quantity], [20, 1])
  await agree(sale)
})

test('a partial refund that fails is a payment change, though the payment status stays', async () => {
  const sale = await paidOrder()
  await refund(sale, { amount: 5 })
  await sale.events()
  service.failRefund(service.refunds.at(-1)!)
  await tell(sale, 'refund.failed', { object: 'refund' })
  assert.deepEqual(await eventsOf(sale), [updated(sale, 'paid')])
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])
  await agree(sale)
})

test('a refund made at the provider that fails leaves the order paid, and asks for attention', async () => {
  const sale = await paidOrder()
  const payment_intent = service.sessions.get(sale.reference)!.intent!
  service.refunds.push({ id: 're_own', payment_intent, amount: 4000, status: 'succeeded', metadata: {} })
  await tell(sale, 'charge.refunded', { object: 'charge' })
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  service.failRefund(service.refunds.at(-1)!)
  await tell(sale, 'refund.failed', { object: 'refund' })
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])
  const { trouble, needs_review, events } = await paymentOf(sale)
  assert.deepEqual([trouble, needs_review], ['refund_failed', true])
  assert.equal(events.find(({ kind }: any) => kind === 'refund_reversed').reason, 'expired_or_canceled_card')
  await agree(sale)
})

test('a dispute is shown with its due date until it is won', async () => {
  const sale = await paidOrder()
  const dispute = service.dispute(sale.reference, { amount: 4000, due_by: 1_900_000_000 })
  const told = { object: 'dispute', id: dispute.id }
  await tell(sale, 'charge.dispute.created', told)
  const opened = await paymentOf(sale)
  assert.deepEqual([opened.trouble, opened.needs_review], ['disputed', true])
  const [{ id, created_at, updated_at, ...first }] = opened.disputes
  assert.match(id, /^dsp_/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(first, {
    reference: dispute.id,
    status: 'needs_response',
    amount: 40,
    currency: 'USD',
    reason: 'product_not_received',
    evidence_due_at: new Date(1_900_000_000_000).toISOString(),
    closed_at: null,
  })
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])

  world.clock.advance(day)
  dispute.status = 'under_review'
  await tell(sale, 'charge.dispute.updated', told)
  const [reviewed] = (await paymentOf(sale)).disputes
  assert.deepEqual([reviewed.id, reviewed.status, reviewed.closed_at], [id, 'under_review', null])

  dispute.status = 'won'
  await tell(sale, 'charge.dispute.closed', told)
  const won = await paymentOf(sale)
  assert.deepEqual([won.trouble, won.needs_review], [null, false])
  assert.deepEqual([won.disputes[0].status, won.disputes[0].closed_at === null], ['won', false])
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])
  const kinds = won.events.map(({ kind }: any) => kind).filter((kind: string) => kind.startsWith('dispute'))
  assert.deepEqual(kinds, ['disputed', 'dispute_won'])
  for (const kind of ['dispute_opened', 'dispute_closed']) assert.equal((await mailsOf(sale, kind)).length, 1, kind)
  await agree(sale)
})

test('a lost dispute counts as refunded and cannot be refunded again', async () => {
  const sale = await paidOrder()
  const dispute = service.dispute(sale.reference, { amount: 4000 })
  dispute.status = 'lost'
  for (let times = 0; times < 2; times++) await tell(sale, 'charge.dispute.closed', { object: 'dispute' })
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  const payment = await paymentOf(sale)
  assert.deepEqual([payment.trouble, payment.needs_review], ['dispute_lost', true])
  assert.deepEqual([payment.captured_amount, payment.refunded_amount, payment.lost_amount], [40, 40, 40])
  assert.deepEqual(await eventsOf(sale), [updated(sale, 'refunded')])
  assert.equal((await sale.api.post(`/v1/orders/${sale.order}/refunds`)).status, 422)
  await agree(sale)

  // Banks change their mind.
  dispute.status = 'won'
  await tell(sale, 'charge.dispute.funds_reinstated', { object: 'dispute' })
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 0])
  const again = await paymentOf(sale)
  assert.deepEqual([again.trouble, again.needs_review, again.lost_amount], [null, false, 0])
  await agree(sale)
})

test('a lost dispute beside refunds counts no more than what was left', async () => {
  const sale = await paidOrder()
  await refund(sale, { amount: 15 })
  service.dispute(sale.reference, { amount: 4000 }).status = 'lost'
  await tell(sale, 'charge.dispute.closed', { object: 'dispute' })
  const { lost_amount, refunded_amount } = await paymentOf(sale)
  assert.deepEqual([lost_amount, refunded_amount], [25, 40])
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  await agree(sale)
})

test("a total below the provider's minimum is refused before the shopper leaves", async () => {
  const shop = await world.newStore()
  const product = await productOf(shop, { price: 0.49, stock: 9 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const settings = { secret_key: secretKey }
  await shop.api.post('/v1/store/payment-methods', { code: 'card', provider: 'stripe', settings })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const shopper = shopperOf(world, shop)
  const begin = async (quantity: number, payment_method = 'card') => {
    const items = [{ product_id: product.id, quantity }]
    return (await shopper.begin({ items, ...buyer(), payment_method })).data.token
  }
  const before = service.sessions.size
  const refused = await shopper.complete(await begin(1))
  assert.equal(refused.status, 422)
  assert.deepEqual(
    (refused.error.details as any[]).map(({ field, message }) => [field, message]),
    [['payment_method', 'requires an order of at least 0.5 USD; choose another']],
  )
  assert.equal(service.sessions.size, before)
  assert.equal((await shopper.complete(await begin(1, 'cod'))).status, 201)
  assert.equal((await shopper.complete(await begin(2))).status, 202)
  assert.equal(service.sessions.size, before + 1)
})

test('changes without a webhook are found: hourly at first, then daily, then weekly for four months', async () => {
  const sale = await paidOrder()
  world.clock.advance(hour)
  await recheck()
  assert.equal((await paymentOf(sale)).trouble, null)
  const payment_intent = service.sessions.get(sale.reference)!.intent!
  service.refunds.push({ id: 're_own', payment_intent, amount: 1000, status: 'succeeded', metadata: {} })
  world.clock.advance(hour)
  await recheck()
  assert.deepEqual(await amountsOf(sale), ['paid', 40, 10])

  for (let days = 0; days < 40; days++) {
    world.clock.advance(day)
    await recheck()
  }
  service.dispute(sale.reference, { amount: 3000 })
  world.clock.advance(8 * day)
  await recheck()
  assert.equal((await paymentOf(sale)).trouble, 'disputed')
  // While it is open it is asked for daily, however old the payment.
  world.clock.advance(100 * day)
  await recheck()
  service.disputes.at(-1)!.status = 'lost'
  world.clock.advance(day + hour)
  await recheck()
  assert.deepEqual(await amountsOf(sale), ['refunded', 40, 40])
  await agree(sale)
})

test('a payment of four months ago is not checked again, and a provider that is away changes nothing', async () => {
  const sale = await paidOrder()
  const before = await paymentOf(sale)
  service.faults.after = 'rubbish'
  world.clock.advance(2 * hour)
  await recheck()
  service.faults.after = null
  assert.deepEqual(await paymentOf(sale), before)
  world.clock.advance(121 * day)
  await recheck()
  service.dispute(sale.reference, { amount: 4000 })
  world.clock.advance(30 * day)
  await recheck()
  assert.equal((await paymentOf(sale)).trouble, null)
})

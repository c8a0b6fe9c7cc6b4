import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf } from '../../../../test/checkouts.ts'
import { fakeProvider, payingShop, type Payment } from '../../../../test/payments.ts'
import { openWorld } from '../../../../test/world.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { sandbox } from '../../../commerce/payments/providers/sandbox.ts'
import { settlePayment } from './settle.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

const lookAgain = (seconds = 180) => {
  world.clock.advance(seconds)
  return world.app.jobs.run('look at payments')
}

type Shop = Awaited<ReturnType<typeof payingShop>>

async function paymentsOf({ api }: Shop, query = '') {
  return (await api.get(`/v1/payments${query}`)).data
}

async function ordersOf({ api }: Shop) {
  return (await api.get('/v1/orders')).data
}

function hook({ store }: Shop, { reference }: Payment, { eventId = 'evt_1', signature = 'right', path = 'card' } = {}) {
  return fetch(`${world.url}/payments/${store.id}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': signature },
    body: JSON.stringify({ eventId, reference, captured: 1_000_000 }),
  })
}

test('a remote payment answers with the payment page, and with the order once it is paid', async () => {
  const shop = await payingShop(world)
  const { token, id } = await shop.begin()
  const payments = psp.calls.createPayment
  const told = await shop.shopper.complete(token)
  const payment = psp.last()
  assert.deepEqual(
    [told.status, told.data],
    [
      202,
      {
        order: null,
        payment: {
          method: 'card',
          instructions: null,
          status: 'requires_action',
          redirect_url: `https://pay.example/${payment.reference}`,
        },
      },
    ],
  )
  assert.deepEqual(await ordersOf(shop), [])
  assert.deepEqual((await shop.shopper.complete(token)).data, told.data, 'again, it is the same')
  assert.equal(psp.calls.createPayment, payments + 1)
  psp.pay(payment)
  const placed = await shop.shopper.complete(token)
  assert.equal(placed.status, 201)
  const { payment_status, total, order_number } = placed.data.order
  assert.deepEqual([payment_status, total, order_number], ['paid', 20, 1001])
  assert.deepEqual((await shop.shopper.complete(token)).data, placed.data)
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.captured_amount, order.refunded_amount, order.payment_method], [20, 0, 'card'])
  const {
    data: [known],
    body: { pagination },
  } = await shop.api.get(`/v1/orders/${order.id}/payments`)
  assert.equal(pagination.total, 1)
  assert.deepEqual(
    [known.order_id, known.checkout_id, known.provider, known.status, known.amount, known.captured_amount],
    [order.id, id, 'sandbox', 'captured', 20, 20],
  )
  assert.deepEqual(
    known.events.map(({ kind, amount }: any) => [kind, amount]),
    [['captured', 20]],
  )
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['customer.created', 'order.created', 'checkout.completed'],
  )
})

test('the return, the webhook and the job at once place one order', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  world.clock.advance(180)
  const answers = await Promise.all([
    ...[1, 2, 3].map(() => shop.shopper.complete(token)),
    ...['evt_a', 'evt_b', 'evt_a'].map((eventId) => hook(shop, psp.last(), { eventId })),
    world.app.jobs.run('look at payments'),
  ])
  const orders = await ordersOf(shop)
  assert.equal(orders.length, 1)
  for (const answer of answers.slice(0, 3) as any[]) assert.equal(answer.data.order.id, orders[0].id)
  for (const answer of answers.slice(3, 6) as Response[]) assert.equal(answer.status, 200)
  const [payment] = await paymentsOf(shop)
  assert.deepEqual([payment.captured_amount, orders[0].captured_amount], [20, 20])
})

test('a webhook that comes before the shopper places the order; replayed, nothing happens', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  assert.equal((await hook(shop, psp.last())).status, 200)
  const [order] = await ordersOf(shop)
  assert.equal(order.captured_amount, 20)
  const looks = psp.calls.fetchState
  assert.equal((await hook(shop, psp.last())).status, 200)
  assert.equal(psp.calls.fetchState, looks, 'a replay asks nobody')
  assert.equal((await shop.shopper.complete(token)).data.order.id, order.id)
})

test('an address may send 1,000 webhooks a minute that are refused, and any number that are not', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  world.clock.advance(61)
  const forged = async () => (await hook(shop, payment, { signature: 'wrong' })).status
  for (let sent = 0; sent < 1000; sent += 50) {
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, forged))), new Set([401]))
    if (sent === 950) break
    assert.equal((await hook(shop, payment)).status, 200)
  }
  assert.equal(await forged(), 429)
  world.clock.advance(61)
  assert.equal(await forged(), 401)
})

test('a webhook that is forged, foreign or about nothing is refused, and sets off nothing', async () => {
  const [shop, other] = [await payingShop(world), await payingShop(world)]
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  const looks = psp.calls.fetchState
  const statusOf = async (answer: Promise<Response>) => {
    const { status, body } = { status: (await answer).status, body: (await (await answer).json()) as any }
    assert.ok(body.error.code && body.error.message)
    return status
  }
  assert.equal(await statusOf(hook(shop, psp.last(), { signature: 'wrong' })), 401)
  assert.equal(await statusOf(hook(other, psp.last())), 404, 'the payment of another store')
  assert.equal(await statusOf(hook(shop, psp.last(), { path: 'cash' })), 404)
  assert.equal(await statusOf(hook({ ...shop, store: { ...shop.store, id: 'QN-00000000' } }, psp.last())), 404)
  const big = await fetch(`${world.url}/payments/${shop.store.id}/card`, { method: 'POST', body: 'x'.repeat(300_000) })
  assert.equal(big.status, 413)
  assert.equal(psp.calls.fetchState, looks)
  assert.deepEqual(await ordersOf(shop), [])
})

test('a payment that is declined places nothing; trying again asks anew', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.last().status = 'failed'
  const declined = await shop.shopper.complete(token)
  assert.deepEqual([declined.status, faultsOf(declined)], [422, ['payment_method: was declined']])
  const again = await shop.shopper.complete(token)
  assert.equal(again.status, 202)
  assert.equal((await paymentsOf(shop)).length, 2)
  psp.pay(psp.last())
  assert.equal((await shop.shopper.complete(token)).status, 201)
})

test('another total opens another payment, and money of the first is refunded', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const first = psp.last()
  psp.on.cancel = () => ({ refused: 'the shopper is at it' })
  await shop.shopper.change(token, { items: [{ product_id: shop.thing.id, quantity: 2 }] })
  assert.equal((await shop.shopper.complete(token)).status, 202)
  const second = psp.last()
  assert.notEqual(second.reference, first.reference)
  delete psp.on.cancel
  psp.pay(first)
  psp.pay(second)
  await lookAgain()
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.total, order.captured_amount], [40, 40])
  assert.deepEqual([first.refunded, second.refunded], [20, 0])
  const [attention] = await paymentsOf(shop, '?needs_review=true')
  assert.deepEqual(
    [attention.reference, attention.trouble, attention.refunded_amount],
    [first.reference, 'replaced', 20],
  )
})

test('an unpaid payment is cancelled when the total changes', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const first = psp.last()
  await shop.shopper.change(token, { items: [{ product_id: shop.thing.id, quantity: 2 }] })
  await shop.shopper.complete(token)
  assert.equal(first.status, 'cancelled')
  assert.deepEqual(await paymentsOf(shop, '?needs_review=true'), [])
})

test('money is refunded at once when the last item is sold, and shopper and merchant are told', async () => {
  const shop = await payingShop(world, { stock: 1 })
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  psp.pay(psp.last())
  const refused = await shop.shopper.complete(token)
  assert.equal(refused.status, 422)
  assert.match(faultsOf(refused)[0]!, /^payment_method: .*the payment is being refunded/)
  assert.equal(psp.last().refunded, 20)
  assert.deepEqual(await ordersOf(shop), [])
  const [payment] = await paymentsOf(shop, '?needs_review=true')
  assert.deepEqual(
    [payment.trouble, payment.order_id, payment.captured_amount, payment.refunded_amount],
    ['order_refused', null, 20, 20],
  )
  assert.deepEqual(
    payment.events.map(({ kind }: any) => kind),
    ['captured', 'refund_asked', 'refunded'],
  )
  const seen = await shop.api.patch(`/v1/payments/${payment.id}`, { needs_review: false })
  assert.deepEqual([seen.status, seen.data.needs_review], [200, false])
  assert.deepEqual(await paymentsOf(shop, '?needs_review=true'), [])
  await hook(shop, psp.last())
  await lookAgain()
  assert.equal(psp.last().refunded, 20, 'and no more')
})

test('completing again after a refund reports the payment and the faults', async () => {
  const shop = await payingShop(world, { stock: 1 })
  await shop.api.patch('/v1/store', { notification_email: 'owner@example.com' })
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  psp.pay(psp.last())
  assert.equal((await hook(shop, psp.last())).status, 200)
  const mailed = async (kind: string) => (await shop.api.get(`/v1/mails?kind=${kind}`)).data
  const [[toShopper], [toMerchant]] = [await mailed('payment_returned'), await mailed('payment_returned_notice')]
  assert.match(toShopper.recipient, /^ana\d+@example\.com$/)
  assert.deepEqual([toMerchant.payment_id, toShopper.payment_id].map(Boolean), [true, true])
  for (let times = 0; times < 2; times++) {
    const again = await shop.shopper.complete(token)
    assert.equal(again.status, 422)
    assert.match(faultsOf(again)[0]!, /^payment_method: was paid, but .*the payment is being refunded/)
    assert.match(faultsOf(again)[1]!, /^items\.0\.quantity: is sold out/)
  }
  assert.deepEqual(
    [(await mailed('payment_returned')).length, (await mailed('payment_returned_notice')).length],
    [1, 1],
  )
})

test('if the order is possible again, the refund is reported once, and the shopper may pay again', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  await shop.api.patch(`/v1/products/${shop.thing.id}`, { price: 19 })
  psp.pay(psp.last())
  assert.equal((await hook(shop, psp.last())).status, 200)
  const told = await shop.shopper.complete(token)
  assert.deepEqual([told.status, faultsOf(told).length], [422, 1])
  assert.match(faultsOf(told)[0]!, /^payment_method: was paid, but/)
  assert.equal((await shop.shopper.complete(token)).status, 202)
  psp.pay(psp.last())
  const placed = await shop.shopper.complete(token)
  assert.deepEqual([placed.status, placed.data.order.total], [201, 19])
})

test('a payment in processing sends nobody to its page again', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.last().status = 'processing'
  for (let times = 0; times < 2; times++) {
    const { status, data } = await shop.shopper.complete(token)
    assert.deepEqual([status, data.payment.status, data.payment.redirect_url], [202, 'processing', null])
  }
  psp.on.fetchState = () => {
    throw new Error('away')
  }
  assert.equal((await shop.shopper.complete(token)).data.payment.redirect_url, null)
  delete psp.on.fetchState
  psp.pay(psp.last())
  assert.equal((await shop.shopper.complete(token)).status, 201)
})

test('of two who pay for the last item, one gets it and the other a refund', async () => {
  const shop = await payingShop(world, { stock: 1 })
  const tokens = [(await shop.begin()).token, (await shop.begin()).token]
  for (const token of tokens) {
    await shop.shopper.complete(token)
    psp.pay(psp.last())
  }
  const answers = await Promise.all(tokens.map((token) => shop.shopper.complete(token)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422])
  assert.deepEqual(
    psp.payments
      .slice(-2)
      .map(({ refunded }) => refunded)
      .sort(),
    [0, 20],
  )
})

test('a price that has changed meanwhile gives the money back', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  await shop.api.patch(`/v1/products/${shop.thing.id}`, { price: 19 })
  psp.pay(psp.last())
  assert.equal((await hook(shop, psp.last())).status, 200)
  assert.deepEqual(await ordersOf(shop), [])
  const [payment] = await paymentsOf(shop)
  assert.deepEqual([payment.trouble, payment.refunded_amount, psp.last().refunded], ['total_changed', 20, 20])
})

test('a wrong amount or currency places no order and is refunded', async () => {
  for (const [more, paid] of [
    [{ captured: 19.99 }, 19.99],
    [{ currency: 'EUR' }, 20],
    [{ captured: 21 }, 21],
  ] as const) {
    const shop = await payingShop(world)
    const { token } = await shop.begin()
    await shop.shopper.complete(token)
    psp.pay(psp.last(), more)
    assert.equal((await shop.shopper.complete(token)).status, 422)
    const [payment] = await paymentsOf(shop)
    assert.deepEqual([payment.trouble, payment.captured_amount, psp.last().refunded], ['amount_differs', paid, paid])
    assert.deepEqual(await ordersOf(shop), [])
  }
})

test('money that is only held makes an order that is not paid yet; captured, it is', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last(), { status: 'authorized', authorized: 20, captured: 0 })
  const { order } = (await shop.shopper.complete(token)).data
  assert.equal(order.payment_status, 'pending')
  await shop.events()
  psp.pay(psp.last(), { authorized: 20 })
  await hook(shop, psp.last())
  const after = (await shop.api.get(`/v1/orders/${order.id}`)).data
  assert.deepEqual([after.payment_status, after.captured_amount], ['paid', 20])
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order]),
    [['order.updated', { id: order.id, payment_status: 'paid' }]],
  )
})

test('a refund made at the provider is recorded on the order', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  const { order } = (await shop.shopper.complete(token)).data
  const amountsAfter = async (refunded: number, eventId: string) => {
    psp.last().refunded = refunded
    await hook(shop, psp.last(), { eventId })
    const { refunded_amount, payment_status } = (await shop.api.get(`/v1/orders/${order.id}`)).data
    return [refunded_amount, payment_status]
  }
  assert.deepEqual(await amountsAfter(5, 'evt_1'), [5, 'paid'])
  assert.deepEqual(await amountsAfter(5, 'evt_2'), [5, 'paid'])
  assert.deepEqual(await amountsAfter(3, 'evt_3'), [3, 'paid'], 'a refund that the bank has sent back')
  assert.deepEqual(await amountsAfter(20, 'evt_4'), [20, 'refunded'])
})

test('a provider that is down when the payment is created charges nobody, and the answer says so', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  psp.on.createPayment = () => {
    throw new Error('ECONNREFUSED')
  }
  const down = await shop.shopper.complete(token)
  assert.deepEqual([down.status, down.error.code], [503, 'UNAVAILABLE'])
  psp.on.createPayment = () => ({ refused: 'the key is wrong' })
  const refused = await shop.shopper.complete(token)
  assert.deepEqual(
    [refused.status, faultsOf(refused)],
    [422, ['payment_method: is not available right now; choose another']],
  )
  const [failed] = await paymentsOf(shop)
  assert.deepEqual(
    failed.events.map(({ kind, reason }: any) => [kind, reason]),
    [['failed', 'the key is wrong']],
  )
  delete psp.on.createPayment
  assert.equal((await shop.shopper.complete(token)).status, 202)
})

test('a provider that does not answer, or answers rubbish, is asked again later', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  const { redirect_url } = (await shop.shopper.complete(token)).data.payment
  const rubbish = [
    () => {
      throw new Error('socket hang up')
    },
    () => ({ status: 'captured' }),
    () => ({ ...psp.last(), captured: Number.NaN }),
    () => ({ ...psp.last(), status: 'paid' }),
    () => 'paid',
  ]
  for (const answer of rubbish) {
    psp.on.fetchState = answer
    const waiting = await shop.shopper.complete(token)
    assert.deepEqual([waiting.status, waiting.data.payment.redirect_url], [202, redirect_url])
    assert.equal((await hook(shop, psp.last())).status, 503, 'the provider shall send it again')
  }
  delete psp.on.fetchState
  psp.pay(psp.last())
  await lookAgain()
  assert.equal((await ordersOf(shop)).length, 1)
})

test('a shopper who closed the window still gets the order', async () => {
  const shop = await payingShop(world)
  await shop.shopper.complete((await shop.begin()).token)
  psp.pay(psp.last())
  await lookAgain(60)
  assert.deepEqual(await ordersOf(shop), [], 'for two minutes there is still somebody else to ask')
  await lookAgain(120)
  assert.equal((await ordersOf(shop)).length, 1)
})

test('a payment that is not paid for a day is cancelled', async () => {
  const shop = await payingShop(world)
  await shop.shopper.complete((await shop.begin()).token)
  await lookAgain(23 * 3600)
  assert.equal(psp.last().status, 'requires_action')
  await lookAgain(2 * 3600)
  assert.equal(psp.last().status, 'cancelled')
  const [payment] = await paymentsOf(shop)
  assert.deepEqual([payment.status, payment.needs_review], ['cancelled', false])
  const looks = psp.calls.fetchState
  await lookAgain(2 * 3600)
  assert.equal(psp.calls.fetchState, looks, 'and not looked at any more')
})

test('a provider that does not answer for a day is reported', async () => {
  const shop = await payingShop(world)
  await shop.shopper.complete((await shop.begin()).token)
  psp.on.fetchState = () => {
    throw new Error('away')
  }
  await lookAgain(25 * 3600)
  delete psp.on.fetchState
  const [payment] = await paymentsOf(shop, '?needs_review=true')
  assert.equal(payment.trouble, 'unanswered')
  psp.pay(psp.last())
  await lookAgain(2 * 3600)
  assert.equal(psp.last().refunded, 20, 'what comes so late goes back')
})

test('after a manual payment, money of the provider is refunded', async () => {
  const shop = await payingShop(world)
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const placed = await shop.shopper.complete(token, { payment_method: 'cod' })
  assert.deepEqual([placed.status, placed.data.order.payment_status], [201, 'pending'])
  psp.pay(psp.last())
  await lookAgain()
  assert.equal(psp.last().refunded, 20)
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.captured_amount, order.payment_status], [0, 'pending'])
})

test('killed between the provider and the note of its reference, the same payment is begun again', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  const begin = sandbox.createPayment
  sandbox.createPayment = async (...asked) => {
    await begin(...asked)
    throw new Error('killed')
  }
  assert.equal((await shop.shopper.complete(token)).status, 503)
  sandbox.createPayment = begin
  const first = psp.last()
  assert.equal((await shop.shopper.complete(token)).status, 202)
  assert.equal(psp.last(), first)
  assert.equal((await paymentsOf(shop)).length, 1)
})

test('killed before the refund is asked for, or before its answer is written down, it is made once', async () => {
  for (const killed of ['before', 'after'] as const) {
    const shop = await payingShop(world, { stock: 1 })
    const { token } = await shop.begin()
    await shop.shopper.complete(token)
    await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
    const payment = psp.last()
    psp.pay(payment)
    psp.on.refund = () => {
      if (killed === 'after') payment.refunded = 20
      psp.on.fetchState = () => {
        throw new Error('killed')
      }
      throw new Error('killed')
    }
    assert.equal((await shop.shopper.complete(token)).status, 422)
    const [pending] = await paymentsOf(shop)
    assert.deepEqual([pending.captured_amount, pending.refunded_amount, pending.trouble], [20, 0, 'order_refused'])
    delete psp.on.refund
    delete psp.on.fetchState
    await lookAgain()
    const [back] = await paymentsOf(shop)
    assert.deepEqual([payment.refunded, back.refunded_amount], [20, 20], killed)
    const refunds = psp.calls.refund
    await lookAgain(7200)
    assert.equal(psp.calls.refund, refunds, 'and asked for no more')
  }
})

test('a refused refund is retried and reported', async () => {
  const shop = await payingShop(world, { stock: 1 })
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  psp.pay(psp.last())
  psp.on.refund = () => ({ refused: 'the account is empty' })
  await shop.shopper.complete(token)
  const [payment] = await paymentsOf(shop, '?needs_review=true')
  assert.equal(payment.trouble, 'refund_failed')
  const failed = payment.events.find(({ kind }: any) => kind === 'refund_failed')
  assert.deepEqual([failed.amount, failed.reason], [20, 'the account is empty'])
  delete psp.on.refund
  await lookAgain()
  assert.equal(psp.last().refunded, 20)
})

test('while a provider hangs, nothing is locked and no connection is held', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const [{ id }] = await paymentsOf(shop)
  const looks = psp.calls.fetchState
  psp.on.fetchState = () => new Promise(() => {})
  const deps = {
    vault: world.app.vault,
    payments: { apiUrls: {}, timeoutMs: 1000, now: () => world.clock.now() },
    checkout: { baseUrl: 'https://shop.example', abandonAfterSeconds: 1800, expireAfterSeconds: 86_400 },
  }
  const settling = settlePayment(world.app.db.ofStore(shop.store.id), shop.store, toUuid('pmt', id)!, deps)
  await until(() => psp.calls.fetchState > looks)
  const { pool } = world.app.db
  assert.equal(pool.totalCount - pool.idleCount, 0)
  assert.equal((await shop.shopper.change(token, { customer_notes: 'Ring twice' })).status, 200)
  delete psp.on.fetchState
  assert.deepEqual(await settling, {
    outcome: 'waiting',
    isKnown: false,
    next: `https://pay.example/${psp.last().reference}`,
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

test('news of an order that the provider does not tell is asked for again, and never undoes the order', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  const { order } = (await shop.shopper.complete(token)).data
  world.clock.advance(40 * 3600)
  psp.last().refunded = 5
  psp.on.fetchState = () => {
    throw new Error('away')
  }
  assert.equal((await hook(shop, psp.last(), { eventId: 'evt_refund' })).status, 503)
  delete psp.on.fetchState
  await lookAgain()
  const { status, refunded_amount } = (await shop.api.get(`/v1/orders/${order.id}`)).data
  assert.deepEqual([status, refunded_amount, psp.last().refunded], ['pending', 5, 5])
})

test('a lapsed authorization and a dispute are reported once', async () => {
  const shop = await payingShop(world)
  const held = await shop.begin()
  await shop.shopper.complete(held.token)
  psp.pay(psp.last(), { status: 'authorized', authorized: 20, captured: 0 })
  await shop.shopper.complete(held.token)
  Object.assign(psp.last(), { status: 'cancelled' })
  await hook(shop, psp.last(), { eventId: 'evt_cancelled' })
  const taken = await shop.begin()
  await shop.shopper.complete(taken.token)
  const dispute = { reference: 'dp_1', status: 'needs_response', amount: 20, reason: 'fraudulent' } as const
  psp.pay(psp.last(), { disputes: [{ ...dispute, evidence_due_at: null }] })
  await shop.shopper.complete(taken.token)
  await hook(shop, psp.last(), { eventId: 'evt_dispute_1' })
  const attention = await paymentsOf(shop, '?needs_review=true')
  assert.deepEqual(attention.map(({ trouble }: any) => trouble).sort(), ['disputed', 'not_captured'])
  for (const { id } of attention) await shop.api.patch(`/v1/payments/${id}`, { needs_review: false })
  await hook(shop, psp.last(), { eventId: 'evt_dispute_2' })
  assert.deepEqual(await paymentsOf(shop, '?needs_review=true'), [])
})

test('a state fetched before another write is fetched again, so old states undo nothing', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment)
  const { order } = (await shop.shopper.complete(token)).data
  let isSlow = true
  psp.on.fetchState = async () => {
    if (!isSlow) return undefined
    isSlow = false
    const old = { ...payment }
    payment.refunded = 5
    assert.equal((await hook(shop, payment, { eventId: 'evt_faster' })).status, 200)
    return old
  }
  assert.equal((await hook(shop, payment, { eventId: 'evt_slower' })).status, 200)
  delete psp.on.fetchState
  assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).data.refunded_amount, 5)
  const [{ events }] = await paymentsOf(shop)
  assert.ok(!events.some(({ kind }: any) => kind === 'refund_reversed'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/deliveries.ts'
import { fakeProvider, payingShop } from '../../../test/payments.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

/** An order of 20 with an authorized payment. */
async function heldOrder(shop: Shop) {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment, { status: 'authorized', authorized: 20, captured: 0 })
  const { status, data } = await shop.shopper.complete(token)
  assert.deepEqual([status, data.order.payment_status], [201, 'pending'])
  await shop.events()
  return { id: data.order.id as string, payment }
}

type Order = Awaited<ReturnType<typeof heldOrder>>

const capture = (shop: Shop, { id }: Order, body: object = {}) => shop.api.post(`/v1/orders/${id}/capture`, body)

const paymentOf = async (shop: Shop, { id }: Order) => (await shop.api.get(`/v1/orders/${id}/payments`)).data[0]

/** The payment, once the provider's response is recorded. */
async function answered(shop: Shop, order: Order) {
  await until(async () => {
    const asked = await world.app.db.rows(sql`
      select from payment_sessions
      where store_id = ${shop.store.id}
        and asked_id is not null`)
    return asked.length === 0
  })
  return paymentOf(shop, order)
}

const askAgain = (seconds = 90) => {
  world.clock.advance(seconds)
  return world.app.jobs.run('ask for captures')
}

async function orderOf(shop: Shop, { id }: Order) {
  const { payment_status, captured_amount } = (await shop.api.get(`/v1/orders/${id}`)).data
  return [payment_status, captured_amount]
}

const kindsOf = ({ events }: any) => events.map(({ kind, amount }: any) => [kind, amount])
const attentionOf = async ({ api }: Shop) => (await api.get('/v1/payments?needs_review=true')).data

test('a capture is requested first, and then the order is paid', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  const held = await paymentOf(shop, order)
  assert.deepEqual(
    [held.status, held.authorized_amount, held.capturable_amount, held.captured_amount],
    ['authorized', 20, 20, 0],
  )
  const { status, data } = await capture(shop, order)
  assert.deepEqual([status, data.id, data.status, data.capturing_amount], [200, held.id, 'authorized', 20])
  const payment = await answered(shop, order)
  assert.deepEqual(
    [payment.status, payment.capturable_amount, payment.capturing_amount, payment.captured_amount],
    ['captured', 0, 0, 20],
  )
  assert.deepEqual(kindsOf(payment), [
    ['authorized', 20],
    ['capture_asked', 20],
    ['captured', 20],
  ])
  assert.deepEqual(await orderOf(shop, order), ['paid', 20])
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order]),
    [['order.updated', { id: order.id, payment_status: 'paid' }]],
  )
  const { data: mails } = await shop.api.get(`/v1/mails?order_id=${order.id}`)
  assert.equal(mails.filter(({ kind }: any) => kind === 'order_paid').length, 1)
  assert.equal(order.payment.captured, 20)
  await assertSums(world, shop)
})

test('never more than is held, nor than the order costs', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  const more = await capture(shop, order, { amount: 20.01 })
  assert.deepEqual([more.status, more.error.details], [422, [{ field: 'amount', message: 'must be at most 20' }]])
  for (const amount of [0, -1, '5']) assert.equal((await capture(shop, order, { amount })).status, 422)
  await capture(shop, order)
  await answered(shop, order)
  const again = await capture(shop, order)
  assert.deepEqual([again.status, again.error.details[0].field], [422, 'amount'])
  assert.equal((await shop.api.post('/v1/orders/ord_01jd0000000000000000000000/capture')).status, 404)
  assert.equal(order.payment.captured, 20)
})

test('after a partial capture the rest stays authorized, or is released if the provider does so', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  await capture(shop, order, { amount: 12 })
  const part = await answered(shop, order)
  assert.deepEqual([part.captured_amount, part.capturable_amount], [12, 8])
  assert.deepEqual(await orderOf(shop, order), ['pending', 12])
  assert.equal((await capture(shop, order, { amount: 8.01 })).status, 422)
  await capture(shop, order)
  assert.equal((await answered(shop, order)).captured_amount, 20)
  assert.deepEqual(await orderOf(shop, order), ['paid', 20])
  const other = await heldOrder(shop)
  psp.on.capture = (payment) => {
    Object.assign(payment!, { status: 'captured', authorized: 12, captured: 12 })
    return { reference: 'pi_1', status: 'done' }
  }
  await capture(shop, other, { amount: 12 })
  const last = await answered(shop, other)
  delete psp.on.capture
  assert.deepEqual([last.captured_amount, last.capturable_amount], [12, 0])
  assert.equal((await capture(shop, other)).status, 422)
  assert.deepEqual(await attentionOf(shop), [])
  await assertSums(world, shop)
})

test('of 20 captures at once one takes the money, once', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => capture(shop, order)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array<number>(19).fill(422)])
  const payment = await answered(shop, order)
  assert.deepEqual([payment.captured_amount, order.payment.captured, order.payment.keys.length], [20, 20, 1])
  await assertSums(world, shop)
})

test('a lost answer is requested again, and a state fetched meanwhile counts as the requested capture', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  psp.on.capture = (payment) => {
    Object.assign(payment!, { captured: 20, status: 'captured' })
    throw new Error('500 after charging')
  }
  const calls = psp.calls.capture
  await capture(shop, order)
  await until(async () => psp.calls.capture > calls)
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  assert.deepEqual(await orderOf(shop, order), ['pending', 0])
  for (const change of [{ status: 'cancelled' }, { payment_status: 'paid' }]) {
    assert.equal((await shop.api.patch(`/v1/orders/${order.id}`, change)).status, 422)
  }
  psp.on.capture = () => ({ refused: 'It is captured already' })
  await askAgain(600)
  delete psp.on.capture
  assert.deepEqual(await orderOf(shop, order), ['paid', 20])
  assert.deepEqual(
    kindsOf(await paymentOf(shop, order)).filter(([kind]: any) => kind === 'captured'),
    [['captured', 20]],
  )
  assert.deepEqual(await attentionOf(shop), [])
  await assertSums(world, shop)
})

test('a refused capture is reported and can be requested again', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  psp.on.capture = () => ({ refused: 'The account is closed' })
  await capture(shop, order)
  const failed = await answered(shop, order)
  delete psp.on.capture
  assert.deepEqual([failed.trouble, failed.needs_review, failed.capturable_amount], ['capture_failed', true, 20])
  assert.equal(failed.events.at(-1).reason, 'The account is closed')
  await capture(shop, order)
  assert.equal((await answered(shop, order)).captured_amount, 20)
  await assertSums(world, shop)
})

test('an order that is cancelled lets the held money go, also when the first answer is lost', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  psp.on.cancel = () => {
    throw new Error('socket hang up')
  }
  const calls = psp.calls.cancel
  const { status } = await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  assert.equal(status, 200)
  await until(async () => psp.calls.cancel > calls)
  assert.equal((await capture(shop, order)).status, 422)
  delete psp.on.cancel
  await askAgain()
  const payment = await answered(shop, order)
  assert.deepEqual([payment.status, payment.capturable_amount, payment.needs_review], ['cancelled', 0, false])
  assert.deepEqual(kindsOf(payment), [
    ['authorized', 20],
    ['cancel_asked', 20],
    ['cancelled', 20],
  ])
  assert.equal(order.payment.status, 'cancelled')
  assert.equal((await capture(shop, order)).status, 422)
  await assertSums(world, shop)
})

test('a release that the provider refuses is reported', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  psp.on.cancel = () => ({ refused: 'It cannot be cancelled' })
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  const payment = await answered(shop, order)
  delete psp.on.cancel
  assert.deepEqual([payment.trouble, payment.needs_review, payment.capturable_amount], ['release_failed', true, 20])
})

test('a hold that has lapsed at the provider is seen by the job, and said', async () => {
  const shop = await payingShop(world)
  const order = await heldOrder(shop)
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  assert.deepEqual(await attentionOf(shop), [])
  Object.assign(order.payment, { status: 'expired', authorized: 0 })
  world.clock.advance(7200)
  await world.app.jobs.run('look at payments')
  const [payment] = await attentionOf(shop)
  assert.deepEqual([payment.order_id, payment.trouble, payment.capturable_amount], [order.id, 'not_captured', 0])
  assert.equal((await capture(shop, order)).status, 422)
})

test('a capture or refund without an answer for a day is reported once', async () => {
  const shop = await payingShop(world)
  const [order, paid] = [await heldOrder(shop), await heldOrder(shop)]
  await capture(shop, paid)
  await answered(shop, paid)
  psp.on.capture = psp.on.refund = () => {
    throw new Error('no answer')
  }
  await capture(shop, order)
  await shop.api.post(`/v1/orders/${paid.id}/refunds`)
  await world.app.jobs.run('tell of late answers')
  assert.deepEqual(await attentionOf(shop), [])
  assert.equal((await shop.api.get('/v1/ledger/verify')).data.agrees, true)
  world.clock.advance(25 * 3600)
  await world.app.jobs.run('tell of late answers')
  const late = await attentionOf(shop)
  assert.deepEqual(
    late.map(({ order_id, trouble }: any) => [order_id, trouble]).toSorted(),
    [order, paid].map(({ id }) => [id, 'unanswered']).toSorted(),
  )
  const { data } = await shop.api.get('/v1/ledger/verify')
  assert.deepEqual(data.disagreements.map(({ id }: any) => id).toSorted(), late.map(({ id }: any) => id).toSorted())
  for (const { id } of late) await shop.api.patch(`/v1/payments/${id}`, { needs_review: false })
  await world.app.jobs.run('tell of late answers')
  assert.deepEqual(await attentionOf(shop), [])
  delete psp.on.capture
  delete psp.on.refund
  await askAgain(7200)
  await world.app.jobs.run('ask for refunds')
  assert.deepEqual([order.payment.captured, paid.payment.refunded], [20, 20])
  assert.equal((await shop.api.get('/v1/ledger/verify')).data.agrees, true)
})

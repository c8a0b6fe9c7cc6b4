import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeProvider, payingShop } from '../../../test/payments.ts'
import { until } from '../../../test/deliveries.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

/** An order of 20 paid through the provider. */
async function paidOrder(shop: Shop) {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment)
  const { status, data } = await shop.shopper.complete(token)
  assert.equal(status, 201)
  await shop.events()
  return { id: data.order.id as string, payment }
}

const refund = (shop: Shop, { id }: { id: string }, body: object = {}) =>
  shop.api.post(`/v1/orders/${id}/refunds`, body)

/** The refund, once it has ended. */
async function ended(shop: Shop, { id }: { id: string }, { id: refundId }: { id: string }): Promise<any> {
  const read = async () => (await shop.api.get(`/v1/orders/${id}/refunds/${refundId}`)).data
  await until(async () => (await read()).status !== 'pending')
  return read()
}

const askAgain = (seconds = 90) => {
  world.clock.advance(seconds)
  return world.app.jobs.run('ask for refunds')
}

async function amountsOf(shop: Shop, { id }: { id: string }) {
  const { payment_status, captured_amount, refunded_amount } = (await shop.api.get(`/v1/orders/${id}`)).data
  return [payment_status, captured_amount, refunded_amount]
}

test("a refund is pending first, and then has the provider's outcome", async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  const { status, data } = await refund(shop, order, { amount: 7.5 })
  assert.deepEqual([status, data.status, data.by_hand, data.succeeded_at], [201, 'pending', false, null])
  const done = await ended(shop, order, data)
  assert.equal(done.status, 'succeeded')
  assert.deepEqual([order.payment.refunded, order.payment.keys], [7.5, [data.id]])
  assert.deepEqual(await amountsOf(shop, order), ['paid', 20, 7.5])
  const rest = await ended(shop, order, (await refund(shop, order)).data)
  assert.deepEqual([rest.amount, rest.items.length, order.payment.refunded], [12.5, 1, 20])
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 20, 20])
  const [payment] = (await shop.api.get(`/v1/orders/${order.id}/payments`)).data
  assert.deepEqual(
    payment.events.map(({ kind, amount }: any) => [kind, amount]),
    [
      ['captured', 20],
      ['refund_asked', 7.5],
      ['refunded', 7.5],
      ['refund_asked', 12.5],
      ['refunded', 12.5],
    ],
  )
  await assertSums(world, shop)
})

test('refused, it has failed: money and pieces can be given back in another way', async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  psp.on.refund = () => ({ refused: 'The card is closed' })
  const failed = await ended(shop, order, (await refund(shop, order)).data)
  delete psp.on.refund
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'The card is closed'])
  const { amount, pending_amount, items } = (await shop.api.get(`/v1/orders/${order.id}/refundable`)).data
  assert.deepEqual([amount, pending_amount, items[0].quantity], [20, 0, 1])
  const { data } = await refund(shop, order, { by_hand: true })
  assert.deepEqual([data.status, data.by_hand], ['succeeded', true])
  assert.equal(order.payment.refunded, 0)
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 20, 20])
  await assertSums(world, shop)
})

test('a lost answer is requested again with the same key, and the money is refunded once', async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  psp.on.refund = (payment) => {
    // The provider makes the refund, but its response fails.
    if (payment!.refunded === 0) payment!.refunded += 20
    throw new Error('500 after charging')
  }
  const calls = psp.calls.refund
  const { data } = await refund(shop, order)
  await until(async () => psp.calls.refund > calls)
  await askAgain()
  assert.equal((await shop.api.get(`/v1/orders/${order.id}/refunds/${data.id}`)).data.status, 'pending')
  // A check in between attributes it to the requested refund, not to another.
  world.clock.advance(600)
  await world.app.jobs.run('look at payments')
  assert.deepEqual(await amountsOf(shop, order), ['paid', 20, 0])
  const twice = await refund(shop, order, { amount: 1 })
  assert.equal(twice.status, 422, 'what is on its way is not there any more')
  psp.on.refund = () => ({ refused: 'It is refunded already' })
  await askAgain(600)
  delete psp.on.refund
  assert.equal((await ended(shop, order, data)).status, 'succeeded')
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 20, 20])
  assert.equal(order.payment.refunded, 20)
  await assertSums(world, shop)
})

test('pending at the provider, it is looked at again until it is through', async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  psp.on.refund = () => ({ reference: 're_1', status: 'pending' })
  const calls = psp.calls.refund
  const { data } = await refund(shop, order, { amount: 5 })
  await until(async () => psp.calls.refund > calls)
  await askAgain()
  assert.equal((await shop.api.get(`/v1/orders/${order.id}/refunds/${data.id}`)).data.status, 'pending')
  order.payment.refunded = 5
  await askAgain(600)
  delete psp.on.refund
  assert.equal((await ended(shop, order, data)).status, 'succeeded')
  assert.deepEqual(await amountsOf(shop, order), ['paid', 20, 5])
  await assertSums(world, shop)
})

test('of 20 refunds at once the provider is asked for no more than was captured', async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => refund(shop, order, { amount: 6 })))
  const done = answers.filter(({ status }) => status === 201)
  assert.equal(done.length, 3)
  for (const { data } of done) assert.equal((await ended(shop, order, data)).status, 'succeeded')
  assert.equal(order.payment.refunded, 18)
  assert.deepEqual(await amountsOf(shop, order), ['paid', 20, 18])
  await assertSums(world, shop)
})

test('cancelling an order may refund its payment', async () => {
  const shop = await payingShop(world)
  const order = await paidOrder(shop)
  const { data } = await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled', refund: true })
  assert.equal(data.status, 'cancelled')
  const [asked] = (await shop.api.get(`/v1/orders/${order.id}/refunds`)).data
  await ended(shop, order, asked)
  assert.deepEqual(await amountsOf(shop, order), ['refunded', 20, 20])
  assert.equal(order.payment.refunded, 20)
  await assertSums(world, shop)
})

// Every state of an order or a draft × money that comes, is held, fails or is disputed afterwards. Money without a sale
// goes back or is told, and the books agree with the provider's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/deliveries.ts'
import { fakeProvider, payingShop, type Payment } from '../../../test/payments.ts'
import { dataOf } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>
type Order = { id: string; total: number; items: { id: string }[] }

async function openShop(): Promise<Shop> {
  const shop = await payingShop(world)
  await shop.api.patch('/v1/store', { notification_email: 'owner@example.com' })
  return shop
}

/** An order of 20 that is paid, with 15 more to pay. */
async function owing(shop: Shop): Promise<Order> {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  const { data } = await shop.shopper.complete(token)
  const items = [{ product_name: 'Bow', unit_price: 15, quantity: 1 }]
  return dataOf(await shop.api.post(`/v1/orders/${data.order.id}/edits`, { items }), 200)
}

/** Begins to pay at the provider by the link. */
async function begin(url: string, total: number): Promise<Payment> {
  const { status } = await fetch(world.url + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ total: String(total), payment_method: 'card' }),
  })
  assert.equal(status, 303)
  return psp.last()
}

const ended = ['cancelled', 'returned']

/** All that asks the provider, until nothing is due. */
async function runJobs(): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) {
    world.clock.advance(200)
    for (const name of ['look at payments', 'ask for refunds', 'ask for captures']) await world.app.jobs.run(name)
  }
}

/** A request that was sent after a commit may still be under way: the jobs leave its payment to it. */
const settled = (shop: Shop, payment: Payment) =>
  until(async () => {
    await runJobs()
    const { data } = await shop.api.get('/v1/payments')
    const own = data.find(({ reference }: any) => reference === payment.reference)
    const orders = own.order_id ? [(await shop.api.get(`/v1/orders/${own.order_id}`)).data] : []
    const isOver = orders.length === 0 || orders.some(({ status }: any) => ended.includes(status))
    const [kept, isHeld] = [payment.captured - payment.refunded, payment.status === 'authorized']
    const isSeen = own.captured_amount === payment.captured && own.refunded_amount === payment.refunded
    const isHoldSeen = own.capturable_amount > 0 === isHeld
    return isSeen && isHoldSeen && (!isOver || (kept === 0 && !isHeld))
  })

const patch =
  (...changes: object[]) =>
  async ({ api }: Shop, { id }: Order) => {
    for (const change of changes) dataOf(await api.patch(`/v1/orders/${id}`, change), 200)
  }
const edit =
  (body: (order: Order) => object) =>
  async ({ api }: Shop, order: Order) => {
    dataOf(await api.post(`/v1/orders/${order.id}/edits`, body(order)), 200)
  }
const bow = ({ items }: Order, quantity: number) => ({ items: [{ item_id: items.at(-1)!.id, quantity }] })

/** What becomes of an order after its customer has begun to pay. */
const states: Record<string, (shop: Shop, order: Order) => Promise<unknown>> = {
  'is pending': async () => {},
  'is confirmed': patch({ status: 'confirmed' }),
  'is in progress': patch({ status: 'in_progress' }),
  'is completed': patch({ status: 'completed' }),
  'was cancelled and refunded': patch({ status: 'cancelled', refund: true }),
  'was cancelled and not refunded': patch({ status: 'cancelled' }),
  'was returned': patch({ status: 'completed' }, { status: 'returned' }),
  'was marked as paid': patch({ payment_status: 'paid' }),
  'was edited and costs less': edit((order) => bow(order, 0)),
  'was edited and costs more': edit((order) => bow(order, 3)),
  'has a return that was requested': async ({ api }, { id, items }) => {
    dataOf(await api.post(`/v1/orders/${id}/fulfillments`, {}), 201)
    const body = { items: [{ item_id: items[0]!.id, quantity: 1, reason: 'other' }] }
    dataOf(await api.post(`/v1/orders/${id}/returns`, body), 201)
  },
}

type Money = { name: string; pay: Partial<Payment>; comes: boolean }
const dispute = {
  reference: 'dp_1',
  status: 'needs_response',
  amount: 15,
  reason: 'fraudulent',
  evidence_due_at: null,
} as const

const money: Money[] = [
  { name: 'comes', pay: {}, comes: true },
  { name: 'is held', pay: { status: 'authorized', authorized: 15, captured: 0 }, comes: true },
  { name: 'fails', pay: { status: 'failed', captured: 0 }, comes: false },
  { name: 'is disputed', pay: { disputes: [dispute] }, comes: true },
]

/** `before`: at the provider just before the change. Otherwise the provider is away when the payment is ended. */
const times = ['before', 'afterwards'] as const

for (const [state, change] of Object.entries(states)) {
  for (const { name, pay, comes } of money) {
    for (const time of times) {
      test(`money that ${name} ${time} for an order that ${state} is counted, or goes back and is told`, async () => {
        const shop = await openShop()
        const order = await owing(shop)
        const { url } = dataOf(await shop.api.post(`/v1/orders/${order.id}/payment-link`, { send: false }), 200)
        const payment = await begin(url, 15)
        if (time === 'before') psp.pay(payment, pay)
        let isAway = time === 'afterwards'
        psp.on.cancel = () => {
          if (isAway) throw new Error('the provider is away')
        }
        await change(shop, order)
        await world.app.jobs.run('look at payments')
        if (time === 'afterwards') psp.pay(payment, pay)
        world.clock.advance(200)
        await world.app.jobs.run('look at payments')
        isAway = false
        await settled(shop, payment)
        const { data: after } = await shop.api.get(`/v1/orders/${order.id}`)
        const { data: payments } = await shop.api.get(`/v1/orders/${order.id}/payments`)
        const own = payments.find(({ reference }: any) => reference === payment.reference)
        const sumOf = (field: string) => payments.reduce((sum: number, one: any) => sum + one[field], 0)
        assert.deepEqual(
          [after.captured_amount, after.refunded_amount],
          [sumOf('captured_amount'), sumOf('refunded_amount')],
        )
        assert.deepEqual([own.captured_amount, own.refunded_amount], [payment.captured, payment.refunded])
        const { data: books } = await shop.api.get('/v1/ledger/verify')
        assert.deepEqual(books.disagreements, [])
        await assertSums(world, shop)
        if (!comes) return
        if (ended.includes(after.status)) {
          assert.equal(payment.captured - payment.refunded, 0)
          assert.equal(own.capturable_amount, 0)
          assert.notEqual(payment.status, 'authorized')
          assert.deepEqual([own.needs_review, own.trouble !== null], [true, true])
          const { data: mails } = await shop.api.get('/v1/mails?kind=payment_returned_notice')
          assert.deepEqual(
            mails.map(({ payment_id }: any) => payment_id),
            [own.id],
          )
        } else {
          const kept = after.captured_amount - after.refunded_amount
          const held = sumOf('capturable_amount')
          assert.ok(Math.max(0, kept - after.total) === after.amount_to_refund || after.payment_status === 'refunded')
          assert.equal(held, name === 'is held' ? 15 : 0)
          // The job looks at what is held until it ends.
          if (held > 0) payment.status = 'cancelled'
        }
      })
    }
  }
}

/** What becomes of a draft after its customer has begun to pay by its link. */
const drafts: Record<string, (shop: Shop, draft: { id: string }) => Promise<unknown>> = {
  'is open': async () => {},
  'has no link any more': async ({ api }, { id }) =>
    dataOf(await api.post(`/v1/draft-orders/${id}/revoke-link`, {}), 200),
  'costs more': async ({ api }, { id }) => api.patch(`/v1/draft-orders/${id}`, { shipping_price: 9 }),
  'became an order': async ({ api }, { id }) => dataOf(await api.post(`/v1/draft-orders/${id}/complete`, {}), 200),
  'was deleted': async ({ api }, { id }) => api.delete(`/v1/draft-orders/${id}`),
}

for (const [state, change] of Object.entries(drafts)) {
  for (const { name, pay, comes } of money.filter((one) => one.name !== 'is disputed')) {
    test(`money that ${name} for a draft that ${state} makes one order, or goes back and is told`, async () => {
      const shop = await openShop()
      const body = {
        customer_name: 'Ana',
        customer_email: 'ana@example.com',
        items: [{ product_id: shop.thing.id, quantity: 1 }],
      }
      const draft = dataOf(await shop.api.post('/v1/draft-orders', body), 201)
      const { url } = dataOf(await shop.api.post(`/v1/draft-orders/${draft.id}/payment-link`, { send: false }), 200)
      const payment = await begin(url, 20)
      await change(shop, draft)
      psp.pay(payment, name === 'is held' ? { ...pay, authorized: 20 } : pay)
      await (comes && state !== 'is open' ? settled(shop, payment) : runJobs())
      const { data: orders } = await shop.api.get('/v1/orders')
      const { data: payments } = await shop.api.get('/v1/payments')
      const own = payments.find(({ reference }: any) => reference === payment.reference)
      const isPlaced = own.order_id !== null
      assert.equal(orders.length, isPlaced || state === 'became an order' ? 1 : 0)
      assert.equal(isPlaced, comes && state === 'is open')
      if (comes && !isPlaced) {
        assert.equal(payment.captured - payment.refunded, 0)
        assert.notEqual(payment.status, 'authorized')
        assert.equal(own.needs_review, true)
        assert.equal((await shop.api.get('/v1/mails?kind=payment_returned_notice')).data.length, 1)
      }
      const { data: books } = await shop.api.get('/v1/ledger/verify')
      assert.deepEqual(books.disagreements, [])
      await assertSums(world, shop)
    })
  }
}

test('an order that is cancelled while its payment arrives keeps no money that its merchant did not see', async () => {
  for (let round = 0; round < 6; round++) {
    const shop = await openShop()
    const order = await owing(shop)
    const { url } = dataOf(await shop.api.post(`/v1/orders/${order.id}/payment-link`, { send: false }), 200)
    const payment = await begin(url, 15)
    psp.pay(payment, round % 2 === 0 ? {} : { status: 'authorized', authorized: 15, captured: 0 })
    const [, { data: cancelled }] = await Promise.all([
      fetch(world.url + new URL(url).pathname, { redirect: 'manual' }),
      shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }),
    ])
    const wasSeen = cancelled.captured_amount === 35
    await (wasSeen ? runJobs() : settled(shop, payment))
    // What the merchant was told of when cancelling is theirs to refund.
    assert.equal(payment.captured - payment.refunded, wasSeen ? 15 : 0)
    assert.notEqual(payment.status, 'authorized')
    const { data: after } = await shop.api.get(`/v1/orders/${order.id}`)
    assert.equal(after.captured_amount - after.refunded_amount, wasSeen ? 35 : 20)
    await assertSums(world, shop)
  }
})

test('the provider is asked at once to end the payment of an order that is cancelled', async () => {
  const shop = await openShop()
  const order = await owing(shop)
  const { url } = dataOf(await shop.api.post(`/v1/orders/${order.id}/payment-link`, { send: false }), 200)
  const payment = await begin(url, 15)
  const asked = new Promise<void>((resolve) => (psp.on.cancel = () => resolve()))
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  await asked
  delete psp.on.cancel
  assert.equal(payment.captured, 0)
})

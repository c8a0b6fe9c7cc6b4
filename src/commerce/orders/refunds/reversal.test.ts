// Units of a refund that succeeded, and failed later at the provider.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer } from '../../../../test/checkouts.ts'
import { until } from '../../../../test/deliveries.ts'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

/** An order of 2 of 1,000 pieces, paid through the provider. */
async function soldTwo() {
  const shop = await payingShop(world, { stock: 1000 })
  const { api, thing, shopper } = shop
  const items = [{ product_id: thing.id, quantity: 2 }]
  const { token } = (await shopper.begin({ items, ...buyer(), payment_method: 'card' })).data
  await shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment)
  const order = `/v1/orders/${(await shopper.complete(token)).data.order.id}`
  const stock = async () => (await api.get(`/v1/products/${thing.id}`)).data.stock_quantity as number
  const item = async () => (await api.get(order)).data.items[0]
  const { id: item_id } = await item()
  const ship = (quantity: number) => api.post(`${order}/fulfillments`, { items: [{ item_id, quantity }] })
  const move = (quantity: number) => api.patch(`/v1/inventory/products/${thing.id}`, { quantity })
  const refundOne = async (more: object = {}) => {
    const { status, data } = await api.post(`${order}/refunds`, { items: [{ item_id, quantity: 1 }], ...more })
    assert.equal(status, 201)
    const read = async () => (await api.get(`${order}/refunds/${data.id}`)).data
    await until(async () => (await read()).status !== 'pending')
    return { key: data.id as string, amount: data.amount as number }
  }
  const fail = async ({ key, amount }: { key: string; amount: number }) => {
    const failed = [...(payment.failed_refunds ?? []), { key, reason: 'closed_card' }]
    Object.assign(payment, { refunded: payment.refunded - amount, failed_refunds: failed })
    const answer = await fetch(`${world.url}/payments/${shop.store.id}/card`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': 'right' },
      body: JSON.stringify({ eventId: `evt_${key}`, reference: payment.reference, captured: 1 }),
    })
    assert.equal(answer.status, 200, await answer.text())
    assert.equal((await api.get(`${order}/refunds/${key}`)).data.status, 'failed')
  }
  /** Stock, and how many are still to be sent. */
  const now = async () => [await stock(), (await item()).fulfillable_quantity]
  return { ...shop, order, ship, move, refundOne, fail, now, patch: (body: object) => api.patch(order, body) }
}

type Sale = Awaited<ReturnType<typeof soldTwo>>

type Refund = { key: string; amount: number }
type Step = { run: (sale: Sale, last: Refund) => Promise<unknown>; leaves: [stock: number, unsent: number] }

const refund = (leaves: Step['leaves'], more: object = {}): Step => ({ run: (sale) => sale.refundOne(more), leaves })
const fail = (leaves: Step['leaves']): Step => ({ run: (sale, last) => sale.fail(last), leaves })
const ship = (units: number, leaves: Step['leaves']): Step => ({ run: (sale) => sale.ship(units), leaves })
const cancel = (leaves: Step['leaves']): Step => ({ run: (sale) => sale.patch({ status: 'cancelled' }), leaves })
const sellRest: Step = { run: (sale) => sale.move(-999), leaves: [0, 1] }

// Of 1,000 pieces, 2 were sold.
const cases: Record<string, Step[]> = {
  'that were not sent': [
    refund([999, 1]),
    fail([998, 2]),
    refund([999, 1]),
    fail([998, 2]),
    refund([999, 1], { by_hand: true }),
    ship(1, [999, 0]),
  ],
  'of an order that is cancelled in the end': [refund([999, 1]), fail([998, 2]), cancel([1000, 2])],
  'of an order that was cancelled before': [refund([999, 1]), cancel([1000, 1]), fail([1000, 2]), refund([1000, 1])],
  'that the buyer had sent back': [
    ship(2, [998, 0]),
    refund([999, 0]),
    fail([999, 0]),
    refund([999, 0]),
    fail([999, 0]),
    refund([999, 0]),
    refund([1000, 0]),
  ],
  'that were sold meanwhile': [refund([999, 1]), sellRest, fail([0, 2]), refund([0, 1])],
  'that were kept out of stock': [refund([998, 1], { restock: false }), fail([998, 2]), refund([999, 1])],
}

for (const [name, steps] of Object.entries(cases)) {
  test(`units ${name} come back once, though their refund fails and is made again`, async () => {
    const sale = await soldTwo()
    let last: Refund | undefined
    for (const [index, { run, leaves }] of steps.entries()) {
      const done = await run(sale, last!)
      if (done && typeof done === 'object' && 'key' in done) last = done as Refund
      assert.deepEqual(await sale.now(), leaves, `after step ${index + 1}`)
    }
    assert.deepEqual((await sale.api.get('/v1/ledger/verify')).data.disagreements, [])
    await assertSums(world, sale)
  })
}

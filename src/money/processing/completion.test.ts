// Orders complete themselves when a payment is what comes last, if the store wants this.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/deliveries.ts'
import { fakeProvider, payingShop } from '../../../test/payments.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

/** An order of 20 with an authorized payment, whose items were sent. */
async function sentOrder(shop: Awaited<ReturnType<typeof payingShop>>) {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const payment = psp.last()
  psp.pay(payment, { status: 'authorized', authorized: 20, captured: 0 })
  const { data } = await shop.shopper.complete(token)
  const id = data.order.id as string
  assert.equal((await shop.api.post(`/v1/orders/${id}/fulfillments`, {})).status, 201)
  await shop.events()
  const read = async () => {
    const { status, payment_status } = (await shop.api.get(`/v1/orders/${id}`)).data
    return [status, payment_status]
  }
  return { id, payment, read }
}

for (const [name, isWanted] of [
  ['a sent order completes with its capture, and with a payment that the provider tells of', true],
  ['a sent order stays open when it is paid, unless the store wants this', false],
] as const) {
  test(name, async () => {
    const shop = await payingShop(world)
    if (isWanted) await shop.api.patch('/v1/store', { auto_complete_orders: true })
    const paid = [isWanted ? 'completed' : 'pending', 'paid']
    const captured = await sentOrder(shop)
    assert.deepEqual(await captured.read(), ['pending', 'pending'])
    await shop.api.post(`/v1/orders/${captured.id}/capture`, {})
    await until(async () => (await captured.read())[1] === 'paid')
    assert.deepEqual(await captured.read(), paid)
    const told = await sentOrder(shop)
    Object.assign(told.payment, { status: 'captured', captured: 20 })
    world.clock.advance(7200)
    await world.app.jobs.run('look at payments')
    assert.deepEqual(await told.read(), paid)
    const completions = (await shop.events()).filter(({ event }) => event === 'order.completed')
    assert.equal(completions.length, isWanted ? 1 : 0)
  })
}

// Counts the database exchanges of a purchase, each of which waits for its answer.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { openWorld } from '../../../../test/world.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import { completeCheckout } from './complete.ts'
import { settlePayment } from './settle.ts'

const world = await openWorld()
const psp = fakeProvider()

/** Each call of pg sends one message, with as many statements as travel together, and waits for its answer. */
async function exchangesOf(work: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype
  const counted = mock.method(pg.Client.prototype, 'query', query)
  try {
    await work()
    return counted.mock.callCount()
  } finally {
    counted.mock.restore()
  }
}

const tools = {
  vault: world.app.vault,
  payments: { apiUrls: {}, timeoutMs: 5000, now: () => world.clock.now() },
  checkout: { baseUrl: 'https://shop.example', abandonAfterSeconds: 1800, expireAfterSeconds: 86_400 },
}

/** Connections are made, and statements known: what is left is what each purchase costs. */
async function warm(work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < 3; time++) await work()
}

test('from money to an order takes four exchanges with the database at most, for a new customer too', async () => {
  const shop = await payingShop(world, { stock: 20 })
  const db = world.app.db.ofStore(shop.store.id)
  const paid = async () => {
    const { token } = await shop.begin()
    await shop.shopper.complete(token)
    psp.pay(psp.last())
    return uuidOf('pmt', psp.last().id)!
  }
  const placed = async (id: string) => {
    const { outcome } = await settlePayment(db, shop.store, id, tools)
    assert.equal(outcome, 'placed')
  }
  await warm(async () => placed(await paid()))
  const id = await paid()
  assert.equal(await exchangesOf(() => placed(id)), 4)
  assert.equal(await exchangesOf(() => placed(id)), 1, 'again, it is only looked up')
})

test('an order by hand asks the database no more often because there are providers', async () => {
  const shop = await payingShop(world, { stock: 20 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const actor = { kind: 'system', id: 'storefront' } as const
  const place = async (token: string) =>
    world.app.db.transaction((tx) => completeCheckout(tx, shop.store, token, { payment_method: 'cod' }, tools, actor))
  await warm(async () => place((await shop.begin()).token))
  const { token } = await shop.begin()
  assert.equal(await exchangesOf(() => place(token)), 4)
})

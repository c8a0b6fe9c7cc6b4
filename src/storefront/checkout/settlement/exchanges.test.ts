// Counts the database exchanges of a purchase, each of which waits for its answer.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { CompletionInput } from '../checkout.ts'
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

const deps = {
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
    return toUuid('pmt', psp.last().id)!
  }
  const placed = async (id: string) => {
    const { outcome } = await settlePayment(db, shop.store, id, deps)
    assert.equal(outcome, 'placed')
  }
  await warm(async () => placed(await paid()))
  const id = await paid()
  assert.equal(await exchangesOf(() => placed(id)), 4)
  assert.equal(await exchangesOf(() => placed(id)), 1, 'again, it is only looked up')
})

/** Completes checkouts that are paid by hand, as the API does. */
async function shopByHand() {
  const shop = await payingShop(world, { stock: 20 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const actor = { kind: 'system', id: 'storefront' } as const
  const place = (token: string, input: CompletionInput = {}) =>
    world.app.db.transaction((tx) =>
      completeCheckout(tx, shop.store, token, { payment_method: 'cod', ...input }, deps, actor),
    )
  await warm(async () => place((await shop.begin()).token))
  return { shop, place }
}

test('an order by hand takes three exchanges, no more because there are providers', async () => {
  const { shop, place } = await shopByHand()
  const { token } = await shop.begin()
  assert.equal(await exchangesOf(() => place(token)), 3)
})

test('a checkout that another process has changed is read again, and ordered as it is now', async () => {
  const { shop, place } = await shopByHand()
  const { token } = await shop.begin()
  await world.app.db.ofStore(shop.store.id).rows(sql`
    update checkouts
    set items = replace(items::text, '"quantity":1', '"quantity":2')::json,
        customer_email = 'cy@example.com'
    where store_id = ${shop.store.id}
      and order_id is null`)
  let placed: Awaited<ReturnType<typeof place>> | undefined
  assert.equal(await exchangesOf(async () => (placed = await place(token, { total: 1000 }))), 4)
  const { data: order } = await shop.api.get(`/v1/orders/${placed!.order!.id}`)
  assert.equal(order.customer_email, 'cy@example.com')
  assert.deepEqual(
    order.items.map(({ quantity }: { quantity: number }) => quantity),
    [2],
  )
})

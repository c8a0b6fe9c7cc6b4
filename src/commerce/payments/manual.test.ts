import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'
import { dataOf, newShop, type Shop } from '../../../test/shop.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld()

async function sumsOf({ store }: Shop) {
  return world.app.db.rows(sql`
    select kind, sum(amount) as amount from payment_events where store_id = ${store.id} group by kind order by kind`)
}

test('what a merchant says was paid, and went back, is written down as payments by hand', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 12.5 })
  const { id, captured_amount } = await shop.order(mug, { payment_method: 'cash' })
  assert.equal(captured_amount, 0)
  assert.deepEqual(await sumsOf(shop), [])
  const paid = dataOf(await shop.api.patch(`/v1/orders/${id}`, { payment_status: 'paid' }), 200)
  assert.deepEqual([paid.captured_amount, paid.refunded_amount], [12.5, 0])
  assert.deepEqual(await sumsOf(shop), [{ kind: 'captured', amount: '12.5' }])
  const back = dataOf(await shop.api.patch(`/v1/orders/${id}`, { payment_status: 'refunded' }), 200)
  assert.deepEqual([back.captured_amount, back.refunded_amount], [12.5, 12.5])
  assert.deepEqual(await sumsOf(shop), [
    { kind: 'captured', amount: '12.5' },
    { kind: 'refunded', amount: '12.5' },
  ])
})

test('an order that is imported as paid, or as refunded, has its payments', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const amountsOf = async (payment_status: string) => {
    const { captured_amount, refunded_amount } = await shop.order(mug, { payment_status })
    return [captured_amount, refunded_amount]
  }
  assert.deepEqual(await amountsOf('paid'), [10, 0])
  assert.deepEqual(await amountsOf('refunded'), [10, 10])
  assert.deepEqual(await amountsOf('failed'), [0, 0])
  assert.deepEqual(await sumsOf(shop), [
    { kind: 'captured', amount: '20' },
    { kind: 'refunded', amount: '10' },
  ])
})

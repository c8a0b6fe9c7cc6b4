import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdMoney } from '../../test/hold.ts'
import { newShop } from '../../test/shop.ts'
import { openWorld } from '../../test/world.ts'

const world = await openWorld()

async function heldPayment() {
  const shop = await newShop(world)
  const order = await shop.order(await shop.product())
  await holdMoney(world, shop.store.id, order.id)
  const [payment] = (await shop.api.get('/v1/payments')).data
  return { ...shop, payment }
}

const told = ({ headers }: { headers: Headers }) => [headers.get('deprecation'), headers.get('sunset')]
const deprecated = ['@1796083200', 'Sat, 01 Jan 2028 00:00:00 GMT']
const current = [null, null]

test('a payment answers the names of version 0.1.0 beside the new ones', async () => {
  const { payment } = await heldPayment()
  assert.deepEqual([payment.capturable_amount, payment.held_amount], [10, 10])
  assert.deepEqual([payment.needs_review, payment.needs_attention], [false, false])
})

test('a former name in a body does what its replacement does, and the answer says that it is deprecated', async () => {
  const { api, payment } = await heldPayment()
  const flagged = await api.patch(`/v1/payments/${payment.id}`, { needs_attention: true })
  assert.deepEqual([flagged.status, flagged.data.needs_review, told(flagged)], [200, true, deprecated])
  const both = await api.patch(`/v1/payments/${payment.id}`, { needs_attention: true, needs_review: false })
  assert.deepEqual([both.data.needs_review, both.data.needs_attention], [false, false])
  const replaced = await api.patch(`/v1/payments/${payment.id}`, { needs_review: true })
  assert.deepEqual([replaced.data.needs_review, told(replaced)], [true, current])
})

test('a former filter and a former value find the same payments, and say that they are deprecated', async () => {
  const { api, payment } = await heldPayment()
  await api.patch(`/v1/payments/${payment.id}`, { needs_review: true })
  const found = async (query: string) => {
    const answer = await api.get(`/v1/payments?${query}`)
    return [answer.data.length, told(answer)]
  }
  assert.deepEqual(await found('needs_attention=true'), [1, deprecated])
  assert.deepEqual(await found('needs_attention=false'), [0, deprecated])
  assert.deepEqual(await found('needs_review=true'), [1, current])
  assert.deepEqual(await found('status=canceled'), [0, deprecated])
  assert.deepEqual(await found('status=cancelled'), [0, current])
  assert.equal((await api.get('/v1/payments?needs_attention=true', { headers: strict })).status, 200)
})

const strict = { prefer: 'handling=strict' }

// A receiver answers after the person of the event was erased.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finished, subscribed } from '../../../../test/deliveries.ts'
import { testAuthority } from '../../../../test/receiver.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const network = { ca: testAuthority.ca }
const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { network, delivers: true })

test('what a receiver answers once the person was erased is not stored', async () => {
  const store = await subscribed(world, ['customer.created'])
  const { promise: erased, resolve: answer } = Promise.withResolvers<void>()
  store.shop.answer = async ({ body }) => {
    await erased
    return { body }
  }
  const { id } = dataOf(await store.api.post('/v1/customers', { name: 'Zelma Quint', email: 'zelma@example.com' }), 201)
  await store.shop.waitFor(1)
  dataOf(await store.api.delete(`/v1/customers/${id}`), 200)
  answer()
  const log = await finished(store)
  assert.deepEqual([log.status, log.response.status_code, log.response.body], ['delivered', 200, ''])
  assert.doesNotMatch(JSON.stringify(log), /zelma/i)
})

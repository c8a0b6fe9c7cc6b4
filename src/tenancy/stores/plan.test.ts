import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('a store reads what its plan includes and how much of it is used', async () => {
  const { api } = await world.newStore({ plan: 'starter' })
  dataOf(await api.post('/v1/products', { name: 'Mug', price: 5 }), 201)
  dataOf(await api.post('/v1/products', { name: 'Cup', price: 5, product_status: 'draft' }), 201)
  const { id, features, usage } = dataOf(await api.get('/v1/store/plan'), 200)
  assert.deepEqual([id, features], ['starter', ['inventory', 'custom_domain', 'order_bumps']])
  assert.deepEqual(usage[0], { resource: 'products', used: 2, limit: 500 })
  assert.equal(usage.find(({ resource }: any) => resource === 'staff').limit, 3)
})

test('what a plan does not limit has no limit', async () => {
  const { api } = await world.newStore({ plan: 'unlimited' })
  const { usage } = dataOf(await api.get('/v1/store/plan'), 200)
  assert.deepEqual(usage[0], { resource: 'products', used: 0, limit: null })
})

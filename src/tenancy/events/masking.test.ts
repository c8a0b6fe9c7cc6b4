// Events hide what the audit log and the request log hide.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

test('a card number or a key that is typed as the name of an item is masked in its event', async () => {
  const { api, events } = await world.newStore()
  for (const typed of ['4111 1111 1111 1111', 'sk_live_abcdefghijklmnop']) {
    const items = [{ product_name: `Gift ${typed}`, unit_price: 1, quantity: 1 }]
    const order = dataOf(await api.post('/v1/orders', { items, customer_name: `Ana ${typed}` }), 201)
    const created = (await events()).find(({ event }) => event === 'order.created')!
    assert.ok(!JSON.stringify(created.body).includes(typed))
    const [item] = created.body.order.items
    assert.deepEqual([created.body.order.id, item.product_name], [order.id, 'Gift ***'])
  }
})

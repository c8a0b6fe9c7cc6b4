import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld } from '../../../test/world.ts'
import { orderPath } from './link.ts'

const world = await openWorld()

test('an order says how it is sent as when it was placed, whatever becomes of the rate', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const rate = { code: 'pickup', name: 'At our shop', price: 0, description: 'From 9 to 5', pickup_address: 'Calle 5' }
  const { data } = await api.post('/v1/store/shipping-rates', rate)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const shopper = shopperOf(world, shop)
  const { token } = (await shopper.begin({ items, ...buyer(), shipping_method: 'pickup' })).data
  const placed = (await shopper.complete(token)).data.order
  const written = (await api.post('/v1/orders', { items, shipping_method: 'pickup' })).data
  const path = `/v1/store/shipping-rates/${data.id}`
  const changes = [
    () => api.patch(path, { name: 'Elsewhere', description: 'Never', pickup_address: 'Calle 6' }),
    () => api.patch(path, { is_active: false }),
    () => api.delete(path),
  ]
  for (const change of [() => Promise.resolve({ status: 200 }), ...changes]) {
    assert.equal((await change()).status, 200)
    for (const { id } of [placed, written]) {
      const address = `${world.url}/s/${store.slug}${orderPath(world.app.vault, store.id, id)}`
      const page = await (await fetch(address)).text()
      const { text } = (await api.get(`/v1/store/mails/order_confirmation/preview?order=${id}`)).data
      for (const shown of [page, text]) {
        for (const said of ['At our shop', 'From 9 to 5', 'Calle 5']) assert.ok(shown.includes(said), said)
        assert.doesNotMatch(shown, /Elsewhere|Never|Calle 6/)
      }
    }
  }
})

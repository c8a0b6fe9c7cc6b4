// Reports of other shops about a store's settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf } from '../staff.ts'
import { imported } from '../imports.ts'
import { dataOf, newShop } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { sweeps: true })

const inYen = { currency: 'JPY' }

// awesomemotive/easy-digital-downloads#2549, woocommerce/woocommerce#22823
test('the currency changes until the first order: no amount is read as other money later', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ price: 10.5 })
  assert.equal(dataOf(await shop.api.patch('/v1/store', { currency: 'EUR' }), 200).currency, 'EUR')
  const order = await shop.order(mug, { payment_status: 'paid' })
  const refused = await shop.api.patch('/v1/store', { ...inYen, name: 'Other' })
  assert.deepEqual([refused.status, refused.error.code, refused.error.details], [409, 'CONFLICT', undefined])
  assert.equal((await shop.api.patch('/v1/store', inYen, { headers: { prefer: 'dry-run' } })).status, 409)
  const store = dataOf(await shop.api.get('/v1/store'), 200)
  assert.deepEqual([store.currency, store.name], ['EUR', 'Corner shop'])
  assert.equal(dataOf(await shop.api.patch('/v1/store', { currency: 'EUR', name: 'Other' }), 200).name, 'Other')
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.equal((await shop.api.patch('/v1/store', inYen)).status, 409)
})

// awesomemotive/easy-digital-downloads#2549
test('the dashboard says why, an undo is refused, and imported orders count until undone', async () => {
  const shop = await newShop(world)
  const change = await shop.api.patch('/v1/store', { currency: 'EUR' })
  const columns = 'order_number,created_at,customer_email,item_name,item_quantity,item_price'
  const text = `${columns}\n7,2024-03-05T15:00:00Z,a@example.com,Mug,1,10\n`
  const { id } = await imported(world, shop.api, text, { kind: 'orders' })
  const ana = await staffOf(world, [shop])
  const at = `/${shop.store.id}/settings/store`
  const { slug } = shop.store
  const body = { act: 'save', name: 'Casa', slug, country_code: 'US', timezone: 'UTC', currency: 'JPY' }
  const sent = await ana.post(at, { ...body, version: hiddenOf(await ana.get(at), 'version') })
  assert.equal(sent.status, 409)
  assert.match(sent.text, /The currency can’t change after the first order\./)
  const undone = await shop.api.post(`/v1/changes/${change.headers.get('x-request-id')}/revert`, {})
  assert.equal(undone.status, 409)
  dataOf(await shop.api.post(`/v1/imports/${id}/undo`, {}), 200)
  await world.app.jobs.run('import')
  assert.equal(dataOf(await shop.api.patch('/v1/store', inYen), 200).currency, 'JPY')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

test('orders by number, products and customers by name or e-mail, and pages by their names are found', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const ana = await staffOf(world, [shop])
  for (const { api } of [shop, other]) {
    await api.post('/v1/products', { name: 'Café cup', price: 5, sku: 'CUP-1' })
    await api.post('/v1/customers', { name: 'Ben Cupido', email: 'ben@cup.example' })
  }
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items }), 201)
  const find = async (search: string) => {
    const { text } = await ana.get(`/${shop.store.id}/find.json?search=${encodeURIComponent(search)}`)
    const { groups } = JSON.parse(text) as { groups: { title: string; items: { text: string; to: string }[] }[] }
    return groups.flatMap(({ title, items: found }) => found.map(({ text: name }) => `${title}: ${name}`))
  }
  assert.deepEqual(await find(`#${order.order_number}`), [`Orders: #${order.order_number}`])
  assert.deepEqual(await find('cup'), ['Products: Café cup', 'Customers: Ben Cupido'])
  assert.deepEqual(await find('api keys'), ['Pages: API Keys'])
  assert.deepEqual(await find('no such thing'), [])
  assert.ok((await find('')).includes('Pages: Orders'))
  const page = await ana.get(`/${shop.store.id}/find?search=cup`)
  assert.match(page.text, /Café cup<\/a> <small>CUP-1<\/small>/)
})

test('nobody finds what their role may not see', async () => {
  const shop = await world.newStore()
  const ben = await staffOf(world, [shop], 'staff')
  const { text } = await ben.get(`/${shop.store.id}/find.json?search=`)
  assert.ok(text.includes('/orders"'))
  assert.ok(!text.includes('api-keys'))
})

// Reports of other shops about customers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, setUp } from '../checkouts.ts'
import { dataOf, sold } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

// Repair-DeskPOS/RepairDesk-BUGS-IMPROVEMENTS#799
test("a child who gave their mother's phone is not their mother", async () => {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const items = [sold(await productOf(shop))]
  const order = async (customer: object) => dataOf(await api.post('/v1/orders', { items, customer }), 201)
  const phone = '+1 212 555 0101'
  const child = await order({ name: 'Kim', email: 'kim@example.com', phone })
  const mother = await order({ name: 'Ruth', email: 'ruth@example.com', phone })
  assert.notEqual(child.customer_id, mother.customer_id)
  const { orders } = dataOf(await api.get(`/v1/customers/${mother.customer_id}/data`), 200)
  assert.deepEqual(
    orders.map(({ id }: any) => id),
    [mother.id],
  )
})

// awesomemotive/easy-digital-downloads#6043
test('an order under another name changes neither the customer nor earlier orders', async () => {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const items = [sold(await productOf(shop))]
  const order = async (customer: object) => dataOf(await api.post('/v1/orders', { items, customer }), 201)
  const first = await order({ name: 'John Doe', email: 'john@example.org' })
  const second = await order({ name: 'Jane Doe', email: 'john@example.org' })
  assert.equal(second.customer_id, first.customer_id)
  assert.equal((await api.get(`/v1/customers/${first.customer_id}`)).data.name, 'John Doe')
  assert.equal((await api.get(`/v1/orders/${first.id}`)).data.customer_name, 'John Doe')
  assert.equal((await api.get(`/v1/orders/${second.id}`)).data.customer_name, 'Jane Doe')
})

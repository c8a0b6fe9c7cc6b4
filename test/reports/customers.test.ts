// Reports of other shops about customers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, setUp } from '../checkouts.ts'
import { dataOf, newShop, sold } from '../shop.ts'
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

// PrestaShop/PrestaShop#15522
test('what a customer spent is what they paid less what they got back, part by part', async () => {
  const { api, product, order } = await newShop(world)
  const bag = await product({ price: 25, stock_quantity: 9 })
  const dearer = await order([sold(bag, 3)], { customer_email: 'other@example.com', payment_status: 'paid' })
  const { id, customer_id } = await order([sold(bag, 4)], { customer_email: 'ann@example.com' })
  const group = dataOf(await api.post('/v1/customer-groups', { name: 'Spent 60', min_total_spent: 60 }), 201)
  const seen = async () => {
    const { data: list } = await api.get('/v1/customers?sort=total_spent')
    const { data: rich } = await api.get('/v1/customers?total_spent[gte]=60')
    const { data: members } = await api.get(`/v1/customers?group=${group.id}`)
    const of = (rows: any[]) => rows.map((row) => (row.id === customer_id ? 'ann' : 'other')).sort()
    assert.deepEqual(of(rich), of(members))
    const { total_spent } = list.find((row: any) => row.id === customer_id)
    return [total_spent, list[0].id === customer_id ? 'ann' : 'other', of(rich).join(' ')]
  }
  assert.notEqual(dearer.customer_id, customer_id)
  assert.deepEqual(await seen(), [0, 'other', 'other'])
  dataOf(await api.patch(`/v1/orders/${id}`, { payment_status: 'paid' }), 200)
  assert.deepEqual(await seen(), [100, 'ann', 'ann other'])
  dataOf(await api.post(`/v1/orders/${id}/refunds`, { amount: 50 }), 201)
  assert.deepEqual(await seen(), [50, 'other', 'other'])
  dataOf(await api.patch(`/v1/orders/${id}`, { payment_status: 'refunded' }), 200)
  assert.deepEqual(await seen(), [0, 'other', 'other'])
})

// woocommerce/woocommerce#31914, jackocnr/intl-tel-input#2105
test('a phone and a postal code that are typed in Persian digits are those in Latin ones', async () => {
  const { api } = await world.newStore({ country_code: 'IR' })
  const address = { address: 'Street 1', city: 'Tehran', postal_code: '۱۱۹۳۶-۱۲۳۴۵', country_code: 'IR' }
  const body = { name: 'N', phone: '۰۲۱ ۸۸۷۷۶۶۵۵', addresses: [address] }
  const { phone, addresses } = dataOf(await api.post('/v1/customers', body), 201)
  assert.deepEqual([phone, addresses[0].postal_code], ['021 88776655', '11936-12345'])
})

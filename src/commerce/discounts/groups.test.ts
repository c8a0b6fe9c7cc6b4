// Discounts that are limited to customer groups, in checkouts, orders, edits and validation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { home, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { recordStatements } from '../../../test/statements.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

async function open(rules: object = {}, discount: object = {}) {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const product = await productOf(shop)
  const group = dataOf(await api.post('/v1/customer-groups', { name: 'VIP', ...rules }), 201)
  const body = { code: 'VIP', type: 'percentage', value: 10, customer_group_ids: [group.id], ...discount }
  const made = dataOf(await api.post('/v1/discounts', body), 201)
  const items = [{ product_id: product.id, quantity: 1 }]
  const customer = async (more: object) => dataOf(await api.post('/v1/customers', { name: 'Ana', ...more }), 201)
  const order = (more: object) => api.post('/v1/orders', { items, discount_code: 'VIP', ...more })
  return { ...shop, product, items, group, made, customer, order }
}

const only = { discount_code: 'is for certain customers only' }

test('a code for a group works for its customers alone, by ID, email or phone, as once per customer does', async () => {
  const { group, made, customer, order } = await open({ customer_tags: ['vip'] })
  assert.deepEqual(made.customer_group_ids, [group.id])
  const ana = await customer({ email: 'ana@example.com', phone: '+1 213 373 4253', tags: ['vip'] })
  const bo = await customer({ name: 'Bo', email: 'bo@example.com' })
  assert.deepEqual(faultsOf(await order({})), only)
  assert.deepEqual(faultsOf(await order({ customer_email: 'new@example.com' })), only)
  assert.deepEqual(faultsOf(await order({ customer_id: bo.id })), only)
  for (const buyer of [
    { customer_id: ana.id },
    { customer_email: 'ANA@example.com' },
    { customer_phone: '(213) 373-4253' },
  ]) {
    assert.ok(dataOf(await order(buyer), 201).discount_amount > 0)
  }
})

test('an automatic discount for a group leaves others alone, and no product says that it is discounted', async () => {
  const { api, product, items, customer } = await open({ customer_tags: ['vip'] }, { is_automatic: true })
  await customer({ email: 'ana@example.com', tags: ['vip'] })
  const off = async (more: object) => dataOf(await api.post('/v1/orders', { items, ...more }), 201).discount_amount
  assert.equal(await off({}), 0)
  assert.equal(await off({ customer_email: 'bo@example.com' }), 0)
  assert.equal(await off({ customer_email: 'ana@example.com' }), product.price / 10)
  assert.equal((await api.get(`/v1/products/${product.id}`)).data.has_discount, false)
})

test('the order after the one that reaches the spend has the discount, and a refund takes it away', async () => {
  const { api, product, items, order } = await open({ min_total_spent: 0.01 })
  const buyer = { customer_email: 'ana@example.com' }
  assert.deepEqual(faultsOf(await order(buyer)), only)
  const first = dataOf(await api.post('/v1/orders', { items, ...buyer, payment_status: 'paid' }), 201)
  assert.equal(dataOf(await order(buyer), 201).discount_amount, product.price / 10)
  dataOf(await api.patch(`/v1/orders/${first.id}`, { payment_status: 'refunded' }), 200)
  assert.deepEqual(faultsOf(await order(buyer)), only)
})

test('the checkout takes the code once the email is that of a customer of the group', async () => {
  const shop = await open({}, {})
  const ana = await shop.customer({ email: 'ana@example.com' })
  dataOf(await shop.api.post(`/v1/customer-groups/${shop.group.id}/members`, { customer_ids: [ana.id] }), 200)
  const shopper = shopperOf(world, shop)
  const begin = (email: string) =>
    shopper.begin({ items: shop.items, discount_code: 'VIP', customer: { name: 'X', email }, shipping_address: home })
  const other = await begin('bo@example.com')
  assert.equal(other.data?.discount ?? 0, 0)
  const begun = dataOf(await begin('Ana@example.com'), 201)
  assert.equal(begun.discount, begun.subtotal / 10)
  const { order } = dataOf(await shopper.complete(begun.token), 201)
  assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).data.discount_code, 'VIP')
})

test('an edit takes a new code for customers of the group, and keeps one that the order has', async () => {
  const { api, group, items, customer, order } = await open()
  const ana = await customer({ email: 'ana@example.com' })
  const edit = (id: string, body: object) => api.post(`/v1/orders/${id}/edits`, body)
  const plain = dataOf(await api.post('/v1/orders', { items, customer_id: ana.id }), 201)
  assert.deepEqual(faultsOf(await edit(plain.id, { discount_code: 'VIP' })), only)
  const members = `/v1/customer-groups/${group.id}/members`
  dataOf(await api.post(members, { customer_ids: [ana.id] }), 200)
  assert.ok(dataOf(await edit(plain.id, { discount_code: 'VIP' }), 200).discount_amount > 0)
  const kept = dataOf(await order({ customer_id: ana.id }), 201)
  dataOf(await api.delete(`${members}/${ana.id}`), 200)
  const lines = [{ item_id: kept.items[0].id, quantity: 2 }]
  const edited = dataOf(await edit(kept.id, { items: lines }), 200)
  assert.equal(edited.discount_amount, kept.discount_amount * 2)
})

test('validation explains the rule with the names of the groups', async () => {
  const { api, customer } = await open({ customer_tags: ['vip'] })
  await customer({ email: 'ana@example.com', tags: ['vip'] })
  const validate = async (more: object) => {
    const { data } = await api.post('/v1/discounts/validate', { code: 'VIP', order_total: 50, ...more })
    const rule = data.rules.find(({ rule }: any) => rule === 'customer_group')
    return [data.valid, data.reason, rule.is_met, rule.message]
  }
  const message = 'The customer is in one of the groups: VIP'
  assert.deepEqual(await validate({}), [false, 'not_in_group', false, message])
  assert.deepEqual(await validate({ customer_email: 'bo@example.com' }), [false, 'not_in_group', false, message])
  assert.deepEqual(await validate({ customer_email: 'ana@example.com' }), [true, null, true, message])
})

test('a discount of a deleted group is for nobody; a group that does not exist is refused', async () => {
  const { api, group, made, customer, order } = await open({ customer_tags: ['vip'] })
  const ana = await customer({ tags: ['vip'] })
  dataOf(await api.delete(`/v1/customer-groups/${group.id}`), 200)
  assert.deepEqual(faultsOf(await order({ customer_id: ana.id })), only)
  const path = `/v1/discounts/${made.id}`
  assert.equal(dataOf(await api.patch(path, { value: 20 }), 200).customer_group_ids.length, 1)
  const body = { code: 'NEW', type: 'percentage', value: 10, customer_group_ids: [group.id] }
  assert.deepEqual(faultsOf(await api.post('/v1/discounts', body)), { 'customer_group_ids.0': 'does not exist' })
  dataOf(await api.patch(path, { customer_group_ids: [] }), 200)
  dataOf(await order({ customer_id: ana.id }), 201)
})

test('groups take an order no further statement', async () => {
  const { api, items, customer } = await open({ customer_tags: ['vip'] }, { is_automatic: true })
  const ana = await customer({ tags: ['vip'] })
  const countOf = async () => {
    const { statements } = recordStatements()
    dataOf(await api.post('/v1/orders', { items, customer_id: ana.id }), 201)
    return [...statements.values()].length
  }
  await countOf()
  const limited = await countOf()
  const [{ id }] = (await api.get('/v1/discounts')).data
  dataOf(await api.patch(`/v1/discounts/${id}`, { customer_group_ids: [] }), 200)
  assert.equal(await countOf(), limited)
})

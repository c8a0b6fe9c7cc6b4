// Returns in the dashboard: created, received, refunded and exchanged by staff.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold } from '../../../../../test/shop.ts'
import { staffOf, type Staff } from '../../../../../test/staff.ts'
import { openWorld } from '../../../../../test/world.ts'

const world = await openWorld()

const pageOf = async (ana: Staff, path: string) => (await ana.get(path)).text

async function open() {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'staff')
  const [mug, cap] = [await shop.product({ name: 'Mug' }), await shop.product({ name: 'Cap', price: 4 })]
  const contact = { customer_email: 'eva@example.com', payment_status: 'paid', payment_method: 'cash' }
  const order = await shop.order([sold(mug, 3), sold(cap)], contact)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  const path = `/${shop.store.id}`
  const items = [{ item_id: order.items[0].id, quantity: 2, reason: 'does_not_fit' }]
  const make = async (body: object = {}) =>
    dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items, ...body }), 201)
  const now = async ({ id }: any) => (await shop.api.get(`/v1/returns/${id}`)).data
  return { shop, ana, mug, cap, order, path, make, now }
}

test('staff create a return from the order, which then lists it', async () => {
  const { shop, ana, order, path } = await open()
  assert.match(await pageOf(ana, `${path}/orders/${order.id}`), new RegExp(`orders/${order.id}/return"`))
  const fields = {
    act: 'create',
    item_id: order.items.map(({ id }: any) => id),
    'items.0.quantity': '',
    'items.1.quantity': '2',
    'items.1.reason': '',
    instructions: 'To Dock Street 4',
  }
  const refused = await ana.post(`${path}/orders/${order.id}/return`, fields)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /id="items\.1\.reason-fault"/)
  const over = await ana.post(`${path}/orders/${order.id}/return`, { ...fields, 'items.1.reason': 'other' })
  assert.match(over.text, /id="items\.1\.quantity-fault"[^>]*>At most 1 unit can be returned\./)
  const saved = await ana.post(`${path}/orders/${order.id}/return`, {
    ...fields,
    'items.1.reason': 'other',
    'items.1.quantity': '1',
  })
  assert.equal(saved.status, 303)
  const [made] = (await shop.api.get('/v1/returns')).data
  assert.deepEqual([made.status, made.instructions, made.items[0].quantity], ['approved', 'To Dock Street 4', 1])
  assert.match(await pageOf(ana, `${path}/orders/${order.id}`), new RegExp(`returns/${made.id}">Return 1</a>`))
  assert.match(await pageOf(ana, `${path}/returns?status=approved`), new RegExp(made.id))
  assert.doesNotMatch(await pageOf(ana, `${path}/returns?status=requested`), new RegExp(made.id))
})

test('a request is a task on Home, and is approved or declined', async () => {
  const { ana, path, make, now } = await open()
  const asked = await make({ status: 'requested' })
  assert.match(await pageOf(ana, path), /returns\?status=requested"><span>Returns to review<\/span>\s*<strong>1</)
  const at = `${path}/returns/${asked.id}`
  assert.equal((await ana.post(at, { act: 'approve', instructions: '' })).status, 303)
  assert.equal((await now(asked)).status, 'approved')
  assert.equal((await ana.post(at, { act: 'approve', instructions: '' })).status, 422)
  assert.doesNotMatch(await pageOf(ana, path), /returns\?status=requested"><span>Returns to review<\/span>\s*<strong>/)
})

test('what is received is counted by condition, and refunded', async () => {
  const { shop, ana, mug, order, path, make, now } = await open()
  const made = await make()
  const at = `${path}/returns/${made.id}`
  const receive = { act: 'receive', item_id: order.items[0].id }
  const over = await ana.post(at, { ...receive, 'items.0.as_new': '2', 'items.0.damaged': '1' })
  assert.equal(over.status, 422)
  assert.match(over.text, /id="items\.0\.as_new-fault"/)
  assert.equal((await ana.post(at, { ...receive, 'items.0.as_new': '1', 'items.0.damaged': '1' })).status, 303)
  assert.equal(await shop.stockOf(mug), 3)
  assert.match(await pageOf(ana, at), /Received items: \$20\.00, tax included\./)
  assert.match(await pageOf(ana, at), /yourself \(up to \$20\.00\), then record it\.[^]*Record refund of \$20\.00</)
  const fee = { act: 'refund', restocking_fee: '1.5', shipping: '', reason: '' }
  assert.match((await ana.post(at, { ...fee, rehearse: '1' })).text, /Record refund of \$18\.50</)
  assert.equal((await now(made)).status, 'received')
  assert.equal((await ana.post(at, fee)).status, 303)
  const { status, restocking_fee } = await now(made)
  assert.deepEqual([status, restocking_fee], ['closed', 1.5])
  assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).data.refunded_amount, 18.5)
})

test('an exchange leads to its new order', async () => {
  const { shop, ana, cap, path, make, now } = await open()
  const made = await make()
  dataOf(await shop.api.post(`/v1/returns/${made.id}/receive`, {}), 200)
  const at = `${path}/returns/${made.id}/exchange`
  const answer = await ana.post(at, { act: 'exchange', line: cap.id, 'items.0.quantity': '2', refund: '1' })
  assert.equal(answer.status, 303)
  const { exchange_order_id, refund_id } = await now(made)
  assert.match(answer.location ?? '', new RegExp(`/orders/${exchange_order_id}`))
  const { subtotal, total } = (await shop.api.get(`/v1/orders/${exchange_order_id}`)).data
  assert.deepEqual([subtotal, total, refund_id !== null], [8, 0, true])
})

test('the forms for shipments, refunds and returns list the parts of a bundle below its name', async () => {
  const { shop, ana, mug, cap, path } = await open()
  const bundle_items = [{ product_id: mug.id, quantity: 2 }, { product_id: cap.id }]
  const set = await shop.product({ name: 'Gift set', price: 20, bundle_items })
  const order = await shop.order([sold(set)], { payment_status: 'paid', payment_method: 'cash' })
  const listed = /Gift set\s*<small>of 1[^<]*<\/small>\s*(?:<br>)?<small>2 × Mug, 1 × Cap<\/small>/g
  const at = `${path}/orders/${order.id}`
  const countIn = async (page: string) => [...(await pageOf(ana, page)).matchAll(listed)].length
  assert.equal(await countIn(at), 2)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  assert.equal(await countIn(`${at}/return`), 1)
  const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'other' }]
  const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
  assert.equal(await countIn(`${path}/returns/${made.id}`), 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function open(more: object = {}) {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'staff')
  const items = [
    { product_name: 'Mug', unit_price: 10, quantity: 3 },
    { product_name: 'Cap', unit_price: 5, quantity: 1 },
  ]
  const order = await shop.order(items, { customer_email: 'eva@example.com', ...more })
  const path = `/${shop.store.id}/orders/${order.id}`
  const [mug, cap] = order.items
  const fields = { act: 'edit', kept: [mug.id, cap.id], 'kept.0.was': '3', 'kept.1.was': '1' }
  const orderNow = async () => (await shop.api.get(`/v1/orders/${order.id}`)).data
  return { shop, ana, order, path, fields, orderNow }
}

const paid = { payment_status: 'paid', payment_method: 'cash' }

test('a preview shows the totals before and after, and changes nothing', async () => {
  const { ana, path, fields, orderNow } = await open(paid)
  const { status, text } = await ana.post(`${path}/edit`, {
    ...fields,
    'kept.0.quantity': '1',
    'kept.1.quantity': '1',
    shipping_cost: '4',
    rehearse: '1',
  })
  assert.equal(status, 200)
  const table = /<table class="plain" id="sums">[^]*?<\/table>/.exec(text)![0]
  const totals = /Total<\/th>([^]*)/.exec(table)![1]!.match(/-?\$[\d.]+/g)
  assert.deepEqual(totals, ['$35.00', '$19.00', '-$16.00'])
  assert.match(text, /paid \$16\.00 more than the order costs now/)
  assert.equal((await orderNow()).total, 35)
})

test('only what was changed is sent: what someone else has changed meanwhile stays', async () => {
  const { shop, ana, order, path, fields, orderNow } = await open()
  await shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: order.items[1].id, quantity: 2 }] })
  const saved = await ana.post(`${path}/edit`, { ...fields, 'kept.0.quantity': '4', 'kept.1.quantity': '1' })
  assert.equal(saved.status, 303)
  const { items } = await orderNow()
  assert.deepEqual(
    items.map(({ quantity }: any) => quantity),
    [4, 2],
  )
})

test('what is wrong stands beside the quantity', async () => {
  const { shop, ana, order, path, fields } = await open()
  await shop.api.post(`/v1/orders/${order.id}/fulfillments`, { items: [{ item_id: order.items[0].id, quantity: 2 }] })
  const { status, text } = await ana.post(`${path}/edit`, { ...fields, 'kept.0.quantity': '1', 'kept.1.quantity': '1' })
  assert.equal(status, 422)
  assert.match(text, /id="kept\.0\.quantity-fault"[^>]*>Keep at least 2/)
})

test('what is due is asked for by a link; what was overpaid is refunded', async () => {
  const { shop, ana, order, path, orderNow } = await open(paid)
  const edit = (quantity: number) =>
    shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: order.items[0].id, quantity }] })
  await edit(4)
  assert.match((await ana.get(path)).text, /\$10\.00 due\./)
  assert.equal((await ana.post(path, { act: 'send_link' })).status, 303)
  const [mail] = (await shop.api.get('/v1/mails?kind=payment_request')).data
  assert.equal(mail.recipient, 'eva@example.com')
  assert.match((await ana.post(path, { act: 'show_link' })).text, /value="https?:[^"]*\/orders\/ord_[^"]*\/pay"/)
  await edit(1)
  assert.match((await ana.get(path)).text, /paid \$20\.00 more/)
  const asked = await ana.post(path, { act: 'refund_overpaid', amount: '20', label: '$20.00' })
  assert.match(asked.text, /\$20\.00 is paid back/)
  await ana.post(path, { act: 'refund_overpaid', amount: '20', label: '$20.00', sure: '1' })
  assert.deepEqual([(await orderNow()).amount_to_refund, (await orderNow()).payment_status], [0, 'paid'])
})

test('a canceled order has no form', async () => {
  const { shop, ana, order, path } = await open()
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  const { text } = await ana.get(`${path}/edit`)
  assert.match(text, /can’t be edited/)
  assert.doesNotMatch((await ana.get(path)).text, /\/edit"/)
})

test('the way back from an edit and from a new return is the order', async () => {
  const { ana, path } = await open()
  for (const screen of ['edit', 'return']) {
    const { text } = await ana.get(`${path}/${screen}`)
    assert.ok(text.includes(`<p class="trail"><a href="/dashboard${path}" aria-label="Back to Order">`), screen)
  }
})

test('the form has the codes of the order, takes several, and says that one is wrong', async () => {
  const { shop, ana, path, fields, order, orderNow } = await open({ shipping_cost: 5 })
  const combines_with = ['order', 'shipping']
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10, combines_with })
  await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0, combines_with })
  const kept = { 'kept.0.quantity': '3', 'kept.1.quantity': '1' }
  const send = (discount_codes: string) => ana.post(`${path}/edit`, { ...fields, ...kept, discount_codes })
  const wrong = await send('TEN\nNONE')
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="edit-discount_codes-fault"/)
  assert.equal((await send('TEN\nSHIP')).location, `/${shop.store.id}/orders/${order.id}`)
  assert.deepEqual(
    (await orderNow()).discounts.map(({ code }: any) => code),
    ['TEN', 'SHIP'],
  )
  const { text } = await ana.get(`${path}/edit`)
  assert.match(text, /<textarea[^>]*name="discount_codes"[^>]*>\s*TEN\nSHIP</)
  const { edited_at } = await orderNow()
  await send('TEN\nSHIP')
  assert.equal((await orderNow()).edited_at, edited_at)
})

// One order: pictures and links of its lines, what comes first, and the total of a refund before it is made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdMoney } from '../../../../test/hold.ts'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const place = async (body: object = {}) => {
    const items = [{ product_name: 'Card', unit_price: 20, quantity: 2 }]
    return dataOf(await shop.api.post('/v1/orders', { items, ...body }), 201)
  }
  const show = async ({ id }: { id: string }) => (await ana.get(`/${shop.store.id}/orders/${id}`)).text
  return { shop, ana, place, show }
}

/** The action in the header is the one prominent button. */
const primaryIn = (text: string) =>
  /class="head">[^]*?id="said"/
    .exec(text)![0]
    .match(/<summary class="button">[^<]+/g)
    ?.map((tag) => tag.split('>')[1])

test('a line shows the picture of its variant or product, and leads to the product while it is there', async () => {
  const { shop, place, show } = await open()
  const [mug, shirt] = ['https://images.example/mug.jpg', 'https://images.example/red.jpg']
  const variants = [{ image: shirt, option_values: [{ option_title: 'Color', value: 'Red' }] }]
  const first = dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 5, main_image: mug }), 201)
  const second = dataOf(await shop.api.post('/v1/products', { name: 'Shirt', price: 5, variants }), 201)
  const order = await place({
    items: [
      { product_id: first.id, quantity: 1 },
      { product_id: second.id, variant_id: second.variants[0].id, quantity: 1 },
    ],
  })
  const text = await show(order)
  for (const said of [`src="${mug}"`, `src="${shirt}"`, `products/${first.id}">Mug</a>`]) {
    assert.ok(text.includes(said), said)
  }
  await shop.api.delete(`/v1/products/${first.id}`)
  const after = await show(order)
  assert.match(after, /<strong>Mug<\/strong>/)
  assert.ok(!after.includes(mug))
})

test('what comes next is the one prominent action: to fulfill, then to capture', async () => {
  const { shop, place, show } = await open()
  const order = await place()
  await holdMoney(world, shop.store.id, order.id)
  const text = await show(order)
  assert.deepEqual(primaryIn(text), ['Fulfill items'])
  assert.match(text, /<summary class="button quiet">Capture \$40\.00</)
  await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {})
  assert.deepEqual(primaryIn(await show(order)), ['Capture $40.00'])
})

test('the total of a refund is on its button before it is made', async () => {
  const { shop, ana, place } = await open()
  const order = await place({ payment_status: 'paid' })
  const path = `/${shop.store.id}/orders/${order.id}`
  const sent = { act: 'refund', item_id: order.items[0].id, 'items.0.quantity': '1', restock: '1' }
  const { status, text } = await ana.post(path, { ...sent, rehearse: '1' })
  assert.equal(status, 200)
  assert.match(text, /<button>Record refund of \$20\.00<\/button>/)
  assert.match(text, /name="items\.0\.quantity"[^>]*value="1"|value="1"[^>]*name="items\.0\.quantity"/)
  assert.equal(dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200).refunded_amount, 0)
  const wrong = await ana.post(path, { ...sent, 'items.0.quantity': '3', rehearse: '1' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /<button>Record refund of up to \$40\.00<\/button>/)
})

test('a refund of what was paid outside is recorded, not promised', async () => {
  const { shop, ana, place, show } = await open()
  const order = await place({ payment_status: 'paid' })
  const text = await show(order)
  assert.match(text, /paid outside Stoa\. Pay the refund back yourself \(up to \$40\.00\), then record it\./)
  assert.ok(!text.includes('by_hand'))
  const path = `/${shop.store.id}/orders/${order.id}`
  assert.equal((await ana.post(path, { act: 'refund', amount: '15' })).status, 303)
  assert.equal(dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200).refunded_amount, 15)
})

test('a refund by a provider may be called one outside it', async () => {
  const { shop, place, show } = await open()
  const order = await place()
  await holdMoney(world, shop.store.id, order.id)
  await world.app.db.rows(sql`
    update payment_sessions set captured_amount = amount where store_id = ${shop.store.id}`)
  await world.app.db.rows(sql`
    update orders set captured_amount = total, payment_status = 'paid' where store_id = ${shop.store.id}`)
  const text = await show(order)
  assert.match(text, /Already refunded outside Stoa/)
  assert.ok(!text.includes('paid outside Stoa'))
  assert.match(text, /class="if-refund">Cancel order and refund \$40\.00</)
})

test('what moves money names its sum: to mark as paid, and to cancel with a refund, which is asked first', async () => {
  const { shop, ana, place, show } = await open()
  const order = await place()
  const path = `/${shop.store.id}/orders/${order.id}`
  assert.match(await show(order), /<button class="quiet">Mark \$40\.00 as paid<\/button>/)
  assert.match(await show(order), /<button class="bad">Cancel order<\/button>/)
  const sums = { label: '#1', sum: '$40.00' }
  const asked = await ana.post(path, { act: 'pay', ...sums })
  assert.match(asked.text, /<button class="">Mark \$40\.00 as paid<\/button>/)
  await ana.post(path, { act: 'pay', ...sums, sure: '1' })
  const text = await show(order)
  assert.match(text, /class="if-refund">Cancel order and record refund of \$40\.00</)
  const cancel = { act: 'cancel', ...sums, outside: '1', restock: '1', refund: '1' }
  const question = await ana.post(path, cancel)
  assert.match(question.text, /Pay \$40\.00 back yourself/)
  assert.match(question.text, /<button class="bad">Cancel order and record refund of \$40\.00<\/button>/)
  const now = async () => dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200)
  assert.equal((await now()).status, 'pending')
  assert.equal((await ana.post(path, { ...cancel, sure: '1' })).status, 303)
  const { status, refunded_amount } = await now()
  assert.deepEqual([status, refunded_amount], ['cancelled', 40])
})

test('the timeline tells in sentences what was changed, by whom, for those who may read the audit log', async () => {
  const { shop, place, show } = await open()
  const owner = await staffOf(world, [shop])
  const order = await place()
  await shop.api.patch(`/v1/orders/${order.id}`, { tags: ['gift'] })
  await shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ product_name: 'Pen', unit_price: 5, quantity: 1 }] })
  const { text } = await owner.get(`/${shop.store.id}/orders/${order.id}`)
  assert.match(text, /settings\/audit\/aud_\w+">test changed tags<\/a>/)
  assert.match(text, /test edited the order\. Total: \$40\.00 → \$45\.00<\/a>[^]*?\+ Pen/)
  assert.ok(!text.includes('Latest changes'))
  const seen = await show(order)
  assert.ok(!seen.includes('changed tags') && seen.includes('Order changed'))
})

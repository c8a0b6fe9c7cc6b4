// A shopper requests a return on the page of an order, without scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { orderPath } from './orderlink.ts'

const world = await openWorld()

let visitors = 0

/** A shipped order of two mugs and a cap, and the pages of its shopper. */
async function shipped(body: object = {}) {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { notification_email: 'owner@example.com' })
  const items = [
    { product_name: 'Mug', unit_price: 10, quantity: 2 },
    { product_name: 'Cap', variant_name: 'Red', unit_price: 5, quantity: 1 },
  ]
  const contact = { customer_email: 'eva@example.com', notify_customer: true, payment_status: 'paid' }
  const order = await shop.order(items, contact)
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, body), 201)
  return { shop, order, ...visit(shop, order) }
}

function visit({ store }: Shop, { id }: { id: string }) {
  const deps = { vault: world.app.vault } as Parameters<typeof orderPath>[0]['deps']
  const path = `${world.url}/s/${store.slug}${orderPath({ store, deps }, id)}`
  const address = `203.0.113.${++visitors}`
  const headers = { origin: world.url, 'x-forwarded-for': address, 'accept-language': 'en' }
  const page = async (below = '', language = 'en') => {
    const answer = await fetch(path + below, { headers: { ...headers, 'accept-language': language } })
    assert.equal(answer.status, 200)
    return answer.text()
  }
  const post = (below: string, fields: [string, string][]) =>
    fetch(path + below, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
  const send = (fields: [string, string][]) => post('/return', fields)
  const cancel = async (id: string) => (await post('/return/cancel', [['return_id', id]])).status
  return { page, send, cancel }
}

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** Fields of the form: units, reason and note of each item. */
const fieldsOf = (order: any, lines: [units: string, reason?: string, note?: string][]): [string, string][] =>
  lines.flatMap(([units, reason = '', note = ''], at): [string, string][] => [
    ['item_id', order.items[at].id],
    [`items.${at}.quantity`, units],
    [`items.${at}.reason`, reason],
    [`items.${at}.note`, note],
  ])

const returnsOf = async ({ api }: Shop) => (await api.get('/v1/returns')).data

test('a shopper requests a return, and its state is shown on the page of the order', async () => {
  const { shop, order, page, send } = await shipped()
  assert.match(textOf(await page()), /Returns Return items You can request a return until /)
  assert.match(
    textOf(await page('', 'es')),
    /Devoluciones Devolver artículos Puedes solicitar una devolución hasta el /,
  )
  const form = await page('/return')
  assert.match(form, /<legend>Mug<\/legend>/)
  assert.match(textOf(form), /Cap · Red Units to return of 1 Reason Choose a reason Changed my mind/)

  const sent = await send(fieldsOf(order, [['1', 'does_not_fit', 'Too <small>'], ['']]))
  assert.equal(sent.status, 303)
  const [made, ...others] = await returnsOf(shop)
  assert.deepEqual(others, [])
  assert.deepEqual([made.status, made.requested_by], ['requested', 'customer'])
  const { item_id, quantity, reason, note } = made.items[0]
  assert.deepEqual([item_id, quantity, reason, note], [order.items[0].id, 1, 'does_not_fit', 'Too <small>'])
  assert.match(textOf(await page()), /Requested\. We’ll check your request\. 1 × Mug /)
  const mails = (await shop.api.get('/v1/mails')).data
  const kinds = mails.map(({ kind, return_id }: any) => [kind, return_id === made.id]).toSorted()
  assert.deepEqual(
    kinds.filter(([kind]: [string]) => kind.startsWith('return')),
    [
      ['return_notice', true],
      ['return_requested', true],
    ],
  )
  dataOf(await shop.api.post(`/v1/returns/${made.id}/approve`, { instructions: 'Use the <label>' }), 200)
  assert.match(await page(), /Approved\. Send the items back\.[^]*<p class="pre">Use the &lt;label&gt;<\/p>/)
  dataOf(await shop.api.post(`/v1/returns/${made.id}/receive`, {}), 200)
  dataOf(await shop.api.post(`/v1/returns/${made.id}/refund`, {}), 200)
  assert.match(textOf(await page()), /Returns [^·]* · Refunded 1 × Mug/)
})

test('a shopper cancels a request until the store has decided on it, and nobody else can', async () => {
  const { shop, order, page, send, cancel } = await shipped()
  await send(fieldsOf(order, [['1', 'other']]))
  const [made] = await returnsOf(shop)
  assert.match(textOf(await page()), /Requested\. We’ll check your request\. 1 × Mug Cancel request/)
  const other = await shipped()
  assert.equal(await other.cancel(made.id), 404)
  assert.equal(await cancel('ret_nothing'), 404)
  const neighbour = await shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 1 }])
  assert.equal(await visit(shop, neighbour).cancel(made.id), 404)
  assert.equal((await returnsOf(shop))[0].status, 'requested')
  await shop.events()

  assert.equal(await cancel(made.id), 303)
  const [cancelled] = await returnsOf(shop)
  assert.deepEqual([cancelled.status, cancelled.cancelled_at !== null], ['cancelled', true])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['return.cancelled'],
  )
  assert.equal(await cancel(made.id), 303)
  assert.deepEqual(await shop.events(), [])
  const shown = textOf(await page())
  assert.match(shown, /Canceled 1 × Mug/)
  assert.doesNotMatch(shown, /Cancel request/)

  await send(fieldsOf(order, [['2', 'other']]))
  const again = (await returnsOf(shop)).find(({ status }: any) => status === 'requested')
  dataOf(await shop.api.post(`/v1/returns/${again.id}/approve`, {}), 200)
  assert.equal(await cancel(again.id), 303)
  assert.equal(dataOf(await shop.api.get(`/v1/returns/${again.id}`), 200).status, 'approved')
  assert.doesNotMatch(await page(), /Cancel request/)
})

test('a return that staff created is not the shopper’s to cancel', async () => {
  const { shop, order, page, cancel } = await shipped()
  const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'other' }]
  const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items, status: 'requested' }), 201)
  assert.doesNotMatch(await page(), /Cancel request/)
  assert.equal(await cancel(made.id), 404)
})

test('what is wrong stands beside the field, and nothing typed is lost', async () => {
  const { shop, order, send } = await shipped()
  const nothing = await send(fieldsOf(order, [[''], ['0']]))
  assert.equal(nothing.status, 422)
  assert.match(await nothing.text(), /Enter at least one unit\./)
  const wrong = await send(
    fieldsOf(order, [
      ['', ''],
      ['2', 'other', 'Faded'],
    ]),
  )
  assert.equal(wrong.status, 422)
  const text = await wrong.text()
  assert.match(text, /id="items\.1\.quantity-fault"[^>]*>At most 1 unit can be returned\./)
  assert.match(text, /value="Faded"/)
  const unsaid = await (await send(fieldsOf(order, [['1']]))).text()
  assert.match(unsaid, /id="items\.0\.reason-fault"[^>]*>Choose a reason\./)
  assert.match(await (await send(fieldsOf(order, [['one', 'other']]))).text(), /id="items\.0\.quantity-fault"/)
  assert.deepEqual(await returnsOf(shop), [])
})

test('requests are possible for the days that the store allows, after the last shipment or its delivery', async () => {
  const { shop, order, page, send } = await shipped({ delivered_at: '2026-11-20T10:00:00Z' })
  const { data } = await shop.api.get(`/v1/orders/${order.id}/returnable`)
  const left = new Date(data.until).getTime() - world.clock.now().getTime()
  assert.equal(data.is_open, left >= 0)
  const days = Math.ceil((world.clock.now().getTime() - Date.parse('2026-11-20T10:00:00Z')) / 86_400_000)
  await shop.api.patch('/v1/store', { return_window_days: Math.max(1, days + 1) })
  assert.match(await page(), /Return items/)
  world.clock.advance(3 * 86_400)
  assert.doesNotMatch(await page(), /Return items/)
  assert.match(textOf(await page('/return')), /Nothing in this order can be returned right now\./)
  const late = await send(fieldsOf(order, [['1', 'other']]))
  assert.equal(late.status, 422)
  assert.match(await late.text(), /It’s too late to return this order\./)
  const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'other' }]
  dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, { items }), 201)
})

test('a store without returns takes no requests, nor does an order without shipped items', async () => {
  const { shop, order, page, send } = await shipped()
  await shop.api.patch('/v1/store', { return_window_days: 0 })
  assert.doesNotMatch(await page(), /Return items/)
  assert.equal((await send(fieldsOf(order, [['1', 'other']]))).status, 422)
  await shop.api.patch('/v1/store', { return_window_days: 30 })
  const open = await shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 1 }])
  const other = visit(shop, open)
  assert.doesNotMatch(await other.page(), /Return items/)
  assert.equal((await other.send(fieldsOf(open, [['1', 'other']]))).status, 422)
  // An item of another order.
  assert.equal((await other.send(fieldsOf(order, [['1', 'other']]))).status, 422)
  assert.deepEqual(await returnsOf(shop), [])
})

test('an address requests ten returns an hour', async () => {
  const { order, page, send } = await shipped()
  const statuses: number[] = []
  for (let turn = 0; turn < 11; turn++) statuses.push((await send(fieldsOf(order, [['9', 'other']]))).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 422), 429])
  assert.match(await page('/return'), /<legend>Mug<\/legend>/)
})

test('without the link of the order there is no such page', async () => {
  const { shop, order } = await shipped()
  const answer = await fetch(`${world.url}/s/${shop.store.slug}/orders/${order.id}.x/return`)
  assert.equal(answer.status, 404)
})

test('the form lists the parts of a bundle below its name', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ name: 'Mug' })
  const set = await shop.product({ name: 'Gift set', bundle_items: [{ product_id: mug.id, quantity: 2 }] })
  const order = await shop.order([sold(set)], { payment_status: 'paid', payment_method: 'cash' })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  assert.match(textOf(await visit(shop, order).page('/return')), /Gift set 2 × Mug Units/)
})

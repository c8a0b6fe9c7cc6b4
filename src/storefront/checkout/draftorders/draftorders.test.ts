// The link by which a customer pays a draft order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letterTo } from '../../../../test/letters.ts'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

const path = '/v1/draft-orders'
const ana = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }
const day = 24 * 60 * 60

const draftOf = async ({ api, thing }: Shop, body: object = {}) =>
  dataOf(await api.post(path, { ...ana, items: [{ product_id: thing.id, quantity: 1 }], ...body }), 201)
const link = ({ api }: Shop, { id }: { id: string }, body: object = { send: false }) =>
  api.post(`${path}/${id}/payment-link`, body)
const read = async ({ api }: Shop, { id }: { id: string }) => dataOf(await api.get(`${path}/${id}`), 200)
const ordersOf = async ({ api }: Shop) => (await api.get('/v1/orders')).data
const stockOf = async ({ api, thing }: Shop) => (await api.get(`/v1/products/${thing.id}`)).data.stock_quantity

/** The page of a link, as a browser without scripts uses it. */
function pageAt(url: string) {
  const at = world.url + new URL(url).pathname
  const send = async (init: RequestInit = {}) => {
    const answer = await fetch(at, { redirect: 'manual', ...init })
    const { status, headers } = answer
    return { status, to: headers.get('location'), text: await answer.text() }
  }
  const pay = (total: number, more: Record<string, string> = {}) =>
    send({
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ total: String(total), payment_method: 'card', ...more }),
    })
  return { path: new URL(url).pathname, show: () => send(), pay }
}

async function paged(shop: Shop, body: object = {}) {
  const draft = await draftOf(shop, body)
  const { url } = dataOf(await link(shop, draft), 200)
  return { draft, url, ...pageAt(url) }
}

test('the link shows what was put together, leads to the provider, and the paid order appears', async () => {
  const shop = await payingShop(world)
  await shop.api.post('/v1/discounts', { code: 'FIVE', type: 'fixed_amount', value: 5 })
  const {
    draft,
    path: at,
    show,
    pay,
  } = await paged(shop, {
    discount_code: 'FIVE',
    shipping_price: 3,
    tags: ['phone'],
    customer_notes: 'Ring twice',
    shipping_address: { address: 'Av. Reforma 222', city: 'Puebla', country: 'Mexico' },
  })
  await shop.events()
  const page = await show()
  assert.equal(page.status, 200)
  assert.match(page.text, /Canvas backpack[^]*FIVE[^]*\$18\.00/)
  assert.match(page.text, /Av\. Reforma 222[^]*Puebla[^]*ana@example\.com[^]*Ring twice/)
  assert.match(page.text, /Pay \$18\.00/)
  const begun = await pay(18)
  const payment = psp.last()
  assert.deepEqual([begun.status, begun.to], [303, `https://pay.example/${payment.reference}`])
  assert.equal(new URL(payment.returnUrl).pathname, at)
  assert.equal((await pay(18)).to, begun.to)
  assert.deepEqual([await ordersOf(shop), await stockOf(shop)], [[], 5])
  psp.pay(payment)
  const back = await show()
  assert.equal(back.status, 303)
  const [order, ...others] = await ordersOf(shop)
  assert.deepEqual(others, [])
  assert.match(back.to!, new RegExp(`/orders/${order.id}\\.`))
  const { total, payment_status, payment_method, tags, customer_notes, notify_customer, discount_code } = order
  assert.deepEqual(
    [total, payment_status, payment_method, tags, customer_notes, notify_customer, discount_code],
    [18, 'paid', 'card', ['phone'], 'Ring twice', true, 'FIVE'],
  )
  assert.equal(await stockOf(shop), 4)
  assert.deepEqual((await shop.events()).map(({ event }) => event).toSorted(), [
    'customer.created',
    'draft_order.completed',
    'order.created',
  ])
  const after = await read(shop, draft)
  assert.deepEqual([after.status, after.order_id], ['completed', order.id])
  const [discount] = (await shop.api.get('/v1/discounts?status=all')).data
  assert.equal(discount.current_uses, 1)
  assert.deepEqual((await shop.api.get('/v1/checkout-drafts?status=all')).data, [])
  await assertSums(world, shop)
})

test('two people pay one link at once: one order, and what was paid twice goes back', async () => {
  const shop = await payingShop(world)
  await shop.api.post('/v1/store/payment-methods', { code: 'cash', name: 'Cash' })
  for (let round = 0; round < 4; round++) {
    const { pay, show } = await paged(shop)
    const before = (await ordersOf(shop)).length
    await pay(20)
    const payment = psp.last()
    psp.pay(payment)
    // One comes back from the provider while the other chooses cash.
    const answers = await Promise.all([show(), pay(20, { payment_method: 'cash' }), show(), pay(20)])
    for (const { status } of answers) assert.ok(status < 500, String(status))
    await world.app.jobs.run('look at payments')
    world.clock.advance(120)
    await world.app.jobs.run('look at payments')
    const orders = await ordersOf(shop)
    assert.equal(orders.length - before, 1)
    const [order] = orders
    if (order.payment_method === 'card') assert.deepEqual([payment.refunded, order.captured_amount], [0, 20])
    else assert.deepEqual([payment.refunded, order.captured_amount], [20, 0])
    await assertSums(world, shop)
    await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: 1 })
  }
})

test('the merchant completes the draft while its customer pays: one order, and the payment goes back', async () => {
  const shop = await payingShop(world)
  const { draft, pay, show } = await paged(shop)
  await pay(20)
  const payment = psp.last()
  const order = dataOf(await shop.api.post(`${path}/${draft.id}/complete`, { payment_status: 'paid' }), 200)
  psp.pay(payment)
  assert.match((await show()).to!, new RegExp(order.id))
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  assert.equal(payment.refunded, 20)
  assert.equal((await ordersOf(shop)).length, 1)
  await assertSums(world, shop)
})

test('the customer and the merchant are told of items that have sold out, and nothing is charged', async () => {
  const shop = await payingShop(world, { stock: 1 })
  await shop.api.patch('/v1/store', { notification_email: 'owner@example.com' })
  const { draft, pay, show } = await paged(shop)
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  const { status, text } = await show()
  assert.equal(status, 200)
  assert.match(text, /can’t be paid right now[^]*Sold out/i)
  assert.doesNotMatch(text, /Pay \$20/)
  const before = psp.payments.length
  assert.equal((await pay(20)).status, 422)
  assert.equal(psp.payments.length, before)
  const after = await read(shop, draft)
  assert.ok(after.blocked_at)
  const mails = (await shop.api.get('/v1/mails?kind=draft_order_blocked')).data
  assert.deepEqual(
    mails.map(({ recipient, draft_order_id }: any) => [recipient, draft_order_id]),
    [['owner@example.com', draft.id]],
  )
  const [letter] = await letterTo(world.app, 'owner@example.com')
  assert.equal(letter!.subject, 'A customer can’t pay draft D1 ($20.00)')
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: 1 })
  assert.match((await show()).text, /Pay \$20\.00/)
})

test('what is sold out while the customer is at the provider goes back, and no order is made', async () => {
  const shop = await payingShop(world, { stock: 1 })
  const { draft, pay, show } = await paged(shop)
  await pay(20)
  const payment = psp.last()
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  psp.pay(payment)
  assert.match((await show()).text, /refund/i)
  assert.equal(payment.refunded, 20)
  assert.deepEqual(await ordersOf(shop), [])
  assert.equal((await read(shop, draft)).status, 'sent')
  const [mail] = (await shop.api.get('/v1/mails?kind=payment_returned')).data
  assert.equal(mail.recipient, ana.customer_email)
})

test('a new total is shown before it is charged; a payment of another amount is refunded', async () => {
  const shop = await payingShop(world)
  const { draft, pay, show } = await paged(shop)
  const raise = (unit_price: number) =>
    shop.api.patch(`${path}/${draft.id}`, { items: [{ product_name: 'Bag', unit_price, quantity: 1 }] })
  await raise(25)
  const refused = await pay(20)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /\$25\.00/)
  await pay(25)
  const payment = psp.last()
  await raise(30)
  psp.pay(payment)
  assert.match((await show()).text, /refund/i)
  assert.equal(payment.refunded, 25)
  assert.deepEqual(await ordersOf(shop), [])
  await pay(30)
  psp.pay(psp.last())
  await show()
  assert.deepEqual(
    (await ordersOf(shop)).map(({ total }: any) => total),
    [30],
  )
})

test('the customer is shown that the price of a product has changed', async () => {
  const shop = await payingShop(world)
  const { show } = await paged(shop)
  await shop.api.patch(`/v1/products/${shop.thing.id}`, { price: 22 })
  assert.match((await show()).text, /the total was \$20\.00 and is now \$22\.00/)
})

test('a link that has expired, was revoked, or whose draft was deleted says so, and pays nothing', async () => {
  const shop = await payingShop(world)
  const other = await payingShop(world)
  const [expiring, revoked, gone, fine] = [await paged(shop), await paged(shop), await paged(shop), await paged(shop)]
  dataOf(await shop.api.post(`${path}/${revoked.draft.id}/revoke-link`), 200)
  dataOf(await shop.api.delete(`${path}/${gone.draft.id}`), 200)
  world.clock.advance(7 * day + 1)
  assert.equal((await read(shop, expiring.draft)).status, 'expired')
  assert.equal((await read(shop, revoked.draft)).status, 'open')
  const foreign = fine.url.replace(`/s/${shop.store.slug}/`, `/s/${other.store.slug}/`)
  const forged = fine.url.replace(/.{4}$/, 'AAAA')
  for (const { show, pay } of [expiring, revoked, gone, pageAt(foreign), pageAt(forged)]) {
    for (const { status, text } of [await show(), await pay(20)]) {
      assert.equal(status, 410)
      assert.match(text, /no longer valid/)
    }
  }
  const again = dataOf(await link(shop, expiring.draft, { send: false, expires_in_days: 1 }), 200)
  assert.notEqual(again.url, expiring.url)
  assert.equal((await pageAt(again.url).show()).status, 200)
  assert.equal((await expiring.show()).status, 410)
  assert.deepEqual(faultsOf(await link(shop, revoked.draft, { expires_in_days: 91 })), {
    expires_in_days: 'must be at most 90',
  })
})

test('money that comes in by a link that was revoked meanwhile goes back', async () => {
  const shop = await payingShop(world)
  const { draft, pay } = await paged(shop)
  await pay(20)
  const payment = psp.last()
  dataOf(await shop.api.post(`${path}/${draft.id}/revoke-link`), 200)
  psp.pay(payment)
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  assert.equal(payment.refunded, 20)
  assert.deepEqual(await ordersOf(shop), [])
})

test('the link is emailed with the items, the total and its end, and can be sent again', async () => {
  const shop = await payingShop(world)
  const to = `ana-${shop.store.id.toLowerCase()}@example.com`
  const draft = await draftOf(shop, { locale: 'en', customer_email: to })
  await shop.events()
  const sent = dataOf(await link(shop, draft, {}), 200)
  assert.deepEqual([sent.sent_to, sent.amount], [to, 20])
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.draft_order.status]),
    [['draft_order.sent', 'sent']],
  )
  const [letter] = await letterTo(world.app, to)
  assert.match(letter!.subject, /\$20\.00 to pay/)
  assert.match(letter!.text, /Canvas backpack[^]*20\.00/)
  assert.match(letter!.text, /The link works until/)
  assert.ok(letter!.text.includes(new URL(sent.url).pathname))
  const again = dataOf(await link(shop, draft, { expires_in_days: 30 }), 200)
  assert.equal(again.url, sent.url)
  assert.ok(again.expires_at > sent.expires_at)
  assert.equal((await shop.api.get('/v1/mails?kind=draft_order_link')).data.length, 2)
  const anonymous = await draftOf(shop, { customer_email: null, customer_name: null })
  assert.deepEqual(faultsOf(await link(shop, anonymous, {})), { send: 'requires an email of the customer' })
})

test('a method of the store itself places the order, to be paid later', async () => {
  const shop = await payingShop(world)
  await shop.api.post('/v1/store/payment-methods', { code: 'cash' })
  const { pay, show } = await paged(shop)
  const chosen = await pay(20, { payment_method: 'cash' })
  const [order] = await ordersOf(shop)
  assert.equal(chosen.status, 303)
  assert.match(chosen.to!, new RegExp(order.id))
  assert.deepEqual([order.payment_status, order.payment_method], ['pending', 'cash'])
  assert.equal((await show()).to, chosen.to)
  const nothing = await paged(shop)
  assert.equal((await nothing.pay(20, { payment_method: 'none' })).status, 422)
})

test('no checkout of a shopper leads to a draft, and no draft is recovered by email', async () => {
  const shop = await payingShop(world)
  await paged(shop)
  world.clock.advance(31 * 60)
  await world.app.jobs.run('sweep checkouts')
  assert.deepEqual((await shop.api.get('/v1/checkout-drafts?status=all')).data, [])
  assert.deepEqual((await shop.api.get('/v1/mails?kind=abandoned_checkout')).data, [])
})

test('of a customer who is erased no draft tells any more', async () => {
  const shop = await payingShop(world)
  const customer = dataOf(await shop.api.post('/v1/customers', { name: 'Zoe Q', email: 'zoe@example.com' }), 201)
  const { draft } = await paged(shop, { customer_id: customer.id, customer_name: null, customer_email: null })
  await link(shop, draft, {})
  const { draft: other } = await paged(shop)
  const { draft_orders } = dataOf(await shop.api.get(`/v1/customers/${customer.id}/data`), 200)
  assert.deepEqual(
    draft_orders.map(({ id }: any) => id),
    [draft.id],
  )
  dataOf(await shop.api.delete(`/v1/customers/${customer.id}`), 200)
  const after = await read(shop, draft)
  const { customer_id, customer_name, customer_email, status } = after
  assert.deepEqual([customer_id, customer_name, customer_email, status], [null, null, null, 'open'])
  assert.equal((await read(shop, other)).customer_email, ana.customer_email)
  const rows = await world.app.db.rows(sql`
    select from draft_orders where store_id = ${shop.store.id} and draft_orders::text ilike '%zoe%'`)
  assert.equal(rows.length, 0)
})

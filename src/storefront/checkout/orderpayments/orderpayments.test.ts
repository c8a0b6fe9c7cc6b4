// What is due of an order, paid on a page of the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../../test/deliveries.ts'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

/** An order of 20 paid by the provider, and then 15 more. */
async function owing(shop: Shop) {
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last())
  const { data } = await shop.shopper.complete(token)
  const { id } = data.order
  const items = [{ product_name: 'Bow', unit_price: 15, quantity: 1 }]
  return dataOf(await shop.api.post(`/v1/orders/${id}/edits`, { items }), 200)
}

const linkOf = async ({ api }: Shop, { id }: { id: string }, body: object = { send: false }) =>
  api.post(`/v1/orders/${id}/payment-link`, body)
const orderOf = async ({ api }: Shop, { id }: { id: string }) => (await api.get(`/v1/orders/${id}`)).data

/** The page of a link, as a browser without scripts uses it. */
async function pageOf(shop: Shop, order: { id: string }) {
  const { url } = dataOf(await linkOf(shop, order), 200)
  const at = world.url + new URL(url).pathname
  const send = async (init: RequestInit = {}, query = '') => {
    const answer = await fetch(at + query, { redirect: 'manual', ...init })
    const { status, headers } = answer
    return {
      status,
      to: headers.get('location'),
      policy: headers.get('content-security-policy'),
      text: await answer.text(),
    }
  }
  const pay = (total: number, more: Record<string, string> = {}) =>
    send({
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ total: String(total), payment_method: 'card', ...more }),
    })
  return { path: new URL(url).pathname, show: (query = '') => send({}, query), pay }
}

test('the link shows what is due, leads to the provider, and pays the order', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  assert.deepEqual([order.total, order.amount_due, order.payment_status], [35, 15, 'pending'])
  const { path, show, pay } = await pageOf(shop, order)
  const page = await show()
  assert.equal(page.status, 200)
  assert.match(page.text, /Amount due[^]*\$15\.00 is left to pay[^]*Pay \$15\.00/)
  assert.match(page.text, /Total<[^]*\$35\.00<[^]*Paid<[^]*\$20\.00<[^]*To pay<[^]*\$15\.00</)
  assert.match(page.policy!, /form-action 'self' https:\/\/pay\.example/)
  const begun = await pay(15)
  const payment = psp.last()
  assert.deepEqual([begun.status, begun.to], [303, `https://pay.example/${payment.reference}`])
  assert.equal(new URL(payment.returnUrl).pathname, path)
  assert.equal((await pay(15)).to, begun.to)
  psp.pay(payment)
  assert.deepEqual([(await show()).status, (await show()).to], [303, path.replace(/\/pay$/, '')])
  const paid = await orderOf(shop, order)
  assert.deepEqual([paid.captured_amount, paid.amount_due, paid.payment_status], [35, 0, 'paid'])
  await assertSums(world, shop)
})

test('two tabs pay at once: one payment is begun, and the order is paid once', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  const { pay, show } = await pageOf(shop, order)
  const begun = await Promise.all([pay(15), pay(15), pay(15)])
  assert.equal(new Set(begun.map(({ to }) => to)).size, 1)
  psp.pay(psp.last())
  await Promise.all([show(), show(), pay(15)])
  assert.equal((await orderOf(shop, order)).captured_amount, 35)
  await assertSums(world, shop)
})

test('a payment whose shopper does not come back is found by the job', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  await (await pageOf(shop, order)).pay(15)
  psp.pay(psp.last())
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  assert.equal((await orderOf(shop, order)).payment_status, 'paid')
})

test('an edit meanwhile ends the payment; money that comes nevertheless counts, and is refunded', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  const { pay, show } = await pageOf(shop, order)
  await pay(15)
  const first = psp.last()
  const bow = order.items.at(-1)
  psp.on.cancel = () => ({ refused: 'the customer is at it' })
  await shop.api.post(`/v1/orders/${order.id}/edits`, { items: [{ item_id: bow.id, quantity: 2 }] })
  assert.match((await pay(15)).text, /30/)
  await pay(30)
  const second = psp.last()
  assert.notEqual(first, second)
  psp.pay(first)
  psp.pay(second)
  world.clock.advance(180)
  await world.app.jobs.run('look at payments')
  await show()
  delete psp.on.cancel
  const paid = await orderOf(shop, order)
  assert.deepEqual([paid.total, paid.captured_amount, paid.amount_to_refund], [50, 65, 15])
  const { data: refund } = await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 15 })
  assert.equal(refund.overpayment, 15)
  await assertSums(world, shop)
})

test('what nobody pays is canceled at the provider after two days, and needs no attention', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  await (await pageOf(shop, order)).pay(15)
  const payment = psp.last()
  world.clock.advance(2 * 24 * 60 * 60 + 60)
  await world.app.jobs.run('look at payments')
  assert.equal(payment.status, 'cancelled')
  const { data } = await shop.api.get('/v1/payments?needs_review=true')
  assert.deepEqual(data, [])
  const open = await world.app.db.rows(sql`
    select from payment_sessions where store_id = ${shop.store.id} and look_at is not null`)
  assert.equal(open.length, 0)
})

test('a method of the store shows how to pay; the merchant confirms it', async () => {
  const shop = await payingShop(world)
  const transfer = { code: 'bank_transfer', instructions: 'IBAN DE00 1234' }
  dataOf(await shop.api.post('/v1/store/payment-methods', transfer), 201)
  const order = await owing(shop)
  const { pay, show, path } = await pageOf(shop, order)
  const chosen = await pay(15, { payment_method: 'bank_transfer' })
  assert.deepEqual([chosen.status, chosen.to], [303, `${path}?method=bank_transfer`])
  assert.match((await show('?method=bank_transfer')).text, /Pay \$15\.00 this way[^]*IBAN DE00 1234/)
  assert.equal((await pay(15, { payment_method: 'none' })).status, 422)
})

test('a held payment is not asked for twice', async () => {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  psp.pay(psp.last(), { status: 'authorized', authorized: 20, captured: 0 })
  const { data } = await shop.shopper.complete(token)
  assert.deepEqual(faultsOf(await linkOf(shop, data.order)), { amount: 'must be above 0, but nothing is due' })
  const items = [{ product_name: 'Bow', unit_price: 15, quantity: 1 }]
  await shop.api.post(`/v1/orders/${data.order.id}/edits`, { items })
  assert.equal(dataOf(await linkOf(shop, data.order), 200).amount, 15)
})

test('the link is emailed to the customer, or the missing email is said', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  const link = dataOf(await linkOf(shop, order, {}), 200)
  assert.equal(link.sent_to, order.customer_email)
  const [mail] = (await shop.api.get('/v1/mails?kind=payment_request')).data
  assert.deepEqual([mail.recipient, mail.order_id], [order.customer_email, order.id])
  const anonymous = dataOf(
    await shop.api.post('/v1/orders', { items: [{ product_name: 'Cap', unit_price: 5, quantity: 1 }] }),
    201,
  )
  assert.deepEqual(faultsOf(await linkOf(shop, anonymous, {})), { send: 'requires an email of the customer' })
})

test('the email of a cancellation names the refund by the provider, while it runs and once it is done', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  const { pay, show } = await pageOf(shop, order)
  await pay(15)
  psp.pay(psp.last())
  await show()
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  const letter = async () =>
    (await shop.api.get(`/v1/store/mails/order_cancelled/preview?order=${order.id}`)).data.text as string
  assert.match(await letter(), /The \$35\.00 you paid hasn’t been refunded yet\./)
  const refunds = `/v1/orders/${order.id}/refunds`
  const done = Promise.withResolvers<undefined>()
  psp.on.refund = () => done.promise
  const refund = dataOf(await shop.api.post(refunds, { amount: 10 }), 201)
  assert.match(await letter(), /We’re refunding \$10\.00\.[^]*The \$25\.00 you paid/)
  done.resolve(undefined)
  delete psp.on.refund
  await until(async () => (await shop.api.get(`${refunds}/${refund.id}`)).data.status === 'succeeded')
  assert.match(await letter(), /We’ve refunded \$10\.00\.[^]*The \$25\.00 you paid/)
})

test('a canceled order asks for nothing, and its open payment is canceled', async () => {
  const shop = await payingShop(world)
  const order = await owing(shop)
  await (await pageOf(shop, order)).pay(15)
  const payment = psp.last()
  await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })
  await world.app.jobs.run('look at payments')
  // The request after the commit may be ahead of the job.
  await until(async () => payment.status === 'cancelled')
  const after = await orderOf(shop, order)
  assert.deepEqual([after.amount_due, after.captured_amount], [0, 20])
  await assertSums(world, shop)
})

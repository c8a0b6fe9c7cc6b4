import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, productOf, setUp, shopperOf } from '../../../../test/checkouts.ts'
import { staffOf } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const minute = 60

async function open() {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop, { name: 'Canvas backpack' })
  const shopper = shopperOf(world, shop)
  const begin = async (email: string, more: object = {}) =>
    dataOf(await shopper.begin({ items: [{ product_id: product.id, quantity: 2 }], ...buyer(email), ...more }), 201)
  const ana = await staffOf(world, [shop], 'staff')
  return { shop, shopper, begin, ana, base: `/${shop.store.id}/carts` }
}

async function pass(seconds: number) {
  world.clock.advance(seconds)
  assert.ok(await world.app.jobs.run('sweep checkouts'))
}

test('what was left stands with its worth, how far its shopper came, and the way back', async () => {
  const { shop, begin, ana, base } = await open()
  await begin('ana@example.com')
  const left = await begin('bo@example.com', { shipping_method: 'standard', payment_method: 'cod' })
  await pass(31 * minute)
  const { text } = await ana.get(base)
  assert.equal(text.match(/\/carts\/chk_/g)!.length, 2)
  assert.match(text, /2 × Canvas backpack/)
  assert.match(text, /Payment method/)
  assert.equal((await ana.get(`${base}?email=BO@example.com`)).text.match(/\/carts\/chk_/g)!.length, 1)
  const { data } = await shop.api.get(`/v1/checkout-drafts/${left.id}`)
  assert.deepEqual([data.step, data.recovery_mail, data.order_id], ['payment', 'withheld', null])
  const screen = await ana.get(`${base}/${left.id}`)
  for (const said of [data.recovery_url, 'Ana Torres', 'Payment method', 'Not sent', '$40.00']) {
    assert.ok(screen.text.includes(said), said)
  }
  const csv = await ana.get(`${base}.csv`)
  assert.match(csv.text, /bo@example\.com,2,/)
})

test('why no reminder was sent is said', async () => {
  const { shop, begin, ana, base } = await open()
  const phoneOnly = { customer: { name: 'Cy', phone: '+1 555 123 4567' } }
  const cases: [string, string, object][] = [
    ['', 'The customer left no email.', phoneOnly],
    ['quick@example.com', 'The email looked automated', {}],
  ]
  const left = []
  for (const [email, reason, more] of cases) left.push({ reason, ...(await begin(email || 'x@example.com', more)) })
  await pass(31 * minute)
  for (const { id, reason } of left) assert.ok((await ana.get(`${base}/${id}`)).text.includes(reason), reason)
  await shop.api.patch('/v1/store', { recovery_email_enabled: false })
  assert.match((await ana.get(`${base}/${left[1]!.id}`)).text, /Not sent[^]*Recovery emails are turned off\./)
})

test('the sums tell what came back, by the totals of the orders, and what is still open', async () => {
  const { shop, shopper, begin, ana, base } = await open()
  const chosen = { shipping_method: 'standard', payment_method: 'cod' }
  const back = await begin('ana@example.com', chosen)
  const undone = await begin('bo@example.com', chosen)
  await begin('cy@example.com', chosen)
  await begin('dan@example.com', chosen)
  await pass(31 * minute)
  const { order } = dataOf(await shopper.complete(back.token), 201)
  const { order: other } = dataOf(await shopper.complete(undone.token), 201)
  await shop.api.patch(`/v1/orders/${other.id}`, { status: 'cancelled' })
  const { data } = await shop.api.get('/v1/checkout-drafts/summary')
  assert.deepEqual(data, {
    days: 30,
    currency: 'USD',
    abandoned_count: 4,
    abandoned_total: 160,
    open_count: 2,
    open_total: 80,
    recovered_count: 2,
    recovered_revenue: 40,
    recovery_rate: 50,
  })
  const { text } = await ana.get(`${base}?status=recovered`)
  for (const said of ['$40.00', '$80.00', '50%', 'of 4 abandoned']) assert.ok(text.includes(said), said)
  assert.ok((await ana.get(`${base}/${back.id}`)).text.includes(`/orders/${order.id}">View order</a>`))
  world.clock.advance(31 * 24 * 60 * minute)
  assert.equal((await shop.api.get('/v1/checkout-drafts/summary')).data.abandoned_count, 0)
})

test('a plan without abandoned checkouts is told so', async () => {
  const shop = await world.newStore({ plan: 'starter' })
  const ana = await staffOf(world, [shop])
  const { status, text } = await ana.get(`/${shop.store.id}/carts`)
  assert.equal(status, 403)
  assert.match(text, /Your plan doesn’t include this/)
  assert.equal((await ana.get(`/${shop.store.id}/carts.csv`)).status, 403)
  assert.equal((await shop.api.get('/v1/checkout-drafts/summary')).error.code, 'FEATURE_ACCESS_DENIED')
})

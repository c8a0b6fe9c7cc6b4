import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { ana as shopper, home, shopperOf } from '../../../../test/checkouts.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const berta = { name: 'Berta Ruiz', email: 'berta@example.com', phone: '+52 55 1234 5678', notes: 'Rings twice' }

async function open(role: 'owner' | 'staff' = 'owner') {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], role)
  const customer = dataOf(await shop.api.post('/v1/customers', berta), 201)
  return {
    shop,
    ana,
    customer,
    base: `/${shop.store.id}/customers`,
    path: `/${shop.store.id}/customers/${customer.id}`,
  }
}

test('a customer is found by every filter of the API, and their name leads to their screen', async () => {
  const { shop, ana, customer, base } = await open()
  await shop.api.post('/v1/customers', { name: 'Carl', accepts_marketing: true })
  for (const [query, names] of [
    ['', ['Berta Ruiz', 'Carl']],
    ['?search=berta', ['Berta Ruiz']],
    ['?accepts_marketing=true', ['Carl']],
    ['?has_orders=true', []],
    ['?orders_count[lte]=0&total_spent[lte]=0', ['Berta Ruiz', 'Carl']],
    ['?last_order_at[gte]=2020-01-01', []],
  ] as const) {
    const { text } = await ana.get(base + query)
    for (const name of ['Berta Ruiz', 'Carl']) {
      assert.equal(text.includes(`>${name}</a>`), (names as readonly string[]).includes(name), `${query} ${name}`)
    }
  }
  const { text } = await ana.get(base)
  assert.ok(text.includes(`/customers/${customer.id}">Berta Ruiz</a>`))
  assert.match(text, /href="[^"]*\/customers\/new"/)
})

test('a customer is added once, however often the form comes, and what is wrong stands beside its field', async () => {
  const { ana, base, shop } = await open()
  const once = hiddenOf(await ana.get(`${base}/new`), 'once')
  const fields = { act: 'create', once, name: 'Carl', email: 'carl@example.com', accepts_marketing: '1' }
  const [first, second] = await Promise.all([ana.post(`${base}/new`, fields), ana.post(`${base}/new`, fields)])
  assert.equal(first.location, second.location)
  assert.match(first.location, /\/customers\/cus_\w+$/)
  assert.equal(first.notice, 'customer_created')
  assert.equal((await shop.api.get('/v1/customers?accepts_marketing=true')).body.pagination.total, 1)
  const refused = await ana.post(`${base}/new`, { act: 'create', name: '', email: 'carl@', phone: 'none' })
  assert.equal(refused.status, 422)
  for (const said of ['This field is required.', 'Enter a valid email.', 'Enter a valid phone number.']) {
    assert.ok(refused.text.includes(said), said)
  }
  assert.match(refused.text, /value="carl@"/)
})

test('the screen has their orders, what they spent and on average, and each address once', async () => {
  const { shop, ana, customer, path } = await open()
  const line = { product_name: 'Mug', unit_price: 20, quantity: 1 }
  const address = { ...home, country_code: undefined, country: 'Mexico' }
  for (const quantity of [1, 2]) {
    const body = { customer_id: customer.id, items: [{ ...line, quantity }], payment_status: 'paid' }
    dataOf(await shop.api.post('/v1/orders', { ...body, shipping_address: address }), 201)
  }
  const { text } = await ana.get(path)
  for (const said of ['#1001', '#1002', '$60.00', '$30.00', '2 orders shipped here'])
    assert.ok(text.includes(said), said)
  assert.equal(text.match(/<address>/g)!.length, 1)
})

test('a change is saved, and one over what somebody else has changed is not', async () => {
  const { shop, ana, customer, path } = await open()
  const seen = await ana.get(path)
  const version = hiddenOf(seen, 'version').replaceAll('&quot;', '"')
  const fields = { act: 'save', version, name: 'Berta R.', email: berta.email, phone: berta.phone }
  await shop.api.patch(`/v1/customers/${customer.id}`, { name: 'Berta Other' })
  const stale = await ana.post(path, fields)
  assert.equal(stale.status, 412)
  assert.match(stale.text, /Current value: Berta Other/)
  assert.match(stale.text, /value="Berta R\."/)
  const again = hiddenOf(stale, 'version').replaceAll('&quot;', '"')
  assert.match((await ana.post(path, { ...fields, version: again })).notice, /^saved$/)
  const { data } = await shop.api.get(`/v1/customers/${customer.id}`)
  assert.deepEqual([data.name, data.notes], ['Berta R.', berta.notes])
})

test('a form that was refused for a fault still counts from what was seen first', async () => {
  const { shop, ana, customer, path } = await open()
  const version = hiddenOf(await ana.get(path), 'version').replaceAll('&quot;', '"')
  const refused = await ana.post(path, { act: 'save', version, name: '' })
  assert.deepEqual([refused.status, refused.text.includes('This field is required.')], [422, true])
  await shop.api.patch(`/v1/customers/${customer.id}`, { name: 'Berta Other' })
  const kept = hiddenOf(refused, 'version').replaceAll('&quot;', '"')
  assert.equal((await ana.post(path, { act: 'save', version: kept, name: 'Berta R.' })).status, 412)
})

test('all that is kept of a person is handed out, without what opens their cart', async () => {
  const { shop, ana, customer, path } = await open()
  const product = dataOf(await shop.api.post('/v1/products', { name: 'Cup', price: 5 }), 201)
  const items = [{ product_id: product.id, quantity: 1 }]
  await shopperOf(world, shop).begin({ items, customer: { ...shopper, email: berta.email } })
  const order = { customer_id: customer.id, items: [{ product_name: 'Mug', unit_price: 20, quantity: 1 }] }
  dataOf(await shop.api.post('/v1/orders', { ...order, payment_status: 'paid' }), 201)
  const answer = await ana.get(`${path}/data.json`)
  assert.match(answer.headers.get('content-disposition')!, /attachment; filename="cus_\w+\.json"/)
  const kept = JSON.parse(answer.text)
  assert.deepEqual([kept.customer.email, kept.customer.notes], [berta.email, berta.notes])
  assert.deepEqual([kept.orders.length, kept.payments.length, kept.checkouts.length], [1, 1, 1])
  assert.deepEqual([kept.checkouts[0].recovery_token, kept.checkouts[0].recovery_url], [null, null])
  assert.deepEqual([kept.more, kept.withheld, kept.refuses_recovery_mail], [[], [], false])
  const { data } = await shop.api.get(`/v1/customers/${customer.id}/data`)
  assert.deepEqual(data.orders, kept.orders)
})

test('erasing says first what goes and what stays, asks, and then does it', async () => {
  const { shop, ana, customer, path } = await open('staff')
  const line = { product_name: 'Mug', unit_price: 20, quantity: 1 }
  const order = dataOf(await shop.api.post('/v1/orders', { customer_id: customer.id, items: [line] }), 201)
  const { text } = await ana.get(`${path}/data`)
  for (const said of ['Customer profile', 'Erased', 'Orders', 'Kept']) assert.ok(text.includes(said), said)
  assert.ok(!text.includes('<strong>Fulfillments<'))
  const asking = await ana.post(`${path}/data`, { act: 'erase', label: berta.name })
  assert.match(asking.text, /Erase personal data of Berta Ruiz\?/)
  assert.equal((await shop.api.get(`/v1/customers/${customer.id}`)).status, 200)
  const done = await ana.post(`${path}/data`, { act: 'erase', sure: '1' })
  assert.match(done.location, /\/customers$/)
  assert.equal(done.notice, 'erased')
  assert.equal((await shop.api.get(`/v1/customers/${customer.id}`)).status, 404)
  assert.equal((await shop.api.get(`/v1/orders/${order.id}`)).data.customer_id, null)
})

test('what was typed into a record that somebody deleted meanwhile can still be copied', async () => {
  const { shop, ana, customer, path } = await open()
  const once = hiddenOf(await ana.get(path), 'once')
  await shop.api.delete(`/v1/customers/${customer.id}`)
  const { status, text } = await ana.post(path, { act: 'save', once, name: 'Berta <R.>', phone: '+52 55' })
  assert.equal(status, 404)
  assert.match(text, /This record no longer exists[^]*Nothing was saved[^]*Berta &lt;R\.&gt;[^]*\+52 55/)
})

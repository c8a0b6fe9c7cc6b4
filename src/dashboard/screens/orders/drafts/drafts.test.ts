import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, red } from '../../../../../test/shop.ts'
import { hiddenOf, staffOf } from '../../../../../test/staff.ts'
import { openWorld } from '../../../../../test/world.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const { api } = shop
  const variants = [{ price: 12, stock_quantity: 4, manage_inventory: true, option_values: [red] }]
  const shirt = dataOf(await api.post('/v1/products', { name: 'Shirt', price: 10, variants }), 201)
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 5 }), 201)
  const keys = { shirt: `${shirt.id}/${shirt.variants[0].id}`, cup: cup.id as string }
  return {
    shop,
    api,
    ana,
    cup,
    keys,
    list: `/${shop.store.id}/orders/drafts`,
    path: `/${shop.store.id}/orders/drafts/new`,
  }
}

type Desk = Awaited<ReturnType<typeof open>>

const draftsOf = async ({ api }: Desk) => (await api.get('/v1/draft-orders')).data
const line = (key: string, quantity: string, price = '') => ({
  key,
  'lines.0.quantity': quantity,
  'lines.0.price': price,
})
const saved = async (desk: Desk, body: object = {}) =>
  dataOf(
    await desk.api.post('/v1/draft-orders', {
      customer_email: 'ben@example.com',
      items: [{ product_id: desk.keys.cup, quantity: 2 }],
      ...body,
    }),
    201,
  )

test('products are searched for, totals are tried, and the draft is saved once, with own prices', async () => {
  const desk = await open()
  const { ana, path, keys, list } = desk
  const found = await ana.post(path, {
    act: 'save',
    pick: 'items',
    'find.items': 'shi',
    ...line(keys.cup, '2', '4,50'),
  })
  assert.equal(found.status, 200)
  assert.match(found.text, new RegExp(`name="key" value="${keys.shirt}"`))
  assert.match(found.text, /name="lines\.0\.price" value="4,50"/)
  const fields = {
    act: 'save',
    ...line(keys.cup, '2', '4,50'),
    customer_name: 'Ben',
    customer_email: 'ben@example.com',
  }
  const discount = { discount_type: 'percentage', discount_value: '10', shipping_price: '3' }
  const tried = await ana.post(path, { ...fields, ...discount, rehearse: '1' })
  const sums = /<dl class="sums" id="draft-sums">[^]*?<\/dl>/.exec(tried.text)![0].match(/-?\$[\d.]+/g)
  assert.deepEqual(sums, ['$9.00', '-$0.90', '$3.00', '$0.00', '$11.10', '$0.00'])
  assert.match(tried.text, /Save draft \(\$11\.10\)/)
  assert.deepEqual(await draftsOf(desk), [])
  const once = hiddenOf(await ana.get(path), 'once')
  const answers = await Promise.all([0, 1].map(() => ana.post(path, { ...fields, ...discount, once })))
  const [draft, ...others] = await draftsOf(desk)
  assert.equal(others.length, 0)
  assert.ok(answers.every(({ location }) => location.includes(`/orders/drafts/${draft.id}`)))
  assert.deepEqual([draft.total, draft.items[0].unit_price, draft.customer_name], [11.1, 4.5, 'Ben'])
  const { text } = await ana.get(list)
  assert.match(text, /Ben[^]*Cup[^]*Open[^]*\$11\.10/)
  assert.doesNotMatch((await ana.get(`${list}?status=sent`)).text, new RegExp(draft.id))
})

test('a draft is edited: lines with their own price, one that goes, and a custom item', async () => {
  const desk = await open()
  const draft = await saved(desk)
  const at = `${desk.list}/${draft.id}`
  const page = await desk.ana.get(at)
  assert.match(page.text, /name="lines\.0\.quantity" value="2"/)
  const answer = await desk.ana.post(at, {
    act: 'save',
    version: hiddenOf(page, 'version'),
    key: [desk.keys.cup, desk.keys.shirt],
    'lines.0.quantity': '0',
    'lines.1.quantity': '1',
    'own.product_name': 'Gift wrapping',
    'own.unit_price': '1,50',
    customer_email: 'ben@example.com',
  })
  assert.equal(answer.status, 303)
  const { items, total } = dataOf(await desk.api.get(`/v1/draft-orders/${draft.id}`), 200)
  assert.deepEqual(
    items.map(({ product_name, price }: any) => [product_name, price]),
    [
      ['Shirt', 12],
      ['Gift wrapping', 1.5],
    ],
  )
  assert.equal(total, 13.5)
  assert.match((await desk.ana.get(at)).text, /name="lines\.1\.price" value="1\.50"/)
})

test('what is wrong stands beside its line, and two people do not overwrite each other', async () => {
  const desk = await open()
  const draft = await saved(desk)
  const at = `${desk.list}/${draft.id}`
  const version = hiddenOf(await desk.ana.get(at), 'version')
  const wrong = await desk.ana.post(at, { act: 'save', version, ...line(desk.keys.cup, 'many', 'much') })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /name="lines\.0\.quantity" value="many"[^>]*aria-invalid="true"/)
  assert.match(wrong.text, /name="lines\.0\.price" value="much"[^>]*aria-invalid="true"/)
  await desk.api.patch(`/v1/draft-orders/${draft.id}`, { internal_notes: 'By Cy' })
  const late = await desk.ana.post(at, { act: 'save', version, ...line(desk.keys.cup, '1') })
  assert.equal(late.status, 412)
})

test('a customer brings their address, as long as none is typed and none is cleared', async () => {
  const desk = await open()
  const { ana, api, path, keys } = desk
  dataOf(await api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 }), 201)
  const addresses = [{ address: '2 New St', city: 'Halifax' }]
  const { id: customer_id } = dataOf(await api.post('/v1/customers', { name: 'Cy', addresses }), 201)
  const empty = { 'shipping_address.address': '', 'shipping_address.city': '' }
  const fields = { act: 'save', ...line(keys.cup, '1'), ...empty, shipping_method: 'standard' }
  assert.equal((await ana.post(path, fields)).status, 303)
  const [{ id }] = await draftsOf(desk)
  const at = `${desk.list}/${id}`
  assert.match((await ana.get(at)).text, /Shipping address: Add an address/)
  const save = async (more: object) => {
    const version = hiddenOf(await ana.get(at), 'version')
    assert.equal((await ana.post(at, { ...fields, version, ...more })).status, 303)
    return dataOf(await api.get(`/v1/draft-orders/${id}`), 200).shipping_address?.address ?? null
  }
  assert.equal(await save({ customer_id }), '2 New St')
  assert.match((await ana.get(at)).text, /name="had_address" value="1"/)
  assert.equal(await save({ customer_id, had_address: '1' }), null)
})

test('a customer who is chosen has a card, and brings their contact and address into the form', async () => {
  const desk = await open()
  const { ana, api, path, keys } = desk
  const addresses = [{ address: '2 New St', city: 'Halifax', country_code: 'CA' }]
  const customer = { name: 'Cy', email: 'cy@example.com', addresses }
  const { id: customer_id } = dataOf(await api.post('/v1/customers', customer), 201)
  const fields = { act: 'save', ...line(keys.cup, '2'), 'shipping_address.city': 'Old Town' }
  const { text } = await ana.post(path, { ...fields, customer_id, pick: 'customer_id' })
  assert.match(text, new RegExp(`name="card_of" value="${customer_id}"[^]*/customers/${customer_id}">Cy</a>`))
  assert.match(text, /name="customer_email"[^>]*value="cy@example\.com"/)
  assert.match(text, /name="shipping_address\.address"[^>]*value="2 New St"/)
  assert.match(text, /name="shipping_address\.country"[^>]*value="Canada"/)
  assert.match(text, /name="lines\.0\.quantity" value="2"/)
  const card = { ...fields, customer_id, card_of: customer_id, customer_name: 'Cy' }
  const again = await ana.post(path, { ...card, pick: 'items', 'find.items': 'shirt' })
  assert.match(again.text, /name="shipping_address\.city"[^>]*value="Old Town"/)
  const other = await ana.post(path, { ...card, pick: 'no_customer' })
  assert.doesNotMatch(other.text, /name="card_of"/)
  assert.doesNotMatch(other.text, /name="customer_name"[^>]*value="Cy"/)
})

test('a result becomes an item by its button, and an item goes by its button', async () => {
  const { ana, path, keys } = await open()
  const fields = { act: 'save', key: [keys.cup, keys.shirt], 'lines.0.quantity': '2', 'lines.1.quantity': '' }
  const added = await ana.post(path, { ...fields, pick: 'add.1' })
  assert.match(added.text, /name="lines\.1\.quantity" value="1"/)
  const gone = await ana.post(path, { ...fields, pick: 'drop.0' })
  assert.doesNotMatch(gone.text, /name="lines\.0\.quantity"/)
})

test('the link is sent, shown and revoked, and the order is created', async () => {
  const desk = await open()
  const { ana, api } = desk
  const draft = await saved(desk)
  const at = `${desk.list}/${draft.id}`
  const sent = await ana.post(at, { act: 'send', expires_in_days: '3' })
  assert.equal(sent.status, 303)
  const page = await ana.get(at)
  assert.match(page.text, /Link sent[^]*The link works until/)
  const shown = await ana.post(at, { act: 'show' })
  assert.match(shown.text, /id="link-to-pay" readonly value="[^"]*\/pay\/dord_/)
  const asked = await ana.post(at, { act: 'revoke' })
  assert.match(asked.text, /Revoke the payment link\?/)
  const revoked = await ana.post(at, { act: 'revoke', sure: '1' })
  assert.equal(revoked.status, 303)
  const placed = await ana.post(at, { act: 'complete', payment_status: 'paid', payment_method: 'cod' })
  const [order] = (await api.get('/v1/orders')).data
  assert.match(placed.location, new RegExp(`/orders/${order.id}`))
  assert.equal(order.payment_status, 'paid')
  assert.match((await ana.get(at)).text, new RegExp(`This draft is an order now[^]*${order.id}`))
})

test('what has changed since, and what stands in the way, is said on the draft', async () => {
  const desk = await open()
  const draft = await saved(desk)
  const at = `${desk.list}/${draft.id}`
  await desk.api.patch(`/v1/products/${desk.cup.id}`, { price: 6 })
  assert.match((await desk.ana.get(at)).text, /Cup: \$5\.00, now \$6\.00[^]*Total: \$10\.00, now \$12\.00/)
  await desk.api.patch(`/v1/products/${desk.cup.id}`, { product_status: 'archived' })
  assert.match((await desk.ana.get(at)).text, /Fix this before placing[^]*Cup/)
  const refused = await desk.ana.post(at, { act: 'complete', payment_status: 'pending' })
  assert.equal(refused.status, 422)
})

test('another store has no such draft', async () => {
  const [desk, other] = [await open(), await open()]
  const draft = await saved(other)
  assert.equal((await desk.ana.get(`${desk.list}/${draft.id}`)).status, 404)
  assert.equal((await desk.ana.post(`${desk.list}/${draft.id}`, { act: 'send' })).status, 404)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, red } from '../../../../test/shop.ts'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const { api } = shop
  const variants = [{ price: 12, stock_quantity: 4, manage_inventory: true, option_values: [red] }]
  const shirt = dataOf(await api.post('/v1/products', { name: 'Shirt', price: 10, variants }), 201)
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 5 }), 201)
  const keys = { shirt: `${shirt.id}/${shirt.variants[0].id}`, cup: cup.id as string }
  await api.post('/v1/store/shipping-rates', { code: 'express', name: 'Our van', price: 9 })
  return { shop, api, ana, keys, path: `/${shop.store.id}/orders/new` }
}

const ordersOf = async ({ api }: Awaited<ReturnType<typeof open>>) => (await api.get('/v1/orders')).data

test('products are searched for within the form, and what was typed stays', async () => {
  const { ana, path, keys } = await open()
  const { status, text } = await ana.post(path, {
    act: 'make',
    pick: 'items',
    'find.items': 'shi',
    line: keys.cup,
    'items.0.quantity': '3',
    customer_name: 'Ben',
  })
  assert.equal(status, 200)
  assert.match(text, new RegExp(`name="line" value="${keys.shirt}"`))
  assert.match(text, /Shirt · Red[^]*12\.00[^]*4 in stock/)
  assert.match(text, /id="items\.0\.quantity" name="items\.0\.quantity" value="3"/)
  assert.match(text, /name="customer_name"[^>]*value="Ben"/)
})

test('the sums are those of a rehearsal, and nothing is made', async () => {
  const desk = await open()
  const { ana, api, path, keys } = desk
  await api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const fields = { act: 'make', line: [keys.shirt, keys.cup], 'items.0.quantity': '2', 'items.1.quantity': '' }
  const asked = { ...fields, discount_codes: 'TEN', shipping_method: 'express', tax_amount: '2.16' }
  const { status, text } = await ana.post(path, { ...asked, rehearse: '1' })
  assert.equal(status, 200)
  const sums = /<dl class="sums" id="sums">[^]*?<\/dl>/.exec(text)![0].match(/-?\$[\d.]+/g)
  assert.deepEqual(sums, ['$24.00', '-$2.40', '$9.00', '$2.16', '$32.76'])
  assert.deepEqual(await ordersOf(desk), [])
  assert.deepEqual(await desk.shop.events().then((all) => all.filter(({ event }) => event.startsWith('order'))), [])
})

test('shipping and tax that are left empty are those of the shop', async () => {
  const { api, ana, path, keys, shop } = await open()
  await api.post('/v1/store/shipping-rates', { code: 'standard', price: 6, free_from: 30 })
  await api.patch('/v1/store', { tax_rate: 8 })
  const sums = async (quantity: number) => {
    const fields = { act: 'make', line: keys.cup, 'items.0.quantity': String(quantity), shipping_method: 'standard' }
    const { text } = await ana.post(path, { ...fields, rehearse: '1' })
    return /<dl class="sums" id="sums">[^]*?<\/dl>/.exec(text)![0].match(/-?\$[\d.]+/g)
  }
  assert.deepEqual(await sums(5), ['$25.00', '$6.00', '$2.00', '$33.00'])
  assert.deepEqual(await sums(6), ['$30.00', '$0.00', '$2.40', '$32.40'])
  await shop.api.patch('/v1/store', { tax_included: true })
  assert.deepEqual(await sums(6), ['$30.00', '$0.00', '$0.00', '$30.00', '$2.22'])
})

test('it is placed once, however often the form comes, and its screen follows', async () => {
  const desk = await open()
  const { ana, path, keys } = desk
  const once = hiddenOf(await ana.get(path), 'once')
  const fields = {
    act: 'make',
    once,
    line: keys.cup,
    'items.0.quantity': '2',
    'own.product_name': 'Gift wrapping',
    'own.unit_price': '1,50',
    customer_name: 'Ben',
    customer_email: 'ben@example.com',
    'shipping_address.city': 'Mérida',
    payment_status: 'paid',
    payment_method: 'cash',
    shipping_cost: '4',
    internal_notes: 'By phone',
  }
  const answers = await Promise.all([ana.post(path, fields), ana.post(path, fields)])
  const [order, ...others] = await ordersOf(desk)
  assert.equal(others.length, 0)
  assert.ok(answers.every(({ location }) => location.includes(`/orders/${order.id}`)))
  const { total, payment_status, customer_email, shipping_address, internal_notes } = order
  assert.deepEqual(
    [total, payment_status, customer_email, shipping_address.city, internal_notes],
    [15.5, 'paid', 'ben@example.com', 'Mérida', 'By phone'],
  )
})

test('what is wrong stands beside its line, and what was typed stays', async () => {
  const desk = await open()
  const { ana, path, keys } = desk
  const { status, text } = await ana.post(path, {
    act: 'make',
    line: [keys.cup, keys.shirt],
    'items.0.quantity': '1',
    'items.1.quantity': 'many',
    'own.product_name': 'Wrapping',
    customer_email: 'nobody',
  })
  assert.equal(status, 422)
  assert.match(text, /name="items\.1\.quantity" value="many"[^>]*aria-invalid="true"/)
  assert.match(text, /id="own-unit_price"[^>]*aria-invalid="true"/)
  assert.match(text, /Enter a valid email/)
  const sold = await ana.post(path, { act: 'make', line: keys.shirt, 'items.0.quantity': '5' })
  assert.match(sold.text, /The quantity exceeds what’s available/)
  assert.deepEqual(await ordersOf(desk), [])
})

test("another store's products and customers are unknown", async () => {
  const [desk, other] = [await open(), await open()]
  const { ana, path } = desk
  const theirs = dataOf(await other.api.post('/v1/customers', { name: 'Eve Winter', email: 'eve@example.com' }), 201)
  const { text } = await ana.post(path, { act: 'make', pick: 'items', 'find.items': 'Cup', customer_id: theirs.id })
  assert.ok(!text.includes(other.keys.cup))
  assert.ok(!text.includes('Eve Winter'))
  const made = await ana.post(path, { act: 'make', line: other.keys.cup, 'items.0.quantity': '1' })
  assert.equal(made.status, 422)
  assert.match(made.text, /name="items\.0\.quantity" value="1"[^>]*aria-invalid="true"/)
})

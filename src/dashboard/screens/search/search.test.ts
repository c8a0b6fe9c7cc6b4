import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { newRole } from '../../../../test/people.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { toUuid } from '../../../kit/values/ids.ts'

const world = await openWorld()

test('orders by number, products and customers by name or e-mail, and pages by their names are found', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const ana = await staffOf(world, [shop])
  for (const { api } of [shop, other]) {
    await api.post('/v1/products', { name: 'Café cup', price: 5, sku: 'CUP-1' })
    await api.post('/v1/customers', { name: 'Ben Cupido', email: 'ben@cup.example' })
  }
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items }), 201)
  const find = async (search: string) => {
    const { text } = await ana.get(`/${shop.store.id}/find.json?search=${encodeURIComponent(search)}`)
    const { groups } = JSON.parse(text) as { groups: { title: string; items: { text: string; to: string }[] }[] }
    return groups.flatMap(({ title, items: found }) => found.map(({ text: name }) => `${title}: ${name}`))
  }
  assert.deepEqual(await find(`#${order.order_number}`), [`Orders: #${order.order_number}`])
  assert.deepEqual(await find('cup'), ['Products: Café cup', 'Customers: Ben Cupido'])
  assert.deepEqual(await find('cupido ben'), ['Customers: Ben Cupido'])
  assert.deepEqual(await find('Cupido, Ben'), ['Customers: Ben Cupido'])
  assert.deepEqual(await find('api keys'), ['Pages: API keys'])
  assert.deepEqual(await find('no such thing'), [])
  assert.ok((await find('')).includes('Pages: Orders'))
  const page = await ana.get(`/${shop.store.id}/find?search=cup`)
  assert.match(page.text, /Café cup<\/a> <small>CUP-1<\/small>/)
})

test('drafts are found by their number and customer until they have become orders', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const ana = await staffOf(world, [shop])
  const body = { items: [{ product_name: 'Mug', unit_price: 20, quantity: 1 }], customer_name: 'Zoe Draper' }
  const draft = dataOf(await shop.api.post('/v1/draft-orders', { ...body, customer_email: 'zoe@example.com' }), 201)
  dataOf(await other.api.post('/v1/draft-orders', body), 201)
  const find = async (who: typeof ana, search: string) => {
    const { text } = await who.get(`/${shop.store.id}/find.json?search=${search}`)
    const { groups } = JSON.parse(text) as { groups: Found }
    return groups.flatMap(({ title, items: found }) => found.map(({ text: name, to }) => `${title}: ${name} ${to}`))
  }
  const expected = [`Drafts: D1 /dashboard/${shop.store.id}/orders/drafts/${draft.id}`]
  for (const search of ['draper', 'zoe@ex', 'd1']) assert.deepEqual(await find(ana, search), expected, search)
  const clerk = await staffOf(world, [shop], await roleIn(shop, ['read:products']))
  assert.deepEqual(await find(clerk, 'draper'), [])
  dataOf(await shop.api.post(`/v1/draft-orders/${draft.id}/complete`, {}), 200)
  assert.ok((await find(ana, 'draper')).every((one) => !one.startsWith('Drafts')))
})

test('nobody finds what their role may not see', async () => {
  const shop = await world.newStore()
  const ben = await staffOf(world, [shop], 'staff')
  const { text } = await ben.get(`/${shop.store.id}/find.json?search=`)
  assert.ok(text.includes('/orders"'))
  assert.ok(!text.includes('api-keys'))
})

type Found = { title: string; items: { text: string; note: string; to: string }[] }[]

test("a caller's orders are found by their phone and by their name, the latest first", async () => {
  const shop = await world.newStore()
  const [ana, packer] = [
    await staffOf(world, [shop]),
    await staffOf(world, [shop], await roleIn(shop, ['read:customers'])),
  ]
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
  const caller = dataOf(await shop.api.post('/v1/customers', { name: 'Ben Smith', phone: '+1 555 010 4477' }), 201)
  const numbers = []
  for (let count = 0; count < 7; count++) {
    world.clock.advance(1)
    const made = dataOf(await shop.api.post('/v1/orders', { items, customer_id: caller.id }), 201)
    numbers.unshift(`#${made.order_number}`)
  }
  const find = async (who: typeof ana, search: string): Promise<Found> =>
    JSON.parse((await who.get(`/${shop.store.id}/find.json?search=${encodeURIComponent(search)}`)).text).groups
  for (const search of ['555 010 4477', '+15550104477', 'smith ben', 'Ben Smith']) {
    const [customers, orders] = await find(ana, search)
    assert.deepEqual(
      [customers!.items.map(({ text }) => text), orders!.title, orders!.items.map(({ text }) => text)],
      [['Ben Smith'], 'Orders from Ben Smith', numbers.slice(0, 6)],
      search,
    )
  }
  const hidden = await find(packer, 'smith')
  assert.deepEqual(
    hidden.map(({ title }) => title),
    ['Customers'],
  )
})

test('more results than are shown have a link to the list, which shows them all', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  for (let count = 1; count <= 7; count++) await shop.api.post('/v1/customers', { name: `Kim ${count}` })
  const { text } = await ana.get(`/${shop.store.id}/find.json?search=kim`)
  const [{ items }] = (JSON.parse(text) as { groups: Found }).groups as [Found[number]]
  const all = items.at(-1)!
  assert.deepEqual([items.length, all.text], [7, 'All 7 results'])
  const list = await ana.get(all.to.replace('/dashboard', ''))
  assert.equal(new Set(list.text.match(/Kim \d/g)).size, 7)
})

test('settings are found by other words for them, in the language of the person', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const find = async (search: string, language: string) => {
    const headers = { 'accept-language': language }
    const { text } = await ana.get(`/${shop.store.id}/find.json?search=${encodeURIComponent(search)}`, headers)
    return (JSON.parse(text).groups as Found).flatMap(({ items }) => items.map(({ to }) => to.split(shop.store.id)[1]))
  }
  const order = ['en', 'es', 'de', 'fr', 'it', 'pt']
  const expected = {
    '/inventory': ['stock', 'existencias', 'bestand', 'stock', 'scorte', 'estoque'],
    '/settings/mail': ['email', 'correo', 'e-mail', 'courriel', 'posta', 'e-mail'],
    '/settings/team': ['users', 'usuarios', 'benutzer', 'utilisateurs', 'utenti', 'usuarios'],
    '/settings/security': ['password', 'contrasena', 'passwort', 'mot de passe', 'password', 'senha'],
    '/settings/store': ['currency', 'moneda', 'währung', 'devise', 'valuta', 'moeda'],
    '/shop/appearance': ['logo', 'logotipo', 'logo', 'logo', 'logo', 'logotipo'],
  }
  for (const [path, words] of Object.entries(expected)) {
    for (const [index, language] of order.entries()) {
      const word = words[index]!
      assert.ok((await find(word, language)).includes(path), `${language}: ${word}`)
    }
  }
})

/** A role of the store's own with these scopes. */
async function roleIn(shop: TestStore, scopes: string[]) {
  return { id: toUuid('role', await newRole(world, shop, scopes))! }
}

test("orders are found by phone, SKU and product, also a guest's, and only those of the store", async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const [ana, packer] = [
    await staffOf(world, [shop]),
    await staffOf(world, [shop], await roleIn(shop, ['read:orders'])),
  ]
  const numbers: Record<string, string> = {}
  for (const { api } of [other, shop]) {
    const variants = [{ option_values: [{ option_title: 'Color', value: 'Red' }], sku: 'CUP-RED' }]
    const cup = dataOf(await api.post('/v1/products', { name: 'Café cup', price: 5, variants }), 201)
    const line = { product_id: cup.id, variant_id: cup.variants[0].id, quantity: 1 }
    const mug = { product_name: 'Mug', unit_price: 20, quantity: 1 }
    const place = async (body: object) => `#${dataOf(await api.post('/v1/orders', body), 201).order_number}`
    numbers.guest = await place({ items: [mug], customer_phone: '+52 55 1234 5678' })
    world.clock.advance(1)
    numbers.cup = await place({ items: [line] })
  }
  const find = async (who: typeof ana, search: string) => {
    const { text } = await who.get(`/${shop.store.id}/find.json?search=${encodeURIComponent(search)}`)
    const orders = (JSON.parse(text).groups as Found).filter(({ title }) => title === 'Orders')
    return orders.flatMap(({ items }) => items.map(({ text: name }) => name))
  }
  // The customer record of the guest is deleted: the order remains.
  const { data: people } = await shop.api.get('/v1/customers')
  for (const { id } of people) dataOf(await shop.api.delete(`/v1/customers/${id}`), 200)
  for (const phone of ['5512345678', '+52 (55) 1234-5678']) assert.deepEqual(await find(ana, phone), [numbers.guest])
  for (const text of ['cup-red', 'CUP-RED', 'cafe']) assert.deepEqual(await find(ana, text), [numbers.cup], text)
  assert.deepEqual(await find(packer, 'café cup'), [numbers.cup])
  assert.deepEqual(await find(ana, '12345'), [])
  const hidden = await staffOf(world, [shop], await roleIn(shop, ['read:products']))
  assert.deepEqual(await find(hidden, 'cup-red'), [])
})

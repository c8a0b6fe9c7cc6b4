import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import { staffOf, type Shown } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { recordsOf } from '../../../../test/records.ts'
import { openWorld } from '../../../../test/world.ts'
import { operator } from '../../../kit/values/actor.ts'

const world = await openWorld()
const { db } = world.app

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const product = dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 10 }), 201)
  await shop.api.patch(`/v1/products/${product.id}`, { price: 12 })
  return { shop, ana, product, path: `/${shop.store.id}/settings/audit` }
}

const entriesIn = ({ text }: Shown) =>
  [...text.matchAll(/settings\/audit\/(aud_\w+)">([^<]+)</g)].map(([, , what]) => what)
const changed = 'Changed price of product Mug (10 → 12)'
const entryIn = ({ text }: Shown) => /settings\/audit\/(aud_\w+)"/.exec(text)![1]!

test('the log tells who changed what, by their names, and is narrowed by what is in its address', async () => {
  const { ana, product, path } = await open()
  const whole = await ana.get(path)
  assert.deepEqual(entriesIn(whole).slice(0, 2), [changed, 'Created product Mug'])
  assert.match(whole.text, /<a href="[^"]+actor=key_\w+">test<\/a><small>API key<\/small>/)
  assert.deepEqual(entriesIn(await ana.get(`${path}?id=${product.id}`)), [changed, 'Created product Mug'])
  const narrowed = await ana.get(`${path}?operation=updateProduct`)
  assert.deepEqual(entriesIn(narrowed), [changed])
  assert.match(narrowed.text, /class="chip"[^>]*>[\s\S]*?Operation: updateProduct/)
  assert.match((await ana.get(path, { 'accept-language': 'es' })).text, /Creó: producto Mug/)
})

test('a person is told by name where they did it in the dashboard', async () => {
  const { shop, ana, path } = await open()
  await ana.post(`/${shop.store.id}/settings/developer/api-keys`, {
    act: 'create',
    name: 'Sync',
    mode: 'live',
    scopes: ['read:orders'],
  })
  assert.match((await ana.get(path)).text, />Ana<\/a><small>Team member<\/small>/)
})

test('an entry shows each field before and after, and leads to the explanation of its request', async () => {
  const { ana, path } = await open()
  const entry = entryIn(await ana.get(`${path}?operation=updateProduct`))
  const { text } = await ana.get(`${path}/${entry}`)
  assert.match(text, /<th scope="row">Price<\/th><td>10<\/td>\s*<td>12<\/td>/)
  assert.match(text, /\/settings\/developer\/requests\/[\w-]+"/)
})

test('a change is undone after it was seen what that does; trying changes nothing', async () => {
  const { shop, ana, product, path } = await open()
  const entry = entryIn(await ana.get(`${path}?operation=updateProduct`))
  const priceNow = async () => (await shop.api.get(`/v1/products/${product.id}`)).data.price
  const asked = await ana.get(`${path}/${entry}?undo=1`)
  assert.match(asked.text, /Product Mug: previous values will be restored/)
  assert.equal(await priceNow(), 12)
  const request_id = /name="request_id" value="([^"]+)"/.exec(asked.text)![1]!
  assert.match((await ana.post(`${path}/${entry}`, { act: 'undo', request_id })).notice, /^undone$/)
  assert.equal(await priceNow(), 10)
  assert.match((await ana.get(`${path}?operation=updateProduct`)).text, /Undone/)
})

test('what stands in the way of undoing is said, with the write that did it, and nothing is changed', async () => {
  const { shop, ana, product, path } = await open()
  const entry = entryIn(await ana.get(`${path}?operation=updateProduct`))
  const request_id = /name="request_id" value="([^"]+)"/.exec((await ana.get(`${path}/${entry}?undo=1`)).text)![1]!
  await shop.api.patch(`/v1/products/${product.id}`, { price: 15 })
  for (const shown of [
    await ana.get(`${path}/${entry}?undo=1`),
    await ana.post(`${path}/${entry}`, { act: 'undo', request_id }),
  ]) {
    assert.match(shown.text, /Product Mug, Price: has been edited since\s*<small>updateProduct, /)
  }
  assert.equal((await shop.api.get(`/v1/products/${product.id}`)).data.price, 15)
})

test('the table for spreadsheets is that of the API, with the filters of the address', async () => {
  const { ana, product, path } = await open()
  const { status, text, headers } = await ana.get(`${path}.csv?id=${product.id}`)
  assert.equal(status, 200)
  assert.match(headers.get('content-disposition')!, /audit\.csv/)
  const [head, ...lines] = text.trim().split('\r\n')
  assert.match(head!, /created_at,id,request_id,actor_kind/)
  assert.equal(lines.length, 2)
})

test('a merge of two customers and its undo are named as such, in the history of each of them too', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const create = async (body: object) => dataOf(await shop.api.post('/v1/customers', body), 201).id as string
  const [eva, eve] = [await create({ name: 'Eva' }), await create({ name: 'Eve', phone: '+34600111222' })]
  dataOf(await shop.api.post(`/v1/customers/${eva}/merge`, { customer_id: eve }), 200)
  const path = `/${shop.store.id}/settings/audit`
  const merged = 'Merged two customers'
  for (const query of ['', `?id=${eva}`, `?id=${eve}`]) {
    assert.equal(entriesIn(await ana.get(`${path}${query}`))[0], merged, query)
  }
  const entry = await ana.get(`${path}/${entryIn(await ana.get(path))}`)
  assert.match(entry.text, /<h1[^>]*>Merged two customers/)
  const german = await ana.get(path, { 'accept-language': 'de' })
  assert.equal(entriesIn(german)[0], 'Zwei Kunden zusammengeführt')
  const { request_id } = dataOf(await shop.api.get(`/v1/audit?id=${eve}`), 200)[0]
  dataOf(await shop.api.post(`/v1/changes/${request_id}/revert`, {}), 200)
  assert.deepEqual(entriesIn(await ana.get(path)).slice(0, 2), ['Undid a merge of two customers', merged])
  dataOf(await shop.api.delete(`/v1/customers/${eve}`), 200)
  assert.match(entriesIn(await ana.get(path))[0]!, /^Deleted customer/)
})

test('security events stand beside it, of this store alone, page by page', async () => {
  const { shop, ana, path } = await open()
  const { text } = await ana.get(`${path}/security`)
  assert.match(text, /API key created/)
  assert.match(text, /Joined the team\s*<small>Ana · Role: Owner<\/small>/)
  assert.equal(text.match(/Joined the team/g)!.length, 1)
  for (let count = 0; count < 50; count++) {
    await db.transaction(async (tx) =>
      recordSecurityEvent(tx, { event: 'key_deactivated', actor: operator, store: shop.store.id }),
    )
  }
  const first = await ana.get(`${path}/security`)
  assert.ok(!first.text.includes('Joined the team'))
  const older = /href="\/dashboard([^"]+before=[^"]+)"/.exec(first.text)![1]!
  assert.match((await ana.get(older)).text, /Joined the team/)
})

test('what security events are about is in the words of the reader, and a role has its name', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'owner')
  const { db: allStores } = world.app
  const role_id = 'role_01jd0000000000000000000000'
  await allStores.transaction(async (tx) => {
    tx.later(sql`
      insert into roles (store_id, id, name, scopes, created_at, updated_at)
      values (${shop.store.id}, ${toUuid('role', role_id)}, 'Lager', '{}', ${tx.now}, ${tx.now})`)
    const about = { actor: operator, store: shop.store.id }
    recordSecurityEvent(tx, { ...about, event: 'invitation_sent', details: { role: 'staff' } })
    recordSecurityEvent(tx, { ...about, event: 'role_changed', details: { role: 'custom', role_id } })
    recordSecurityEvent(tx, { ...about, event: 'role_deleted', details: { name: 'Kasse' } })
    recordSecurityEvent(tx, { ...about, event: 'role_updated', subject: role_id, details: { scopes: ['read:orders'] } })
    recordSecurityEvent(tx, { ...about, event: 'key_created', details: { mode: 'test', scopes: ['read:orders'] } })
  })
  const { text } = await ana.get(`/${shop.store.id}/settings/audit/security`, { 'accept-language': 'de' })
  for (const row of [
    'Einladung gesendet<small>Rolle: Mitarbeiter',
    'Rolle geändert<small>Rolle: Lager',
    'Rolle gelöscht<small>Name: Kasse',
    'Rolle bearbeitet<small>Lager · Scopes: read:orders',
    'API-Schlüssel erstellt<small>Modus: Test · Scopes: read:orders',
  ]) {
    assert.ok(text.includes(`${row}</small>`), row)
  }
})

test('a record leads to its own history, for those who may read the audit log', async () => {
  const shop = await world.newStore()
  const [ana, ben] = [await staffOf(world, [shop]), await staffOf(world, [shop], 'staff')]
  const of = recordsOf(world, shop)
  // prettier-ignore
  const nouns = {
    products: 'Product', orders: 'Order', customers: 'Customer', discounts: 'Discount', categories: 'Category',
    collections: 'Collection',
  }
  for (const [path, noun] of Object.entries(nouns)) {
    const id = await of(noun)
    const link = `/settings/audit?id=${id}`
    const record = `/${shop.store.id}/${path}/${id}`
    const [shown, hidden] = [await ana.get(record), await ben.get(record)]
    assert.deepEqual([shown.text.includes(`${link}">History`), hidden.text.includes(link)], [true, false], path)
    const { text } = await ana.get(`/${shop.store.id}${link}`)
    assert.match(text, new RegExp(`<a class="main"[^>]*>Created ${noun.toLowerCase()}`), path)
  }
})

test('a record has its last five changes in words at its foot, for those who may read the audit log', async () => {
  const shop = await world.newStore()
  const [ana, ben] = [await staffOf(world, [shop]), await staffOf(world, [shop], 'staff')]
  const { api, store } = shop
  const { id } = (await api.post('/v1/products', { name: 'Mug', price: 1, slug: 'mug' })).data
  for (const price of [2, 3, 4]) await api.patch(`/v1/products/${id}`, { price })
  await api.patch(`/v1/products/${id}`, { price: 5, name: 'Cup', description: 'Steel' })
  const page = `/${store.id}/products/${id}`
  const panelIn = ({ text }: Shown) => /<h2>Latest changes<\/h2>[^]*?<\/section>/.exec(text)?.[0] ?? ''
  const wordsIn = (shown: Shown) =>
    [...panelIn(shown).matchAll(/class="main"[^>]*>([^<]*)</g)].map(([, words]) => words)
  const [last, ...before] = wordsIn(await ana.get(page))
  assert.match(last!, /^Changed (name|price|description), (name|price|description), and (name|price|description)$/)
  assert.deepEqual(before, ['Changed price (3 → 4)', 'Changed price (2 → 3)', 'Changed price (1 → 2)', 'Created'])
  await api.patch(`/v1/products/${id}`, { price: 6 })
  const shown = await ana.get(page)
  assert.equal(wordsIn(shown).length, 5)
  assert.ok(panelIn(shown).includes(`/settings/audit?id=${id}">Show all`))
  assert.match(panelIn(shown), /audit\/aud_\w+"/)
  assert.equal(panelIn(await ben.get(page)), '')
})

test('an entry names the record that was written, and counts the others', async () => {
  const { shop, ana, product, path } = await open()
  const { api } = shop
  const items = [{ product_id: product.id, quantity: 1 }]
  const order = dataOf(await api.post('/v1/orders', { customer_name: 'Eva Roth', items }), 201)
  await api.patch(`/v1/orders/${order.id}`, { internal_notes: 'Ring twice', tags: ['vip'] })
  await api.patch(`/v1/orders/${order.id}`, { status: 'confirmed' })
  const customer = dataOf(await api.post('/v1/customers', { name: 'Eva Roth', email: 'eva@example.com' }), 201)
  await api.patch(`/v1/customers/${customer.id}`, { name: 'Eva Rot' })
  dataOf(await api.post('/v1/discounts', { code: 'SPRING', type: 'percentage', value: 10 }), 201)
  await api.delete(`/v1/products/${product.id}`)
  const number = `#${order.order_number}`
  const { text } = await ana.get(path)
  assert.deepEqual(entriesIn({ text } as Shown).slice(0, 7), [
    'Deleted product Mug',
    'Created discount SPRING',
    'Changed name of customer',
    'Created customer',
    `Changed status of order ${number} (Pending → Confirmed)`,
    `Changed tags and staff notes of order ${number}`,
    `Created order ${number}`,
  ])
  assert.match(text, new RegExp(`Created order ${number}</a>\\s*<small>and \\d+ more</small>`))
  assert.doesNotMatch(text, /Eva Rot/)
  const german = await ana.get(path, { 'accept-language': 'de' })
  assert.match(german.text, /Rabatt SPRING erstellt/)
})

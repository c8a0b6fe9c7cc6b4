import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld()
const { db } = world.app

const ana = { name: 'Ana Torres', email: 'ana@example.com', phone: '+52 55 1234 5678' }
const berta = { name: 'Berta Luna', email: 'berta@example.com', phone: '+52 55 8765 4321' }
const place = { city: 'Puebla', province: 'Puebla', postal_code: '72000', country_code: 'MX' }
const home = (name: string) => ({ name, address: 'Av. Reforma 222', ...place })
const traces = /Ana|ana@example|1234|Reforma|Puebla|leave it|recover\//

const events = ['order.created', 'customer.created', 'customer.updated', 'checkout.completed', 'product.created']

/** A person with a record that was changed, and an order out of a checkout. */
async function active(store: TestStore, who: typeof ana): Promise<string> {
  const product = await productOf(store)
  const begun = await shopperOf(world, store).begin({
    items: [{ product_id: product.id, quantity: 1 }],
    customer: who,
    shipping_address: home(who.name),
  })
  await shopperOf(world, store).complete(begun.data.token)
  const [customer] = (await store.api.get(`/v1/customers?search=${who.email}`)).data
  await store.api.patch(`/v1/customers/${customer.id}`, { name: `${who.name} B` })
  return customer.id
}

async function bodiesOf({ store }: TestStore): Promise<{ event: string; body: any }[]> {
  return db.rows(sql`
    select event, body::json as body
    from events
    where store_id = ${store.id}
    order by id`)
}

test('of a customer who is erased no event tells any more, and of others as before', async () => {
  const store = await world.newStore()
  const { status } = await store.api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events })
  assert.equal(status, 201)
  const id = await active(store, ana)
  const hers = (await bodiesOf(store)).filter(({ body }) => traces.test(JSON.stringify(body))).map(({ event }) => event)
  assert.deepEqual(new Set(hers), new Set(events.slice(0, 4)), 'each tells of her before')
  await active(store, berta)
  const before = await bodiesOf(store)
  await db.rows(sql`update deliveries set response_body = 'thanks, Ana' where store_id = ${store.store.id}`)

  assert.equal((await store.api.delete(`/v1/customers/${id}`)).status, 200)

  const after = await bodiesOf(store)
  assert.deepEqual(
    after.map(({ event }) => event),
    before.map(({ event }) => event),
  )
  const own = after.filter(
    (_event, index) => index < before.findIndex(({ body }) => /Berta/.test(JSON.stringify(body))),
  )
  assert.doesNotMatch(JSON.stringify(own), traces)
  const created = own.find(({ event }) => event === 'order.created')!.body
  assert.deepEqual(created.customer, { id, name: null, email: null, phone: null })
  assert.equal(created.order.items.length, 1)
  assert.equal(created.order.shipping_address.country !== null, true)
  assert.deepEqual(after.slice(own.length), before.slice(own.length), "another person's events stay as they are")
  const [answered] = await db.rows<{ masked: number }>(sql`
    select count(*) filter (where response_body is null) as masked from deliveries where store_id = ${store.store.id}`)
  assert.equal(answered!.masked, hers.length)
  const [order] = (await store.api.get('/v1/orders?sort=created_at&order=asc')).data
  assert.equal(order.customer_email, ana.email, 'the order keeps what it was placed with')
})

test("another store's events of the same person stay", async () => {
  const [store, other] = [await world.newStore(), await world.newStore()]
  for (const { api } of [store, other]) await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events })
  const id = await active(store, ana)
  await active(other, ana)
  const before = await bodiesOf(other)
  await store.api.delete(`/v1/customers/${id}`)
  assert.deepEqual(await bodiesOf(other), before)
})

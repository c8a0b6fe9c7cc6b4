import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { deliver, openFork, secret } from '../fork.ts'
import { createApp } from '../server.ts'

const stoa = await openFork()
const received: string[] = []
const app = createApp({ stoa, secret, onEvent: async ({ event }) => void received.push(event) })
app.listen(0, '127.0.0.1')
await once(app, 'listening')
after(() => app.close())
const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`

const product = await stoa.products.create({ name: 'Mug & saucer', price: 12 })

test('the page shows the products of the store', async () => {
  const page = await (await fetch(url)).text()
  assert.match(page, /Mug &#38; saucer/)
})

test('a signed webhook is received once, and no other one', async () => {
  const order = await stoa.orders.create({ items: [{ product_id: product.id, quantity: 1 }] })
  const { data: events } = await stoa.events.list({ types: 'order.created' })
  const event = events.find(({ event_id }) => event_id === order.id)
  assert.ok(event)
  for (const _ of [1, 2]) {
    const { status } = await deliver(`${url}/hooks`, event.event, event.body as object)
    assert.equal(status, 204)
  }
  assert.deepEqual(received, ['order.created'])
  const forged = await fetch(`${url}/hooks`, { method: 'POST', body: '{}' })
  assert.equal(forged.status, 400)
})

test('a checkout that is left gets an email, a day later', async () => {
  const { slug } = await stoa.store.get()
  const { token } = await stoa.storefront.checkouts.create(slug, { items: [{ product_id: product.id, quantity: 2 }] })
  await stoa.test.clock.move({ advance: 60 })
  await stoa.storefront.checkouts.update(slug, token, { customer: { name: 'Ana Torres', email: 'ana@example.com' } })
  await stoa.test.clock.move({ advance: 24 * 3600 })
  const { emails } = await stoa.test.outbox.get()
  assert.ok(emails.some(({ to, subject }) => to === 'ana@example.com' && subject.startsWith('You left something')))
})

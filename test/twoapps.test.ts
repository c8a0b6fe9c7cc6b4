// Two apps in one process, each over a database of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { providerRequested } from '../src/commerce/payments/requests.ts'
import type { Topic } from '../src/kit/database/bus.ts'
import { mailQueued } from '../src/tenancy/emails/queue.ts'
import { deliveriesQueued, eventsCommitted } from '../src/tenancy/events/topics.ts'
import { storeChanged } from '../src/tenancy/stores/store.ts'
import { newProduct, subscribed } from './deliveries.ts'
import { holdMoney } from './hold.ts'
import { openMailServer } from './mailserver.ts'
import { testAuthority } from './receiver.ts'
import { answering } from './strangers.ts'
import { openWorld, type World } from './world.ts'

const topics: Topic<any>[] = [eventsCommitted, deliveriesQueued, mailQueued, providerRequested, storeChanged]

async function newWorld() {
  const mailServer = await openMailServer()
  const environment = { SMTP_URL: mailServer.url, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const network = { ca: testAuthority.ca, resolver: answering(['127.0.0.1']) }
  const world = await openWorld(environment, { network, delivers: true })
  return { ...world, mailServer }
}

const [one, other] = [await newWorld(), await newWorld()]

/** The names of the topics that an app publishes on while `run` runs. */
async function heardBy({ app }: World, run: () => Promise<void>): Promise<string[]> {
  const heard = new Set<string>()
  const ends = topics.map((topic) => app.db.bus.subscribe(topic, () => heard.add(topic.name)))
  await run()
  for (const end of ends) end()
  return [...heard].sort()
}

test('an app does not hear the writes, events, deliveries, emails and payment requests of the other', async () => {
  const busy = await subscribed(one)
  const idle = await subscribed(other)
  let heard: string[] = []
  const heardByOther = await heardBy(other, async () => {
    heard = await heardBy(one, async () => {
      const { data: product } = await newProduct(busy)
      const items = [{ product_id: product.id, quantity: 1 }]
      const body = { items, customer_email: 'ana@example.com', notify_customer: true }
      const { data: order } = await busy.api.post('/v1/orders', body)
      await holdMoney(one, busy.store.id, order.id)
      await busy.api.post(`/v1/orders/${order.id}/capture`, {})
      await busy.api.patch('/v1/store', { name: 'Another' })
      await busy.shop.waitFor(1)
    })
  })
  assert.deepEqual(heard, topics.map(({ name }) => name).sort())
  assert.deepEqual(heardByOther, [])
  assert.equal(await other.app.sender.sendDue(), 0)
  assert.ok((await one.app.sender.sendDue()) > 0)
  assert.ok(one.mailServer.received.length > 0)
  assert.deepEqual([other.mailServer.received.length, idle.shop.received.length], [0, 0])
})

test('a request that waits for events at one app is not woken by events of the other', async () => {
  const [writing, waiting] = [await one.newStore(), await other.newStore()]
  let isAnswered = false
  const waited = waiting.api.get('/v1/events?after=0&wait=5').finally(() => (isAnswered = true))
  await sleep(200)
  await newProduct(writing)
  await sleep(200)
  assert.equal(isAnswered, false)
  await newProduct(waiting)
  assert.equal((await waited).data.length, 1)
})

test('a key of one app opens nothing at the other', async () => {
  const { api } = await one.newStore()
  assert.equal((await api.get('/v1/store')).status, 200)
  assert.equal((await fetch(`${other.url}/v1/store`, { headers: { 'x-api-key': api.key } })).status, 401)
})

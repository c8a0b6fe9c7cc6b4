import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import net from 'node:net'
import { describe, test } from 'node:test'
import { countOf, finished, newProduct, subscribed, type Log } from '../../../../test/deliveries.ts'
import { receiver, testAuthority, type Received } from '../../../../test/receiver.ts'
import { answering, listening, running, speaking } from '../../../../test/strangers.ts'
import { openWorld } from '../../../../test/world.ts'
import { metrics } from '../../../platform/process/metrics.ts'

const resolver = answering(['127.0.0.1'])
const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca, resolver }, delivers: true },
)

const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text)
const codesOf = ({ attempts }: Log) => attempts.map(({ attempt, status_code }) => [attempt, status_code])
const signatureOf = ({ headers, body }: Received, secret: string) =>
  hmac(secret, `${headers['x-webhook-timestamp']}.${body}`).digest('hex')
const standardOf = ({ headers, body }: Received, key: string | Buffer) =>
  `v1,${hmac(key, `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`).digest('base64')}`

test('a delivery is a POST of the stored bytes with the four headers, and the signature verifies', async () => {
  const one = await subscribed(world)
  const product = await newProduct(one)
  const [request] = await one.shop.waitFor(1)
  const { headers, body } = request!
  assert.equal(request!.method, 'POST')
  assert.match(headers['content-type']!, /^application\/json/)
  assert.match(String(headers['x-webhook-id']), /^dlv_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(String(headers['x-webhook-timestamp']), /^\d{10}$/)
  assert.equal(headers['x-webhook-event'], 'product.created')
  assert.match(String(headers['x-webhook-signature']), /^[0-9a-f]{64}$/)
  assert.equal(headers['x-webhook-signature'], signatureOf(request!, one.hook.secret))
  assert.equal(headers['x-webhook-signature-previous'], undefined)
  assert.equal(headers['webhook-id'], headers['x-webhook-id'])
  assert.equal(headers['webhook-signature'], standardOf(request!, one.hook.secret))
  assert.ok(Math.abs(world.clock.now().getTime() / 1000 - Number(headers['x-webhook-timestamp'])) < 300)
  const payload = JSON.parse(body.toString())
  assert.deepEqual(payload, (await one.events())[0]!.body)
  assert.equal(payload.event_id, product.data.id)
})

test('each delivery has the number of its event, the same in its log; a test has none', async () => {
  const one = await subscribed(world, ['product.created', 'product.updated'])
  const { data } = await newProduct(one)
  await one.api.patch(`/v1/products/${data.id}`, { price: 2 })
  await one.api.delete(`/v1/products/${data.id}`)
  await newProduct(one)
  const received = await one.shop.waitFor(3)
  const { data: events } = await one.api.get('/v1/events?types=product.created,product.updated')
  const told = received.map(({ headers, body }) => [headers['x-webhook-sequence'], JSON.parse(body.toString())])
  assert.deepEqual(
    told.sort(([a], [b]) => Number(a) - Number(b)),
    events.map(({ sequence, body }: any) => [String(sequence), body]),
  )
  assert.deepEqual(
    events.map(({ sequence }: any) => sequence),
    [1, 2, 4],
  )
  const log: any = await finished(one)
  assert.deepEqual([log.sequence, log.request.headers['X-Webhook-Sequence']], [4, '4'])
  await one.api.post(`${one.path}/test`)
  const [, , , sample] = await one.shop.waitFor(4)
  assert.equal(sample!.headers['x-webhook-sequence'], undefined)
})

test('a replay of numbers sends them again, and what happened before there was the webhook', async () => {
  const store = await world.newStore()
  for (const name of ['a', 'b', 'c', 'd']) await newProduct(store, name)
  const shop = await running()
  const { data: hook } = await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'] })
  await newProduct(store, 'e')
  await shop.waitFor(1)
  const path = `/v1/webhooks/${hook.id}`
  await finished({ ...store, path })
  const replay = (body: object) => store.api.post(`${path}/replay`, body)
  assert.deepEqual((await replay({ from_sequence: 3 })).data, { queued: 3 })
  const received = await shop.waitFor(4)
  assert.deepEqual(received.map(({ headers }) => headers['x-webhook-sequence']).sort(), ['3', '4', '5', '5'])
  assert.equal(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size, 3)
  assert.deepEqual((await replay({ from_sequence: 1, to_sequence: 2 })).data, { queued: 2 })
  const faults = async (body: object) => {
    const { status, error } = await replay(body)
    return [status, ...error.details.map(({ field }: any) => field)]
  }
  const from = new Date()
  assert.deepEqual(await faults({ from_sequence: 6 }), [422, 'from_sequence'])
  assert.deepEqual(await faults({ from_sequence: 0 }), [422, 'from_sequence'])
  assert.deepEqual(await faults({ from_sequence: 3, to_sequence: 2 }), [422, 'to_sequence'])
  assert.deepEqual(await faults({ from_sequence: 3, from, to: from }), [422, 'from', 'to'])
  assert.deepEqual(await faults({ from, to: from, to_sequence: 3 }), [422, 'to_sequence'])
  assert.deepEqual(await faults({ from_sequence: 3, events: ['order.created'] }), [422, 'events.0'])
})

test('a secret that begins with whsec_ signs the Standard Webhooks headers with its decoded key', async () => {
  const shop = await running()
  const store = await world.newStore()
  const key = Buffer.from('a key of twenty-four byte')
  const secret = `whsec_${key.toString('base64')}`
  await store.api.post('/v1/webhooks', { url: shop.url, events: ['product.created'], secret })
  await newProduct(store)
  const [request] = await shop.waitFor(1)
  assert.equal(request!.headers['webhook-signature'], standardOf(request!, key))
  assert.equal(request!.headers['x-webhook-signature'], signatureOf(request!, secret))
})

test('only active webhooks get an event, and only of the types that they name', async () => {
  const one = await subscribed(world, ['product.updated', 'product.deleted'])
  const off = await running()
  const { data: other } = await one.api.post('/v1/webhooks', {
    url: off.url,
    events: ['product.updated'],
    is_active: false,
  })
  const { data } = await newProduct(one)
  await one.api.patch(`/v1/products/${data.id}`, { price: 2 })
  await one.api.delete(`/v1/products/${data.id}`)
  await one.shop.waitFor(2)
  const events = one.shop.received.map(({ headers }) => headers['x-webhook-event'])
  assert.deepEqual(events.sort(), ['product.deleted', 'product.updated'])
  assert.equal((await one.api.get(`/v1/webhooks/${other.id}/deliveries`)).body.pagination.total, 0)
  assert.equal(await countOf(one), 2)
})

test('a change that is refused sends nothing', async () => {
  const one = await subscribed(world)
  await one.api.post('/v1/products', { name: 'x', price: -1 })
  await one.api.post('/v1/products', { name: 'x', price: 1, category_id: 'cat_01h455vb4pex5vsknk084sn02q' })
  assert.equal(await countOf(one), 0)
})

describe('attempts', { concurrency: true }, () => {
  const seconds = (received: Received[]) => received.map(({ at }) => Math.round((at - received[0]!.at) / 100) / 10)

  test('5xx is tried at 0, 1 and 2 seconds, with the same id, each signed anew, and then failed', async () => {
    const one = await subscribed(world)
    one.shop.answer = () => ({ status: 500, body: 'no' })
    await newProduct(one)
    const received = await one.shop.waitFor(3)
    const log = await finished(one)
    assert.deepEqual([log.status, log.attempt_count], ['failed', 3])
    assert.deepEqual(codesOf(log), [
      [1, 500],
      [2, 500],
      [3, 500],
    ])
    const [, second, third] = seconds(received)
    assert.ok(second! >= 1 && second! < 2 && third! >= 3 && third! < 4.5, String([second, third]))
    assert.equal(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size, 1)
    assert.equal(new Set(received.map(({ headers }) => headers['x-webhook-timestamp'])).size, 3)
    assert.equal(new Set(received.map(({ body }) => body.toString())).size, 1)
    for (const request of received) {
      assert.equal(request.headers['x-webhook-signature'], signatureOf(request, one.hook.secret))
    }
  })

  test('a success at the second try ends it', async () => {
    const one = await subscribed(world)
    let calls = 0
    one.shop.answer = () => ({ status: calls++ === 0 ? 503 : 204 })
    await newProduct(one)
    await one.shop.waitFor(2)
    const log = await finished(one)
    assert.deepEqual([log.status, log.attempt_count, log.error], ['delivered', 2, null])
    assert.deepEqual(log.response, { status_code: 204, body: '', truncated: false })
  })

  for (const status of [301, 307, 400, 401, 404, 410, 429]) {
    test(`${status} is final, and no redirect is followed`, async () => {
      const one = await subscribed(world)
      one.shop.answer = () => ({ status, headers: { location: `${one.shop.url}/elsewhere` } })
      await newProduct(one)
      const log = await finished(one)
      assert.deepEqual([log.status, log.attempt_count, log.response.status_code], ['failed', 1, status])
      assert.equal(one.shop.received.length, 1)
    })
  }

  test('an answer is data: its head is kept, as text', async () => {
    const one = await subscribed(world)
    const body = Buffer.concat([Buffer.from('<b>\0{"$'), Buffer.from([0xff]), Buffer.from('😀'.repeat(4000))])
    one.shop.answer = () => ({ status: 400, body })
    await newProduct(one)
    const { response } = await finished(one)
    assert.equal(response.truncated, true)
    assert.equal(response.body.length, 4096)
    assert.ok(response.body.startsWith('<b>�{"$�😀'))
    assert.ok(response.body.isWellFormed())
  })
})

describe('failures, each with its class in the log', { concurrency: true }, () => {
  const urlOf = ({ port }: { port: number }) => `https://localhost:${port}`
  const failing: [string, () => Promise<string>][] = [
    ['RESET', async () => (await running({ answer: () => 'reset' })).url],
    [
      'REFUSED',
      async () => {
        const gone = await receiver()
        await gone.close()
        return gone.url
      },
    ],
    ['TLS', async () => urlOf(await listening(net.createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))))],
    [
      'TLS',
      async () => {
        const certificate = testAuthority.issue({ names: ['other.example'], addresses: [] })
        return (await running({ certificate })).url
      },
    ],
    ['BAD_RESPONSE', async () => urlOf(await speaking((socket) => socket.end('not HTTP at all\r\n\r\n')))],
  ]
  for (const [index, [error, target]] of failing.entries()) {
    test(`${error} (${index}) is tried three times`, async () => {
      const store = await world.newStore()
      const { data } = await store.api.post('/v1/webhooks', { url: await target(), events: ['product.created'] })
      await newProduct(store)
      const log = await finished({ api: store.api, path: `/v1/webhooks/${data.id}` })
      assert.deepEqual([log.status, log.error, log.response], ['failed', error, null])
      assert.deepEqual(
        log.attempts.map((attempt) => attempt.error),
        [error, error, error],
      )
      assert.match(log.attempts[0].message, /\.$/)
    })
  }
})

test('a name that does not resolve is DNS, a server that is silent is TIMEOUT', async () => {
  const network = { ca: testAuthority.ca, resolver: answering([]), connectTimeoutMs: 500 }
  const other = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { network, delivers: true })
  const silent = await listening(net.createServer((socket) => socket.resume()))
  await Promise.all(
    [
      ['https://gone.example/', 'DNS'],
      [`https://localhost:${silent.port}/`, 'TIMEOUT'],
    ].map(async ([url, error]) => {
      const { api } = await other.newStore()
      const { data } = await api.post('/v1/webhooks', { url, events: ['product.created'] })
      await newProduct({ api })
      const log = await finished({ api, path: `/v1/webhooks/${data.id}` })
      assert.deepEqual([log.status, log.error, log.attempt_count], ['failed', error, 3])
    }),
  )
})

test('a receiver that hangs has 8 calls under way, and delays nobody', async () => {
  const slow = await subscribed(world)
  slow.shop.answer = () => 'hang'
  const quick = await subscribed(world)
  await Promise.all(Array.from({ length: 40 }, () => newProduct(slow)))
  await slow.shop.waitFor(8)
  await Promise.all(Array.from({ length: 20 }, () => newProduct(quick)))
  await quick.shop.waitFor(20, 5000)
  assert.equal(slow.shop.received.length, 8)
  assert.equal(slow.shop.load.maxAtOnce, 8)
  const { data } = await slow.api.get(`${slow.path}/deliveries?status=pending&per_page=100`)
  assert.equal(data.length, 40)
  await slow.api.delete(slow.path)
  await slow.shop.close()
})

test('during 24 hours after a rotation both secrets sign', async () => {
  const one = await subscribed(world)
  const { data } = await one.api.post(`${one.path}/rotate-secret`)
  await newProduct(one)
  const [request] = await one.shop.waitFor(1)
  const [now, before] = [data.secret, one.hook.secret]
  assert.equal(request!.headers['x-webhook-signature'], signatureOf(request!, now))
  assert.equal(request!.headers['x-webhook-signature-previous'], signatureOf(request!, before))
  assert.equal(request!.headers['webhook-signature'], `${standardOf(request!, now)} ${standardOf(request!, before)}`)
})

test('a test sends a sample of an event, marked by a header', async () => {
  const one = await subscribed(world, ['order.created', 'customer.created'])
  const sent = await one.api.post(`${one.path}/test`)
  assert.equal(sent.status, 200)
  assert.deepEqual([sent.data.trigger, sent.data.status, sent.data.event], ['test', 'pending', 'order.created'])
  const [request] = await one.shop.waitFor(1)
  assert.equal(request!.headers['x-webhook-id'], sent.data.id)
  assert.equal(request!.headers['x-webhook-test'], 'true')
  assert.equal(JSON.parse(request!.body.toString()).store.id, one.store.id)
  await one.api.post(`${one.path}/test`, { event: 'customer.created' })
  const second = (await one.shop.waitFor(2))[1]!
  assert.equal(second.headers['x-webhook-event'], 'customer.created')
  assert.equal((await one.api.post(`${one.path}/test`, { event: 'nope' })).status, 422)
})

test('a redelivery keeps the id, is signed anew and goes on counting attempts', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 400 })
  await newProduct(one)
  const failed = await finished(one)
  one.shop.answer = () => ({ status: 200 })
  await one.api.post(`${one.path}/rotate-secret`)
  const again = await one.api.post(`${one.path}/deliveries/${failed.id}/redeliver`)
  const { id, status, trigger } = again.data
  assert.deepEqual([again.status, id, status, trigger], [200, failed.id, 'pending', 'manual'])
  const [first, second] = await one.shop.waitFor(2)
  assert.equal(second!.headers['x-webhook-id'], first!.headers['x-webhook-id'])
  assert.deepEqual(second!.body, first!.body)
  assert.notEqual(second!.headers['x-webhook-signature'], first!.headers['x-webhook-signature'])
  const log = await finished(one)
  assert.deepEqual(
    [log.status, codesOf(log)],
    [
      'delivered',
      [
        [1, 400],
        [2, 200],
      ],
    ],
  )
})

test('of a deleted webhook no delivery is shown', async () => {
  const one = await subscribed(world)
  await newProduct(one)
  const { id } = await finished(one)
  await one.api.delete(one.path)
  const { status, error } = await one.api.get(`${one.path}/deliveries/${id}`)
  assert.deepEqual([status, error.code, error.message], [404, 'NOT_FOUND', 'Delivery not found'])
})

test('a redelivery of what is under way is 409', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => 'hang'
  await newProduct(one)
  await one.shop.waitFor(1)
  const { data } = await one.api.get(`${one.path}/deliveries`)
  assert.equal((await one.api.post(`${one.path}/deliveries/${data[0].id}/redeliver`)).status, 409)
  await one.shop.close()
})

test('a replay sends the events of a window again: what was sent keeps its id, what was missed is new', async () => {
  const one = await subscribed(world)
  await newProduct(one, 'sent')
  await one.shop.waitFor(1)
  await finished(one)
  await one.api.patch(one.path, { is_active: false })
  await newProduct(one, 'missed')
  await one.api.patch(one.path, { is_active: true })
  const now = world.clock.now().getTime()
  const window = { from: new Date(now - 60_000), to: new Date(now + 60_000) }
  const replayed = await one.api.post(`${one.path}/replay`, window)
  assert.deepEqual([replayed.status, replayed.data], [200, { queued: 2 }])
  const received = await one.shop.waitFor(3)
  const names = received.map(({ body }) => JSON.parse(body.toString()).product.name)
  assert.deepEqual(names.sort(), ['missed', 'sent', 'sent'])
  assert.equal(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size, 2)
  await new Promise((wake) => setTimeout(wake, 50))
  assert.deepEqual((await one.api.post(`${one.path}/replay`, window)).data, { queued: 2 })
  await one.shop.waitFor(5)
  assert.equal(await countOf(one), 2)
  const wrong = await one.api.post(`${one.path}/replay`, { from: window.to, to: window.from })
  assert.deepEqual(wrong.error.details, [{ field: 'to', message: 'must not be before from' }])
  const foreign = await one.api.post(`${one.path}/replay`, { ...window, events: ['order.created'] })
  assert.deepEqual(foreign.error.details, [{ field: 'events.0', message: "is not one of this webhook's events" }])
  assert.equal((await one.api.post(`${one.path}/replay`, {})).error.details.length, 2)
})

test('failed deliveries since a time are sent again, with their ids; what succeeded is left alone', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 400 })
  await newProduct(one, 'failed')
  await one.shop.waitFor(1)
  await finished(one)
  one.shop.answer = () => ({ status: 200 })
  await newProduct(one, 'delivered')
  await one.shop.waitFor(2)
  await finished(one)
  await new Promise((wake) => setTimeout(wake, 50))
  const now = world.clock.now().getTime()
  const recover = (since: number) => one.api.post(`${one.path}/recover`, { since: new Date(since) })
  assert.deepEqual((await recover(now + 60_000)).data, { queued: 0 })
  assert.deepEqual((await recover(now - 60_000)).data, { queued: 1 })
  const received = await one.shop.waitFor(3)
  assert.equal(received[2]!.headers['x-webhook-id'], received[0]!.headers['x-webhook-id'])
  await finished(one)
  assert.deepEqual((await recover(now - 60_000)).data, { queued: 0 })
  assert.equal((await one.api.post(`${one.path}/recover`, {})).status, 422)
})

test('the log is filtered by status and event', async () => {
  const one = await subscribed(world, ['product.created', 'product.updated'])
  one.shop.answer = ({ headers }) => ({ status: headers['x-webhook-event'] === 'product.created' ? 200 : 400 })
  const { data } = await newProduct(one)
  await one.api.patch(`/v1/products/${data.id}`, { price: 2 })
  await one.shop.waitFor(2)
  await finished(one)
  const count = (query: string) => countOf(one, query)
  await new Promise((wake) => setTimeout(wake, 50))
  assert.deepEqual(
    await Promise.all([
      count('status=delivered'),
      count('status=failed'),
      count('status=pending'),
      count('status=held'),
      count('status=skipped'),
      count('event=product.updated'),
      count('event=product.updated&status=delivered'),
      count('event=order.created'),
    ]),
    [1, 1, 0, 0, 0, 1, 0, 0],
  )
  assert.equal((await one.api.get(`${one.path}/deliveries?status=nope`)).status, 422)
})

test('a name that has come to lead to a private address is blocked, and the log names no address', async () => {
  const turned = answering(['93.184.216.34'], ['10.0.0.7'])
  const other = await openWorld({}, { network: { resolver: turned, resolveTtlMs: 0 }, delivers: true })
  const store = await other.newStore()
  const { data } = await store.api.post('/v1/webhooks', { url: 'https://turns.example/', events: ['product.created'] })
  await newProduct(store)
  const log = await finished({ api: store.api, path: `/v1/webhooks/${data.id}` })
  assert.deepEqual([log.status, log.error, log.attempt_count], ['failed', 'BLOCKED_ADDRESS', 1])
  assert.doesNotMatch(JSON.stringify(log), /10\.0\.0/)
  assert.match(log.attempts[0].message, /WEBHOOK_ALLOWED_NETWORKS/)
})

test('the metrics count deliveries by event and outcome, and show the queue', async () => {
  const webhookLines = async () => (await metrics.metrics()).split('\n').filter((line) => line.startsWith('webhook_'))
  const deleted = async () =>
    Number(
      (await webhookLines())
        .find((line) => line.startsWith('webhook_deliveries_total{event="product.deleted",outcome="delivered"}'))
        ?.split(' ')[1] ?? 0,
    )
  const one = await subscribed(world, ['product.deleted'])
  const before = await deleted()
  const { data } = await newProduct(one)
  await one.api.delete(`/v1/products/${data.id}`)
  await finished(one)
  assert.equal(await deleted(), before + 1)
  const lines = await webhookLines()
  const others = ['attempt_seconds_bucket', 'queue_pending', 'oldest_pending_seconds', 'inflight', 'blocked_total']
  for (const name of others)
    assert.ok(
      lines.some((line) => line.startsWith(`webhook_${name}`)),
      name,
    )
})

// While the server has too much under way: who is turned away, how, and who is not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { databaseUrl } from '../../test/database.ts'
import { openWorld } from '../../test/world.ts'
import { toUuid } from '../kit/values/ids.ts'

const never = { maxDelayMs: Infinity }
/** As overloaded as can be: it lets nobody in. */
const full = await openWorld({}, { concurrency: { ...never, most: 0, least: 0 } })
const small = await openWorld({}, { concurrency: { ...never, most: 8, least: 8 } })

test('who is turned away is told at once, in the envelope, when to come again', async () => {
  const { api, events, store } = await full.newStore()
  const mug = { name: 'Mug', price: 1 }
  const answers = {
    'GET /v1/products': await api.get('/v1/products'),
    'POST /v1/products': await api.post('/v1/products', mug),
    'POST /v1/products as a dry run': await api.post('/v1/products', mug, { headers: { prefer: 'dry-run' } }),
    'GET /storefront': await api.get(`/storefront/${store.slug}/products`),
    'POST /storefront': await api.post(`/storefront/${store.slug}/checkouts`, {}),
  }
  for (const [request, { status, error, headers }] of Object.entries(answers)) {
    assert.equal(status, 503, request)
    assert.equal(error.code, 'UNAVAILABLE', request)
    const wanted = ['retry-after', 'x-request-id', ...(request.includes('/v1') ? ['x-ratelimit-remaining'] : [])]
    for (const name of wanted) assert.ok(headers.get(name), `${request} ${name}`)
  }
  assert.deepEqual(await events(), [])
})

test('pages are refused with a page', async () => {
  const { store } = await full.newStore()
  for (const path of [`/s/${store.slug}`, `/s/${store.slug}/cart`, `/dashboard/${store.id}`, '/oauth/login', '/']) {
    const answer = await fetch(full.url + path, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 503, path)
    assert.match(answer.headers.get('content-type')!, /text\/html/, path)
    assert.ok(answer.headers.get('retry-after'), path)
    assert.match(await answer.text(), /<h1>/, path)
  }
})

test('health checks, metrics and requests that wait for events are answered under any load', async () => {
  const { api } = await full.newStore()
  for (const path of ['/healthz', '/readyz', '/metrics', '/v1/events?after=0&wait=1']) {
    const { status } = await fetch(full.url + path, { headers: { 'x-api-key': api.key } })
    assert.equal(status, 200, path)
  }
})

test('a store that takes all places is turned away, others are not, and who is in is served', async (t) => {
  const [flood, quiet] = [await small.newStore(), await small.newStore()]
  // The stores of their keys are known from now on.
  const { data: contested } = await flood.api.post('/v1/products', { name: 'Contested', price: 1 })
  assert.equal((await quiet.api.post('/v1/products', { name: 'Own', price: 1 })).status, 201)
  const locker = new pg.Client({ connectionString: databaseUrl() })
  await locker.connect()
  t.after(() => locker.end())
  await locker.query('begin')
  await locker.query('select from products where id = $1 for update', [toUuid('prod', contested.id)])

  let refused = 0
  const changes = Array.from({ length: 30 }, async (_, n) => {
    const { status } = await flood.api.patch(`/v1/products/${contested.id}`, { name: `Name ${n}` })
    refused += status === 503 ? 1 : 0
    return status
  })
  while (refused < 22) await new Promise(setImmediate)
  assert.equal((await quiet.api.get('/v1/products')).status, 200)
  assert.equal((await quiet.api.post('/v1/products', { name: 'Another', price: 2 })).status, 201)
  await locker.query('rollback')
  const changed = (await Promise.all(changes)).filter((status) => status === 200).length
  const updates = (await flood.events()).filter(({ event }) => event === 'product.updated')
  assert.equal(updates.length, changed)
})

test('clients that send slowly or read nothing take no place', async (t) => {
  const { api } = await small.newStore()
  await api.post('/v1/products', { name: 'Mug', price: 1 })
  const { hostname, port } = new URL(small.url)
  const head = (method: string) => `${method} /v1/products HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.key}\r\n`
  const texts = [
    `${head('POST')}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    `${head('GET')}\r\n`.repeat(30),
    head('GET'),
  ]
  const sockets = Array.from({ length: 30 }, (_, n) => {
    const socket = connect(Number(port), hostname).pause()
    socket.write(texts[n % texts.length]!)
    return socket
  })
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect')))
  // What the others asked for at once is answered first.
  for (let tries = 0, inARow = 0; inARow < 20; tries++) {
    const { status } = await api.get('/v1/products')
    inARow = status === 200 ? inARow + 1 : 0
    assert.ok(tries < 500, 'they take places')
  }
})

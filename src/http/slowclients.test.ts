import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { send } from '../../test/uploads.ts'
import { openWorld } from '../../test/world.ts'
import { limitSlowClients, type SlowClientLimits } from './slowclients.ts'

type Hooks = { after(hook: () => void): void }

/** A server that answers by `listener`, and a connection to it. */
async function served(t: Hooks, limits: Partial<SlowClientLimits>, listener: http.RequestListener) {
  const server = http.createServer(listener)
  limitSlowClients(server, limits)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
  t.after(() => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  return socket.setEncoding('utf8')
}

test('a body that drips is refused with 408, and the connection closed', async (t) => {
  const world = await openWorld({}, { slowClients: { checkEveryMs: 20, graceMs: 100, minBytesPerSecond: 1000 } })
  const socket = net.connect(Number(new URL(world.url).port), '127.0.0.1').setEncoding('utf8')
  t.after(() => socket.destroy())
  let answer = ''
  socket.on('data', (text) => (answer += text)).on('error', () => {})
  const closed = once(socket, 'close')
  const { api } = await world.newStore()
  const head = `x-api-key: ${api.key}\r\ncontent-type: application/json\r\ncontent-length: 100000`
  socket.write(`POST /v1/products HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`)
  const drip = setInterval(() => socket.write(' '), 10)
  await closed
  clearInterval(drip)
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.match(answer, /"code":"REQUEST_TIMEOUT"/)
})

test('a body that comes at a fair rate is awaited', async (t) => {
  const limits = { checkEveryMs: 5, graceMs: 50, minBytesPerSecond: 100 }
  const socket = await served(t, limits, (request, response) => {
    request.resume().on('end', () => response.end('thanks'))
  })
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000\r\n\r\n')
  for (let part = 0; part < 10; part++) {
    await sleep(30)
    socket.write('x'.repeat(1000))
  }
  const [answer] = await once(socket, 'data')
  assert.match(answer, /thanks/)
})

test('an answer that nobody reads ends its connection', async (t) => {
  const answer = Buffer.alloc(64 * 1024 * 1024)
  let isClosed = false
  const socket = await served(t, { checkEveryMs: 10, answerWithinMs: 50 }, (_request, response) => {
    response.on('close', () => (isClosed = true)).end(answer)
  })
  socket.pause().on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  while (!isClosed) await sleep(10)
})

test('a streamed answer that nobody reads ends its connection; one that is read goes on', async (t) => {
  const limits = { checkEveryMs: 10, answerWithinMs: 100 }
  let isClosed = false
  const endless = await served(t, limits, (_request, response) => {
    Readable.from(chunks(Infinity)).pipe(response.on('close', () => (isClosed = true)))
  })
  endless.pause().on('error', () => {})
  endless.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  while (!isClosed) await sleep(10)

  const read = await served(t, limits, (_request, response) => void Readable.from(chunks(30, 20)).pipe(response))
  read.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  let length = 0
  for await (const text of read) length += text.length
  assert.ok(length > 30 * 64 * 1024)
})

async function* chunks(count: number, pauseMs = 0) {
  for (let index = 0; index < count; index++) {
    if (pauseMs > 0) await sleep(pauseMs)
    yield 'x'.repeat(64 * 1024)
  }
}

test('of requests that are sent ahead one is worked at, and all are answered in order', async (t) => {
  let working = 0
  let most = 0
  const socket = await served(t, {}, async (request, response) => {
    most = Math.max(most, ++working)
    await sleep(5)
    working--
    response.end(`<${request.url}>`)
  })
  let answers = ''
  socket.on('data', (text) => (answers += text))
  socket.write(Array.from({ length: 20 }, (_, index) => `GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  while (!answers.includes('</19>')) await sleep(5)
  assert.equal(most, 1)
  assert.deepEqual(
    [...answers.matchAll(/<\/(\d+)>/g)].map(([, index]) => Number(index)),
    Array.from({ length: 20 }, (_, index) => index),
  )
})

test('more requests ahead than the limit end the connection', async (t) => {
  const socket = await served(t, { maxPipelined: 3 }, () => {})
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5))
  await once(socket, 'close')
})

test('whoever waits too long for an answer gets 503, and is not cut', async (t) => {
  const bucket = http.createServer(() => {})
  await once(bucket.listen(0, '127.0.0.1'), 'listening')
  t.after(() => (bucket.closeAllConnections(), bucket.close()))
  const world = await openWorld({
    MEDIA_S3_URL: `http://127.0.0.1:${(bucket.address() as net.AddressInfo).port}/pictures`,
    MEDIA_S3_KEY: 'AKIAIOSFODNN7EXAMPLE',
    MEDIA_S3_SECRET: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  })
  world.app.server.server.timeout = 1000
  const { api } = await world.newStore()
  const { status, headers, error } = await send(api)
  assert.deepEqual([status, error.code, headers.get('retry-after')], [503, 'UNAVAILABLE', '1'])
})

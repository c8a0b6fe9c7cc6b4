import assert from 'node:assert/strict'
import net from 'node:net'
import tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { authority, type Certificate } from '../../../test/certificate.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { answering, assertFailed, eventually, guarded, listening, running, speaking } from '../../../test/strangers.ts'

test('the bytes and headers of a call arrive as they were given, and the answer comes back', async () => {
  const shop = await running()
  shop.answer = () => ({ status: 201, headers: { 'X-Two': ['a', 'b'], 'X-One': 'c' }, body: 'grüezi' })
  const body = '{"text":"ñ \\u0000"}'
  const outcome = await guarded().post(`${shop.url}/hook?token=a%20b`, { body, headers: { 'X-Webhook-Id': 'd1' } })
  assert.ok(outcome.ok)
  assert.equal(outcome.status, 201)
  assert.equal(outcome.body, 'grüezi')
  assert.equal(outcome.truncated, false)
  assert.equal(outcome.headers['x-two'], 'a, b')
  assert.equal(outcome.headers['x-one'], 'c')
  assert.ok(Number.isInteger(outcome.durationMs))
  const [request] = shop.received
  assert.equal(request!.method, 'POST')
  assert.equal(request!.path, '/hook?token=a%20b')
  assert.equal(request!.body.toString(), body)
  assert.equal(request!.headers['x-webhook-id'], 'd1')
  assert.equal(request!.headers.host, `localhost:${shop.port}`)
  assert.equal(request!.headers['accept-encoding'], undefined)
})

test('GET sends no body', async () => {
  const shop = await running()
  const outcome = await guarded().get(`${shop.url}/client.json`, { headers: { accept: 'application/json' } })
  assert.ok(outcome.ok)
  assert.equal(shop.received[0]!.method, 'GET')
  assert.equal(shop.received[0]!.body.length, 0)
})

test('a redirect is returned, not followed', async () => {
  const shop = await running()
  shop.answer = () => ({ status: 302, headers: { location: `${shop.url}/elsewhere` } })
  const outcome = await guarded().post(shop.url, { body: '{}' })
  assert.ok(outcome.ok)
  assert.equal(outcome.status, 302)
  assert.equal(shop.received.length, 1)
})

test('a compressed body is not unpacked', async () => {
  const shop = await running()
  shop.answer = () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('a'.repeat(1_000_000)) })
  const outcome = await guarded().get(shop.url)
  assert.ok(outcome.ok)
  assert.ok(outcome.body.length < 2_000)
})

test('the response after 103 Early Hints counts', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
    socket.write('HTTP/1.1 204 No Content\r\nx-last: yes\r\n\r\n')
  })
  const outcome = await guarded().post(`https://localhost:${server.port}/`, { body: '{}' })
  assert.ok(outcome.ok)
  assert.equal(outcome.status, 204)
  assert.equal(outcome.headers['x-last'], 'yes')
})

for (const [size, truncated] of [
  [65_536, false],
  [65_537, true],
] as const) {
  for (const connection of ['keep-alive', 'close']) {
    test(`a body of ${size} bytes with connection: ${connection} is ${truncated ? 'cut' : 'whole'}`, async () => {
      const shop = await running()
      shop.answer = () => ({ headers: { connection, 'content-length': String(size) }, body: 'b'.repeat(size) })
      const outcome = await guarded().get(shop.url)
      assert.ok(outcome.ok)
      assert.equal(outcome.body, 'b'.repeat(65_536))
      assert.equal(outcome.truncated, truncated)
    })
  }
}

test('an endless body is cut at the limit and its connection closed', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const pour = () => {
      while (socket.writable && socket.write('x'.repeat(1_000)));
    }
    socket.on('drain', pour)
    pour()
  })
  const outcome = await guarded().get(`https://localhost:${server.port}/`, { maxResponseBytes: 100 })
  assert.ok(outcome.ok)
  assert.equal(outcome.body, 'x'.repeat(100))
  assert.equal(outcome.truncated, true)
  await eventually(() => server.sockets.size === 0)
})

// Failures, each with its class, each by its deadline

const fast = { connectTimeoutMs: 100, resolveTimeoutMs: 50 }
const call = { body: '{}', timeoutMs: 300 }

test('a server that is silent before TLS is a TIMEOUT of the connection', async () => {
  const server = await listening(net.createServer((socket) => socket.resume()))
  const outcome = await guarded(fast).post(`https://localhost:${server.port}/`, call)
  assertFailed(outcome, 'TIMEOUT', /No connection within 0.1 s/)
  await eventually(() => server.sockets.size === 0)
})

test('the deadline of a call ends it while it waits for a connection', async () => {
  const server = await listening(net.createServer((socket) => socket.resume()))
  const outcome = await guarded({ connectTimeoutMs: 1_000 }).post(`https://localhost:${server.port}/`, call)
  assertFailed(outcome, 'TIMEOUT', /within 0.3 s/)
})

test('a server that is silent after TLS is a TIMEOUT, and its connection is closed', async () => {
  const shop = await running({ answer: () => 'hang' })
  assertFailed(await guarded().post(shop.url, call), 'TIMEOUT')
  assert.equal(shop.received.length, 1)
  await eventually(() => shop.load.open === 0)
})

test('a body that drips is a TIMEOUT', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const drip = setInterval(() => socket.write('.'), 5)
    socket.on('close', () => clearInterval(drip))
  })
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'TIMEOUT')
  await eventually(() => server.sockets.size === 0)
})

test('headers that drip are a TIMEOUT', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('x: y\r\n'), 5)
    socket.on('close', () => clearInterval(drip))
  })
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'TIMEOUT')
})

test('endless headers are a BAD_RESPONSE', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const line = `x-${'a'.repeat(100)}: ${'b'.repeat(1_000)}\r\n`
    const pour = () => {
      while (socket.writable && socket.write(line));
    }
    socket.on('drain', pour)
    pour()
  })
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'BAD_RESPONSE', /16 KiB/)
  await eventually(() => server.sockets.size === 0)
})

for (const [bytes, isRead] of [
  [15_000, true],
  [17_000, false],
] as const) {
  test(`a header of ${bytes} bytes is ${isRead ? 'read' : 'a BAD_RESPONSE'}`, async () => {
    const shop = await running({ answer: () => ({ headers: { 'x-long': 'a'.repeat(bytes) } }) })
    const outcome = await guarded().post(shop.url, call)
    if (isRead) assert.ok(outcome.ok)
    else assertFailed(outcome, 'BAD_RESPONSE', /16 KiB/)
  })
}

const badAnswers: [what: string, bytes: string, error: string][] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'BAD_RESPONSE'],
  ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'BAD_RESPONSE'],
  ['an unasked upgrade', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'BAD_RESPONSE'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'BAD_RESPONSE'],
  ['half of its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', 'RESET'],
  ['half of its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab', 'RESET'],
  ['half of its last body', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\nhalf', 'RESET'],
  ['half of its headers', 'HTTP/1.1 200 OK\r\nx: y\r\n', 'RESET'],
  ['nothing', '', 'RESET'],
]
for (const [what, bytes, error] of badAnswers) {
  test(`a server that answers with ${what} and closes is a ${error}`, async () => {
    const server = await speaking((socket) => socket.end(bytes))
    assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), error)
  })
}

test('a connection that is reset is a RESET', async () => {
  const server = await listening(tls.createServer(testAuthority.issue()))
  const post = guarded().post(`https://localhost:${server.port}/`, call)
  await eventually(() => server.sockets.size === 1)
  setTimeout(() => {
    for (const socket of server.sockets) socket.resetAndDestroy()
  }, 50)
  assertFailed(await post, 'RESET')
})

test('a reset in the middle of the body is a RESET', async () => {
  const server = await speaking((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf')
    setTimeout(() => {
      for (const raw of server.sockets) raw.resetAndDestroy()
    }, 20)
  })
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'RESET')
})

test('a server that speaks plain HTTP is a TLS failure', async () => {
  const server = await listening(
    net.createServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    }),
  )
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'TLS', /server must support HTTPS/)
})

const oldTls = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
const ownCipher = { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256', ecdhCurve: 'secp521r1' } as const
const handshakes: [what: string, options: tls.TlsOptions, message: RegExp][] = [
  ['only TLS 1.1', oldTls, /TLS version is too old/],
  ['only HTTP/2', { ALPNProtocols: ['h2'] }, /supports only HTTP\/2/],
  ['no common cipher', ownCipher, /no common cipher/],
]
for (const [what, options, message] of handshakes) {
  test(`a server with ${what} is a TLS failure that says so`, async () => {
    const server = await listening(tls.createServer({ ...testAuthority.issue({ names: ['localhost'] }), ...options }))
    assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'TLS', message)
  })
}

test('a server that closes in the handshake is a TLS failure', async () => {
  const server = await listening(net.createServer((socket) => socket.on('data', () => socket.destroy())))
  assertFailed(await guarded().post(`https://localhost:${server.port}/`, call), 'TLS')
})

const hourAgo = new Date(Date.now() - 3_600_000)
const inAnHour = new Date(Date.now() + 3_600_000)
const badCertificates: [what: string, certificate: Certificate, message: RegExp][] = [
  ['has expired', testAuthority.issue({ notAfter: hourAgo }), /has expired/],
  ['is not valid yet', testAuthority.issue({ notBefore: inAnHour }), /not valid yet/],
  ['is for another name', testAuthority.issue({ names: ['other.example'], addresses: [] }), /different host name/],
  ['comes from another authority', authority('Unknown').issue(), /no trusted authority/],
]
for (const [what, certificate, message] of badCertificates) {
  test(`a certificate that ${what} is a TLS failure, and no request is sent`, async () => {
    const shop = await running({ certificate })
    assertFailed(await guarded().post(shop.url, call), 'TLS', message)
    assert.equal(shop.received.length, 0)
  })
}

test('the certificate of an address must name the address', async () => {
  const shop = await running({ certificate: testAuthority.issue({ addresses: ['127.0.0.9'] }) })
  assertFailed(await guarded().post(`https://127.0.0.1:${shop.port}/`, call), 'TLS', /different host name/)
})

test('an authority is trusted only if it is configured', async () => {
  const shop = await running()
  assertFailed(await guarded({ ca: undefined }).post(shop.url, call), 'TLS')
})

test('a configured authority is trusted beside the default roots', async () => {
  const other = authority('Other')
  const shop = await running({ certificate: other.issue() })
  const roots = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...roots, other.ca])
  const fetch = guarded()
  assert.ok((await fetch.post(shop.url, call)).ok)
  tls.setDefaultCACertificates(roots)
  assert.ok((await fetch.post((await running()).url, call)).ok)
})

test('no variable of the environment turns the verification off', async () => {
  const shop = await running({ certificate: authority('Unknown').issue() })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    assertFailed(await guarded().post(shop.url, call), 'TLS')
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
  assert.equal(shop.received.length, 0)
})

test('a dead name is a DNS failure', async () => {
  assertFailed(await guarded({ resolver: answering([]) }).post('https://dead.example/', call), 'DNS')
})

test('a name server that is silent is a DNS failure', async () => {
  const silent = () => new Promise<never>(() => {})
  const fetch = guarded({ ...fast, resolver: { resolve4: silent, resolve6: silent } })
  assertFailed(await fetch.post('https://slow.example/', call), 'DNS')
})

test('a closed port is REFUSED', async () => {
  const shop = await running()
  const { url } = shop
  await shop.close()
  assertFailed(await guarded().post(url, call), 'REFUSED', /refused/)
})

// Connections

test('calls in a row to one origin share a connection', async () => {
  const shop = await running()
  const fetch = guarded()
  for (let n = 0; n < 20; n += 1) {
    assert.ok((await fetch.post(shop.url, { body: String(n) })).ok)
    await setImmediate() // undici gives a connection back in the next turn of the loop
  }
  assert.equal(shop.load.opened, 1)
})

test('calls at once to one origin use 8 connections at most', async () => {
  const shop = await running({ answer: () => ({ delayMs: 5 }) })
  const fetch = guarded()
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, n) => fetch.post(shop.url, { body: String(n) })))
  assert.ok(outcomes.every(({ ok }) => ok))
  assert.equal(shop.load.maxAtOnce, 8)
  assert.equal(shop.load.opened, 8)
})

test('a hanging path delays no call of another lane on the same origin', async () => {
  const shop = await running({ answer: ({ path }) => (path === '/hang' ? 'hang' : {}) })
  const fetch = guarded()
  const hanging = { body: '', lane: 'a', timeoutMs: 1_000 }
  const hang = Array.from({ length: 8 }, () => fetch.post(`${shop.url}/hang`, hanging))
  await shop.waitFor(8)
  assert.ok((await fetch.post(`${shop.url}/healthy`, { body: '{}', lane: 'b' })).ok)
  assertFailed(await fetch.post(`${shop.url}/late`, { body: '{}', lane: 'a', timeoutMs: 50 }), 'TIMEOUT')
  for (const outcome of await Promise.all(hang)) assertFailed(outcome, 'TIMEOUT')
  await fetch.close()
  assert.equal(
    shop.received.some(({ path }) => path === '/late'),
    false,
  )
})

test('a lane that timed out works again', async () => {
  const shop = await running({ answer: () => 'hang' })
  const fetch = guarded()
  const hang = Array.from({ length: 10 }, () => fetch.post(shop.url, { body: '', timeoutMs: 100 }))
  for (const outcome of await Promise.all(hang)) assertFailed(outcome, 'TIMEOUT')
  shop.answer = () => ({ body: 'back' })
  const outcome = await fetch.post(shop.url, { body: '' })
  assert.ok(outcome.ok)
  assert.equal(outcome.body, 'back')
})

test('idle connections are closed and their pool is released', async () => {
  const server = await speaking((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  const fetch = guarded({ idleTimeoutMs: 50 })
  assert.ok((await fetch.get(`https://localhost:${server.port}/`)).ok)
  assert.equal(fetch.poolCount(), 1)
  await eventually(() => fetch.poolCount() === 0 && server.sockets.size === 0)
})

test('a pool whose last call timed out is released', async () => {
  const shop = await running({ answer: () => 'hang' })
  const fetch = guarded()
  assertFailed(await fetch.get(shop.url, { timeoutMs: 100 }), 'TIMEOUT')
  await eventually(() => fetch.poolCount() === 0)
})

test('a pool that could not connect is released', async () => {
  const fetch = guarded({ resolver: answering([]) })
  assertFailed(await fetch.get('https://dead.example/'), 'DNS')
  await eventually(() => fetch.poolCount() === 0)
})

test('closing waits for calls in progress and rejects later ones', async () => {
  const shop = await running({ answer: () => ({ delayMs: 30 }) })
  const fetch = guarded()
  const post = fetch.post(shop.url, { body: '{}' })
  await shop.waitFor(1)
  await fetch.close()
  assert.ok((await post).ok)
  await assert.rejects(fetch.get(shop.url), /closed/)
})

test("a header that cannot be sent is the caller's mistake", async () => {
  const shop = await running()
  await assert.rejects(guarded().post(shop.url, { body: '', headers: { 'x-a': 'b\r\nx-c: d' } }), /invalid x-a header/)
  assert.equal(shop.received.length, 0)
})

import assert from 'node:assert/strict'
import net from 'node:net'
import tls from 'node:tls'
import { test } from 'node:test'
import { privateHosts } from '../../../test/private-hosts.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { answering, assertFailed, canary, eventually, guarded, listening, running } from '../../../test/strangers.ts'
import { parseNetworks } from './fetch.ts'

test('no spelling of a private address gets a byte', async () => {
  const bird = await canary()
  const fetch = guarded({ allowedNetworks: [], resolver: answering(['127.0.0.1']) })
  for (const host of privateHosts) {
    assertFailed(await fetch.post(`https://${host}:${bird.port}/`, { body: 'secret' }), 'BLOCKED_ADDRESS')
    assert.equal((await fetch.resolveCheck(`https://${host}:${bird.port}/`))?.code, 'not_public')
  }
  assert.deepEqual([bird.connections, bird.bytes], [0, 0])
})

test('the canary of these tests sings when loopback is allowed', async () => {
  const bird = await canary()
  await guarded({ connectTimeoutMs: 100 }).post(`https://0x7f.1:${bird.port}/`, { body: 'secret' })
  assert.equal(bird.connections, 1)
  assert.ok(bird.bytes > 0)
})

const privateAddresses = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fe80::1',
  'fc00::1',
]
for (const address of privateAddresses) {
  test(`a name that resolves to ${address}, alone or beside a public address, gets no byte`, async () => {
    const bird = await canary()
    for (const turn of [[address], ['93.184.215.14', address], ['2606:4700::1111', address]]) {
      const fetch = guarded({ allowedNetworks: [], resolver: answering(turn) })
      const url = `https://hooks.example:${bird.port}/`
      assertFailed(await fetch.post(url, { body: 'secret' }), 'BLOCKED_ADDRESS')
      assert.equal((await fetch.resolveCheck(url))?.code, 'not_public')
    }
    assert.deepEqual([bird.connections, bird.bytes], [0, 0])
  })
}

test('only https URLs are called', async () => {
  const bird = await canary()
  for (const url of [`http://127.0.0.1:${bird.port}/`, `https://a:b@127.0.0.1:${bird.port}/`, 'nonsense']) {
    assertFailed(await guarded().post(url, { body: 'secret' }), 'BLOCKED_ADDRESS')
  }
  assert.equal(bird.connections, 0)
})

test('a name that was public at the check and is private at the call is blocked', async () => {
  const bird = await canary()
  const fetch = guarded({ allowedNetworks: [], resolver: answering(['93.184.215.14'], ['127.0.0.1']) })
  const url = `https://hooks.example:${bird.port}/`
  assert.equal(await fetch.resolveCheck(url), null)
  assertFailed(await fetch.post(url, { body: 'secret' }), 'BLOCKED_ADDRESS')
  assert.deepEqual([bird.connections, bird.bytes], [0, 0])
})

test('every new connection is checked', async () => {
  const certificate = testAuthority.issue({ names: ['hooks.example'] })
  const shop = await running({ certificate, answer: () => ({ headers: { connection: 'close' } }) })
  const resolver = answering(['127.0.0.1'], ['127.0.0.2'])
  const fetch = guarded({ allowedNetworks: parseNetworks('127.0.0.1'), resolver })
  const url = `https://hooks.example:${shop.port}/`
  assert.ok((await fetch.post(url, { body: '1' })).ok)
  assertFailed(await fetch.post(url, { body: '2' }), 'BLOCKED_ADDRESS')
  assert.equal(shop.received.length, 1)
})

test('the resolver is asked once for a connection: the checked address is the one connected to', async () => {
  const certificate = testAuthority.issue({ names: ['hooks.example'] })
  const shop = await running({ certificate })
  const resolver = answering(['127.0.0.1'], ['127.0.0.2'])
  const fetch = guarded({ allowedNetworks: parseNetworks('127.0.0.1'), resolver })
  const outcome = await fetch.post(`https://hooks.example:${shop.port}/`, { body: '1' })
  assert.ok(outcome.ok)
  assert.equal(shop.received[0]!.headers.host, `hooks.example:${shop.port}`)
})

test('a peer that is not the checked address is blocked before the first byte', async (t) => {
  const bird = await canary()
  const connect = net.connect
  t.mock.method(net, 'connect', (_options: unknown, done: () => void) => connect(bird.port, '127.0.0.1', done))
  const fetch = guarded({ allowedNetworks: [], resolver: answering(['93.184.215.14']) })
  assertFailed(await fetch.post('https://hooks.example/', { body: 'secret' }), 'BLOCKED_ADDRESS')
  await eventually(() => bird.connections === 1 && bird.sockets.size === 0)
  assert.equal(bird.bytes, 0)
})

test('the server is named in TLS without the dot of a rooted name', async () => {
  const names: unknown[] = []
  const certificate = testAuthority.issue({ names: ['hooks.example'] })
  const server = tls.createServer(
    {
      ...certificate,
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
    },
    (socket) => socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
  )
  const { port } = await listening(server)
  const outcome = await guarded({ resolver: answering(['127.0.0.1']) }).get(`https://hooks.example.:${port}/`)
  assert.ok(outcome.ok, JSON.stringify(outcome))
  assert.deepEqual(names, ['hooks.example'])
})

test('if one of several addresses refuses, the next one is called', async () => {
  const certificate = testAuthority.issue({ names: ['hooks.example'] })
  const shop = await running({ certificate })
  const fetch = guarded({ resolver: answering(['127.0.0.2', '127.0.0.1']) })
  assert.ok((await fetch.get(`https://hooks.example:${shop.port}/`)).ok)
})

test('localhost is called without a resolver, over the loopback address that is allowed', async () => {
  const certificate = testAuthority.issue({ names: ['localhost', 'shop.localhost'] })
  const shop = await running({ certificate })
  const silent = () => new Promise<never>(() => {})
  const resolver = { resolve4: silent, resolve6: silent }
  const fetch = guarded({ allowedNetworks: parseNetworks('127.0.0.1'), resolver })
  assert.equal(await fetch.resolveCheck(shop.url), null)
  assert.ok((await fetch.get(shop.url)).ok)
  assert.ok((await fetch.get(`https://shop.localhost:${shop.port}/`)).ok)
})

test('a name that does not resolve yet may be registered', async () => {
  assert.equal(await guarded({ resolver: answering([]) }).resolveCheck('https://soon.example/'), null)
})

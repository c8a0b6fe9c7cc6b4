import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { openWorld } from '../../test/world.ts'

const world = await openWorld()
const plain = await openWorld({ BASE_URL: 'http://127.0.0.1' })
const { store } = await world.newStore()

/** The bytes of an answer to the bytes of a request. */
async function exchange(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.write(request)
  let answer = ''
  socket.on('data', (bytes) => (answer += String(bytes)))
  await once(socket, 'close')
  return answer
}

const everywhere = [
  '/v1/products',
  `/storefront/${store.slug}`,
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/reference',
  '/reference/scalar.js',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/v1',
  '/oauth/authorize',
  '/oauth/login',
  '/oauth/portal/api/session',
  `/s/${store.slug}`,
  `/s/${store.slug}/`,
  '/s/nobodys-store',
  '/nowhere',
  '/%zz',
]

test('every answer says that its type is not to be guessed, and gives no address away to other sites', async () => {
  for (const path of everywhere) {
    const { headers } = await fetch(world.url + path, { redirect: 'manual' })
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(headers.get('referrer-policy'), 'same-origin', path)
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path)
  }
  const malformed = await exchange(world.url, 'NONSENSE\r\n\r\n')
  assert.match(malformed, /^HTTP\/1\.1 400 [^]*x-content-type-options: nosniff/)
})

test('a service that is reached by http does not speak of https', async () => {
  for (const path of everywhere) {
    const { headers } = await fetch(plain.url + path, { redirect: 'manual' })
    assert.equal(headers.get('strict-transport-security'), null, path)
  }
})

test('a target that names another host is never redirected there', async () => {
  for (const target of [`http://evil.example/s/${store.slug}/`, `HTTPS://evil.example/s/${store.slug}/?a=1`]) {
    const answer = await exchange(world.url, `GET ${target} HTTP/1.1\r\nHost: real\r\nConnection: close\r\n\r\n`)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 301 [^]*location: /s/${store.slug}[?\\r]`, 'i'))
    assert.doesNotMatch(answer, /evil\./)
  }
  const page = await exchange(
    world.url,
    `GET http://evil.example/s/${store.slug} HTTP/1.1\r\nHost: real\r\nConnection: close\r\n\r\n`,
  )
  assert.match(page, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(page, /evil\./)
})

test('HTTP/0.9 is refused', async () => {
  for (const path of ['/healthz', `/s/${store.slug}`, '/v1/products', '/nowhere']) {
    assert.match(await exchange(world.url, `GET ${path}\r\n\r\n`), /^HTTP\/1\.1 400 /, path)
  }
})

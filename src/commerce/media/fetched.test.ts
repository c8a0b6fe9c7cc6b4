// Images that are imported by URL.
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import sharp from 'sharp'
import { testAuthority, type Answer } from '../../../test/receiver.ts'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { canary, running } from '../../../test/strangers.ts'
import { openWorld } from '../../../test/world.ts'
import { parseNetworks } from '../../platform/outbound/fetch.ts'

const network = { ca: testAuthority.ca, allowedNetworks: parseNetworks('127.0.0.1/32'), resolveTtlMs: 0 }
const world = await openWorld({}, { network })

const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#3366cc' } })
  .png()
  .toBuffer()

test('a picture is fetched, whatever its name and type say, and kept here', async () => {
  const { api } = await world.newStore()
  const there = await running()
  there.answer = () => ({ headers: { 'content-type': 'text/html' }, body: photo })
  const made = dataOf(await api.post('/v1/media', { url: `${there.url}/p.svg?size=1`, alt_text: 'Blue' }), 201)
  assert.deepEqual([made.width, made.height, made.format, made.alt_text], [40, 30, 'png', 'Blue'])
  assert.deepEqual(
    there.received.map(({ method, path }) => `${method} ${path}`),
    ['GET /p.svg?size=1'],
  )
  const served = await fetch(world.url + new URL(made.url).pathname)
  assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/jpeg'])
})

test('a redirect is not followed, least of all inside', async () => {
  const { api } = await world.newStore()
  const [there, inside] = [await running(), await canary()]
  for (const location of [
    `http://127.0.0.1:${inside.port}/`,
    `https://localhost:${inside.port}/`,
    '//169.254.169.254/',
  ]) {
    there.answer = () => ({ status: 302, headers: { location } })
    assert.deepEqual(faultsOf(await api.post('/v1/media', { url: there.url })), { url: 'could not be fetched (302)' })
  }
  assert.deepEqual([inside.connections, inside.bytes], [0, 0])
  assert.equal((await api.get('/v1/media')).body.pagination.total, 0)
})

test('what is inside is not asked at all', async () => {
  const { api } = await world.newStore()
  const inside = await canary()
  for (const url of [
    `https://127.0.0.2:${inside.port}/`,
    `https://[::1]:${inside.port}/`,
    `https://0.0.0.0:${inside.port}/`,
    `https://[::ffff:10.0.0.1]:${inside.port}/`,
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/a.png',
    'http://images.example/a.png',
    'https://user:password@images.example/a.png',
  ]) {
    assert.match(faultsOf(await api.post('/v1/media', { url })).url!, /^could not be fetched \(BLOCKED_ADDRESS\)$/, url)
  }
  for (const url of ['file:///etc/passwd', 'ftp://images.example/a.png', 'data:image/png;base64,AA', '/a.png', 'x']) {
    assert.ok(faultsOf(await api.post('/v1/media', { url })).url, url)
  }
  assert.deepEqual([inside.connections, inside.bytes], [0, 0])
})

test('what is no picture, too large, packed or not there is a fault of the url', async () => {
  const { api } = await world.newStore()
  const there = await running()
  const answers: [Answer, RegExp][] = [
    [{ body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }, /complete JPEG/],
    [{ body: '' }, /complete JPEG/],
    [{ body: photo.subarray(0, 60) }, /complete JPEG/],
    [{ headers: { 'content-encoding': 'gzip' }, body: gzipSync(photo) }, /complete JPEG/],
    [{ body: Buffer.alloc(15 * 1024 * 1024 + 1) }, /at most 15728640 bytes/],
    [{ status: 404 }, /could not be fetched \(404\)/],
    [{ status: 500, body: photo }, /could not be fetched \(500\)/],
    ['reset', /could not be fetched \(\w+\)/],
  ]
  for (const [answer, message] of answers) {
    there.answer = () => answer
    assert.match(faultsOf(await api.post('/v1/media', { url: there.url })).url!, message)
  }
  await there.close()
  assert.match(faultsOf(await api.post('/v1/media', { url: there.url })).url!, /could not be fetched \(\w+\)/)
  assert.equal((await api.get('/v1/media')).body.pagination.total, 0)
})

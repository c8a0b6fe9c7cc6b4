// Redirects in the API: one form of a path, targets that stay in the shop or are https, no loops, events and undo.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { brokenInvariants } from '../../program/cli/invariants.ts'
import { sql } from '../../kit/database/sql.ts'
import { redirectPath } from './path.ts'

const world = await openWorld()

type Shop = Pick<TestStore, 'api'>
const create = async ({ api }: Shop, path: string, target = '/products/mug') =>
  dataOf(await api.post('/v1/redirects', { path, target }), 201)

test('a redirect is created, listed, found by path, searched, changed and deleted, with its events', async () => {
  const shop = await world.newStore()
  const { api, events } = shop
  const made = await create(shop, '/Old%20Page/')
  assert.match(made.id, /^rdr_/)
  assert.deepEqual([made.path, made.target], ['/old page', '/products/mug'])
  await create(shop, '/blog/first?lang=en', 'https://journal.example/First')
  const paths = async (query: string) => (await api.get(`/v1/redirects?${query}`)).data.map(({ path }: any) => path)
  assert.deepEqual(await paths('sort=path&order=asc'), ['/blog/first?lang=en', '/old page'])
  assert.deepEqual(await paths('path=/OLD%2520page'), ['/old page'])
  assert.deepEqual(await paths('path=not-a-path'), [])
  assert.deepEqual(await paths('search=JOURNAL.ex'), ['/blog/first?lang=en'])
  assert.deepEqual(await paths('search=%25'), [])
  assert.equal((await api.get('/v1/redirects')).body.pagination.total, 2)
  const path = `/v1/redirects/${made.id}`
  assert.equal(dataOf(await api.patch(path, { target: '/pages/mugs#blue' }), 200).target, '/pages/mugs#blue')
  assert.deepEqual(dataOf(await api.patch(path, {}), 200), (await api.get(path)).data)
  dataOf(await api.delete(path), 200)
  assert.equal((await api.get(path)).status, 404)
  assert.equal((await api.delete(path)).status, 404)
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['redirect.created', 'redirect.created', 'redirect.updated', 'redirect.deleted'],
  )
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
})

test('a path in another spelling is the same path: 409', async () => {
  const shop = await world.newStore()
  await create(shop, '/café/?B=1')
  const other = await create(shop, '/other')
  for (const path of ['/caf%C3%A9?b=1', '/CAFé//?b=1 ', '/caf%c3%a9/?B=1']) {
    const { status, error } = await shop.api.post('/v1/redirects', { path, target: '/' })
    assert.deepEqual(
      [status, error.code, error.message],
      [409, 'CONFLICT', 'A redirect with the path /café?b=1 already exists'],
    )
    assert.equal((await shop.api.patch(`/v1/redirects/${other.id}`, { path })).status, 409)
  }
  const elsewhere = await world.newStore()
  await create(elsewhere, '/café/?B=1')
})

test('the form of a path is the same again, and never that of a host or of the home page', () => {
  // prettier-ignore
  const forms: [string, string | null][] = [
    ['/a', '/a'], ['/A/b/', '/a/b'], ['/a///', '/a'], ['/a?', '/a'], ['/a/?x=1', '/a?x=1'], ['/?P=12', '/?p=12'],
    ['/caf%C3%A9', '/café'], ['/É', '/É'], ['/a%20b', '/a b'], ['/a%20/', '/a'], ['/%2F%2f', '/%2f%2f'],
    ['/100%25', '/100%25'], ['/%2541', '/%2541'], ['/%3Fx', '/%3fx'], ['/%5Cx', '/%5cx'], ['/%0A', '/%0a'],
    ['/%2523', '/%2523'], ['/a?b=%26', '/a?b=&'],
    ['/', null], ['//', null], ['/?', null], ['/%20', null], ['//host', null], ['/\\host', null], ['', null],
    ['a', null], ['?p=1', null], ['https://shop.example/a', null], ['/a#b', null], ['/a\nb', null], ['/%zz', null],
    ['/100%', null], ['/%C2%85', null], ['/%ff', null], ['/a?b#c', null],
  ]
  for (const [text, form] of forms) {
    assert.equal(redirectPath(text), form, text)
    if (form !== null) assert.equal(redirectPath(form), form, text)
  }
  const slashes = `/${'/'.repeat(4000)}x`
  assert.equal(redirectPath(`/a${slashes}`), `/a${slashes}`)
})

test('a path has 1,000 characters and 2,000 bytes at most', async () => {
  const shop = await world.newStore()
  const faults = async (path: string) => faultsOf(await shop.api.post('/v1/redirects', { path, target: '/' }))
  assert.equal((await create(shop, `/${'a'.repeat(999)}`)).path.length, 1000)
  await create(shop, `/${'é'.repeat(999)}`)
  assert.deepEqual(Object.keys(await faults(`/${'a'.repeat(1000)}`)), ['path'])
  assert.match((await faults(`/${'漢'.repeat(999)}`)).path!, /2000 bytes/)
  for (const path of ['', '/', 'old', '//host/a', '/a#b', 'https://shop.example/a', '/a\\b', '/%zz', '/\u0000', 7]) {
    assert.deepEqual(Object.keys(await faults(path as string)), ['path'], String(path))
  }
})

// prettier-ignore
const hostile = [
  '//evil.example', '///evil.example', '////evil.example', '/\\evil.example', '\\\\evil.example', '\\/evil.example',
  '/\\/evil.example', '/a\\b', 'https:\\\\evil.example', 'https:/\\evil.example', '/\t/evil.example',
  '/\n/evil.example', '/\r\n/evil.example', '\t//evil.example', ' //evil.example', ' /a', '/a b', '/a\u00a0b',
  '/a\u2028b', '/\u0000', '/a\u0007', '/a\u007f', '/a\u0085b', '/a\r\nSet-Cookie: a=b', 'https://a.example/\r\nX: y',
  'javascript:alert(1)', 'JavaScript:alert(1)', 'java\nscript:alert(1)', ' javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>', 'vbscript:msgbox(1)', 'file:///etc/passwd', 'blob:https://a.example/x',
  'mailto:a@b.example', 'tel:+15550100', 'ftp://evil.example', 'http://evil.example', 'HTTP://evil.example',
  'ws://evil.example', 'https:evil.example', 'https:/evil.example', 'https:///evil.example', 'https://',
  'https://user@evil.example', 'https://user:pass@evil.example', 'https://shop.example@evil.example/',
  'https://evil.example:99999/', 'https://[::1', 'evil.example', 'evil.example/a', '?a=b', '#a', '.', '..', '../a',
  './a', '/..', '/../a', '/a/../b', '/a/./b', '/.//evil.example', '/..//evil.example', '/%2e%2e/a', '/a/%2E./b',
  '/.%2e/a', '@evil.example', '*', '', ' ',
]

test('a target is a path of the shop or an https URL, and nothing else', async () => {
  const shop = await world.newStore()
  assert.ok(hostile.length >= 50)
  for (const target of [...hostile, `/${'a'.repeat(2000)}`, null, 7, ['/']]) {
    const answer = await shop.api.post('/v1/redirects', { path: '/old', target })
    assert.deepEqual(Object.keys(faultsOf(answer)), ['target'], JSON.stringify(target))
  }
  const { id } = await create(shop, '/old', `/${'a'.repeat(1999)}`)
  // prettier-ignore
  const good = ['/', '/products/mug?variant=1#top', '/café', '/a..b/...', '/?a=/../b', 'https://evil.example',
    'HTTPS://Shop.example:8443/A?b=c#d', 'https://münchen.example/straße']
  for (const target of good) {
    assert.equal(dataOf(await shop.api.patch(`/v1/redirects/${id}`, { target }), 200).target, target)
  }
})

test('a redirect that leads back to its path is refused, by itself or by another one', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const loop = async (path: string, target: string) => {
    const faults = faultsOf(await api.post('/v1/redirects', { path, target }))
    assert.deepEqual(faults, { target: `leads back to ${path}` })
  }
  const { storefront_url } = (await api.get('/v1/store')).data
  for (const target of ['/a', '/A/', '/%61', '/a#b', '/a?b=c', `${storefront_url}/a`]) await loop('/a', target)
  await create(shop, '/b', '/c')
  await loop('/c', '/b')
  await loop('/c', '/B/?x=1')
  const ahead = await create(shop, '/d', '/b')
  const patched = await api.patch(`/v1/redirects/${ahead.id}`, { path: '/c' })
  assert.deepEqual(faultsOf(patched), { target: 'leads back to /c' })
  assert.equal((await api.get(`/v1/redirects/${ahead.id}`)).data.path, '/d')
  await create(await world.newStore(), '/c', '/b')
})

test('a dry run changes nothing, and each write is undone', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const dry = { headers: { prefer: 'dry-run' } }
  assert.equal((await api.post('/v1/redirects', { path: '/dry', target: '/' }, dry)).data.path, '/dry')
  assert.deepEqual((await api.get('/v1/redirects')).data, [])
  const created = await api.post('/v1/redirects', { path: '/old', target: '/a' })
  const path = `/v1/redirects/${created.data.id}`
  const revert = async ({ headers }: { headers: Headers }) =>
    dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  await revert(await api.patch(path, { path: '/older', target: '/b' }))
  const { updated_at: _, ...now } = (await api.get(path)).data
  const { updated_at: __, ...before } = created.data
  assert.deepEqual(now, before)
  const deletion = await api.delete(path)
  await revert(deletion)
  assert.deepEqual(
    [(await api.get(path)).data.path, (await api.get(path)).data.created_at],
    ['/old', before.created_at],
  )
  await revert(created)
  assert.equal((await api.get(path)).status, 404)
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
})

test('a store has 100,000 redirects at most', async () => {
  const shop = await world.newStore()
  const fill = (count: number) =>
    world.app.db.rows(sql`update store_counters set redirects = ${count} where store_id = ${shop.store.id}`)
  await fill(99_999)
  await create(shop, '/last')
  const refused = faultsOf(await shop.api.post('/v1/redirects', { path: '/more', target: '/' }))
  assert.deepEqual(Object.keys(refused), ['body'])
  await fill(1)
})

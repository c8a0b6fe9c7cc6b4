import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDatabase } from '../../test/database.ts'
import { openWorld } from '../../test/world.ts'

const world = await openWorld()
const { store } = await world.newStore()

async function ask(path: string, accept: string, language = 'en') {
  const headers = { accept, 'accept-language': language }
  const response = await fetch(world.url + path, { headers, redirect: 'manual' })
  return { status: response.status, type: response.headers.get('content-type')!, text: await response.text() }
}

const html = 'text/html,application/xhtml+xml,*/*;q=0.8'

test('/ greets a browser with the ways from there, in its language', async () => {
  const { status, type, text } = await ask('/', html)
  assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
  assert.match(text, /href="https:\/\/shop\.example\/dashboard"/)
  assert.match(text, /href="\/reference"/)
  assert.match(text, /href="https:\/\/shop\.example\/s\/[\w-]+"/)
  assert.match((await ask('/', html, 'es')).text, /Iniciar sesión/)
})

test('/ names at most 12 open shops in the order of their names, or none where the operator says so', async () => {
  const database = await ownDatabase()
  const many = await openWorld({}, { database })
  const names = Array.from(
    { length: 13 },
    (_, index) => `${index % 2 ? 'shop' : 'Shop'} ${String.fromCharCode(97 + index)}`,
  )
  for (const name of names.toReversed()) await many.newStore({ name })
  const shut = await many.newStore({ name: 'A shut one' })
  await shut.api.patch('/v1/store', { maintenance_mode: true })
  const shown = async (url: string) => {
    const response = await fetch(url, { headers: { accept: html } })
    return [...(await response.text()).matchAll(/<li><a href="https:[^"]+">([^<]*)</g)].map(([, name]) => name)
  }
  assert.deepEqual(await shown(many.url), names.slice(0, 12))

  // What has opened since is named within a minute.
  await many.newStore({ name: 'A new one' })
  assert.deepEqual(await shown(many.url), names.slice(0, 12))
  many.clock.advance(61)
  assert.deepEqual(await shown(many.url), ['A new one', ...names.slice(0, 11)])

  const silent = await openWorld({ SHOP_LIST: 'off' }, { database: { ...database, drop: async () => {} } })
  assert.deepEqual(await shown(silent.url), [])
})

test('/ answers a program with the same as JSON', async () => {
  const { status, type, text } = await ask('/', '*/*')
  assert.deepEqual([status, type], [200, 'application/json; charset=utf-8'])
  const { data } = JSON.parse(text)
  assert.deepEqual([data.api, data.openapi], ['https://shop.example/v1', 'https://shop.example/openapi.json'])
})

test('every address where nothing is shows a browser a page, and gives a program the envelope', async () => {
  const nowhere = [
    '/s',
    '/docs',
    '/admin',
    '/oauth',
    '/oauth/portal/nope',
    '/wp-login.php',
    '/%zz',
    `/s/${store.slug}/%zz`,
  ]
  for (const path of nowhere) {
    const page = await ask(path, html)
    assert.deepEqual([page.status, page.type], [404, 'text/html; charset=utf-8'], path)
    assert.match(page.text, /<h1>Page not found<\/h1>/, path)
    const envelope = await ask(path, 'application/json')
    assert.deepEqual([envelope.status, JSON.parse(envelope.text).error.code], [404, 'NOT_FOUND'], path)
  }
})

test('the API answers JSON whatever is accepted', async () => {
  for (const path of ['/v1/nothing', '/v1/products', '/storefront/nobody', '/storefront/a/b/c/d']) {
    assert.match((await ask(path, html)).type, /^application\/json/, path)
  }
})

test('there is an icon', async () => {
  const { status, type } = await ask('/favicon.ico', 'image/*')
  assert.deepEqual([status, type], [200, 'image/svg+xml'])
})

test('pages and files travel compressed to who can unpack them, and an unchanged page is not sent again', async () => {
  const page = await fetch(`${world.url}/s/${store.slug}`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(page.headers.get('content-encoding'), 'gzip')
  const again = { 'if-none-match': page.headers.get('etag')!, 'accept-encoding': 'gzip' }
  assert.equal((await fetch(`${world.url}/s/${store.slug}`, { headers: again })).status, 304)
  const plain = await fetch(`${world.url}/s/${store.slug}`, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
})

test('/glossary says in a page what the words mean, without links that lead nowhere', async () => {
  const { status, type, text } = await ask('/glossary', html)
  assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
  assert.match(text, /<td>Abandoned checkout<\/td>/)
  assert.doesNotMatch(text, /\.md/)
})

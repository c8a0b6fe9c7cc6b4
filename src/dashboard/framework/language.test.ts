// People choose a language once, for signing in and for the dashboard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../kit/values/language.ts'
import { fieldsOf, siteUrl, staffOf } from '../../../test/staff.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ BASE_URL: siteUrl })
const shop = await world.newStore()
const ana = await staffOf(world, [shop])
const path = `/${shop.store.id}/orders`

const langOf = (text: string) => /<html lang="(\w+)">/.exec(text)?.[1]

test('a page is in the language that the browser prefers', async () => {
  for (const language of languages) {
    assert.equal(langOf((await ana.get(path, { 'accept-language': `${language}-CH` })).text), language)
  }
})

test('a choice outlasts the request, and the address is the same without it', async () => {
  const chosen = await ana.get(`${path}?status=pending&lang=de`, { 'accept-language': 'fr' })
  assert.deepEqual([chosen.status, chosen.location], [303, `${path}?status=pending`])
  const line = chosen.headers.getSetCookie().find((one) => one.startsWith('stoa_language='))!
  assert.match(line, /^stoa_language=de; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const cookie = `${ana.cookie}; stoa_language=de`
  assert.equal(langOf((await ana.get(path, { 'accept-language': 'fr', cookie })).text), 'de')
  const signIn = await fetch(`${world.url}/oauth/login`, {
    headers: { accept: 'text/html', cookie: 'stoa_language=it' },
  })
  assert.equal(langOf(await signIn.text()), 'it')
})

test('every page links to itself in the other languages', async () => {
  const { text } = await ana.get(`${path}?status=pending`, { 'accept-language': 'en' })
  const links = [...text.matchAll(/<a href="[^"]*\?status=pending&amp;lang=(\w+)" lang="\1"/g)]
  assert.deepEqual(
    links.map(([, language]) => language),
    languages.filter((language) => language !== 'en'),
  )
})

test('an unknown choice is no choice', async () => {
  for (const choice of ['xx', '', 'de%00', '../en']) {
    const { status, text, headers } = await ana.get(`${path}?lang=${choice}`, { 'accept-language': 'fr' })
    assert.deepEqual([status, langOf(text)], [200, 'fr'], choice)
    assert.ok(!headers.getSetCookie().some((line) => line.startsWith('stoa_language')))
  }
})

test('a form is read in the language in which it was shown, whatever the browser prefers by then', async () => {
  const products = `/${shop.store.id}/products`
  const german = { 'accept-language': 'de' }
  const { id } = dataOf(await shop.api.post('/v1/products', { name: 'Bank', price: 5 }), 201)
  const priceOf = async () => dataOf(await shop.api.get(`/v1/products/${id}`), 200).price
  const page = await ana.get(`${products}/${id}`, german)
  assert.ok(fieldsOf(page, 'shown_in').every((language) => language === 'de'))
  const save = { act: 'save', name: 'Bank', price: '1.299', shown_in: fieldsOf(page, 'shown_in')[0]! }
  const english = { 'accept-language': 'en' }
  assert.equal((await ana.post(`${products}/${id}`, save, english)).status, 303)
  assert.equal(await priceOf(), 1299)
  // A form with a mistake stays in its language, and so does what was typed.
  const wrong = await ana.post(`${products}/${id}`, { ...save, weight: 'schwer', price: '2.499' }, english)
  assert.deepEqual([wrong.status, langOf(wrong.text)], [422, 'de'])
  assert.match(wrong.text, /<input[^>]*(name="price"[^>]*value="2\.499"|value="2\.499"[^>]*name="price")/)
  assert.ok(fieldsOf(wrong, 'shown_in').every((language) => language === 'de'))
  // Without the field, or with a language that does not exist, it is the reader's.
  for (const [shown_in, price, value] of [
    [[], '1,234', 1234],
    ['xx', '2,345', 2345],
  ] as const) {
    assert.equal(
      (await ana.post(`${products}/${id}`, { ...save, price, shown_in: [shown_in].flat() }, english)).status,
      303,
    )
    assert.equal(await priceOf(), value)
  }
})

// People choose a language once, for signing in and for the dashboard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../kit/values/language.ts'
import { siteUrl, staffOf } from '../../../test/staff.ts'
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

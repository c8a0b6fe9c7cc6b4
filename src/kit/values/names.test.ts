import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKey, plainText } from './names.ts'
import { buildSlug } from './slug.ts'

// prettier-ignore
const alike = [
  ['Café',         'Cafe\u0301', 'CAFÉ', 'Ca\u200dfé', '\ufeffCafé', 'Caf\u00e9\u200b', 'Ｃａｆé', 'Cafe\u200d\u0301'],
  ['Hats & Caps',  'hats  &  caps', ' Hats\u00a0& Caps\t', 'Ha\u00adts & Caps', 'Hats\u3000& Caps'],
  ['Straße',       'STRASSE', 'strasse', 'STRAẞE'],
  ['ΟΔΟΣ',         'οδος', 'οδοσ'],
  ['ﬁn',           'FIN', 'ｆｉｎ'],
  ['한국',         '한국'.normalize('NFD')],
]

test('names that look the same have one key', () => {
  for (const [first, ...others] of alike) {
    for (const other of others) assert.equal(nameKey(other), nameKey(first!), JSON.stringify(other))
  }
  assert.equal(new Set(alike.map(([first]) => nameKey(first!))).size, alike.length)
})

test('names that look different have different keys', () => {
  const names = ['Cafe', 'Café', 'Cafés', 'Hats', 'Hat s', 'kirk', 'kırk', 'Bags 1', 'Bags 2', '日本', '日木', '']
  assert.equal(new Set(names.map(nameKey)).size, names.length)
})

test('no key is too long for an index, or ends in half a character', () => {
  const key = nameKey('\ufdfa'.repeat(120))
  assert.equal(key.length, 400)
  assert.ok(nameKey(`x${'😀'.repeat(300)}`).isWellFormed())
})

test('a plain text keeps its case, and stays as it is if it is plain already', () => {
  assert.equal(plainText(' Ana@Example.com\u200b'), 'Ana@Example.com')
  for (const text of ['WELCOME10', 'ana@example.com', 'Corner shop', 'Café & Té', "Ana's"]) {
    assert.equal(plainText(text), text)
  }
})

test('a slug is made of the visible part of a name', () => {
  const id = '01912d68-783e-7a03-8467-5661c1243ad4'
  for (const name of ['Café', 'Cafe\u0301', 'Ca\u200dfé', 'Ｃａｆé', 'ｃａｆｅ'])
    assert.equal(buildSlug(name, id), 'cafe', name)
  assert.deepEqual(
    ['Nº 5', 'Wool™ Scarf', 'FooBar', '日本'].map((name) => buildSlug(name, id)),
    ['n-5', 'wool-scarf', 'foo-bar', '5661c1243ad4'],
  )
})

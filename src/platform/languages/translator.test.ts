// A message takes values as they are, and formats numbers for its language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../../languages/en/shop.json' with { type: 'json' }
import type { Language } from '../../kit/values/language.ts'
import { translatorFor } from './translator.ts'

const translator = translatorFor({ shop })

test('a number is formatted for the language, and selects the plural form', () => {
  const products = (language: Language, count: number) => translator(language)('products', { count })
  assert.equal(products('en', 1), '1 product')
  assert.equal(products('en', 0), '0 products')
  assert.equal(products('de', 1234), '1.234 Produkte')
  // French and Portuguese use the singular for zero.
  assert.equal(products('fr', 0), '0 produit')
  assert.equal(products('pt', 0), '0 produto')
  assert.equal(products('es', 0), '0 productos')
  assert.equal(products('fr', 2_000_000), '2\u202f000\u202f000 de produits')
  assert.equal(products('it', 1_000_000), '1.000.000 di prodotti')
  assert.equal(translator('es')('left', { count: 1_000_000 }), 'Solo quedan 1.000.000')
})

test('a value with braces, quotes or markup is shown as it is', () => {
  const query = `{count, plural, one {a} other {b}} '{x}' "<b>#</b>" {query}`
  assert.equal(translator('en')('results_for', { query }), `Results for “${query}”`)
})

test('a message that a language lacks is in English, its numbers included', () => {
  const translate = translatorFor({ shop: { ...shop, months_left: '{count, plural, one {# month} other {# months}}' } })
  assert.equal(translate('de')('months_left', { count: 1200 }), '1.200 months')
  assert.equal(translate('de')('products', { count: 2 }), '2 Produkte')
})

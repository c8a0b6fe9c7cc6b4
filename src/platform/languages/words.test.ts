// Every language has all words of the English file, with the same values.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { languages, type Language } from '../../kit/values/language.ts'
import { dictionaries, speaks, type WordText } from './words.ts'

type Words = Record<string, Record<string, WordText>>

const english: Words = dictionaries.en

/** The names of all words, such as `shop.cart`. */
function wordsOf(dictionary: Words): string[] {
  return Object.entries(dictionary).flatMap(([group, words]) => Object.keys(words).map((word) => `${group}.${word}`))
}

function eachText(language: Language): { at: string; text: WordText; model: WordText }[] {
  const dictionary: Words = dictionaries[language]
  return wordsOf(english).map((at) => {
    const [group, word] = at.split('.') as [string, string]
    return { at, text: dictionary[group]![word]!, model: english[group]![word]! }
  })
}

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name!))].sort()
}

const general = (text: WordText) => (typeof text === 'string' ? text : text.other)

test('every file is a language, and every language has its file', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.json'))
  assert.deepEqual(files.sort(), languages.map((language) => `${language}.json`).sort())
})

for (const language of languages) {
  test(`${language} has every word, none too many, and in the same order`, () => {
    assert.deepEqual(wordsOf(dictionaries[language]), wordsOf(english))
  })

  test(`${language} has the same values in each word as the English`, () => {
    for (const { at, text, model } of eachText(language)) {
      assert.deepEqual(namesIn(general(text)), namesIn(general(model)), at)
    }
  })

  test(`${language} counts with its plural forms, and shows the number`, () => {
    const known = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const { at, text, model } of eachText(language)) {
      assert.equal(typeof text, typeof model, at)
      if (typeof text === 'string') continue
      const forms = Object.keys(text)
      assert.deepEqual(
        forms.filter((form) => !known.includes(form as Intl.LDMLPluralRule)),
        [],
        at,
      )
      // In some languages millions have a form of their own; without it, they use the form of other numbers.
      assert.deepEqual(
        known.filter((form) => form !== 'many' && !forms.includes(form)),
        [],
        at,
      )
      for (const [form, said] of Object.entries(text)) {
        if (form !== 'one') assert.match(said, /\{count\}/, `${at}.${form}`)
      }
    }
  })

  test(`${language} has no empty text, outer spaces or straight quotes`, () => {
    for (const { at, text } of eachText(language)) {
      for (const said of typeof text === 'string' ? [text] : Object.values(text)) {
        assert.equal(said, said.trim(), at)
        assert.doesNotMatch(said, /^$|  |["']/, at)
      }
    }
  })
}

test('only the English file has longer sentences in English', () => {
  for (const language of languages.filter((other) => other !== 'en')) {
    const same = eachText(language).filter(({ text, model }) => {
      const [said, meant] = [general(text), general(model)]
      return said === meant && meant.split(' ').length > 2 && /[a-z]{4}/.test(meant.replaceAll(/\{\w+\}/g, ''))
    })
    assert.deepEqual(
      same.map(({ at }) => `${language}: ${at}`),
      [],
    )
  }
})

test('a number is formatted for the language, and selects the plural form', () => {
  const products = (language: Language, count: number) => speaks('shop')(language)('products', { count })
  assert.equal(products('en', 1), '1 product')
  assert.equal(products('en', 0), '0 products')
  assert.equal(products('de', 1234), '1.234 Produkte')
  // French and Portuguese use the singular for zero.
  assert.equal(products('fr', 0), '0 produit')
  assert.equal(products('pt', 0), '0 produto')
  assert.equal(products('es', 0), '0 productos')
  assert.equal(products('fr', 2_000_000), '2\u202f000\u202f000 de produits')
  assert.equal(products('it', 1_000_000), '1.000.000 di prodotti')
  assert.equal(speaks('shop')('es')('left', { count: 1_000_000 }), 'Solo quedan 1.000.000')
})

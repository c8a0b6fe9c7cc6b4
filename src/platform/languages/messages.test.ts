// Every language has all messages of the English files, with the same values, in its own words.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { isPluralElement, parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { languages, type Language } from '../../kit/values/language.ts'

const folder = new URL('../../../languages/', import.meta.url)

/** Texts that a language shares with English, such as "Status" in German. */
const loanwordFile = 'loanwords.json'

type Messages = Record<string, string>

const textOf = (language: Language, file: string) => readFileSync(new URL(`${language}/${file}`, folder), 'utf8')
const messagesOf = (language: Language, file: string): Messages => JSON.parse(textOf(language, file))
const filesOf = (language: Language) =>
  readdirSync(new URL(language, folder))
    .filter((file) => file !== loanwordFile)
    .sort()

const files = filesOf('en')
const english = new Map(files.map((file) => [file, messagesOf('en', file)]))

/** Lists the problems of a language, each with its file and key. */
function problemsOf(language: Language, problemOf: (text: string, model: string) => string | null): string[] {
  return files.flatMap((file) => {
    const messages = messagesOf(language, file)
    return Object.entries(english.get(file)!).flatMap(([key, model]) => {
      const problem = key in messages ? problemOf(messages[key]!, model) : null
      return problem === null ? [] : [`${language}/${file} ${key}: ${problem}`]
    })
  })
}

function elementsOf(text: string): MessageFormatElement[] {
  const nested = (element: MessageFormatElement): MessageFormatElement[] =>
    'options' in element
      ? [element, ...Object.values(element.options).flatMap(({ value }) => value.flatMap(nested))]
      : [element]
  return parse(text, { ignoreTag: true }).flatMap(nested)
}

/** The values of a message with their types, such as `count plural`. */
function valuesIn(text: string): string[] {
  const values = elementsOf(text).filter(({ type }) => type !== TYPE.literal && type !== TYPE.pound)
  return [
    ...new Set(values.map((element) => `${'value' in element ? element.value : ''} ${TYPE[element.type]}`)),
  ].sort()
}

function syntaxProblem(text: string, model: string): string | null {
  try {
    const [values, expected] = [valuesIn(text), valuesIn(model)]
    return values.join() === expected.join() ? null : `has the values ${values}; English has ${expected}`
  } catch (error) {
    return `is not an ICU message (${(error as Error).message})`
  }
}

/** Millions have a form of their own in some languages; without it they use the form of other numbers. */
const optionalForms = ['many', 'zero', '=0', '=1']

function pluralProblem(language: Language, text: string): string | null {
  const forms: string[] = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  for (const element of elementsOf(text).filter(isPluralElement)) {
    const existing = Object.keys(element.options)
    const missing = forms.filter((form) => !existing.includes(form) && !optionalForms.includes(form))
    const extra = existing.filter((form) => !forms.includes(form) && !form.startsWith('='))
    if (missing.length + extra.length > 0) return `lacks the plural forms [${missing}] and has [${extra}] too many`
  }
  return null
}

function markProblem(text: string): string | null {
  if (text !== text.trim() || text === '') return 'is empty or has outer spaces'
  const [mark] = /<|["'`]| {2}|&\w+;/.exec(text) ?? []
  return mark === undefined ? null : `has ${mark}: messages hold no markup, straight quotes or double spaces`
}

test('every language has a folder with the files of English, and no folder is anything else', () => {
  assert.deepEqual(readdirSync(folder).sort(), [...languages].sort())
  for (const language of languages) assert.deepEqual(filesOf(language), files, language)
})

test('no file has a key twice, and areas that are used together share none', () => {
  for (const language of languages) {
    for (const file of files) {
      const keys = [...textOf(language, file).matchAll(/^ {2}"([^"]+)":/gm)].map(([, key]) => key)
      assert.deepEqual(
        keys.filter((key, index) => keys.indexOf(key) !== index),
        [],
        `${language}/${file}`,
      )
    }
  }
  for (const together of [
    files.filter((file) => file.startsWith('dashboard-')),
    ['sign-in.json', 'consent.json'],
    ['email.json', 'shop.json'],
  ]) {
    const keys = together.flatMap((file) => Object.keys(english.get(file)!))
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
      together.join(),
    )
  }
})

for (const language of languages) {
  test(`${language} has every key of English, none else, and in the same order`, () => {
    const differing = files.flatMap((file) => {
      const [keys, expected] = [messagesOf(language, file), english.get(file)!].map((one) => Object.keys(one))
      const missing = expected!.filter((key) => !keys!.includes(key)).map((key) => `${language}/${file} lacks ${key}`)
      const extra = keys!.filter((key) => !expected!.includes(key)).map((key) => `${language}/${file} has also ${key}`)
      const isSorted = keys!.join() === expected!.filter((key) => keys!.includes(key)).join()
      return [...missing, ...extra, ...(isSorted || extra.length > 0 ? [] : [`${language}/${file} has another order`])]
    })
    assert.deepEqual(differing, [])
  })

  test(`${language} has ICU messages with the values of English`, () => {
    assert.deepEqual(problemsOf(language, syntaxProblem), [])
  })

  test(`${language} has its plural forms`, () => {
    assert.deepEqual(
      problemsOf(language, (text) => pluralProblem(language, text)),
      [],
    )
  })

  test(`${language} has no markup, straight quotes or stray spaces`, () => {
    assert.deepEqual(problemsOf(language, markProblem), [])
  })
}

for (const language of languages.filter((other) => other !== 'en')) {
  test(`${language} leaves nothing in English but its loanwords`, () => {
    const loanwords: string[] = JSON.parse(textOf(language, loanwordFile))
    const used = new Set<string>()
    const left = problemsOf(language, (text, model) => {
      if (text !== model || !/\p{L}{3}/u.test(model.replaceAll(/\{[^}]*\}/g, ''))) return null
      used.add(text)
      return loanwords.includes(text) ? null : `is in English: ${text}`
    })
    assert.deepEqual(left, [])
    assert.deepEqual(
      loanwords.filter((word) => !used.has(word)),
      [],
      'loanwords that no message uses',
    )
  })
}

test('every message is used', () => {
  const root = new URL('../../', import.meta.url)
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const code = sources.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n')
  const mentioned = new Set(code.match(/[\w-]+(?::[\w-]+)*/g))
  const patterns = [...code.matchAll(/`([\w:-]*)\$\{[^`{}]*\}([\w:-]*)`/g)].map(([, start, end]) => [start!, end!])
  // Both parts of a key such as font_serif may be names: `${field}_${value}`.
  const isJoined = (key: string) =>
    [...key.matchAll(/_/g)].some(
      ({ index }) => mentioned.has(key.slice(0, index)) && mentioned.has(key.slice(index + 1)),
    )
  const isBuilt = (key: string) =>
    patterns.some(([start, end]) => start!.length + end!.length > 2 && key.startsWith(start!) && key.endsWith(end!))
  const unused = files.flatMap((file) =>
    Object.keys(english.get(file)!)
      .filter((key) => !mentioned.has(key) && !isBuilt(key) && !isJoined(key))
      .map((key) => `${file} ${key}`),
  )
  assert.deepEqual(unused, [])
})

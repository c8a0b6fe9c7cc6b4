// The languages of pages and mail: which one a browser asks for, and texts that stand side by side.
import Negotiator from 'negotiator'

export const languages = ['en', 'es'] as const

export type Language = (typeof languages)[number]

const maximumHeader = 500

/** The best of Accept-Language, or null when it names none of ours. */
export function preferredLanguage(accepted: string | undefined): Language | null {
  const header = (accepted ?? '').slice(0, maximumHeader)
  if (header === '') return null
  const tags = new Negotiator({ headers: { 'accept-language': header } }).languages()
  const primary = tags.map((tag) => tag.split('-')[0]!.toLowerCase())
  return languages.find((language) => language === primary.find((tag) => languages.some((own) => own === tag))) ?? null
}

const spanish = new Set([
  'AR',
  'BO',
  'CL',
  'CO',
  'CR',
  'CU',
  'DO',
  'EC',
  'ES',
  'GQ',
  'GT',
  'HN',
  'MX',
  'NI',
  'PA',
  'PE',
  'PR',
  'PY',
  'SV',
  'UY',
  'VE',
])

/** What most shoppers of a country speak: the guess for who has not said it. */
export function languageOf(countryCode: string): Language {
  return spanish.has(countryCode) ? 'es' : 'en'
}

/** A text in each language, in the order of `languages`; {name} is filled in. */
export type Text = readonly [string, string]
export type Words = Record<string, Text>

/** `word` names a text, or is one. */
export type Speak<Word> = (word: Word | Text, values?: Record<string, string | number>) => string

export function speaker<W extends Words>(words: W): (language: Language) => Speak<keyof W> {
  return (language) => {
    const column = languages.indexOf(language)
    return (word, values = {}) => filled((isText(word) ? word : words[word]!)[column]!, values)
  }
}

const isText = (word: unknown): word is Text => Array.isArray(word)

/** The text with the values in the places of their {names}. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

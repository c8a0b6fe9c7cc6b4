// The languages of pages and emails: the one that a browser prefers, and the usual one of a country. The texts are in
// languages/.
import Negotiator from 'negotiator'

export const languages = ['en', 'es', 'pt', 'fr', 'de', 'it'] as const

export type Language = (typeof languages)[number]

export function eachLanguage<T>(valueOf: (language: Language) => T): Record<Language, T> {
  const pairs = languages.map((language) => [language, valueOf(language)])
  return Object.fromEntries(pairs) as Record<Language, T>
}

const maxHeaderLength = 500

/** The best match for Accept-Language, or null if none is offered. */
export function preferredLanguage(
  acceptLanguage: string | undefined,
  choices: readonly Language[] = languages,
): Language | null {
  const header = (acceptLanguage ?? '').slice(0, maxHeaderLength)
  if (header === '') return null
  const tags = new Negotiator({ headers: { 'accept-language': header } }).languages()
  const primary = tags.map((tag) => tag.split('-')[0]!.toLowerCase())
  return primary.map((tag) => choices.find((one) => one === tag)).find((one) => one !== undefined) ?? null
}

// Where most shoppers speak it; everywhere else they get English.
// prettier-ignore
const spokenIn: Partial<Record<Language, string>> = {
  es: 'AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR PY SV UY VE',
  pt: 'AO BR CV GW MZ PT ST TL',
  fr: 'BE BF BJ BL CD CF CG CI CM DJ FR GA GF GN GP HT LU MC MF MG ML MQ NC NE PF PM RE SN TD TG WF YT',
  de: 'AT CH DE LI',
  it: 'IT SM VA',
}

const byCountry = new Map(
  languages.flatMap((language) => (spokenIn[language]?.split(' ') ?? []).map((country) => [country, language])),
)

/** The language that most shoppers of a country speak: the default until one chooses. */
export function getCountryLanguage(countryCode: string): Language {
  return byCountry.get(countryCode) ?? 'en'
}

export type MessageValues = Record<string, string | number>

/** Returns the message of a key; values replace its {names}. */
export type Translate<Key extends string> = (key: Key, values?: MessageValues) => string

/** Replaces the {names} in the text by the values. */
export function fillIn(text: string, values: MessageValues): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

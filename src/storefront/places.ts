// Countries and days in the shopper's language.
import type { Language } from '../kit/values/language.ts'

export function dateIn(language: Language, { timezone }: { timezone: string }, date: Date | string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: timezone }).format(new Date(date))
}

/** [code, name], by name. */
export type Countries = readonly (readonly [string, string])[]

// Regions with a code of their own that are no place to ship to.
const noCountries = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
  'AQ',
  'BV',
  'HM',
  'TF',
  'UM',
])
const allCountries = new Map<Language, Countries>()

export function countriesIn(language: Language): Countries {
  let countries = allCountries.get(language)
  if (!countries) allCountries.set(language, (countries = namedIn(language)))
  return countries
}

function namedIn(language: Language): Countries {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const collator = new Intl.Collator(language)
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !noCountries.has(code) && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .map((code) => [code, names.of(code)] as const)
    .filter((country): country is [string, string] => country[1] !== undefined)
    .sort((a, b) => collator.compare(a[1], b[1]))
}

export function countryIn(language: Language, code: string): string {
  return countriesIn(language).find(([one]) => one === code)?.[1] ?? code
}

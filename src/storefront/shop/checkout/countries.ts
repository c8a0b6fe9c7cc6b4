// Countries and days in the shopper's language.
import { countryNames } from '../../../kit/values/countries.ts'
import type { Language } from '../../../kit/values/language.ts'

export function dateIn(language: Language, { timezone }: { timezone: string }, date: Date | string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: timezone }).format(new Date(date))
}

/** [code, name], sorted by name. */
export type Countries = readonly (readonly [string, string])[]

// Nothing can be shipped to places without inhabitants.
const uninhabitedCodes = new Set(['AQ', 'BV', 'HM', 'TF', 'UM'])
const allCountries = new Map<Language, Countries>()

export function countriesIn(language: Language): Countries {
  let countries = allCountries.get(language)
  if (!countries) allCountries.set(language, (countries = listCountries(language)))
  return countries
}

function listCountries(language: Language): Countries {
  const collator = new Intl.Collator(language)
  return countryNames(language)
    .filter(([code]) => !uninhabitedCodes.has(code))
    .sort((a, b) => collator.compare(a[1], b[1]))
}

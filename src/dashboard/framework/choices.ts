// Choices of countries, provinces, currencies, languages and time zones, sorted by name.
import { countryCodes, countryNames } from '../../kit/values/countries.ts'
import { listProvinces } from '../../kit/values/provinces.ts'
import { timezoneNames } from '../../kit/values/timezonenames.ts'
import { nameOfLanguage } from '../../platform/pages/language.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import type { Choices, PageContext } from './screen.ts'

/** Folds case and accents. */
const fold = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

const codesByName = new Map(
  languages.flatMap((language) => countryNames(language).map(([code, name]) => [fold(name), code] as const)),
)

/** A code that ISO 3166-1 reserves for private use. */
const unknownCode = 'ZZ'

/** Reads a name in a language of the dashboard, or a code. */
export function codeOfCountry(text: string): string {
  const code = text.trim().toUpperCase()
  return countryCodes.has(code) ? code : (codesByName.get(fold(text)) ?? unknownCode)
}

/** The country's code, or the unchanged text if it is not a country. */
export function countryIn(text: string): string {
  const code = codeOfCountry(text)
  return code === unknownCode ? text : code
}

type Reader = Pick<PageContext, 'language'>

const cache = new Map<string, Choices>()

function cacheChoices(key: string, list: () => Choices): Choices {
  let choices = cache.get(key)
  if (!choices) cache.set(key, (choices = list()))
  return choices
}

function sortByText(language: Language, choices: Choices): Choices {
  const collator = new Intl.Collator(language)
  return choices.toSorted((a, b) => collator.compare(a[1], b[1]))
}

export const countries = ({ language }: Reader): Choices =>
  cacheChoices(`countries ${language}`, () => sortByText(language, countryNames(language)))

/** The divisions used in the country's addresses, or its largest ones. */
export const provinces = ({ language }: Reader, country: string): Choices =>
  cacheChoices(`provinces ${country} ${language}`, () =>
    sortByText(
      language,
      listProvinces(country).map(({ code, name }) => [code, name]),
    ),
  )

export const currencies = ({ language }: Reader): Choices =>
  cacheChoices(`currencies ${language}`, () => {
    const names = new Intl.DisplayNames([language], { type: 'currency' })
    const currencyNames = Intl.supportedValuesOf('currency').map(
      (code) => [code, `${names.of(code)} (${code})`] as const,
    )
    return sortByText(language, currencyNames)
  })

export const timezones = (): Choices =>
  cacheChoices('time zones', () => timezoneNames.map((name) => [name, name.replaceAll('_', ' ')]))

export const languageChoices = ({ language }: Reader): Choices =>
  cacheChoices(`languages ${language}`, () =>
    sortByText(
      language,
      languages.map((other) => [other, nameOfLanguage(language, other)]),
    ),
  )

// Countries, currencies and time zones, as people choose them: by their names.
import { countryCodes, countryNames } from '../../kit/values/countries.ts'
import { provincesOf } from '../../kit/values/provinces.ts'
import { staffLanguages, type Language } from '../../kit/values/language.ts'
import type { Choices, PageContext } from './screen.ts'

/** Without capitals and accents. */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

const byName = new Map(
  staffLanguages.flatMap((language) => countryNames(language).map(([code, name]) => [plain(name), code] as const)),
)

/** No country has it. */
const unknownCode = 'ZZ'

/** Of a name in one of the languages of the dashboard, or of the code itself. */
export function codeOfCountry(text: string): string {
  const code = text.trim().toUpperCase()
  return countryCodes.has(code) ? code : (byName.get(plain(text)) ?? unknownCode)
}

export function nameOfCountry(language: Language, code: string): string {
  return countryCodes.has(code) ? new Intl.DisplayNames([language], { type: 'region' }).of(code)! : code
}

const made = new Map<string, Choices>()

function once(name: string, make: () => Choices): Choices {
  let known = made.get(name)
  if (!known) made.set(name, (known = make()))
  return known
}

function byText(language: Language, choices: Choices): Choices {
  const collator = new Intl.Collator(language)
  return choices.toSorted((a, b) => collator.compare(a[1], b[1]))
}

export const countries = ({ language }: PageContext): Choices =>
  once(`countries ${language}`, () => byText(language, countryNames(language)))

/** Of one country: those that its addresses name, or its largest parts. */
export const provinces = ({ language }: PageContext, country: string): Choices =>
  once(`provinces ${country} ${language}`, () =>
    byText(
      language,
      provincesOf(country).map(({ code, name }) => [code, name]),
    ),
  )

export const currencies = ({ language }: PageContext): Choices =>
  once(`currencies ${language}`, () => {
    const names = new Intl.DisplayNames([language], { type: 'currency' })
    const named = Intl.supportedValuesOf('currency').map((code) => [code, `${names.of(code)} (${code})`] as const)
    return byText(language, named)
  })

export const timezones = (): Choices =>
  once('time zones', () =>
    [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((name) => [name, name.replaceAll('_', ' ')]),
  )

/** A language as somebody who speaks another calls it. */
export function nameOfLanguage(language: Language, other: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(other)!
  return name[0]!.toLocaleUpperCase(language) + name.slice(1)
}

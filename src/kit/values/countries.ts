// All countries of ISO 3166-1, without reserved and user-assigned codes. Names are those of CLDR.
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' }
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' }
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' }
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' }
import it from 'i18n-iso-countries/langs/it.json' with { type: 'json' }
import pt from 'i18n-iso-countries/langs/pt.json' with { type: 'json' }
import { LRUCache } from 'lru-cache'
import { languages } from './language.ts'
import { searchable } from './slug.ts'

export const countryCodes: ReadonlySet<string> = new Set(codes.map(([code]) => code!))

/** One area of value added tax: shipments within it are not exports. */
// prettier-ignore
export const euCountries: ReadonlySet<string> = new Set([
  'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU',
  'IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK',
])

const namesByLanguage = new LRUCache<string, ReadonlyMap<string, string>>({ max: 20 })

function namesIn(language: string): ReadonlyMap<string, string> {
  const cachedNames = namesByLanguage.get(language)
  if (cachedNames) return cachedNames
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const byCode = new Map([...countryCodes].map((code) => [code, names.of(code)!]))
  namesByLanguage.set(language, byCode)
  return byCode
}

/** The codes and names of all countries in this language. */
export function countryNames(language: string): [code: string, name: string][] {
  return [...namesIn(language)]
}

/** The name in this language; the code itself if it is not a country's. */
export function nameOfCountry(language: string, code: string): string {
  return namesIn(language).get(code) ?? code
}

/** Other names of countries, such as United States of America. */
const countryAliases: readonly [code: string, name: string][] = [de, en, es, fr, it, pt].flatMap(({ countries }) =>
  Object.entries<string | string[]>(countries).flatMap(([code, names]) =>
    [names].flat().map((name): [string, string] => [code, name]),
  ),
)

/** Finds the ISO code of a country by its code or its name in a language of the service; null if unknown. */
export function parseCountryCode(country: string | null | undefined): string | null {
  codesByName ??= regionCodes()
  return codesByName.get(searchable(country).trim()) ?? null
}

let codesByName: Map<string, string> | undefined

function regionCodes(): Map<string, string> {
  const byName = [...languages.flatMap(countryNames), ...countryAliases, ...['en', 'es'].flatMap(countryNames)]
  const byCode = [...countryCodes].map((code): [string, string] => [code, code])
  const codesByName = byName.map(([code, name]): [string, string] => [name, code])
  return new Map(
    [...codesByName, ...byCode, ['ee. uu.', 'US'] as const].map(([name, code]) => [searchable(name).trim(), code]),
  )
}

// The countries that there are: ISO 3166-1, without what is reserved or left to users. Names are those of CLDR.
import iso from 'i18n-iso-countries'

export const countryCodes: ReadonlySet<string> = new Set(Object.keys(iso.getAlpha2Codes()))

/** [code, name] in this language. */
export function countryNames(language: string): [code: string, name: string][] {
  const names = new Intl.DisplayNames([language], { type: 'region' })
  return [...countryCodes].map((code) => [code, names.of(code)!])
}

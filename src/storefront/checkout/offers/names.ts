// Names of built-in codes and countries, if the merchant or the shopper gives none.
import type { Language } from '../../../kit/values/language.ts'
import { dictionaries, speaks } from '../../../platform/languages/words.ts'

const say = speaks('names')

type BuiltInCode = keyof typeof dictionaries.en.names

/** The name of a payment method or shipping rate. */
export function nameOf({ code, name }: { code: string; name: string | null }, language: Language = 'en'): string {
  return name ?? (Object.hasOwn(dictionaries.en.names, code) ? say(language)(code as BuiltInCode) : code)
}

const regions = new Map<Language, Intl.DisplayNames>()

/** `MX` → `México` */
export function countryName(code: string | null | undefined, language: Language): string | null {
  if (!code) return null
  let names = regions.get(language)
  if (!names) regions.set(language, (names = new Intl.DisplayNames([language], { type: 'region' })))
  return names.of(code) ?? code
}

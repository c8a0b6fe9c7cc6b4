// Names of built-in codes and countries, if the merchant or the shopper gives none.
import type { Language } from '../../../kit/values/language.ts'
import shop from '../../../../languages/en/shop.json' with { type: 'json' }
import { translatorFor } from '../../../platform/languages/translator.ts'

const translator = translatorFor({ shop })

type BuiltInName = Extract<keyof typeof shop, `name_${string}`>

/** The name of a payment method or shipping rate. */
export function formatMethodName(
  { code, name }: { code: string; name: string | null },
  language: Language = 'en',
): string {
  return name ?? (Object.hasOwn(shop, `name_${code}`) ? translator(language)(`name_${code}` as BuiltInName) : code)
}

const regions = new Map<Language, Intl.DisplayNames>()

/** `MX` → `México` */
export function countryName(code: string | null | undefined, language: Language): string | null {
  if (!code) return null
  let names = regions.get(language)
  if (!names) regions.set(language, (names = new Intl.DisplayNames([language], { type: 'region' })))
  return names.of(code) ?? code
}

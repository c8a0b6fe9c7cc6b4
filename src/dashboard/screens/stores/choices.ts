// Choices of countries, currencies and languages by their names.
import { countryCodes } from '../../../kit/values/countries.ts'
import { languages } from '../../../kit/values/language.ts'
import type { Choices } from '../../framework/screen.ts'

const currencies = Intl.supportedValuesOf('currency')

export function countryChoices(language: string): Choices {
  return namesInOrder(language, 'region', [...countryCodes])
}

export function currencyChoices(language: string): Choices {
  return namesInOrder(language, 'currency', currencies).map(([code, name]) => [code, `${name} (${code})`])
}

export function languageChoices(language: string): Choices {
  return namesInOrder(language, 'language', languages)
}

const lists = new Map<string, Choices>()

/** Sorted by name, and cached by language and kind. */
function namesInOrder(language: string, type: Intl.DisplayNamesType, codes: readonly string[]): Choices {
  const key = `${language} ${type}`
  let list = lists.get(key)
  if (!list) {
    const names = new Intl.DisplayNames(language, { type })
    const { compare } = new Intl.Collator(language)
    const pairs = codes.map((code) => [code, names.of(code) ?? code] as const)
    lists.set(key, (list = pairs.sort(([, one], [, other]) => compare(one, other))))
  }
  return list
}

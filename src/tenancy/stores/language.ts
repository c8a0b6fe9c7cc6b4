// The languages of a store: the default language of its records, and those that shoppers can choose.
import { getCountryLanguage, type Language } from '../../kit/values/language.ts'
import type { Store } from './store.ts'

/** Defaults to the main language of the store's country. */
export function ownLanguage({ default_language, country_code }: Pick<Store, 'default_language' | 'country_code'>) {
  return default_language ?? getCountryLanguage(country_code)
}

/** The default language comes first. */
export function offeredLanguages(store: Pick<Store, 'default_language' | 'country_code' | 'languages'>): Language[] {
  return [...new Set([ownLanguage(store), ...store.languages])]
}

/** The language itself if the store has translations into it, otherwise null, so that none are looked up. */
export function chooseTranslation({ translated }: Pick<Store, 'translated'>, language: Language): Language | null {
  return translated.includes(language) ? language : null
}

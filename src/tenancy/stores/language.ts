// The languages of a store: its own, in which its records are written, and those in which shoppers may read it.
import { languageOf, type Language } from '../../kit/values/language.ts'
import type { Store } from './store.ts'

/** Unless it has chosen, what most people of its country speak. */
export function ownLanguage({ default_language, country_code }: Pick<Store, 'default_language' | 'country_code'>) {
  return default_language ?? languageOf(country_code)
}

/** The store's own language comes first. */
export function offeredLanguages(store: Pick<Store, 'default_language' | 'country_code' | 'languages'>): Language[] {
  return [...new Set([ownLanguage(store), ...store.languages])]
}

/** The language itself when something of the store is translated into it; else null: there is nothing to look for. */
export function translated({ translated }: Pick<Store, 'translated'>, language: Language): Language | null {
  return translated.includes(language) ? language : null
}

// Marks texts in another language than the page (WCAG 2.2, 3.1.2), so that screen readers pronounce them correctly.
import type { Language } from '../../../kit/values/language.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { ShopTexts } from '../../branding/shoptexts.ts'
import type { ShopContext } from './page.ts'

type LanguageContext = Pick<ShopContext, 'store' | 'language' | 'translation' | 'face'>

/** The language of a record's text; null for the page's own. */
export function getTextLanguage(
  context: LanguageContext,
  { untranslated }: { untranslated?: readonly string[] | null },
  name: string,
): Language | null {
  const isTranslated = context.translation !== null && untranslated?.includes(name) !== true
  return isTranslated ? null : getForeignLanguage(context)
}

/** The language of a text of the shop itself. */
export function langOfShop(context: LanguageContext, name: Exclude<keyof ShopTexts, 'terms'>): Language | null {
  return context.face.translations?.[context.language]?.[name] ? null : getForeignLanguage(context)
}

/** The language of a term: the store's own unless its translation differs. */
export function langOfTerm(context: LanguageContext, term: string, translation: string): Language | null {
  return term === translation ? getForeignLanguage(context) : null
}

/** The store's own language if the page has another; otherwise null. */
export function getForeignLanguage({ store, language }: Pick<LanguageContext, 'store' | 'language'>): Language | null {
  const own = ownLanguage(store)
  return own === language ? null : own
}

// Which language a text is in, where it is not that of the page (WCAG 2.2, 3.1.2): screen readers say it by its sounds.
import type { Language } from '../../../kit/values/language.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { ShopTexts } from '../../branding/shoptexts.ts'
import type { Visit } from './page.ts'

type Reading = Pick<Visit, 'store' | 'language' | 'translation' | 'face'>

/** Of a text of a record; null: the page's own. */
export function langOf(
  visit: Reading,
  { untranslated }: { untranslated?: readonly string[] | null },
  name: string,
): Language | null {
  const isTranslated = visit.translation !== null && untranslated?.includes(name) !== true
  return isTranslated ? null : foreign(visit)
}

/** Of a text of the shop itself. */
export function langOfShop(visit: Reading, name: Exclude<keyof ShopTexts, 'terms'>): Language | null {
  return visit.face.translations?.[visit.language]?.[name] ? null : foreign(visit)
}

/** Of a word that is called otherwise where it is translated. */
export function langOfTerm(visit: Reading, term: string, called: string): Language | null {
  return term === called ? foreign(visit) : null
}

/** The store's own language, on a page in another. */
export function foreign({ store, language }: Pick<Reading, 'store' | 'language'>): Language | null {
  const own = ownLanguage(store)
  return own === language ? null : own
}

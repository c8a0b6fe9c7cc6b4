// Finds screens by their titles.
import { mayUse } from '../../../identity/accounts/roles.ts'
import { messageOr } from '../../framework/messages.ts'
import type { Screen, PageContext } from '../../framework/screen.ts'

export type SearchResult = { text: string; note: string; to: string }

/** The screens that the role may see and whose path has no parameters. */
function visibleScreens({ role, screens }: Pick<PageContext, 'role' | 'screens'>): Screen[] {
  return screens.filter(({ scope, params, isUnlisted }) => !params && !isUnlisted && mayUse(role, scope))
}

const normalize = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Titles that begin with the search come first, and what is found by other words for it last. */
export function findScreens(context: PageContext, search: string): SearchResult[] {
  const { t, base } = context
  const term = normalize(search)
  const rank = ({ text }: SearchResult) =>
    normalize(text).startsWith(term) ? 0 : normalize(text).includes(term) ? 1 : 2
  return visibleScreens(context)
    .map(({ path, title, within }) => ({
      text: t(title),
      note: within && within.title !== title ? t(within.title) : '',
      to: base + path,
      words: messageOr(t, `find_words_${title}`, ''),
    }))
    .filter(({ text, note, words }) => normalize(`${text} ${note} ${words}`).includes(term))
    .map(({ words: _, ...found }) => found)
    .sort((a, b) => rank(a) - rank(b))
}

// The screens as places that somebody can go to, by their names.
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Screen, PageContext } from '../../framework/screen.ts'

export type Found = { text: string; note: string; to: string }

/** The screens that somebody may see and that need nothing to be named. */
function openPlaces({ role, screens }: Pick<PageContext, 'role' | 'screens'>): Screen[] {
  return screens.filter(({ scope, params, isUnlisted }) => !params && !isUnlisted && mayUse(role, scope))
}

const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Those that begin so come first. */
export function pagesNamed(context: PageContext, typed: string): Found[] {
  const { t, base } = context
  const wanted = plain(typed)
  const rank = ({ text }: Found) => (plain(text).startsWith(wanted) ? 0 : plain(text).includes(wanted) ? 1 : 2)
  return openPlaces(context)
    .map(({ path, title, within }) => ({
      text: t(title),
      note: within && within.title !== title ? t(within.title) : '',
      to: base + path,
    }))
    .filter(({ text, note }) => plain(`${text} ${note}`).includes(wanted))
    .sort((a, b) => rank(a) - rank(b))
}

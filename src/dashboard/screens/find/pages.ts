// The screens as places that somebody can go to, by their names.
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Screen, Visit } from '../../framework/page.ts'

export type Found = { text: string; note: string; to: string }

/** The screens that somebody may see and that need nothing to be named. */
function openPlaces({ role, screens }: Pick<Visit, 'role' | 'screens'>): Screen[] {
  return screens.filter(({ scope, params, isAside }) => !params && !isAside && mayUse(role, scope))
}

const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Those that begin so come first. */
export function pagesNamed(visit: Visit, typed: string): Found[] {
  const { say, base } = visit
  const wanted = plain(typed)
  const rank = ({ text }: Found) => (plain(text).startsWith(wanted) ? 0 : plain(text).includes(wanted) ? 1 : 2)
  return openPlaces(visit)
    .map(({ path, title, within }) => ({
      text: say(title),
      note: within && within.title !== title ? say(within.title) : '',
      to: base + path,
    }))
    .filter(({ text, note }) => plain(`${text} ${note}`).includes(wanted))
    .sort((a, b) => rank(a) - rank(b))
}

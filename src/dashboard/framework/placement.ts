// The place of a screen: below another one, or in a group of the settings.
import type { NavigationLine, Screen } from './screen.ts'

/** The section, scope, title and back link of a screen below `parent`. */
export function placeBelow({ path, title, section, scope }: Screen) {
  return { section, scope, title, within: { path, title } }
}

type Settings = Required<Pick<Screen, 'section' | 'nav' | 'within'>>

/** Lists a screen in a group of the settings. */
export function inSettings(
  group: 'store' | 'people' | 'checkout' | 'developer',
  line: Omit<NavigationLine, 'group'>,
): Settings {
  const title = group === 'developer' ? 'developer' : 'settings'
  return { section: 'settings', nav: { group, ...line }, within: { path: '/settings', title } }
}

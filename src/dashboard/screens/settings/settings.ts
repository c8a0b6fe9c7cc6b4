// The overview of all settings.
import { overview, type NavigationLink } from '../../framework/navigation.ts'
import type { Screen } from '../../framework/screen.ts'

// prettier-ignore
const otherLinks: NavigationLink[] = [
  { title: 'reference', nav: { group: 'developer', text: 'reference_text', icon: 'glossary' },
    href: ({ baseUrl }) => `${baseUrl}/reference` },
]

export const settings: Screen = {
  path: '/settings',
  scope: 'read:store',
  title: 'settings',
  section: 'settings',
  show: async (context) => ({ content: overview(context, 'settings', otherLinks) }),
}

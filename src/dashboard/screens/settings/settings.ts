// What can be set up, and where.
import { overview, type Elsewhere } from '../../framework/navigation.ts'
import type { Screen } from '../../framework/page.ts'

// prettier-ignore
const elsewhere: Elsewhere[] = [
  { title: 'reference', nav: { group: 'developer', text: 'reference_text' },
    href: ({ baseUrl }) => `${baseUrl}/reference` },
]

export const settings: Screen = {
  path: '/settings',
  scope: 'read:store',
  title: 'settings',
  section: 'settings',
  show: async (visit) => ({ content: overview(visit, 'settings', elsewhere) }),
}
